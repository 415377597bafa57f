"""Keeps secrets and personal data out of everything that is stored, shown, logged or sent.

A secret is replaced whole by a placeholder such as ``<anthropic-key-K7Q2>``. The tag is an HMAC of the secret with
a key that belongs to the workspace: the same secret always reads the same, and nothing can be looked up backwards.
Redacting twice changes nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from honeyguide.traces.redaction_context import CONTEXT_KINDS, FINDERS
from honeyguide.traces.redaction_judgement import (
    NameClass,
    classify_name,
    is_mixed,
    is_random,
    is_reference,
)
from honeyguide.traces.redaction_personal import PERSONAL_KINDS, find_personal
from honeyguide.traces.redaction_places import SecretHit, lower_in_place
from honeyguide.traces.redaction_rules import RULES, find_shapes

__all__ = ["PERSONAL_KINDS", "SECRET_KINDS", "Redactor", "SecretHit", "kinds_found", "scan"]

SECRET_FIELD = "secret-field"  # noqa: S105 (a kind, not a password)
"""Kind of a value whose field name alone says that it is a secret."""

SECRET_KINDS: tuple[str, ...] = (*(rule.kind for rule in RULES), *CONTEXT_KINDS, SECRET_FIELD)
"""Every kind of secret, most telling first."""

_RANK = {kind: rank for rank, kind in enumerate((*SECRET_KINDS, *PERSONAL_KINDS))}
_CONTEXTUAL = frozenset((*CONTEXT_KINDS, SECRET_FIELD))
_TAG_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PLACEHOLDER = re.compile(
    "<(?:"
    + "|".join(
        re.escape(kind) for kind in (*(k for k in SECRET_KINDS if k not in _CONTEXTUAL), "secret", *PERSONAL_KINDS)
    )
    + f")-[{_TAG_ALPHABET}]{{4}}>"
)
"""What a replaced secret looks like."""

SHORTEST_SECRET = 6
MAX_ROUNDS = 8
MAX_DEPTH = 60
_NAME_FIELDS = ("name", "key", "header", "field", "variable", "param", "parameter", "option")
_VALUE_FIELDS = ("value", "val", "content")
_JSON_START = re.compile(r"\s*[{\[]")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|bot)\s+(?=\S)")
_HEADER_LIKE = re.compile(r"(?i)-{0,2}[\w-]*(?:authorization|cookie|api[-_]?key|token|secret|password|passwd)\Z")
_SCHEMA_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


def scan(text: str, *, personal: bool = False) -> list[SecretHit]:
    """Return the secrets in ``text``, in order and without overlap; with ``personal`` also personal data.

    Where two kinds claim the same place the more telling one names it and the span covers both.
    """
    if len(text) < SHORTEST_SECRET:
        return []
    lowered = lower_in_place(text)
    hits = list(find_shapes(text, lowered))
    for finder in FINDERS:
        hits.extend(finder(text, lowered))
    if personal:
        hits.extend(find_personal(text, lowered))
    return _without_placeholders(text, _merged(hits)) if hits else []


def kinds_found(text: str) -> list[str]:
    """Return the kinds of secrets in ``text`` and in JSON inside it, each once, the most telling first."""
    found: set[str] = {hit.kind for hit in scan(text)}
    probe = Redactor(b"probe", personal=False)
    probe.text(text)
    found.update(probe.counts)
    return sorted(found, key=lambda kind: _RANK[kind])


class Redactor:
    """Replaces secrets in texts and in whole JSON values. Safe to share between threads.

    Attributes:
        personal: whether e-mail addresses, telephone numbers and home folders are replaced too.
    """

    def __init__(self, key: bytes, personal: bool = True) -> None:
        """``key``: the workspace's own random bytes, at least 16 in earnest; never leaves the workspace."""
        self._key = key
        self.personal = personal
        self._counts: Counter[str] = Counter()
        self._found: dict[str, str] | None = None
        self._lock = threading.Lock()

    def scope(self, *, personal: bool | None = None) -> Redactor:
        """Return a redactor with the same key for one conversation: it counts alone and remembers what it found."""
        inner = Redactor(self._key, self.personal if personal is None else personal)
        inner._found = {}
        return inner

    @property
    def found(self) -> dict[str, str]:
        """Return secret to kind, of a ``scope``, while it lives; a redactor without scope remembers nothing."""
        with self._lock:
            return dict(self._found or {})

    @property
    def counts(self) -> dict[str, int]:
        """Return how many secrets were replaced so far, by kind."""
        with self._lock:
            return dict(sorted(self._counts.items()))

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Add what another redactor (of a worker process) replaced."""
        with self._lock:
            self._counts.update(counts)

    def text(self, text: str) -> str:
        """Return ``text`` without secrets; JSON inside it is taken apart, and written anew only if it held some."""
        return self._text(text, 0)

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets: values of telling names, texts at any depth, names of members too."""
        return self._value(value, 0)

    def kinds_found(self, text: str) -> list[str]:
        """Return the kinds of secrets in ``text``, the most telling first; changes and counts nothing."""
        return kinds_found(text)

    def placeholder(self, kind: str, secret: str) -> str:
        """Return what stands for ``secret``; equal for equal secrets, whichever context gave them away."""
        digest = hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        number = int.from_bytes(digest[:4], "big")
        tag = "".join(_TAG_ALPHABET[number >> shift & 31] for shift in (15, 10, 5, 0))
        return f"<{'secret' if kind in _CONTEXTUAL else kind}-{tag}>"

    def literals(self, text: str, secrets: Mapping[str, str]) -> str:
        """Replace every occurrence of known ``secrets`` (secret to kind) in ``text``, longest first."""
        for secret in sorted(secrets, key=len, reverse=True):
            if secret in text:
                with self._lock:
                    self._counts[secrets[secret]] += text.count(secret)
                text = text.replace(secret, self.placeholder(secrets[secret], secret))
        return text

    def literals_in(self, value: Any, secrets: Mapping[str, str]) -> Any:
        """Replace every occurrence of known ``secrets`` in the texts of a JSON value."""
        if isinstance(value, str):
            return self.literals(value, secrets)
        if isinstance(value, Mapping):
            return {key: self.literals_in(item, secrets) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.literals_in(item, secrets) for item in value]
        return value

    def _text(self, text: str, depth: int) -> str:
        if len(text) < SHORTEST_SECRET:
            return text
        for _ in range(MAX_ROUNDS):
            before = text
            if _JSON_START.match(text) and depth < MAX_DEPTH:
                text = self._embedded_json(text, depth)
            text = self._plain(text)
            if text == before:
                break
        return text

    def _plain(self, text: str) -> str:
        hits = scan(text, personal=self.personal)
        if not hits:
            return text
        parts: list[str] = []
        position = 0
        for hit in hits:
            parts.append(text[position : hit.start])
            parts.append(self._replace(hit.kind, text[hit.start : hit.end]))
            position = hit.end
        parts.append(text[position:])
        return "".join(parts)

    def _embedded_json(self, text: str, depth: int) -> str:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        cleaned = self._value(value, depth + 1)
        if cleaned == value:
            return text
        return json.dumps(cleaned, ensure_ascii=False, indent=2 if "\n" in text.strip() else None)

    def _replace(self, kind: str, secret: str) -> str:
        with self._lock:
            self._counts[kind] += 1
            if self._found is not None:
                self._found.setdefault(secret, kind)
        return self.placeholder(kind, secret)

    def _value(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value, depth)
        if depth >= MAX_DEPTH:
            return value if value is None or isinstance(value, bool | int | float) else "[nested too deeply]"
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple):
            return self._sequence(value, depth)
        return value

    def _mapping(self, data: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
        named = _named_value(data)
        result: dict[Any, Any] = {}
        for key, item in data.items():
            clean_key = self._text(key, depth) if isinstance(key, str) and len(key) > 12 else key
            strength = classify_name(key) if isinstance(key, str) else NameClass.PLAIN
            if isinstance(key, str) and named is not None and key == named[1]:
                strength = max(strength, classify_name(named[0]))
            if strength is NameClass.TOKEN and "logprob" in data:
                strength = NameClass.PLAIN
            result[clean_key] = self._field(item, strength, depth + 1)
        return result

    def _field(self, item: Any, strength: NameClass, depth: int) -> Any:
        """Return the value of a field whose name has ``strength``."""
        if strength is NameClass.PLAIN or item is None or isinstance(item, bool):
            return self._value(item, depth)
        if isinstance(item, str):
            if strength is NameClass.WEAK and not is_random(item, shortest=32):
                return self._text(item, depth)
            return self._secret(item, depth)
        if isinstance(item, int | float):
            return self._secret(str(item), depth) if strength is NameClass.STRONG else item
        if isinstance(item, Mapping) and _is_schema(item):
            return self._value(item, depth)
        if depth < MAX_DEPTH and strength > NameClass.WEAK:
            if isinstance(item, Mapping):
                return {key: self._field(inner, strength, depth + 1) for key, inner in item.items()}
            if isinstance(item, list | tuple):
                return [self._field(inner, strength, depth + 1) for inner in item]
        return self._value(item, depth)

    def _secret(self, text: str, depth: int) -> str:
        if is_reference(text):
            return self._text(text, depth)
        scheme = _SCHEME.match(text)
        if scheme:
            return scheme.group() + self._secret(text[scheme.end() :], depth)
        hits = scan(text)
        whole = hits and hits[0].start == 0 and hits[-1].end == len(text)
        if whole and len(hits) == 1 and hits[0].kind not in _CONTEXTUAL:
            return self._replace(hits[0].kind, text)
        return self._replace(SECRET_FIELD, text)

    def _sequence(self, items: Iterable[Any], depth: int) -> list[Any]:
        result: list[Any] = []
        previous: Any = None
        for item in items:
            follows_name = (
                isinstance(item, str)
                and isinstance(previous, str)
                and len(previous) < 60
                and _HEADER_LIKE.match(previous) is not None
                and classify_name(previous) >= NameClass.TOKEN
                and is_mixed(item)
                and " " not in item.removeprefix("Bearer ").removeprefix("Basic ")
                and len(item) >= SHORTEST_SECRET
            )
            result.append(
                self._field(item, NameClass.STRONG, depth + 1) if follows_name else self._value(item, depth + 1)
            )
            previous = item
        return result


def _named_value(data: Mapping[Any, Any]) -> tuple[str, str] | None:
    """Return (the name, the member that holds its value) of objects like ``{"name": "Cookie", "value": "…"}``."""
    if len(data) > 12:
        return None
    for name_field in _NAME_FIELDS:
        name = data.get(name_field)
        if isinstance(name, str) and len(name) < 80:
            for value_field in _VALUE_FIELDS:
                if isinstance(data.get(value_field), str):
                    return name, value_field
    return None


def _is_schema(data: Mapping[Any, Any]) -> bool:
    """Say whether a mapping describes a value (JSON schema) instead of being one."""
    kind = data.get("type")
    return "$ref" in data or (isinstance(kind, str) and kind in _SCHEMA_TYPES) or isinstance(kind, list)


def _merged(hits: list[SecretHit]) -> list[SecretHit]:
    hits.sort(key=lambda hit: (hit.start, -hit.end))
    merged: list[SecretHit] = []
    for hit in hits:
        if merged and hit.start < merged[-1].end:
            last = merged[-1]
            kind = min(last.kind, hit.kind, key=lambda name: _RANK[name])
            merged[-1] = SecretHit(kind, last.start, max(last.end, hit.end))
        else:
            merged.append(hit)
    return merged


def _without_placeholders(text: str, hits: list[SecretHit]) -> list[SecretHit]:
    """Drop hits that hold nothing but placeholders and punctuation, and widen those that cut through one."""
    if "<" not in text:
        return hits
    spans = [found.span() for found in PLACEHOLDER.finditer(text)]
    if not spans:
        return hits
    kept: list[SecretHit] = []
    for kind, start, end in hits:
        for low, high in spans:
            if low < start < high:
                start = high if end > high else start
            if low < end < high:
                end = low if start < low else end
        inside = any(low <= start and end <= high for low, high in spans)
        rest = PLACEHOLDER.sub("", text[start:end])
        if not inside and any(c.isalnum() for c in rest):
            kept.append(SecretHit(kind, start, end))
    return kept

"""The redaction policy of a harness (``logging.redact``): keys, paths and patterns, as hiveloom applies them.

Patterns are matched with a time limit; a text on which one runs out of time is replaced whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import regex

from honeyguide.harnesses.spec.borders import Redaction
from honeyguide.kernel.matching import TIME_LIMIT_SECONDS

REDACTED: Final = "[REDACTED]"
_CREDENTIALS: Final = (
    r"sk-ant-[A-Za-z0-9_-]{16,}", r"\bsk-(?:proj-)?[A-Za-z0-9_-]{20,}", r"\bAKIA[0-9A-Z]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{30,}\b", r"\bgithub_pat_[A-Za-z0-9_]{40,}\b", r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    r"\bAIza[0-9A-Za-z_-]{35}\b", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
    r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
)  # fmt: skip
"""Forms of credentials that are screened from model requests."""


class Redactor:
    """Applies one policy."""

    def __init__(self, policy: Redaction | None = None) -> None:
        policy = policy or Redaction()
        self._keys = {key.casefold() for key in policy.keys}
        self._paths = [path.split(".") for path in policy.paths]
        self._patterns = [regex.compile(pattern, regex.IGNORECASE) for pattern in policy.patterns]

    @property
    def is_idle(self) -> bool:
        """Whether the policy redacts nothing."""
        return not (self._keys or self._paths or self._patterns)

    def text(self, text: str) -> str:
        """Return a text with every match replaced."""
        return _replaced(text, self._patterns)

    def payload(self, payload: Any) -> Any:
        """Return a payload with keys, paths and patterns applied; names and numbers stay."""
        if self.is_idle:
            return payload
        result = self._walk(payload)
        for path in self._paths:
            _blank(result, path)
        return result

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                key: REDACTED if str(key).casefold() in self._keys else self._walk(item) for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._walk(item) for item in value]
        return value


class Screen:
    """Looks through what leaves in a model request (``egress``)."""

    def __init__(self, patterns: Sequence[str], *, detect_credentials: bool) -> None:
        own = [(pattern, regex.compile(pattern)) for pattern in patterns]
        known = [(f"credential-{n}", regex.compile(p)) for n, p in enumerate(_CREDENTIALS, start=1)]
        self._patterns = [*own, *(known if detect_credentials else [])]

    def text(self, text: str) -> str:
        """Return a text with every match replaced."""
        return _replaced(text, [compiled for _, compiled in self._patterns])

    def found_in(self, text: str) -> list[dict[str, Any]]:
        """Return which patterns a text matches, and how often; never what matched."""
        counts = []
        for name, compiled in self._patterns:
            try:
                count = sum(1 for _ in compiled.finditer(text, timeout=TIME_LIMIT_SECONDS))
            except TimeoutError:
                count = 1
            if count:
                counts.append({"pattern": name, "count": count})
        return counts


def _replaced(text: str, patterns: Sequence[regex.Pattern[str]]) -> str:
    for pattern in patterns:
        try:
            text = pattern.sub(REDACTED, text, timeout=TIME_LIMIT_SECONDS)
        except TimeoutError:
            return REDACTED
    return text


def _blank(value: Any, path: Sequence[str]) -> None:
    if not path or not isinstance(value, dict):
        return
    step, rest = path[0], path[1:]
    name = step.removesuffix("[*]")
    if name not in value:
        return
    if step.endswith("[*]") and isinstance(value[name], list):
        if not rest:
            value[name] = [REDACTED for _ in value[name]]
        for item in value[name]:
            _blank(item, rest)
    elif not rest:
        value[name] = REDACTED
    else:
        _blank(value[name], rest)

"""Secrets behind a telling name: assignments, options of commands, and plain sentences.

``DB_PASSWORD=…``, ``api_key: …``, ``"token": "…"``, ``--password …``, ``the password is …``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from honeyguide.traces.redaction_judgement import (
    NameClass,
    classify_name,
    is_mixed,
    is_random,
    is_reference,
    looks_like_code,
)
from honeyguide.traces.redaction_places import SecretHit, places

LONGEST_VALUE = 8192

_STEMS = (
    "pass", "pwd", "secret", "token", "key", "credential", "jwt", "auth", "bearer", "session", "connection",
    "kennwort", "contrase", "senha", "пароль", "密码", "密碼", "パスワード",
)  # fmt: skip
"""Every telling name holds one of these."""

_NAME_BEFORE = re.compile(r"[\w.\-]{0,60}\Z")
_NAME_AFTER = re.compile(r"[A-Za-z0-9_ñ\-]{0,24}")
_ASSIGNMENT = re.compile(
    r"\\{0,7}[\"'`]?\]?[ \t]{0,8}"
    r"(?P<sep>=>|:="
    r"|:[ \t]{0,4}(?:&?str|string|Optional\[str\]|char[ ]?\*)\??(?:[ ]\|[ ](?:null|None|undefined))?[ \t]{0,4}="
    r"|={1,3}|::?|：|%3D|\((?=\s?\\{0,7}[\"'])|>(?=[^<>\s]{1,200}</))[ \t]{0,8}"
    r"(?P<open>\\{0,7}(?:\"|'|`))?",
    re.IGNORECASE,
)
_OPTION_VALUE = re.compile(r"[ \t]{1,3}[\"']?([^\s\"'`-][^\s\"'`]{3,200})")
_SENTENCE_VALUE = re.compile(r"(?i)\s{1,3}(?:is|was|ist|lautet|est|es|é|è)\s*:?\s*[\"'`«“„]?([^\s\"'`»”“]{6,200})")
_UNQUOTED = re.compile(r"(?:(?!\\+[nrt\"'`])[^\s\"'`])+")
_NEXT_MEMBER = re.compile(r"[;&,][ ]?[\w.%\- ]{1,40}[=:]|</|[;,)\]}]+\Z|&amp;|\\+\Z")
_NAMES_OF_PHRASES = ("passphrase", "authorization", "connectionstring", "cookie")
_TITLE_WORD = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+\Z")
_TECHNICAL_WORD = re.compile(
    r"(?i)(?:base\d+|sha-?\d+|md5|utf-?\d+|bcrypt|argon2\w*|pbkdf2|http/?\d|oauth-?2(?:\.0)?|[rhe]s\d{3}|ed25519|x509)\b"
)


def find_named(text: str, lowered: str) -> Iterator[SecretHit]:
    """Find the values of names that hold secrets."""
    for stem in _STEMS:
        for place in places(lowered, stem):
            after = _NAME_AFTER.match(text, place + len(stem))
            end_of_name = after.end() if after else place + len(stem)
            found = _ASSIGNMENT.match(text, end_of_name)
            if found is None and text[end_of_name : end_of_name + 1] not in (" ", "\t"):
                continue
            before = _NAME_BEFORE.search(text, max(place - 60, 0), place)
            start_of_name = before.start() if before else place
            name = text[start_of_name:end_of_name]
            strength = classify_name(name)
            if strength is NameClass.PLAIN:
                continue
            if found is not None:
                hit = _assigned(text, name, start_of_name, strength, found)
            elif name.startswith("-"):
                hit = _option(text, strength, end_of_name)
            else:
                hit = _sentence(text, strength, end_of_name)
            if hit is not None:
                yield hit


def _assigned(text: str, name: str, start_of_name: int, strength: NameClass, found: re.Match[str]) -> SecretHit | None:
    opening = found.group("open") or ""
    start = found.end()
    end = _end_of_quoted(text, start, opening) if opening else _end_of_unquoted(text, start)
    value = text[start:end]
    if len(value) < 4 or is_reference(value):
        return None
    spaced = found.end("sep") < start - len(opening)
    before = text[max(start_of_name - 8, 0) : start_of_name]
    ends_line = text[end : end + 40].split("\n", 1)[0].lstrip(" \t,;")[:1] in ("", "#", "/")
    is_secret = (
        _is_quoted_secret(name, strength, value, found.group("sep"))
        if opening
        else _is_bare_secret(name, strength, value, found.group("sep"), before, spaced=spaced, ends_line=ends_line)
    )
    return SecretHit(_kind(strength), start, end) if is_secret else None


def _is_quoted_secret(name: str, strength: NameClass, value: str, sep: str) -> bool:
    if strength is NameClass.WEAK:
        return is_random(value, shortest=32)
    if strength is NameClass.TOKEN:
        return (
            len(value) >= 12
            and " " not in value
            and any(c.isdigit() for c in value)
            and any(c.isalpha() for c in value)
        )
    if " " in value and not re.sub("[_-]", "", name.lower()).endswith(_NAMES_OF_PHRASES):
        return False
    if is_mixed(value):
        return len(value) >= 6
    is_label = _TITLE_WORD.match(value) is not None or classify_name(value) is not NameClass.PLAIN
    return len(value) >= 6 and sep != "(" and not is_label


def _is_bare_secret(
    name: str, strength: NameClass, value: str, sep: str, before: str, *, spaced: bool, ends_line: bool
) -> bool:
    if strength is NameClass.WEAK:
        return is_random(value, shortest=32)
    if strength is NameClass.TOKEN:
        return len(value) >= 16 and not looks_like_code(value) and is_mixed(value)
    if is_mixed(value) and not looks_like_code(value):
        return len(value) >= 6
    if sep.startswith("=") and not spaced and name.upper() == name:
        return len(value) >= 5 and not re.search(r"[(\[{]", value)
    if not ends_line and before[-1:] not in ("?", "&", ";"):
        return False
    is_config_line = not before.strip(" -") or before[-1] in "\n?&;" or re.search(r"(?:export |\n[ -]+)\Z", before)
    return bool(is_config_line) and len(value) >= 8 and value.isalnum() and classify_name(value) is NameClass.PLAIN


def _option(text: str, strength: NameClass, start: int) -> SecretHit | None:
    found = _OPTION_VALUE.match(text, start)
    if found is None or strength < NameClass.TOKEN:
        return None
    value = found.group(1)
    if is_reference(value) or looks_like_code(value) or not is_mixed(value):
        return None
    if strength is NameClass.TOKEN and len(value) < 8:
        return None
    return SecretHit(_kind(strength), found.start(1), found.end(1))


def _sentence(text: str, strength: NameClass, start: int) -> SecretHit | None:
    found = _SENTENCE_VALUE.match(text, start)
    if found is None or strength < NameClass.TOKEN:
        return None
    value = found.group(1).rstrip(".,;:)!?")
    if len(value) < 6 or is_reference(value) or _TECHNICAL_WORD.match(value) or looks_like_code(value):
        return None
    if not any(c.isdigit() for c in value) or not is_mixed(value):
        return None
    return SecretHit("env-password", found.start(1), found.start(1) + len(value))


def _kind(strength: NameClass) -> str:
    return "env-password" if strength is NameClass.STRONG else "generic-high-entropy"


def _end_of_quoted(text: str, start: int, opening: str) -> int:
    """Return where a quoted value ends; its closing quote is escaped no deeper than its opening one."""
    depth = len(opening) - 1
    stop = min(len(text), start + LONGEST_VALUE)
    line_end = text.find("\n", start, stop)
    stop = stop if line_end < 0 else line_end
    quote = text.find(opening[-1], start, stop)
    while quote >= 0:
        backslashes = 0
        while quote - backslashes > start and text[quote - backslashes - 1] == "\\":
            backslashes += 1
        if backslashes <= depth:
            return quote - backslashes
        quote = text.find(opening[-1], quote + 1, stop)
    return _end_of_unquoted(text, start)


def _end_of_unquoted(text: str, start: int) -> int:
    run = _UNQUOTED.match(text, start, min(len(text), start + LONGEST_VALUE))
    if run is None:
        return start
    stop = _NEXT_MEMBER.search(run.group())
    return start + (stop.start() if stop else len(run.group()))

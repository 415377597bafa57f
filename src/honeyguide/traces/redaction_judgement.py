"""Judgements behind redaction: is this name one that holds a secret, is this value one.

Everything here errs towards hiding where a name says "password", and towards leaving alone where only the
look of a value speaks: hashes, UUIDs, paths, code and words stay readable.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from enum import IntEnum
from functools import lru_cache


class NameClass(IntEnum):
    """What a field's name says about its value."""

    PLAIN = 0
    WEAK = 1
    """May hold a secret (``key``, ``auth``): the value must look random too."""
    TOKEN = 2
    """Holds a token: text is a secret, a number is a count."""
    STRONG = 3
    """Holds a secret whatever it looks like."""


_STRONG_ENDINGS = (
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "passwords",
    "apikey", "apikeys", "secretkey", "secretaccesskey", "accesskey", "privatekey", "signingkey", "encryptionkey",
    "authkey", "masterkey", "sessionkey", "accountkey", "sharedaccesskey", "sharedkey", "servicekey", "licensekey",
    "subscriptionkey", "functionkey", "hmackey", "clientkey", "deploykey", "rolekey", "webhookkey", "clientkeydata",
    "authorization", "cookie", "setcookie", "cookies", "bearer", "connectionstring", "credential",
    "passwort", "kennwort", "contraseña", "contrasena", "motdepasse", "senha", "пароль", "密码", "密碼", "パスワード",
)  # fmt: skip
_TOKEN_ENDINGS = ("token", "jwt", "apitokens", "authtokens", "accesstokens")
_WEAK_NAMES = frozenset(
    {"key", "auth", "credentials", "creds", "pass", "sig", "signature", "session", "sessionid", "sid"}
)
_HARMLESS_TOKENS = frozenset(
    {
        "page", "next", "previous", "prev", "continuation", "continue", "sync", "cancellation", "cancel",
        "stop", "eos", "bos", "pad", "unk", "mask", "sep", "cls", "special", "last", "first", "start", "end",
        "per", "output", "input", "prompt", "completion", "reasoning", "cached", "current", "invalid",
        "unexpected", "syntax", "change", "resume", "cursor", "design",
    }
)  # fmt: skip
_HARMLESS_KEYS = frozenset(
    {"idempotency", "cache", "primary", "foreign", "sort", "partition", "dedup", "routing", "object", "public", "hash",
     "group", "index", "lookup", "storage", "row", "message", "map", "dict", "translation", "source"}
)  # fmt: skip
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


@lru_cache(maxsize=4096)
def classify_name(name: str) -> NameClass:
    """Say what a field, variable, header or option called ``name`` holds; case and separators don't matter."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return NameClass.PLAIN
    joined = "".join(words)
    if joined.endswith(_STRONG_ENDINGS):
        return NameClass.STRONG
    if joined.endswith(_TOKEN_ENDINGS):
        return NameClass.PLAIN if len(words) > 1 and words[-2] in _HARMLESS_TOKENS else NameClass.TOKEN
    if words[-1] == "pass" and len(words) > 1:
        return NameClass.STRONG
    if len(words) > 1 and words[-1] == "key" and words[-2] in _HARMLESS_KEYS:
        return NameClass.PLAIN
    return NameClass.WEAK if joined in _WEAK_NAMES or words[-1] in ("key", "auth", "creds") else NameClass.PLAIN


_REFERENCE = re.compile(
    r"""
    \$\{?\{?[A-Za-z_(]            # $VAR ${VAR} ${{ secrets.X }} $(command)
    | %[A-Za-z_]+%                # %VAR%
    | \{\{?[^{}]*\}?\}            # {name} {{ name }}
    | <[^<>]*(?:>|\Z)             # <your key here>, and our own placeholders
    | [*•x.\-_#?X]{3,}\Z          # ****, xxxx, ...
    | \[?redacted\]?\Z
    | process\.env\b | os\.(?:environ|getenv) | env\( | getenv\b | secrets\.[A-Za-z_]+\Z | var\.[A-Za-z_]+\Z
    | import\.meta\.env | config\.[A-Za-z_.]+\Z | settings\.[A-Za-z_.]+\Z | self\.[A-Za-z_.]+\Z | this\.[A-Za-z_.]+\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
_EMPTY_WORDS = frozenset(
    {
        "true", "false", "null", "none", "nil", "undefined", "yes", "no", "on", "off", "string", "str", "text",
        "number", "int", "boolean", "bool", "object", "any", "unknown", "required", "optional", "include",
        "omit", "same-origin", "bearer", "basic", "digest", "hidden", "redacted", "placeholder",
    }
)  # fmt: skip


def is_reference(value: str) -> bool:
    """Say whether ``value`` only points to a secret or stands for one (``$API_KEY``, ``<your key>``, ``****``)."""
    stripped = value.strip()
    return not stripped or stripped.lower() in _EMPTY_WORDS or _REFERENCE.match(stripped) is not None


_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_]*\Z")
_CODE = re.compile(r"[\w.]+[(\[]|[\w)]+\.\w+\(|=>|\b(?:await|new|function|lambda|return|typeof)\b|::|\?\?|\|\||&&|[{}]")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")


def looks_like_code(value: str) -> bool:
    """Say whether an unquoted ``value`` reads as an expression, a type or a variable and not as a literal."""
    return bool(_IDENTIFIER.match(value) or _CODE.search(value) or _DOTTED.match(value))


_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)\Z")
_PREFIX = re.compile(r"\A(?:[a-z]{2,12}[_-]){1,2}(?=[0-9a-f]{16})")
_PLAIN_WORD = r"(?:(?:[a-z]+|[A-Z][a-z]+|[A-Z]+)\d{0,4}|\d{1,4})"
_WORD_LIST = re.compile(rf"{_PLAIN_WORD}(?:[-_./:]{_PLAIN_WORD})+\Z")
_TOKEN_LIKE = re.compile(r"[A-Za-z0-9+/=_.~%:\-]+\Z")
_RUNS = re.compile(r"[a-z]+|[A-Z]+|[0-9]+|[^a-zA-Z0-9]+")
RANDOM_BITS = 3.3
"""Bits per character above which a value of mixed characters counts as random; words and code stay below."""


def is_random(value: str, *, shortest: int = 20, hex_counts: bool = False) -> bool:
    """Say whether ``value`` looks drawn by a machine: mixed characters, no words, high entropy.

    UUIDs and, unless ``hex_counts``, hexadecimal numbers are none: they name things far more often than they open them.
    """
    if len(value) < shortest or not _TOKEN_LIKE.match(value) or _UUID.match(value) or _WORD_LIST.match(value):
        return False
    if _HEX.match(_PREFIX.sub("", value)):
        return hex_counts and not value.isdigit() and entropy(value) > 2.8
    digits = sum(c.isdigit() for c in value)
    if digits < 2 and not (value.lower() != value and value.upper() != value and _changes_case_often(value)):
        return False
    runs = _RUNS.findall(value)
    longest_word = max((len(run) for run in runs if run.isalpha()), default=0)
    return longest_word < 12 and len(runs) >= len(value) / 5 and entropy(value) > RANDOM_BITS


def _changes_case_often(value: str) -> bool:
    return len(_RUNS.findall(value)) >= len(value) / 3


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters of ``value`` in bits per character."""
    if not value:
        return 0.0
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values())


def is_mixed(value: str) -> bool:
    """Say whether ``value`` holds a letter and a digit, or a character that words do not hold."""
    has_letter = any(c.isalpha() for c in value)
    has_digit = any(c.isdigit() for c in value)
    return (has_letter and has_digit) or (has_letter and any(c in "!@#$%^&*+=?~|" for c in value))

"""Secrets that only their surroundings give away: addresses with credentials, headers, commands.

``redaction_names`` adds what stands behind a telling name. Each finder yields the span of the secret alone; what
stands in front of it stays readable. Finders look only near a few lower-case needles, so long texts stay cheap.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from honeyguide.traces.redaction_judgement import is_random, is_reference, looks_like_code
from honeyguide.traces.redaction_names import find_named
from honeyguide.traces.redaction_places import SecretHit, places

CONTEXT_KINDS = (
    "bearer-token",
    "basic-auth-url",
    "env-password",
    "pgsql-url",
    "generic-high-entropy",
    "database-url",
    "basic-auth",
    "authorization-header",
    "cookie",
)
"""Kinds that depend on the surroundings; their placeholders all read ``<secret-…>``, so that one secret has one."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,30}\Z")
_ADDRESS_REST = re.compile(r"[^\s\"'`<>|]{3,600}")
_PORT = re.compile(r"\d{1,5}(?:[,/?#]|\Z)")


def find_address_credentials(text: str, lowered: str) -> Iterator[SecretHit]:
    """Find the password in ``scheme://user:password@host``, also where it holds ``/`` or ``@``; and a lone token."""
    if "@" not in text:
        return
    for place in places(lowered, "://"):
        scheme = _SCHEME.search(text, max(place - 31, 0), place)
        found = _ADDRESS_REST.match(text, place + 3)
        if scheme is None or found is None or "@" not in found.group():
            continue
        rest = found.group()
        authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
        userinfo = ""
        if "@" in authority:
            userinfo = authority.rpartition("@")[0]
        elif ":" in authority and not _PORT.match(authority.partition(":")[2]):
            userinfo = rest.rpartition("@")[0]
        user, colon, password = userinfo.partition(":")
        secret = password if colon else user
        if not secret or is_reference(secret) or (not colon and not is_random(secret, hex_counts=True)):
            continue
        name = scheme.group().lower()
        kind = "basic-auth-url" if name in ("http", "https") else "database-url"
        if name.partition("+")[0] in ("postgres", "postgresql"):
            kind = "pgsql-url"
        end = place + 3 + len(userinfo)
        yield SecretHit(kind, end - len(secret), end)


_AUTHORIZATION = re.compile(
    r"(?i)authorization(?:\\{0,7}[\"'`])?\]?\s{0,4}(?:=>|[:=,])\s{0,4}(?:\\{0,7}[\"'`])?\s{0,2}"
    r"(?:(bearer|basic|token|bot|apikey|api-key|key|digest|negotiate|hmac|oauth|signature|aws4-hmac-sha256)\s+)?"
    r"([^\s\"'`,;<>\\]{6,})([^\"'`\r\n\\]*)"
)
_WHOLE_LINE_SCHEMES = ("digest", "hmac", "oauth", "signature", "aws4-hmac-sha256")
_BEARER = re.compile(r"(?i)bearer(?:\s{1,4}|%20|\+)([A-Za-z0-9._~+/\-]{16,}=*)")


def find_authorization(text: str, lowered: str) -> Iterator[SecretHit]:
    """Find the credentials of ``Authorization`` headers and of bearer tokens that stand alone."""
    for place in places(lowered, "authorization"):
        found = _AUTHORIZATION.match(text, place)
        if found is None:
            continue
        scheme, value = (found.group(1) or "").lower(), found.group(2)
        end = found.end(3) if scheme in _WHOLE_LINE_SCHEMES else found.end(2)
        if is_reference(value) or (looks_like_code(value) and len(value) < 32) or "{" in value:
            continue
        if (
            not scheme
            and text[place + 13 : found.start(2)].strip(" \\\"'`") == ","
            and not is_random(value, shortest=16)
        ):
            continue  # a list of header names
        if not (any(c.isdigit() for c in value) or len(value) >= 20 or scheme == "basic"):
            continue
        kind = {"bearer": "bearer-token", "basic": "basic-auth"}.get(scheme, "authorization-header")
        yield SecretHit(kind, found.start(2), end)
    for place in places(lowered, "bearer"):
        found = _BEARER.match(text, place)
        if found and any(c.isdigit() for c in found.group(1)) and any(c.isalpha() for c in found.group(1)):
            yield SecretHit("bearer-token", found.start(1), found.end(1))


_COOKIE = re.compile(r"(?i)cookie(?:\\{0,7}[\"'`])?\s{0,4}[:=]\s{0,4}(\\{0,7}[\"'`])?([\w.\-]{1,80}=[^\r\n]{3,4096})")
_QUOTE_BEFORE = re.compile(r"\\{0,7}[\"'`](?:set-)?\Z", re.IGNORECASE)


def find_cookies(text: str, lowered: str) -> Iterator[SecretHit]:
    """Find the whole value of ``Cookie`` and ``Set-Cookie`` when one of its parts looks like a session."""
    for place in places(lowered, "cookie"):
        found = _COOKIE.match(text, place)
        if found is None:
            continue
        before = _QUOTE_BEFORE.search(text, max(place - 12, 0), place)
        quote = found.group(1) or (before.group().lower().removesuffix("set-") if before else "")
        value = found.group(2)
        value = value.split(quote, 1)[0] if quote else re.split(r"\\+[nr]", value, maxsplit=1)[0]
        value = value.rstrip(" \t'\"`\\")
        parts = [part.partition("=")[2] for part in value.split(";")]
        if any(len(part) >= 6 and any(c.isdigit() for c in part) and not is_reference(part) for part in parts):
            yield SecretHit("cookie", found.start(2), found.start(2) + len(value))


_COMMANDS = (
    ("curl", re.compile(r"(?i)curl\b[^\n]{0,400}?\s(?:-u|--user)[ =]?[\"']?([^\s:\"'$]{1,80}:[^\s\"'$]{2,200})")),
    ("sshpass", re.compile(r"(?i)sshpass\s+-p\s*[\"']?([^\s\"'$]{3,200})")),
    ("mysql", re.compile(r"(?i)mysql(?:dump|admin)?\b[^\n]{0,200}?\s-p([^\s\"'$-][^\s\"'$]{3,200})")),
    ("login", re.compile(r"(?i)login\s+\S{1,80}\s+password\s+[\"']?([^\s\"'$]{3,200})")),
)


def find_commands(text: str, lowered: str) -> Iterator[SecretHit]:
    """Find passwords handed to commands by position: ``curl -u user:…``, ``sshpass -p …``, a line of ``.netrc``."""
    for needle, pattern in _COMMANDS:
        for place in places(lowered, needle):
            found = pattern.match(text, place)
            if found and not is_reference(found.group(1)) and found.group(1).isascii():
                yield SecretHit("basic-auth", found.start(1), found.end(1))


FINDERS: tuple[Callable[[str, str], Iterator[SecretHit]], ...] = (
    find_address_credentials,
    find_authorization,
    find_cookies,
    find_named,
    find_commands,
)
"""Every finder takes the text and the same text in lower case."""

"""Personal data: e-mail addresses, telephone numbers, and the home folder's name in paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from honeyguide.traces.redaction_places import SecretHit, places

PERSONAL_KINDS = ("email", "phone", "home")

_MAILBOX = re.compile(r"(?<![A-Za-z0-9._%+\-/:@])[A-Za-z0-9_][A-Za-z0-9._%+\-]{0,63}\Z")
_DOMAIN = re.compile(r"@((?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})\.)+([A-Za-z]{2,24}))(?![A-Za-z0-9\-@]|\.[A-Za-z0-9])")
_NOT_A_DOMAIN = frozenset(
    {
        "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "js", "jsx", "ts", "tsx", "mjs", "cjs",
        "css", "scss", "html", "json", "yaml", "yml", "toml", "xml", "md", "txt", "py", "rb", "go", "rs",
        "java", "kt", "swift", "c", "h", "cpp", "hpp", "cs", "php", "sh", "lock", "map", "woff", "woff2", "pdf",
        "local", "localhost", "internal", "invalid", "test", "example",
    }
)  # fmt: skip
_NOT_A_PERSON = re.compile(r"(?i)(?:git|no-?reply|do-?not-?reply|donotreply|user|example|npm|root)\Z")
_EXAMPLE_DOMAIN = re.compile(
    r"(?i)(?:.*\.)?(?:example\.(?:com|org|net|edu)|users\.noreply\.github\.com|(?:test|domain|email)\.com)\Z"
)

_INTERNATIONAL = re.compile(r"(?<![\w+\-.])\+[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,5}\)?){2,6}(?![\w\-]|\.\d)")
_AMERICAN_END = re.compile(r"[-.]\d{4}(?![\w\-]|\.\d)")
_AMERICAN_START = re.compile(r"(?<![\w\-.(])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}\Z")
_NATIONAL = re.compile(r"[\w .:#()\"'=]{0,20}?(?<![\w.])(\(?0\d{1,5}\)?[ /\-]?\d[\d \-/]{4,14}\d)(?![\w\-])")
_PHONE_WORDS = ("phone", "tel", "mobil", "cell", "fax", "handy", "call", "rufnummer", "тел", "電話", "电话")
_DATE_LIKE = re.compile(r"\+?(?:19|20)\d\d[-./](?:0[1-9]|1[0-2])[-./]")

_PATH_START = r"(?:(?<![\w.\-])|(?<=file://)|(?<=/mnt/[a-z]))"
_WINDOWS_NAME = r"((?:[^\\/:*?\"<>|\s]+(?: [^\\/:*?\"<>|\s]+){0,3})(?=[\\/])|[^\\/:*?\"<>|\s'`,;)\]]+)"
_WINDOWS_HOME = re.compile(r"[\\/]users[\\/]{1,8}" + _WINDOWS_NAME, re.IGNORECASE)
_HOMES = (
    ("/home/", re.compile(_PATH_START + r"/home/([A-Za-z0-9_][A-Za-z0-9._\-]*)", re.IGNORECASE)),
    ("/users/", re.compile(_PATH_START + r"/users/([A-Za-z0-9_][A-Za-z0-9._\-]*)", re.IGNORECASE)),
    ("\\users\\", _WINDOWS_HOME),
    ("-home-", re.compile(r"(?<![\w\-])-home-([A-Za-z0-9]+)(?=-)", re.IGNORECASE)),
    ("-users-", re.compile(r"(?:(?<![\w\-])|(?<=\b[a-z]-))-users-([A-Za-z0-9]+)(?=-)", re.IGNORECASE)),
)
_DRIVE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]:\\{0,8}\Z")
_SHARED_HOMES = frozenset(
    {
        "shared", "public", "default", "all", "runner", "ubuntu", "node", "vscode", "root", "app", "user",
        "users", "username", "name", "you", "me", "admin", "guest", "linuxbrew", "codespace", "coder", "jovyan",
        "ec2-user", "circleci", "git", "www-data", "work",
    }
)  # fmt: skip


def find_personal(text: str, lowered: str) -> Iterator[SecretHit]:
    """Find personal data in ``text``; ``lowered`` is the same in lower case, of the same length."""
    yield from _find_emails(text)
    yield from _find_phones(text, lowered)
    yield from _find_homes(text, lowered)


def _find_emails(text: str) -> Iterator[SecretHit]:
    for place in places(text, "@"):
        domain = _DOMAIN.match(text, place)
        mailbox = _MAILBOX.search(text, max(place - 66, 0), place)
        if domain is None or mailbox is None or domain.group(2).lower() in _NOT_A_DOMAIN:
            continue
        if not _NOT_A_PERSON.match(mailbox.group()) and not _EXAMPLE_DOMAIN.match(domain.group(1)):
            yield SecretHit("email", mailbox.start(), domain.end())


def _find_phones(text: str, lowered: str) -> Iterator[SecretHit]:
    for place in places(text, "+"):
        found = _INTERNATIONAL.match(text, place)
        if found is None or _DATE_LIKE.match(found.group()):
            continue
        digits = sum(c.isdigit() for c in found.group())
        unbroken = found.group()[1:].isdigit()
        at_line_start = place == 0 or text[place - 1] == "\n"
        if 8 <= digits <= 15 and not (unbroken and (at_line_start or digits < 10)):
            yield SecretHit("phone", place, found.end())
    for end in _AMERICAN_END.finditer(text):
        start = _AMERICAN_START.search(text, max(end.start() - 10, 0), end.start())
        if start:
            yield SecretHit("phone", start.start(), end.end())
    for word in _PHONE_WORDS:
        for place in places(lowered, word):
            found = _NATIONAL.match(text, place + len(word))
            if found and 7 <= sum(c.isdigit() for c in found.group(1)) <= 14:
                yield SecretHit("phone", found.start(1), found.end(1))


def _find_homes(text: str, lowered: str) -> Iterator[SecretHit]:
    for needle, pattern in _HOMES:
        for place in places(lowered, needle):
            found = pattern.match(text, place)
            drive = _DRIVE.search(text, max(place - 10, 0), place)
            if found is None and drive and needle == "/users/":
                found = _WINDOWS_HOME.match(text, place)
            if found and found.group(1).lower() not in _SHARED_HOMES:
                yield SecretHit("home", drive.start() if drive else place, found.end(1))

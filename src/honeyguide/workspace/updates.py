"""Whether there is a newer Honeyguide: one signed notice, fetched when a person asks or has opted in.

Nothing is downloaded or installed; the answer is a version, a date and a page to read. The notice stands at the
address ``updates.url`` of the settings and is one JSON document::

    {"format": 1, "notice": "<JSON text>", "signature": "<base64>"}

``signature`` is ed25519 over ``SIGNED_PREFIX`` and the UTF-8 bytes of ``notice``, by one of the keys in
``resources/updates/keys.txt`` or by ``updates.public_key``. The notice's own fields are those of ``Notice``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from honeyguide import __version__
from honeyguide.kernel.clock import Clock, SystemClock, iso, parse_iso
from honeyguide.kernel.errors import HoneyguideError, InvalidInput, Unreachable, Unreadable, Untrusted
from honeyguide.kernel.resources import resource
from honeyguide.llm.addresses import host_of, is_loopback
from honeyguide.llm.connections import Connection
from honeyguide.versions import write_atomically
from honeyguide.workspace import places
from honeyguide.workspace.settings import Settings

SIGNED_PREFIX = b"honeyguide-update-1\n"
"""Stands before what is signed, so that a signature made for something else is none for us."""
INTERVAL = timedelta(days=1)
LARGEST_ANSWER = 64 * 1024
"""Bytes; a notice has about one thousand."""
SECONDS = 15.0
MOST_REDIRECTS = 3
_MEMORY = "updates.json"
_VERSION = re.compile(r"(\d{1,6}(?:\.\d{1,6}){0,3})(.*)")


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """One installer of the newer version. ``size`` is in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """What the notice says.

    Attributes:
        current: the version that is running.
        newest: the version of the notice.
        is_newer: whether ``newest`` comes after ``current``.
        is_skipped: whether the person does not want to hear of ``newest`` again.
        released: the day it came out.
        notes_url: a page about it, or empty.
    """

    current: str
    newest: str
    is_newer: bool
    is_skipped: bool
    released: str
    notes_url: str
    files: tuple[UpdateFile, ...]
    checked_at: str

    def to_json(self) -> dict[str, object]:
        """Return the fields as plain data."""
        return asdict(self)


async def check_for_updates(
    settings: Settings,
    *,
    current: str = __version__,
    clock: Clock | None = None,
    memory: Path | None = None,
    keys: Sequence[Ed25519PublicKey] | None = None,
) -> UpdateReport:
    """Ask once, because a person asked.

    Args:
        settings: ``updates.url``, ``updates.public_key``, ``models.proxy`` and ``models.ca_file`` are heeded.
        memory: where the time of the last check and the skipped version are kept; the user's state folder by default.
        keys: who may sign; those of this program and of the settings by default.

    Raises:
        InvalidInput: no address is set, it is not https, or there is no key to verify an answer with.
        Unreachable: no answer.
        Untrusted: the answer is not signed by a known key, or makes no sense.
    """
    url = settings.get("updates.url")
    if not url:
        raise InvalidInput("No update address is set.", hint="Set updates.url, or look at the project's page.")
    trusted = list(keys) if keys is not None else trusted_keys(settings.get("updates.public_key"))
    if not trusted:
        raise InvalidInput(
            "There is no key to verify an update notice with.",
            hint="Set updates.public_key to the key that whoever runs the address has published.",
        )
    remembered = _Memory(memory or places.user_dirs().user_state_path / _MEMORY)
    now = iso((clock or SystemClock()).now())
    answer = await _fetch(url, settings)
    notice = verified_notice(answer, trusted)
    remembered.note_check(now)
    return UpdateReport(
        current=current,
        newest=notice.version,
        is_newer=is_newer(notice.version, current),
        is_skipped=remembered.skipped == notice.version,
        released=notice.released.isoformat(),
        notes_url=notice.notes,
        files=tuple(UpdateFile(file.name, file.sha256, file.size) for file in notice.files),
        checked_at=now,
    )


async def check_if_due(
    settings: Settings,
    *,
    current: str = __version__,
    clock: Clock | None = None,
    memory: Path | None = None,
    keys: Sequence[Ed25519PublicKey] | None = None,
) -> UpdateReport | None:
    """Ask when the person opted in and the last check is a day ago; return only what is news to them.

    A check nobody asked for disturbs nobody: a failure counts as no news, and is tried again in a day.
    """
    clock = clock or SystemClock()
    path = memory or places.user_dirs().user_state_path / _MEMORY
    remembered = _Memory(path)
    if not settings.get("updates.check") or not settings.get("updates.url"):
        return None
    if remembered.checked_at is not None:
        since = clock.now() - parse_iso(remembered.checked_at)
        if timedelta(0) <= since < INTERVAL:  # a check "in the future" means that the clock was put back
            return None
    remembered.note_check(iso(clock.now()))
    try:
        report = await check_for_updates(settings, current=current, clock=clock, memory=path, keys=keys)
    except HoneyguideError:
        return None
    return report if report.is_newer and not report.is_skipped else None


def skip_version(version: str, *, memory: Path | None = None) -> None:
    """Remember that the person does not want to hear of this version again. Raises Unreadable, Unwritable."""
    _order(version)
    _Memory(memory or places.user_dirs().user_state_path / _MEMORY).note_skip(version)


def trusted_keys(own: str | None = None) -> list[Ed25519PublicKey]:
    """Return the keys that ship with the program, and the settings' own. Raises InvalidInput for one that is none."""
    lines = resource("updates", "keys.txt").read_text(encoding="utf-8").splitlines()
    encoded = [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
    return [_key(text) for text in [*encoded, *([own] if own else [])]]


def verified_notice(answer: bytes, keys: Sequence[Ed25519PublicKey]) -> Notice:
    """Return the notice in an answer. Raises Untrusted unless one of ``keys`` signed exactly it."""
    try:
        envelope = Envelope.model_validate_json(answer)
        signature = base64.b64decode(envelope.signature, validate=True)
    except (ValidationError, binascii.Error) as error:
        raise Untrusted("The update address answered with something else than a notice.") from error
    signed = SIGNED_PREFIX + envelope.notice.encode()
    if not any(_signed_by(key, signature, signed) for key in keys):
        raise Untrusted(
            "The update notice is not signed by a key that Honeyguide knows.",
            hint="Do not install what it offers. Check updates.url, and tell whoever runs it.",
        )
    try:
        return Notice.model_validate_json(envelope.notice)
    except ValidationError as error:
        raise Untrusted("The update notice is signed, but cannot be understood by this version.") from error


def is_newer(offered: str, current: str) -> bool:
    """Say whether ``offered`` comes after ``current``; 1.2 equals 1.2.0, and 1.2rc1 or 1.2.dev3 comes before 1.2."""
    return _order(offered) > _order(current)


class Envelope(BaseModel):
    """The document at the address."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal[1]
    notice: str
    signature: str


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str = Field(max_length=200)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class Notice(BaseModel):
    """What was signed: version, day, a page about it, and the installers with their hashes."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    product: Literal["honeyguide"]
    version: str = Field(pattern=r"^\d{1,6}(\.\d{1,6}){1,3}$")
    released: date
    notes: str = Field(default="", pattern=r"^(https://\S+)?$", max_length=500)
    files: list[_File] = Field(default_factory=list, max_length=50)


class _Memory:
    """What is kept between checks; a damaged file counts as none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.checked_at: str | None = None
        self.skipped: str | None = None
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            parse_iso(stored["checked_at"] or "1970-01-01")
            self.checked_at, self.skipped = stored["checked_at"], stored["skipped"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return

    def note_check(self, moment: str) -> None:
        self.checked_at = moment
        self._write()

    def note_skip(self, version: str) -> None:
        self.skipped = version
        self._write()

    def _write(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(self._path, json.dumps({"checked_at": self.checked_at, "skipped": self.skipped}).encode())


async def _fetch(url: str, settings: Settings) -> bytes:
    """Return the answer's bytes. The library is imported in a thread: it takes a while."""
    _check_address(url)
    may_be_plain = is_loopback(url)
    httpx = await asyncio.to_thread(_http_library)
    options = await asyncio.to_thread(_http_options, url, settings)
    options["headers"] = {**options["headers"], "User-Agent": "honeyguide", "Accept": "application/json"}
    try:
        async with asyncio.timeout(SECONDS), httpx.AsyncClient(**options) as client:
            for _ in range(MOST_REDIRECTS + 1):
                async with client.stream("GET", url) as response:
                    if response.has_redirect_location:
                        url = str(response.next_request.url)
                        _check_address(url, may_be_plain=may_be_plain)
                        continue
                    if response.status_code != 200:
                        raise Unreachable(f"The update address answered with {response.status_code}.", hint=_LATER)
                    return await _body(response)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
        raise Unreachable(f"The update address did not answer ({type(error).__name__}).", hint=_LATER) from error
    raise Unreachable("The update address sends from one place to the next.", hint="Check updates.url.")


def _http_options(url: str, settings: Settings) -> dict[str, Any]:
    ca_file, proxy = settings.get("models.ca_file"), settings.get("models.proxy")
    return Connection(
        provider="updates",
        dialect="openai",
        base_url=url,
        find_key=lambda: None,
        timeout=lambda role: SECONDS,
        ca_file=Path(ca_file).expanduser() if ca_file else None,
        proxy=proxy or None,
    ).http_options()


async def _body(response: Any) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > LARGEST_ANSWER:
            raise Untrusted("The update address sent more than a notice can be.")
    return bytes(body)


def _http_library() -> Any:
    import httpx2

    return httpx2


def _check_address(url: str, *, may_be_plain: bool = True) -> None:
    """Raise InvalidInput unless it is https, or on this computer and not reached by way of another."""
    if not url.startswith("https://") and not (may_be_plain and url.startswith("http://") and is_loopback(url)):
        raise InvalidInput(f"The update address {host_of(url)!r} is not reached by https.", hint="Use https.")


def _key(text: str) -> Ed25519PublicKey:
    try:
        return Ed25519PublicKey.from_public_bytes(base64.b64decode(text, validate=True))
    except (ValueError, binascii.Error) as error:
        raise InvalidInput(
            "The key for update notices is none.", hint="It is the base64 of an ed25519 public key: 44 characters."
        ) from error


def _signed_by(key: Ed25519PublicKey, signature: bytes, signed: bytes) -> bool:
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def _order(version: str) -> tuple[tuple[int, ...], bool]:
    found = _VERSION.fullmatch(version.strip())
    if found is None:
        raise Unreadable(f"{version!r} is no version.")
    numbers = [int(part) for part in found[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), found[2] == ""


_LATER = "Check the connection and updates.url, or try later."

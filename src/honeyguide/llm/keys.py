"""Where a provider's key is found and kept: the environment, then the system's key ring, then this session only.

Keys are never written to a file of ours. A key ring that stores plain text is not used.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from honeyguide.kernel.errors import InvalidInput

SERVICE = "honeyguide"
"""The name our entries stand under in the key ring."""


class KeySource(StrEnum):
    """Where a key lives."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Key:
    """A key and where it lives. Its value is in no ``repr``, so in no log and no traceback.

    Attributes:
        where: one sentence for the person.
    """

    value: str = field(repr=False)
    source: KeySource
    where: str


@dataclass(frozen=True, slots=True)
class KeyringStatus:
    """Whether this computer can keep keys.

    Attributes:
        sentence: what to tell the person, also when all is well.
    """

    is_available: bool
    sentence: str


class KeyringBackend(Protocol):
    """What is needed of the ``keyring`` package."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


class KeyStore:
    """Finds and keeps keys. Its methods may wait for the key ring to be unlocked: call them from a worker thread."""

    def __init__(self, environ: Mapping[str, str], backend: KeyringBackend | None = None) -> None:
        """
        Args:
            environ: the environment, usually ``os.environ``.
            backend: the key ring; the system's when not given, looked up only when one is needed.
        """
        self._environ = environ
        self._backend = backend
        self._session: dict[str, str] = {}
        self._status: KeyringStatus | None = None

    def find(self, provider: str, variable: str) -> Key | None:
        """Return the key of ``provider``, or ``None``.

        Args:
            variable: the environment variable that names it, e.g. ``ANTHROPIC_API_KEY``.
        """
        if value := self._environ.get(variable, "").strip():
            return Key(value, KeySource.ENVIRONMENT, f"It comes from the environment variable {variable}.")
        if provider in self._session:
            return Key(self._session[provider], KeySource.SESSION, "It is kept until Honeyguide is closed.")
        backend = self._keyring()
        if backend is not None and (kept := self._read(backend, provider)):
            return Key(kept, KeySource.KEYRING, f"It is kept in {_ring_name(backend)}.")
        return None

    def set(self, provider: str, value: str, *, session_only: bool = False) -> Key:
        """Keep a key in the key ring, or for this session when there is none; the result says where.

        Raises:
            InvalidInput: the text cannot be a key.
        """
        value = value.strip()
        if not value or not value.isascii() or any(character.isspace() for character in value):
            raise InvalidInput(
                "This does not look like a key.", hint="Copy it again from the provider's page: one word, no spaces."
            )
        backend = None if session_only else self._keyring()
        if backend is not None:
            try:
                backend.set_password(SERVICE, provider, value)
            except Exception as error:  # noqa: BLE001 - backends raise what their system does; the text may hold the key
                self._status = KeyringStatus(False, _refused(type(error).__name__))
            else:
                self._session.pop(provider, None)
                return Key(value, KeySource.KEYRING, f"It is kept in {_ring_name(backend)}.")
        self._session[provider] = value
        return Key(value, KeySource.SESSION, f"It is kept until Honeyguide is closed. {self.keyring_status().sentence}")

    def forget(self, provider: str) -> bool:
        """Remove a key from this session and the key ring; say whether there was one. The environment is not ours."""
        had = self._session.pop(provider, None) is not None
        backend = self._keyring()
        if backend is not None and self._read(backend, provider):
            backend.delete_password(SERVICE, provider)
            had = True
        return had

    def keyring_status(self) -> KeyringStatus:
        """Say whether this computer can keep keys."""
        self._keyring()
        assert self._status is not None
        return self._status

    def _read(self, backend: KeyringBackend, provider: str) -> str | None:
        try:
            return backend.get_password(SERVICE, provider)
        except Exception as error:  # noqa: BLE001 - backends raise what their system does; the status tells it
            self._status = KeyringStatus(False, _unreadable(type(error).__name__))
            return None

    def _keyring(self) -> KeyringBackend | None:
        if self._status is not None:
            return self._backend if self._status.is_available else None
        if self._backend is None:
            self._backend = _system_keyring()
        self._status = (
            KeyringStatus(False, _NO_RING if sys.platform.startswith("linux") else _NO_RING_ELSEWHERE)
            if self._backend is None
            else KeyringStatus(True, f"Keys are kept in {_ring_name(self._backend)}.")
        )
        return self._backend


_NO_RING = (
    "This computer has no key ring (no Secret Service is running, as on a server without a desktop), so a key is "
    "kept for this session only; set the environment variable to keep it longer."
)
_NO_RING_ELSEWHERE = (
    "The system's key ring cannot be used, so a key is kept for this session only; set the environment variable to "
    "keep it longer."
)


def _refused(why: str) -> str:
    return f"The key ring did not take it ({why}); set the environment variable to keep it longer."


def _unreadable(why: str) -> str:
    return f"The key ring could not be read ({why}); unlock it, or set the environment variable."


def _ring_name(backend: KeyringBackend) -> str:
    module = type(backend).__module__
    for part, name in (
        ("macOS", "the macOS keychain"),
        ("Windows", "the Windows credential store"),
        ("SecretService", "the desktop's key ring"),
        ("libsecret", "the desktop's key ring"),
        ("kwallet", "the KDE wallet"),
    ):
        if part.lower() in module.lower():
            return name
    return "the system's key ring"


def _system_keyring() -> KeyringBackend | None:
    """The system's key ring, unless it is missing or keeps keys as plain text."""
    import keyring
    from keyring.backends import chainer, fail, null

    backend = keyring.get_keyring()
    candidates = list(backend.backends) if isinstance(backend, chainer.ChainerBackend) else [backend]
    for candidate in candidates:
        module = type(candidate).__module__
        if isinstance(candidate, fail.Keyring | null.Keyring) or module.startswith("keyrings.alt"):
            continue
        found: KeyringBackend = candidate
        return found
    return None

"""Keys: environment, then key ring, then this session; never shown, never in a file."""

from __future__ import annotations

import pytest

from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.keys import KeySource, KeyStore
from tests.llm.support import MemoryKeyring

VARIABLE = "ANTHROPIC_API_KEY"


class BrokenKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError(f"cannot store {password}")

    def get_password(self, service: str, username: str) -> str | None:
        raise RuntimeError("locked")


def test_the_environment_comes_first_then_session_then_key_ring() -> None:
    ring = MemoryKeyring()
    ring.set_password("honeyguide", "anthropic", "from-the-ring")
    environ = {VARIABLE: " from-the-environment "}
    store = KeyStore(environ, ring)
    found = store.find("anthropic", VARIABLE)
    assert found is not None
    assert (found.value, found.source) == ("from-the-environment", KeySource.ENVIRONMENT)
    assert VARIABLE in found.where
    del environ[VARIABLE]
    found = store.find("anthropic", VARIABLE)
    assert found is not None
    assert (found.value, found.source) == ("from-the-ring", KeySource.KEYRING)
    store.set("anthropic", "for-now", session_only=True)
    found = store.find("anthropic", VARIABLE)
    assert found is not None
    assert (found.value, found.source) == ("for-now", KeySource.SESSION)


def test_a_key_is_kept_in_the_key_ring_and_can_be_forgotten() -> None:
    ring = MemoryKeyring()
    store = KeyStore({}, ring)
    kept = store.set("anthropic", "abc-123\n")
    assert kept.source is KeySource.KEYRING
    assert ring.kept == {("honeyguide", "anthropic"): "abc-123"}
    assert store.forget("anthropic")
    assert store.find("anthropic", VARIABLE) is None
    assert not store.forget("anthropic")


def test_a_headless_computer_keeps_it_for_the_session_and_says_so() -> None:
    store = KeyStore({})  # the tests' own key ring is keyring's "fail" backend, as on a server
    kept = store.set("anthropic", "abc-123")
    assert kept.source is KeySource.SESSION
    assert "this session only" in kept.where
    assert not store.keyring_status().is_available
    found = store.find("anthropic", VARIABLE)
    assert found is not None
    assert found.value == "abc-123"


def test_a_key_ring_that_refuses_is_not_the_end() -> None:
    store = KeyStore({}, BrokenKeyring())
    assert store.find("anthropic", VARIABLE) is None
    assert "could not be read (RuntimeError)" in store.keyring_status().sentence
    kept = KeyStore({}, BrokenKeyring()).set("anthropic", "abc-123")
    assert kept.source is KeySource.SESSION
    assert "abc-123" not in kept.where
    assert "RuntimeError" in kept.where


@pytest.mark.parametrize("text", ["", "  ", "two words", "schlüssel", "line\nbreak"])
def test_what_cannot_be_a_key_is_refused_unrepeated(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        KeyStore({}, MemoryKeyring()).set("anthropic", text)
    assert not text.strip() or text.strip() not in str(caught.value)


def test_a_key_is_in_no_repr() -> None:
    found = KeyStore({VARIABLE: "very-secret"}).find("anthropic", VARIABLE)
    assert "very-secret" not in repr(found)

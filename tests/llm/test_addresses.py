"""Base URLs as people type them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.addresses import Dialect, fix_base_url, is_loopback


@pytest.mark.parametrize(
    ("dialect", "typed", "url", "changes"),
    [
        ("openai", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1", 0),
        ("openai", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434/v1", 1),
        ("openai", "http://127.0.0.1:11434", "http://127.0.0.1:11434/v1", 1),
        ("openai", "localhost:1234", "http://localhost:1234/v1", 2),
        ("openai", " https://api.openai.com/v1/ ", "https://api.openai.com/v1", 0),
        ("openai", "https://api.openai.com/v1/chat/completions", "https://api.openai.com/v1", 1),
        ("openai", "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1", 0),
        ("openai", "api.example.com/v1", "https://api.example.com/v1", 1),
        ("openai", "http://[::1]:8080", "http://[::1]:8080/v1", 1),
        ("anthropic", "https://api.anthropic.com", "https://api.anthropic.com", 0),
        ("anthropic", "https://api.anthropic.com/", "https://api.anthropic.com", 0),
        ("anthropic", "http://127.0.0.1:18080/v1", "http://127.0.0.1:18080", 1),
        ("anthropic", "http://127.0.0.1:18080/v1/messages/", "http://127.0.0.1:18080", 1),
        ("anthropic", "https://gw.example.com/claude/v1?x=1", "https://gw.example.com/claude", 2),
    ],
)
def test_addresses_are_put_right_visibly(dialect: Dialect, typed: str, url: str, changes: int) -> None:
    fixed = fix_base_url(dialect, typed)
    assert (fixed.url, len(fixed.notes)) == (url, changes)


@pytest.mark.parametrize("typed", ["", "http://", "ftp://x/v1", "http://user:pw@host/v1", "http://host:port/v1", "://"])
def test_what_is_no_address_is_refused_without_repeating_a_password(typed: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        fix_base_url("openai", typed)
    assert "pw" not in caught.value.message


@given(
    st.sampled_from(["anthropic", "openai"]),
    st.sampled_from(["http://h", "https://h.example:8443", "localhost:1"]),
    st.sampled_from(["", "/", "/v1", "/v1/", "/api", "/api/v1", "/proxy/v1/chat/completions", "/v1/messages"]),
)
def test_putting_right_twice_changes_nothing_more(dialect: Dialect, host: str, path: str) -> None:
    once = fix_base_url(dialect, host + path)
    again = fix_base_url(dialect, once.url)
    assert (again.url, again.notes) == (once.url, ())


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost", True),
        ("http://LOCALHOST.:1", True),
        ("http://127.1.2.3", True),
        ("http://[::1]:3", True),
        ("http://api.localhost", True),
        ("http://10.0.0.1", False),
        ("http://127.0.0.1.example.com", False),
        ("nonsense", False),
        ("http://[bad", False),
    ],
)
def test_what_is_this_computer(url: str, local: bool) -> None:
    assert is_loopback(url) is local

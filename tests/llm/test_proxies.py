"""Which proxy stands between here and an address."""

from __future__ import annotations

import pytest

from honeyguide.llm.proxies import is_excepted, is_spoken, proxy_for

HOST = "https://api.example.com"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("environment", "own", "found"),
    [
        ({}, None, None),
        ({"HTTPS_PROXY": "http://one:1"}, None, "http://one:1"),
        ({"HTTPS_PROXY": "one:1"}, None, "http://one:1"),
        ({"HTTP_PROXY": "http://one:1"}, None, None),
        ({"ALL_PROXY": "http://all:1", "HTTPS_PROXY": "http://one:1"}, None, "http://one:1"),
        ({"ALL_PROXY": "socks5://all:1"}, None, "socks5://all:1"),
        ({"HTTPS_PROXY": "http://one:1"}, "http://mine:1", "http://mine:1"),
        ({"NO_PROXY": "example.com"}, "http://mine:1", None),
        ({"NO_PROXY": "other.com"}, "http://mine:1", "http://mine:1"),
    ],
)
def test_the_own_proxy_goes_first_then_the_environment(monkeypatch, environment, own, found):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(HOST, own) == found


@pytest.mark.parametrize(
    "url", ["http://localhost:1", "http://127.0.0.9", "http://[::1]:8080/v1", "http://a.localhost"]
)
def test_this_computer_never_needs_one(monkeypatch, url):
    monkeypatch.setenv("ALL_PROXY", "http://all:1")
    assert proxy_for(url, "http://mine:1") is None


@pytest.mark.parametrize(
    ("listed", "url", "excepted"),
    [
        ("*", HOST, True),
        ("api.example.com", HOST, True),
        ("API.Example.COM.", HOST, True),
        ("example.com", HOST, True),
        (".example.com", HOST, True),
        ("*.example.com", HOST, True),
        ("ample.com", HOST, False),
        ("api.example.com:443", "https://api.example.com:443", True),
        ("api.example.com:8443", "https://api.example.com:443", False),
        ("10.0.0.0/8", "http://10.1.2.3:8000", True),
        ("10.0.0.0/8", "http://11.1.2.3:8000", False),
        ("10.1.2.3", "http://10.1.2.3:8000", True),
        ("10.1.2.3:8000", "http://10.1.2.3:8000", True),
        ("fd00::/8", "http://[fd00::1]:8000", True),
        (" , ,other.org ", HOST, False),
    ],
)
def test_exceptions_are_read_as_other_programs_read_them(monkeypatch, listed, url, excepted):
    monkeypatch.setenv("NO_PROXY", listed)
    assert is_excepted(url) is excepted


def test_socks_is_not_spoken():
    assert is_spoken("http://a:1")
    assert is_spoken("HTTPS://a:1")
    assert not is_spoken("socks5h://a:1")

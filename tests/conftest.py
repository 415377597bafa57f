"""What every test has: no screen, no real user folders, no network beyond loopback, quick hypothesis."""

from __future__ import annotations

import os
import socket
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_API", "pyside6")
for _key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HONEYGUIDE_WORKSPACE"):
    os.environ.pop(_key, None)

settings.register_profile(
    "quick",
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("ci", settings.get_profile("quick"), derandomize=True)
settings.register_profile("deep", settings.get_profile("quick"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

_connect = socket.socket.connect


def _connect_on_this_computer_only(self: socket.socket, address: object) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        assert isinstance(address, tuple)
        assert str(address[0]).startswith("127.") or address[0] in ("::1", "localhost"), (
            f"a test opened a connection to {address[0]}"
        )
    _connect(self, address)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point everything that a program may write of its own accord at a folder of the test."""
    home: Path = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(home))
    for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(home / variable.lower()))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setattr(socket.socket, "connect", _connect_on_this_computer_only)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``HONEYGUIDE_SOAK=sample``, keep a soak test of each file and one in eight others, always the same."""
    if os.environ.get("HONEYGUIDE_SOAK") != "sample":
        return
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    seen: set[str] = set()
    for item in items:
        if item.get_closest_marker("soak") is None:
            kept.append(item)
            continue
        file = item.nodeid.partition("::")[0]
        is_first = file not in seen
        seen.add(file)
        (kept if is_first or zlib.crc32(item.nodeid.encode()) % 8 == 0 else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept

"""``serve``, ``mcp`` and ``daemon`` on the command line, as far as they end by themselves."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from honeyguide.__main__ import main


@dataclass(frozen=True)
class Done:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _arguments(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["honeyguide"])


def honeyguide(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> Done:
    sys.argv[1:] = ["--workspace", str(folder), *arguments]
    code = main()
    out, err = capsys.readouterr()
    return Done(code, out, err)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("serve", "--host", "0.0.0.0", "--json"), 6),
        (("serve", "--host", "0.0.0.0", "--trust-loopback", "--json"), 6),
        (("serve", "--token-file", "/no/such/file", "--json"), 2),
        (("mcp", "--http", "--host", "0.0.0.0", "--json"), 6),
        (("mcp", "--json"), 2),
        (("daemon", "--json"), 6),
    ],
)
def test_what_may_not_be_served_is_refused(capsys, folder, arguments, code):
    done = honeyguide(capsys, folder, *arguments)
    assert done.code == code, done.out + done.err
    assert json.loads(done.out)["error"]["message"]


def test_the_token_is_printed_on_demand_and_stays_the_same(capsys, folder):
    first, second = (honeyguide(capsys, folder, "serve", "--show-token") for _ in range(2))
    assert first.code == 0
    assert first.out == second.out
    assert len(first.out.strip()) >= 40


def test_one_look_of_the_service_for_cron(capsys, folder):
    off = honeyguide(capsys, folder, "daemon", "--once", "--json")
    assert (off.code, json.loads(off.out)["outcome"]) == (0, "off")
    status = honeyguide(capsys, folder, "daemon", "--status", "--json")
    assert json.loads(status.out)["enabled"] is False

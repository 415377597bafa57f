"""Updates: asked only when told to, believed only when signed, never fetched."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from honeyguide.cli.app import run
from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import InvalidInput, Unreachable, Untrusted
from honeyguide.workspace import updates
from honeyguide.workspace.settings import Settings
from tests.fakes.notice_server import NoticeServer, notice_server

DAY = 86_400.0


@pytest.fixture
def server() -> Iterator[NoticeServer]:
    with notice_server() as running:
        yield running


@pytest.fixture
def key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


@pytest.fixture
def settings(tmp_path: Path, server: NoticeServer) -> Settings:
    made = Settings(tmp_path / "honeyguide.toml")
    made.set("updates.url", f"{server.url}/update.json")
    return made


def notice(version: str = "9.1.0", **other: Any) -> str:
    file = {"name": f"honeyguide_{version}_amd64.deb", "sha256": "ab" * 32, "size": 12}
    return json.dumps({"product": "honeyguide", "version": version, "released": "2027-01-02", "files": [file], **other})


def signed(key: Ed25519PrivateKey, text: str, prefix: bytes = updates.SIGNED_PREFIX) -> bytes:
    signature = base64.b64encode(key.sign(prefix + text.encode())).decode()
    return json.dumps({"format": 1, "notice": text, "signature": signature}).encode()


def ask(settings: Settings, key: Ed25519PrivateKey, tmp_path: Path, **more: Any) -> updates.UpdateReport:
    keys: list[Ed25519PublicKey] = [key.public_key()]
    return asyncio.run(updates.check_for_updates(settings, keys=keys, memory=tmp_path / "state" / "u.json", **more))


def ask_if_due(settings: Settings, key: Ed25519PrivateKey, tmp_path: Path, clock: ManualClock) -> Any:
    memory = tmp_path / "state" / "u.json"
    return asyncio.run(updates.check_if_due(settings, keys=[key.public_key()], memory=memory, clock=clock))


def test_a_signed_notice_of_a_newer_version_is_told(settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (200, signed(key, notice(notes="https://honeyguide.example/9.1")))
    clock = ManualClock(datetime(2027, 1, 3, tzinfo=UTC))
    report = ask(settings, key, tmp_path, current="0.1.0", clock=clock)
    assert (report.newest, report.is_newer, report.released) == ("9.1.0", True, "2027-01-02")
    assert report.notes_url == "https://honeyguide.example/9.1"
    assert report.files[0].name == "honeyguide_9.1.0_amd64.deb"
    assert report.checked_at == "2027-01-03T00:00:00.000Z"
    assert server.asked == ["/update.json"], "nothing else is fetched"


@pytest.mark.parametrize(
    ("offered", "current", "newer"),
    [
        ("0.2.0", "0.1.0", True),
        ("0.1.0", "0.1.0", False),
        ("0.1", "0.1.0", False),
        ("0.10.0", "0.9.9", True),
        ("0.1.0", "0.2.0", False),
        ("1.0.0", "1.0.0rc1", True),
        ("1.0.0", "1.0.0.dev3", True),
        ("1.0.0", "1.0.1rc1", False),
    ],
)
def test_versions_are_compared_number_by_number(offered: str, current: str, newer: bool) -> None:
    assert updates.is_newer(offered, current) is newer


def test_a_notice_of_another_key_is_not_believed(settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (200, signed(Ed25519PrivateKey.generate(), notice()))
    with pytest.raises(Untrusted, match="not signed by a key"):
        ask(settings, key, tmp_path)


def test_a_notice_changed_after_signing_is_not_believed(settings, server, key, tmp_path) -> None:
    document = json.loads(signed(key, notice()))
    document["notice"] = document["notice"].replace("9.1.0", "9.9.9")
    server.answers["/update.json"] = (200, json.dumps(document).encode())
    with pytest.raises(Untrusted):
        ask(settings, key, tmp_path)


def test_a_signature_made_for_something_else_is_not_believed(settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (200, signed(key, notice(), prefix=b""))
    with pytest.raises(Untrusted):
        ask(settings, key, tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        {"product": "other"},
        {"version": "9; rm -rf"},
        {"notes": "http://plain.example"},
        {"notes": "javascript:alert(1)"},
        {"released": "soon"},
    ],
)
def test_a_signed_notice_that_makes_no_sense_is_refused(changed, settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (200, signed(key, json.dumps({**json.loads(notice()), **changed})))
    with pytest.raises(Untrusted, match="cannot be understood"):
        ask(settings, key, tmp_path)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"format":2}', b'{"format":1,"notice":"{}","signature":"*"}']
)
def test_an_answer_that_is_no_notice_is_refused(body, settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (200, body)
    with pytest.raises(Untrusted):
        ask(settings, key, tmp_path)


def test_an_endless_answer_is_cut_off(settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (200, b" " * (updates.LARGEST_ANSWER + 1))
    with pytest.raises(Untrusted, match="more than a notice"):
        ask(settings, key, tmp_path)


def test_a_missing_notice_and_a_dead_server_are_said(settings, server, key, tmp_path) -> None:
    with pytest.raises(Unreachable, match="404"):
        ask(settings, key, tmp_path)
    settings.set("updates.url", "http://127.0.0.1:9/update.json")
    with pytest.raises(Unreachable, match="did not answer"):
        ask(settings, key, tmp_path)


def test_a_redirect_is_followed_but_not_in_circles(settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (302, b"/there.json")
    server.answers["/there.json"] = (200, signed(key, notice()))
    assert ask(settings, key, tmp_path).newest == "9.1.0"
    server.answers["/there.json"] = (302, b"/update.json")
    with pytest.raises(Unreachable, match="from one place to the next"):
        ask(settings, key, tmp_path)


def test_a_redirect_to_a_plain_address_elsewhere_is_refused(settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (302, b"http://honeyguide.example/update.json")
    with pytest.raises(InvalidInput, match="https"):
        ask(settings, key, tmp_path)


def test_a_plain_address_elsewhere_is_refused_before_anything_is_sent(settings, key, tmp_path) -> None:
    settings.set("updates.url", "http://honeyguide.example/update.json")
    with pytest.raises(InvalidInput, match="https"):
        ask(settings, key, tmp_path)


def test_without_an_address_or_a_key_nobody_is_asked(settings, server, tmp_path) -> None:
    with pytest.raises(InvalidInput, match="no key to verify"):
        asyncio.run(updates.check_for_updates(settings, keys=[], memory=tmp_path / "u.json"))
    settings.set("updates.url", None)
    with pytest.raises(InvalidInput, match="No update address"):
        asyncio.run(updates.check_for_updates(settings, memory=tmp_path / "u.json"))
    assert server.asked == []


def test_the_key_of_the_settings_counts(settings, server, key, tmp_path) -> None:
    settings.set("updates.public_key", base64.b64encode(key.public_key().public_bytes_raw()).decode())
    server.answers["/update.json"] = (200, signed(key, notice()))
    report = asyncio.run(updates.check_for_updates(settings, memory=tmp_path / "u.json"))
    assert report.newest == "9.1.0"


@pytest.mark.parametrize("text", ["", "x", "AAAA", "not base64 at all"])
def test_a_key_that_is_none_is_said(text: str) -> None:
    if text:
        with pytest.raises(InvalidInput, match="is none"):
            updates.trusted_keys(text)
    else:
        assert all(isinstance(key, Ed25519PublicKey) for key in updates.trusted_keys(text))


def test_nobody_is_asked_of_our_own_accord_without_opting_in(settings, server, key, tmp_path) -> None:
    server.answers["/update.json"] = (200, signed(key, notice()))
    assert ask_if_due(settings, key, tmp_path, ManualClock()) is None
    assert server.asked == []


def test_after_opting_in_it_asks_once_a_day(settings, server, key, tmp_path) -> None:
    settings.set("updates.check", True)
    server.answers["/update.json"] = (200, signed(key, notice()))
    clock = ManualClock()
    assert ask_if_due(settings, key, tmp_path, clock).newest == "9.1.0"
    clock.advance(DAY - 60)
    assert ask_if_due(settings, key, tmp_path, clock) is None
    assert len(server.asked) == 1
    clock.advance(120)
    assert ask_if_due(settings, key, tmp_path, clock).newest == "9.1.0"


def test_a_check_nobody_asked_for_fails_quietly_and_not_again_today(settings, server, key, tmp_path) -> None:
    settings.set("updates.check", True)
    clock = ManualClock()
    assert ask_if_due(settings, key, tmp_path, clock) is None
    assert ask_if_due(settings, key, tmp_path, clock) is None
    assert len(server.asked) == 1


def test_a_skipped_version_is_not_offered_again_but_the_next_one_is(settings, server, key, tmp_path) -> None:
    settings.set("updates.check", True)
    server.answers["/update.json"] = (200, signed(key, notice()))
    clock = ManualClock()
    updates.skip_version("9.1.0", memory=tmp_path / "state" / "u.json")
    assert ask_if_due(settings, key, tmp_path, clock) is None
    assert ask(settings, key, tmp_path).is_skipped, "who asks is told all the same"
    clock.advance(2 * DAY)
    server.answers["/update.json"] = (200, signed(key, notice("9.2.0")))
    assert ask_if_due(settings, key, tmp_path, clock).newest == "9.2.0"


@pytest.mark.parametrize("stored", [b"", b"[]", b"{}", b'{"checked_at": 5, "skipped": null}', b"\xff"])
def test_a_damaged_memory_counts_as_none(stored, settings, server, key, tmp_path) -> None:
    settings.set("updates.check", True)
    server.answers["/update.json"] = (200, signed(key, notice()))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "u.json").write_bytes(stored)
    assert ask_if_due(settings, key, tmp_path, ManualClock()).newest == "9.1.0"


def test_the_notice_of_the_release_script_is_believed(script, settings, server, tmp_path) -> None:
    release = script("update_notice")
    assert release.SIGNED_PREFIX == updates.SIGNED_PREFIX
    public = release.new_key(tmp_path / "key.pem")
    assert (tmp_path / "key.pem").stat().st_mode & 0o077 == 0
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "honeyguide-9.1.0-setup.exe").write_bytes(b"MZ")
    (tmp_path / "dist" / "SHA256SUMS").write_text("")
    pem = release.load_pem_private_key((tmp_path / "key.pem").read_bytes(), None)
    made = release.make("9.1.0", "2027-01-02", "", tmp_path / "dist", pem)
    server.answers["/update.json"] = (200, made.encode())
    settings.set("updates.public_key", public)
    report = asyncio.run(updates.check_for_updates(settings, memory=tmp_path / "u.json"))
    assert [file.name for file in report.files] == ["honeyguide-9.1.0-setup.exe"]
    assert report.files[0].size == 2


def test_the_command_line_asks_and_skips(settings, server, key, tmp_path, capfd) -> None:
    workspace = tmp_path / "workspace"
    assert run(["init", str(workspace)]) == 0
    own = Settings(workspace / "honeyguide.toml")
    own.set("updates.url", settings.get("updates.url"))
    own.set("updates.public_key", base64.b64encode(key.public_key().public_bytes_raw()).decode())
    server.answers["/update.json"] = (200, signed(key, notice(notes="https://honeyguide.example/9.1")))
    here = ["--workspace", str(workspace), "updates"]
    capfd.readouterr()
    assert run([*here, "check"]) == 0
    assert "9.1.0 is out since 2027-01-02" in capfd.readouterr().out
    assert run([*here, "skip", "9.1.0", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"skipped": "9.1.0"}
    assert run([*here, "check", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["is_skipped"] is True
    assert run([*here, "skip", "soon", "--json"]) == 2
    server.answers["/update.json"] = (200, signed(Ed25519PrivateKey.generate(), notice()))
    capfd.readouterr()
    assert run([*here, "check", "--json"]) == 6
    assert json.loads(capfd.readouterr().out)["error"]["code"] == "untrusted"

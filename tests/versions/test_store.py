"""The version store: everything ever live, in files anyone can check."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused, Unreadable
from honeyguide.versions import Actor, Origin, VersionStore

ME = Actor("ada", "command-line")
KIND = "persona-system-prompt"


@pytest.fixture
def store(tmp_path) -> VersionStore:
    return VersionStore(tmp_path / "versions", clock=ManualClock())


def files_of(store: VersionStore, name: str) -> dict[str, Path]:
    return {path.name: path for path in store.folder(KIND, name).iterdir()}


def test_versions_are_numbered_and_read_back(store):
    store.add(KIND, "guide", b"one", Origin.FOUND, ME)
    store.add(KIND, "guide", b"two", Origin.ACCEPTED, ME, run_uuid="r-1", note="shorter")
    assert [(v.n, v.origin, v.run_uuid, v.note) for v in store.list(KIND, "guide")] == [
        (1, "found", None, ""),
        (2, "accepted", "r-1", "shorter"),
    ]
    assert store.read(KIND, "guide", 1) == b"one"
    assert store.read(KIND, "guide", 2) == b"two"


def test_a_version_stands_where_the_contract_says(store):
    store.add(KIND, "café guide", b"one", Origin.FOUND, ME)
    name_hash, hash_ = sha256_hex("café guide")[:8], sha256_hex(b"one")
    folder = store.root / KIND / f"caf-guide-{name_hash}"
    assert (folder / f"1-{hash_[:12]}").read_bytes() == b"one"
    record = json.loads((folder / f"1-{hash_[:12]}.json").read_text())
    assert record["sha256"] == hash_
    assert record["created_at"] == "2026-01-01T00:00:00.000Z"
    assert (record["who"], record["how"], record["name"]) == ("ada", "command-line", "café guide")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_folders_and_files_are_for_the_owner_only(store):
    store.add(KIND, "guide", b"one", Origin.FOUND, ME)
    for path in [store.root, *store.root.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_target_that_never_changed_has_no_versions_and_no_folder(store):
    assert store.list(KIND, "guide") == ()
    assert not store.root.exists()
    with pytest.raises(NotFound):
        store.read(KIND, "guide", 1)


def test_names_that_make_the_same_slug_keep_apart(store):
    store.add(KIND, "a b", b"one", Origin.FOUND, ME)
    store.add(KIND, "a-b", b"two", Origin.FOUND, ME)
    assert [store.read(KIND, name, 1) for name in ("a b", "a-b")] == [b"one", b"two"]
    assert store.targets() == ((KIND, "a b"), (KIND, "a-b"))


@pytest.mark.parametrize("name", ["../../x", "a/b", "..", ".hidden", "a\x00b", ""])
def test_a_name_can_not_lead_out_of_the_store(store, name):
    with pytest.raises(InvalidInput):
        store.add(KIND, name, b"x", Origin.FOUND, ME)


@pytest.mark.parametrize("kind", ["../x", "a/b", ".kind"])
def test_a_kind_can_not_lead_out_of_the_store(store, kind):
    with pytest.raises(InvalidInput):
        store.list(kind, "guide")


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links")
def test_a_link_inside_the_store_that_leads_out_is_refused(store, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    store.root.mkdir()
    (store.root / KIND).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PolicyRefused):
        store.add(KIND, "guide", b"x", Origin.FOUND, ME)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_version_whose_bytes_were_altered_is_never_handed_out(store):
    store.add(KIND, "guide", b"one", Origin.FOUND, ME)
    next(p for n, p in files_of(store, "guide").items() if not n.endswith(".json")).write_bytes(b"bad")
    with pytest.raises(Unreadable, match="altered"):
        store.read(KIND, "guide", 1)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"n": "x"}', None])
def test_a_version_with_a_lost_record_is_listed_from_its_bytes(store, damage):
    store.add(KIND, "guide", b"one", Origin.ACCEPTED, ME)
    store.add(KIND, "guide", b"two", Origin.ACCEPTED, ME)
    record = next(p for n, p in files_of(store, "guide").items() if n.startswith("1-") and n.endswith(".json"))
    if damage is None:
        record.unlink()
    else:
        record.write_bytes(damage)
    first, second = store.list(KIND, "guide")
    assert (first.n, first.origin, first.sha256) == (1, "found", sha256_hex(b"one"))
    assert "lost" in first.note
    assert store.read(KIND, "guide", 1) == b"one"
    assert second.origin == "accepted"
    assert store.add(KIND, "guide", b"three", Origin.ACCEPTED, ME).n == 3


def test_a_record_that_speaks_of_another_target_is_not_believed(store):
    store.add(KIND, "guide", b"one", Origin.ACCEPTED, ME)
    record = next(p for n, p in files_of(store, "guide").items() if n.endswith(".json"))
    record.write_text(record.read_text().replace('"guide"', '"other"'))
    assert [(v.name, v.origin) for v in store.list(KIND, "guide")] == [("guide", "found")]


def test_foreign_files_in_a_folder_are_no_versions(store):
    store.add(KIND, "guide", b"one", Origin.FOUND, ME)
    folder = store.folder(KIND, "guide")
    for name in ("notes.txt", "1-zzz", "x-000000000000", "7-000000000000.json", ".DS_Store"):
        (folder / name).write_bytes(b"x")
    assert [v.n for v in store.list(KIND, "guide")] == [1]


@given(st.lists(st.binary(max_size=40), max_size=6), st.text(min_size=1, max_size=30))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_added_comes_back_in_order_under_any_name(tmp_path_factory, contents, name):
    store = VersionStore(tmp_path_factory.mktemp("w") / "versions", clock=ManualClock())
    try:
        for data in contents:
            store.add(KIND, name, data, Origin.FOUND, ME)
        versions = store.list(KIND, name)
    except InvalidInput:
        return
    assert [v.n for v in versions] == list(range(1, len(contents) + 1))
    assert [store.bytes_of(v) for v in versions] == contents
    assert all(path.resolve().is_relative_to(store.root.resolve()) for path in store.root.parent.rglob("*-*"))

"""Making a text live and taking it back."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound, PolicyRefused, Stale, Unwritable
from honeyguide.versions import Actor, Change, Deployer, LiveFile, VersionStore

ME = Actor("ada", "window")
KIND = "persona-system-prompt"
BUILTIN = b'{"systemPrompt": "built in"}'


class Place:
    """A workspace with one override target and one skill in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.skills = folder / "skills"
        self.workspace.mkdir()
        self.skills.mkdir()
        self.store = VersionStore(self.workspace / "versions", clock=ManualClock())
        self.deployer = Deployer(self.store, [self.skills])
        self.override = LiveFile(
            KIND, "guide", self.workspace / "personas" / "guide.json", keeps_bak=True, builtin=BUILTIN
        )
        self.skill = LiveFile("skill-body", "review", self.skills / "SKILL.md")
        self.skill.path.write_bytes(b"skill\r\n")

    def deploy(self, live: LiveFile, data: bytes, **options):
        return self.deployer.deploy([Change(live, data, self.deployer.live_fingerprint(live))], ME, **options)[0]

    def log(self, live: LiveFile) -> list[tuple[int, str, bytes | None]]:
        return [
            (v.n, v.origin.value, None if v.removed else self.store.bytes_of(v))
            for v in self.store.list(live.kind, live.name)
        ]

    def text(self, live: LiveFile) -> bytes | None:
        return live.path.read_bytes() if live.path.exists() else None

    def bak(self, live: LiveFile) -> bytes | None:
        bak = live.path.with_name(live.path.name + ".bak")
        return bak.read_bytes() if bak.exists() else None


@pytest.fixture
def place(tmp_path) -> Place:
    return Place(tmp_path)


def test_the_first_override_shadows_the_builtin_and_both_are_versions(place):
    done = place.deploy(place.override, b"v1", run_uuid="r-1", note="clearer")
    assert place.text(place.override) == b"v1"
    assert place.log(place.override) == [(1, "found", None), (2, "accepted", b"v1")]
    assert place.store.read(KIND, "guide", 1) == BUILTIN
    assert (done.version.run_uuid, done.version.note, done.version.who, done.version.how) == (
        "r-1", "clearer", "ada", "window",
    )  # fmt: skip
    assert done.backup_path is None


def test_a_skill_is_changed_in_place_with_no_file_beside_it(place):
    place.deploy(place.skill, b"better\r\n")
    assert place.text(place.skill) == b"better\r\n"
    assert [path.name for path in place.skills.iterdir()] == ["SKILL.md"]
    assert place.log(place.skill) == [(1, "found", b"skill\r\n"), (2, "accepted", b"better\r\n")]


def test_bak_is_always_the_version_before_the_current_one(place):
    seen = []
    place.deploy(place.override, b"v1")
    seen.append(place.bak(place.override))
    place.deploy(place.override, b"v2")
    seen.append(place.bak(place.override))
    place.deployer.backup(place.override, ME)
    seen.append(place.bak(place.override))
    place.deployer.rollback(place.override, ME)
    seen.append(place.bak(place.override))
    assert seen == [None, b"v1", b"v2", b"v2"]


def test_a_live_text_that_changed_since_the_run_began_is_stale_and_nothing_is_written(place):
    expected = place.deployer.live_fingerprint(place.skill)
    place.skill.path.write_bytes(b"edited by hand\n")
    with pytest.raises(Stale):
        place.deployer.deploy([Change(place.skill, b"candidate\n", expected)], ME)
    assert place.text(place.skill) == b"edited by hand\n"
    assert place.log(place.skill) == []


def test_where_only_the_text_counts_other_edits_of_the_file_do_not_make_it_stale(place):
    def fingerprint(data: bytes) -> str:
        return sha256_hex(json.loads(data)["systemPrompt"])

    def with_new_prompt(data: bytes | None) -> bytes:
        return json.dumps({**json.loads(data or BUILTIN), "systemPrompt": "new"}).encode()

    live = LiveFile(KIND, "coder", place.workspace / "personas/coder.json", builtin=BUILTIN, fingerprint=fingerprint)
    expected = place.deployer.live_fingerprint(live)
    assert expected == sha256_hex("built in")
    live.path.parent.mkdir()
    live.path.write_bytes(b'{"systemPrompt": "built in", "icon": "bee"}')
    done = place.deployer.deploy([Change(live, with_new_prompt, expected)], ME)[0]
    assert json.loads(live.path.read_bytes()) == {"systemPrompt": "new", "icon": "bee"}
    assert done.version.text_sha256 == sha256_hex("new")


def test_an_edit_made_outside_is_kept_before_a_deploy_replaces_it(place):
    place.deploy(place.override, b"v1")
    place.override.path.write_bytes(b"hand-made")
    place.deploy(place.override, b"v2")
    assert place.log(place.override)[1:] == [
        (2, "accepted", b"v1"), (3, "edited-outside", b"hand-made"), (4, "accepted", b"v2"),
    ]  # fmt: skip
    assert place.bak(place.override) == b"hand-made"


def test_an_edit_made_outside_is_noticed_once(place):
    place.deploy(place.override, b"v1")
    place.override.path.write_bytes(b"hand-made")
    assert place.deployer.history(place.override).edited_outside
    assert place.deployer.notice(place.override, ME).origin == "edited-outside"
    assert place.deployer.notice(place.override, ME) is None
    assert not place.deployer.history(place.override).edited_outside
    assert place.text(place.override) == b"hand-made"
    assert place.bak(place.override) == b"v1"


def test_an_override_deleted_outside_is_noticed_as_the_builtin_being_live_again(place):
    place.deploy(place.override, b"v1")
    place.override.path.unlink()
    version = place.deployer.notice(place.override, ME)
    assert (version.origin, version.removed) == ("edited-outside", True)
    assert place.store.bytes_of(version) == BUILTIN


def test_noticing_leaves_a_target_without_versions_alone(place):
    assert place.deployer.notice(place.skill, ME) is None
    assert place.log(place.skill) == []


def test_rolling_back_the_first_override_removes_the_file_and_is_a_version(place):
    place.deploy(place.override, b"v1")
    done = place.deployer.rollback(place.override, ME, note="worse")
    assert place.text(place.override) is None
    assert (done.version.origin, done.version.removed, done.version.restored_from) == ("restored", True, 1)
    assert place.log(place.override) == [(1, "found", None), (2, "accepted", b"v1"), (3, "restored", None)]
    assert place.bak(place.override) == b"v1"


def test_rolling_back_again_goes_one_further_back_and_ends_at_what_was_found(place):
    for data in (b"v1", b"v2", b"v3"):
        place.deploy(place.override, data)
    texts = []
    for _ in range(3):
        place.deployer.rollback(place.override, ME)
        texts.append(place.text(place.override))
    assert texts == [b"v2", b"v1", None]
    with pytest.raises(Conflict):
        place.deployer.rollback(place.override, ME)
    assert len(place.log(place.override)) == 7


def test_any_version_can_be_restored_and_the_history_only_grows(place):
    for data in (b"v1", b"v2", b"v3"):
        place.deploy(place.skill, data)
    done = place.deployer.rollback(place.skill, ME, to=1)
    assert place.text(place.skill) == b"skill\r\n"
    assert (done.version.n, done.version.restored_from) == (5, 1)
    assert [data for _, _, data in place.log(place.skill)] == [b"skill\r\n", b"v1", b"v2", b"v3", b"skill\r\n"]


def test_rolling_back_over_an_outside_edit_keeps_the_edit(place):
    place.deploy(place.skill, b"v1")
    place.skill.path.write_bytes(b"hand-made")
    place.deployer.rollback(place.skill, ME)
    assert place.text(place.skill) == b"v1"
    place.deployer.rollback(place.skill, ME, to=3)
    assert place.text(place.skill) == b"hand-made"


def test_rolling_back_what_never_changed_is_not_found(place):
    with pytest.raises(NotFound):
        place.deployer.rollback(place.override, ME)


@pytest.mark.parametrize(("to", "error"), [(9, NotFound), (2, Conflict)])
def test_a_version_that_is_not_there_or_is_live_can_not_be_restored(place, to, error):
    place.deploy(place.override, b"v1")
    with pytest.raises(error):
        place.deployer.rollback(place.override, ME, to=to)


def test_rolling_back_looks_at_what_the_person_saw(place):
    place.deploy(place.override, b"v1")
    seen = place.deployer.live_fingerprint(place.override)
    place.override.path.write_bytes(b"edited while the dialog was open")
    with pytest.raises(Stale):
        place.deployer.rollback(place.override, ME, expected=seen)


@pytest.mark.parametrize(
    ("edit", "origin"), [(None, "found"), (b"hand-made", "edited-outside")], ids=["unchanged", "edited"]
)
def test_a_backup_is_a_version_with_a_note_and_touches_nothing(place, edit, origin):
    place.deploy(place.skill, b"v1")
    if edit:
        place.skill.path.write_bytes(edit)
    version = place.deployer.backup(place.skill, ME, note="before the holidays")
    assert (version.n, version.origin, version.note) == (3, origin, "before the holidays")
    assert place.store.bytes_of(version) == place.text(place.skill) == (edit or b"v1")


def test_a_backup_can_be_the_first_version_of_a_target(place):
    assert place.deployer.backup(place.skill, ME).n == 1
    assert place.deployer.backup(place.override, ME).removed


def test_going_back_from_a_backup_skips_the_same_text(place):
    place.deploy(place.skill, b"v1")
    place.deployer.backup(place.skill, ME)
    place.deployer.rollback(place.skill, ME)
    assert place.text(place.skill) == b"skill\r\n"


def test_several_files_go_live_together(place):
    changes = [
        Change(place.override, b"persona", place.deployer.live_fingerprint(place.override)),
        Change(place.skill, b"skill 2", place.deployer.live_fingerprint(place.skill)),
    ]
    done = place.deployer.deploy(changes, ME, run_uuid="r-9")
    assert (place.text(place.override), place.text(place.skill)) == (b"persona", b"skill 2")
    assert [d.version.run_uuid for d in done] == ["r-9", "r-9"]


def test_if_one_of_several_files_is_stale_none_is_written(place):
    changes = [
        Change(place.override, b"persona", place.deployer.live_fingerprint(place.override)),
        Change(place.skill, b"skill 2", "0" * 64),
    ]
    with pytest.raises(Stale):
        place.deployer.deploy(changes, ME)
    assert (place.text(place.override), place.text(place.skill)) == (None, b"skill\r\n")
    assert place.log(place.override) == place.log(place.skill) == []


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_if_one_of_several_files_can_not_be_written_none_is(place):
    place.skill.path.chmod(0o444)
    changes = [Change(place.override, b"persona", None), Change(place.skill, b"skill 2", None)]
    with pytest.raises(Unwritable):
        place.deployer.deploy(changes, ME)
    assert (place.text(place.override), place.text(place.skill)) == (None, b"skill\r\n")
    assert [origin for _, origin, _ in place.log(place.skill)] == ["found"]
    assert not (place.store.root / ".pending.json").exists()


def test_the_same_file_twice_in_one_deploy_is_refused(place):
    with pytest.raises(InvalidInput):
        place.deployer.deploy([Change(place.skill, b"a", None), Change(place.skill, b"b", None)], ME)
    with pytest.raises(InvalidInput):
        place.deployer.deploy([], ME)
    assert place.text(place.skill) == b"skill\r\n"


def test_a_file_outside_the_trusted_folders_is_refused(place, tmp_path):
    outside = LiveFile("skill-body", "other", tmp_path / "elsewhere.md")
    with pytest.raises(PolicyRefused):
        place.deployer.deploy([Change(outside, b"x", None)], ME)
    assert not outside.path.exists()


def test_a_bak_file_is_never_kept_outside_the_workspace(place):
    live = LiveFile("skill-body", "review", place.skill.path, keeps_bak=True)
    with pytest.raises(InvalidInput):
        place.deployer.deploy([Change(live, b"x", None)], ME)
    assert place.text(place.skill) == b"skill\r\n"


def test_accepting_what_is_live_already_is_still_a_version(place):
    place.deploy(place.skill, b"skill\r\n", run_uuid="r-2")
    assert [v.run_uuid for v in place.store.list("skill-body", "review")] == [None, "r-2"]


def test_the_list_is_printed_as_the_contract_says(place):
    place.deploy(place.override, b"v1", run_uuid="r-1", note="n")
    body = place.deployer.history(place.override).to_json()
    assert (body["target"], body["path"]) == ("guide", str(place.override.path))
    last = body["versions"][-1]
    assert {key: last[key] for key in ("n", "sha256", "created_at", "origin", "run_uuid", "note", "current")} == {
        "n": 2,
        "sha256": sha256_hex(b"v1"),
        "created_at": "2026-01-01T00:00:00.000Z",
        "origin": "accepted",
        "run_uuid": "r-1",
        "note": "n",
        "current": True,
    }
    assert [v["current"] for v in body["versions"]] == [False, True]


def test_a_newest_version_whose_stored_bytes_were_altered_is_kept_anew_before_it_is_replaced(place):
    place.deploy(place.skill, b"v1")
    newest = place.store.list("skill-body", "review")[-1]
    (place.store.folder("skill-body", "review") / newest.file_name).write_bytes(b"altered")
    place.deploy(place.skill, b"v2")
    assert place.store.read("skill-body", "review", 3) == b"v1"
    place.deployer.rollback(place.skill, ME)
    assert place.text(place.skill) == b"v1"


def test_recovering_a_workspace_that_never_deployed_makes_no_file(place):
    assert place.deployer.recover() == ()
    assert not place.store.root.exists()

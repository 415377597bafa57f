"""A deploy that is killed, or that the disk fails, at each of its steps; on the real disk, with a real SIGKILL."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from honeyguide.kernel.errors import HoneyguideError, PolicyRefused, Unsupported, Unwritable
from honeyguide.versions import Change, Deployer, LiveFile, RepairOutcome, VersionStore
from tests.fakes.deploying import ME, NEW, OLD, deploy_both, deployer_in, live_files, set_up
from tests.fakes.disks import FailingDisk, fail_with

ROOT = Path(__file__).resolve().parents[2]


def texts(folder: Path) -> dict[str, bytes]:
    return {name: live.path.read_bytes() for name, live in live_files(folder).items()}


def require_whole(folder: Path) -> str:
    """Check that the workspace is wholly old or wholly new, and say which."""
    found = texts(folder)
    assert found in (OLD, NEW)
    new = found == NEW
    deployer = deployer_in(folder)
    persona, tool = (deployer.history(live) for live in live_files(folder).values())
    assert [v.origin for v in persona.versions] == ["found", "accepted", "accepted"][: 3 if new else 2]
    assert [v.origin for v in tool.versions] in ([["found", "accepted"]] if new else [[], ["found"]])
    for history in (persona, tool):
        assert not history.edited_outside
        for version in history.versions:
            VersionStore(folder / "w" / "versions").bytes_of(version)
    bak = folder / "w/personas/persona.json.bak"
    assert (bak.read_bytes() if bak.exists() else None) == (OLD["persona"] if new else None)
    leftovers = [path for path in folder.rglob("*") if path.name.endswith(".tmp") or "pending" in path.name]
    assert leftovers == []
    return "new" if new else "old"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fork")
def test_killed_at_each_step_the_next_open_finds_the_old_state_or_the_new_one(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.fakes.deploying", "die", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=90, check=True,
    )  # fmt: skip
    steps = [int(line) for line in done.stdout.split()]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) > 40
    outcomes = []
    for step in steps:
        folder = tmp_path / str(step)
        for name, data in texts(folder).items():
            assert data in (OLD[name], NEW[name]), "a reader saw half a file"
        repairs = deployer_in(folder).recover()
        assert {repair.run_uuid for repair in repairs} <= {"run-1"}
        state = require_whole(folder)
        if repairs:
            assert {r.outcome.value for r in repairs} == {"completed" if state == "new" else "undone"}
        outcomes.append(state)
        if state == "old":
            deploy_both(folder)
            require_whole(folder)
    assert outcomes == sorted(outcomes, reverse=True), "once it went live it stays live"
    assert set(outcomes) == {"old", "new"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_is_full_or_read_only_from_any_step_on_loses_nothing(tmp_path, number):
    failed = 0
    for step in range(1, 100, 3):
        folder = tmp_path / str(step)
        set_up(folder)
        try:
            deploy_both(folder, FailingDisk(step, fail_with(number), lasting=True))
        except Unwritable:
            failed += 1
        deployer_in(folder).recover()
        state = require_whole(folder)
        if state == "new":
            break
        deploy_both(folder)  # once there is space again
        assert require_whole(folder) == "new"
    assert failed > 10


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files")
def test_a_file_that_the_system_refuses_to_grow_leaves_everything_as_it_was(tmp_path):
    set_up(tmp_path)
    program = (
        "import resource, sys; from pathlib import Path; from tests.fakes.deploying import *\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (250, 250))\n"
        "deploy_both(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert "Unwritable" in done.stderr
    deployer_in(tmp_path).recover()
    assert require_whole(tmp_path) == "old"


def stopped(tmp_path: Path, step: int) -> Path:
    """Return a workspace whose deploy stopped at ``step``, as a killed process leaves it."""

    class Gone(BaseException):
        pass

    def vanish() -> None:
        raise Gone

    set_up(tmp_path)
    with pytest.raises(Gone):
        deploy_both(tmp_path, FailingDisk(step, vanish, lasting=True))
    assert (tmp_path / "w/versions/.pending.json").exists()
    return tmp_path


def step_where(tmp_path: Path, wanted: dict[str, bytes]) -> Path:
    """Return a stopped workspace whose live files are as ``wanted``."""
    for step in range(10, 100):
        folder = tmp_path / f"at-{step}"
        try:
            stopped(folder, step)
        except (AssertionError, pytest.fail.Exception):
            continue
        if texts(folder) == wanted:
            return folder
    raise AssertionError("no step leaves the files like this")


def test_an_edit_made_after_the_crash_and_before_the_repair_is_never_overwritten(tmp_path):
    folder = step_where(tmp_path, {"persona": NEW["persona"], "tool": OLD["tool"]})
    live_files(folder)["tool"].path.write_bytes(b"edited by hand")
    repairs = deployer_in(folder).recover()
    assert {repair.outcome for repair in repairs} == {RepairOutcome.UNDONE}
    assert texts(folder) == {"persona": OLD["persona"], "tool": b"edited by hand"}


def test_the_next_deploy_repairs_first_and_tells_about_it(tmp_path):
    folder = step_where(tmp_path, {"persona": NEW["persona"], "tool": OLD["tool"]})
    told = []
    store = VersionStore(folder / "w" / "versions")
    deployer = Deployer(store, [folder / "skills"], on_repair=told.append)
    deployer.deploy([Change(live_files(folder)["tool"], b"third", None)], ME)
    assert [(r.outcome.value, r.name, r.run_uuid) for r in told] == [
        ("completed", "persona", "run-1"), ("completed", "tool", "run-1"),
    ]  # fmt: skip
    assert texts(folder) == {"persona": NEW["persona"], "tool": b"third"}
    assert store.read("skill-body", "tool", 2) == NEW["tool"]


def test_a_repair_works_in_a_workspace_that_was_moved(tmp_path):
    folder = step_where(tmp_path, {"persona": NEW["persona"], "tool": OLD["tool"]})
    pending = json.loads((folder / "w/versions/.pending.json").read_text())
    assert pending["steps"][0]["path"] == "personas/persona.json"
    (folder / "w").rename(folder / "moved")
    deployer = Deployer(VersionStore(folder / "moved" / "versions"), [folder / "skills"])
    assert [r.outcome.value for r in deployer.recover()] == ["completed", "completed"]
    assert (folder / "moved/personas/persona.json").read_bytes() == NEW["persona"]


def test_an_unfinished_change_of_an_untrusted_file_is_left_alone_and_said(tmp_path):
    """A workspace from somebody else must not make us write into this user's files."""
    folder = step_where(tmp_path, {"persona": NEW["persona"], "tool": OLD["tool"]})
    deployer = Deployer(VersionStore(folder / "w" / "versions"))
    assert {r.outcome for r in deployer.recover()} == {RepairOutcome.REFUSED}
    assert texts(folder)["tool"] == OLD["tool"]
    with pytest.raises(PolicyRefused):
        deployer.deploy([Change(live_files(folder)["persona"], b"x", None)], ME)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"format": 1}', b"\xff"])
def test_a_damaged_intent_is_set_aside_and_work_goes_on(tmp_path, content):
    set_up(tmp_path)
    (tmp_path / "w/versions/.pending.json").write_bytes(content)
    deployer = deployer_in(tmp_path)
    assert [r.outcome for r in deployer.recover()] == [RepairOutcome.UNREADABLE]
    assert (tmp_path / "w/versions/.damaged-pending-1.json").read_bytes() == content
    deploy_both(tmp_path)
    assert texts(tmp_path) == NEW


def test_an_intent_of_a_newer_program_is_not_touched(tmp_path):
    set_up(tmp_path)
    pending = tmp_path / "w/versions/.pending.json"
    pending.write_text('{"format": 2, "started_at": "", "steps": []}')
    with pytest.raises(Unsupported):
        deployer_in(tmp_path).recover()
    assert pending.exists()


def test_no_error_of_a_failing_disk_escapes_untranslated(tmp_path):
    for number in (errno.EIO, errno.EACCES, errno.EDQUOT, errno.ENAMETOOLONG):
        for step in range(1, 60, 4):
            folder = tmp_path / f"{number}-{step}"
            set_up(folder)
            live = LiveFile("generic", "g", folder / "w/generic-overrides/g.md", keeps_bak=True)
            try:
                deployer_in(folder, FailingDisk(step, fail_with(number))).deploy([Change(live, b"x", None)], ME)
            except HoneyguideError as error:
                assert error.message

"""Files that changed in one step go back in one step, also when the way there is cut short."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.kernel.errors import Conflict, Stale
from honeyguide.versions import Change, Deployer, Expected
from tests.fakes.deploying import ME, NEW, OLD, deploy_both, deployer_in, live_files, set_up
from tests.fakes.disks import FailingDisk

PERSONA, TOOL = ("persona-system-prompt", "persona"), ("skill-body", "tool")


def both_live(folder: Path) -> Deployer:
    set_up(folder)
    deploy_both(folder)
    return deployer_in(folder)


def texts(folder: Path) -> dict[str, bytes]:
    return {name: live.path.read_bytes() for name, live in live_files(folder).items()}


def others(folder: Path, lead: str) -> dict[tuple[str, str], object]:
    return {(live.kind, live.name): live for name, live in live_files(folder).items() if name != lead}


def test_each_version_names_those_of_the_same_step(tmp_path):
    deployer = both_live(tmp_path)
    live = live_files(tmp_path)
    assert deployer.history(live["persona"]).versions[-1].together == ("skill-body:tool#2",)
    assert deployer.history(live["tool"]).versions[-1].together == ("persona-system-prompt:persona#3",)
    assert deployer.tied_to(live["persona"]) == (TOOL,)
    assert deployer.tied_to(live["tool"]) == (PERSONA,)


@pytest.mark.parametrize("lead", ["persona", "tool"])
def test_going_back_from_either_takes_the_other_along(tmp_path, lead):
    deployer = both_live(tmp_path)
    done = deployer.rollback_together(live_files(tmp_path)[lead], others(tmp_path, lead), ME)
    assert len(done) == 2
    assert texts(tmp_path) == OLD
    assert done[0].version.together == (f"{done[1].version.kind}:{done[1].version.name}#{done[1].version.n}",)
    again = 3 if lead == "persona" else 2
    deployer.rollback_together(live_files(tmp_path)[lead], others(tmp_path, lead), ME, to=again)
    assert texts(tmp_path) == NEW
    deployer.rollback_together(live_files(tmp_path)[lead], others(tmp_path, lead), ME)
    assert texts(tmp_path) == OLD


def test_alone_leaves_the_other_as_it_is(tmp_path):
    deployer = both_live(tmp_path)
    deployer.rollback(live_files(tmp_path)["tool"], ME)
    assert texts(tmp_path) == {"persona": NEW["persona"], "tool": OLD["tool"]}


def test_one_that_was_changed_again_is_not_dragged_along(tmp_path):
    deployer = both_live(tmp_path)
    live = live_files(tmp_path)
    deployer.deploy([Change(live["tool"], b"newer\n", None)], ME)
    with pytest.raises(Conflict, match="changed again"):
        deployer.rollback_together(live["persona"], others(tmp_path, "persona"), ME)
    assert texts(tmp_path) == {"persona": NEW["persona"], "tool": b"newer\n"}
    done = deployer.rollback_together(live["tool"], others(tmp_path, "tool"), ME)
    assert (len(done), texts(tmp_path)) == (1, NEW)


def test_what_has_to_stay_is_compared_as_well(tmp_path):
    set_up(tmp_path)
    live, deployer = live_files(tmp_path), deployer_in(tmp_path)
    with pytest.raises(Stale, match="tool"):
        deployer.deploy(
            [Change(live["persona"], NEW["persona"], None)], ME, also_expected=[Expected(live["tool"], "0" * 64)]
        )
    assert texts(tmp_path) == OLD


class Gone(BaseException):
    """The process was killed."""


def test_stopped_at_any_step_both_went_back_or_neither(tmp_path):
    outcomes = []
    for step in range(1, 200):
        folder = tmp_path / str(step)
        both_live(folder)

        def vanish() -> None:
            raise Gone

        deployer = deployer_in(folder, FailingDisk(step, vanish, lasting=True))
        try:
            deployer.rollback_together(live_files(folder)["tool"], others(folder, "tool"), ME)
        except Gone:
            pass
        else:
            break
        deployer_in(folder).recover()
        assert texts(folder) in (OLD, NEW)
        state = texts(folder) == OLD
        made = [deployer_in(folder).history(live).versions[-1].origin for live in live_files(folder).values()]
        assert made == ["restored" if state else "accepted"] * 2
        outcomes.append(state)
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}
    assert len(outcomes) > 30

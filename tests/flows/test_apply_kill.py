"""Kill -9 at the steps of an apply and of a rollback: the next start finishes or undoes it, judged by hashes."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable

import pytest

from honeyguide.flows.runs import FlowRun
from honeyguide.flows.runs import RunStatus as S
from honeyguide.flows.tidying import recover
from tests.flows.conftest import FLOW, Bench

GREEN = FLOW.replace("BLUE", "GREEN")
STEPS = frozenset(("os.rename", "os.remove", "os.mkdir", "os.chmod", "os.link", "os.truncate"))
STRIDE = 5
"""How many steps lie between two kills; with 1 every step is tried, which takes a minute."""
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")


def _killed_at(step: int, work: Callable[[], object]) -> bool:
    """Do ``work`` in a child that kills itself before its ``step``-th change of a file; say whether it came so far."""
    child = os.fork()
    if child == 0:
        count = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            flags = arguments[2] if event == "open" and len(arguments) > 2 else 0
            writes = event == "open" and isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if event in STEPS or writes:
                count += 1
                if count == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(7)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the work itself failed"
    return os.WIFSIGNALED(status)


@pytest.mark.parametrize("is_rollback", [False, True], ids=["apply", "rollback"])
def test_a_kill_between_any_two_steps_leaves_one_of_the_two_texts_and_a_true_state(bench: Bench, is_rollback):
    item = bench.complain()
    bench.green(item.id)
    bench.engine.reply("Say GREEN.")
    run = bench.propose()
    if is_rollback:
        bench.apply(run)
    begun = bench.root / "begun"
    shutil.copytree(bench.repo, begun / "repo")
    shutil.copytree(bench.root / "workspace", begun / "workspace")
    work: Callable[[FlowRun], object] = bench.roll_back if is_rollback else bench.apply
    expected = (
        {S.APPLIED: (GREEN, "resolved"), S.ROLLED_BACK: (FLOW, "open")}
        if is_rollback
        else {S.VERIFIED_IMPROVEMENT: (FLOW, "targeted"), S.APPLIED: (GREEN, "resolved")}
    )
    seen, step = set(), 1 - STRIDE
    while True:
        step += STRIDE
        for name in ("repo", "workspace"):
            shutil.rmtree(bench.root / name)
            shutil.copytree(begun / name, bench.root / name)
        was_killed = _killed_at(step, lambda: work(run))
        recover(bench.desk)
        now = bench.desk.runs.get(run.id)
        assert now.status in expected, f"step {step}: {now.status}"
        assert (bench.flow.read_text(), bench.state(item)) == expected[now.status], f"step {step}"
        assert not [path.name for path in bench.flow.parent.iterdir() if path.name.endswith(".tmp")], f"step {step}"
        seen.add(now.status)
        work(run)  # and it can simply be done again
        assert bench.desk.runs.get(run.id).status is (S.ROLLED_BACK if is_rollback else S.APPLIED), f"step {step}"
        if not was_killed:
            break
    assert seen == set(expected)
    assert step > 10

import asyncio

import pytest

from honeyguide.evolution.ablation import ablate, ablation_calls
from honeyguide.evolution.execution import LoopExecutor
from honeyguide.evolution.scoring import ScoreLedger
from tests.evolution.worlds import examples, model, running_judge

LIVE = "head\nkeep\nmiddle\nkeep\nend\n"
GOOD = "head\nkeep\nmiddle: name the price\nkeep\nend\n"
BOTH = "head, be excellent in every way\nkeep\nmiddle: name the price\nkeep\nend\n"
THREE = "head, be excellent\nkeep\nmiddle: name the price\nkeep\nend, and take a breath\n"


def graded(actual, question):
    return (9 if "price" in actual else 3, 8, 8, "Say more.")


def run(candidate, grade=graded, live=LIVE, count=10, **others):
    client = model(grade)
    ledger = ScoreLedger(LoopExecutor(running_judge(client), 1))
    return asyncio.run(ablate(live, candidate, examples(count), ledger, seed=1, **others)), client


def test_the_hunk_that_earns_the_gain_stays_and_the_idle_one_is_offered():
    found, _ = run(BOTH)
    assert [(h.number, h.earns, h.longer > 0) for h in found.hunks] == [(1, False, True), (2, True, True)]
    assert found.hunks[1].gain == pytest.approx(0.33, abs=0.05)
    assert found.hunks[1].interval.low > 0.2
    assert (found.droppable, found.shortest) == ((1,), GOOD)


def test_several_idle_hunks_go_together_when_that_is_as_good():
    found, _ = run(THREE)
    assert (found.droppable, found.shortest) == ((1, 3), GOOD)


def test_hunks_that_do_the_same_work_are_not_dropped_together():
    twice = "head, name the price\nkeep\nmiddle: name the price\nkeep\nend\n"
    found, _ = run(twice)
    assert [h.earns for h in found.hunks] == [False, False]
    assert len(found.droppable) == 1
    assert found.shortest in (GOOD, "head, name the price\nkeep\nmiddle\nkeep\nend\n")


@pytest.mark.parametrize("candidate", [LIVE, GOOD], ids=["no change", "a change in one place"])
def test_what_cannot_be_taken_apart_is_left_whole_at_no_cost(candidate):
    found, client = run(candidate)
    assert (found.hunks, found.droppable, found.shortest) == ((), (), candidate)
    assert client.requests == []
    assert ablation_calls(LIVE, candidate, examples(10)) == 0


def test_a_text_that_fails_a_gate_is_neither_run_nor_offered():
    found, client = run(BOTH, allowed=lambda text: text != GOOD)
    assert found.shortest == BOTH
    assert all(request.system != GOOD for request in client.requests)


def test_its_calls_are_known_before():
    found, client = run(THREE)
    assert len(client.requests) <= ablation_calls(LIVE, THREE, examples(10)) == 5 * 20
    assert found.hunks[0].to_json().keys() == {"hunk", "gain", "interval", "n", "earns", "longer"}

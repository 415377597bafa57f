import numpy as np
import pytest

from honeyguide.evolution.racing.edits import Edit
from honeyguide.evolution.racing.switches import Answer, Switch
from honeyguide.evolution.racing.tally import ROWS, Record, Tally
from honeyguide.kernel.choice import unit


def switch(number, **facts):
    return Switch(number, Edit(0, None, f"- line {number}"), **facts)


def enter(tally, one, chance=0.3, rivals=()):
    tally.enter(one, Record.empty(), chance, rivals)
    return one


def known(tally, one):
    """What the tally knows of an edit: it leaves, and its record tells."""
    tally.leave(one)
    return one.record


def test_an_edit_counts_what_concerns_it_and_skips_what_could_not_be_scored():
    tally = Tally(5)
    one = enter(tally, switch(2, focus=frozenset({1}), kinds=("late",)))
    tally.count([
        Answer(1, 0b100, 1.0, frozenset({"late"})),
        Answer(2, 0b000, 0.5, frozenset({"late"}), 0.4),
        Answer(1, 0b100, None),
    ])  # fmt: skip
    tally.count([Answer(1, 0b000, 0.0)])
    record = known(tally, one)
    assert record.narrow.tolist() == [[1, 1, 1], [1, 0, 0]]
    assert record.whole[:, 0].tolist() == [1, 2]
    assert record.whole[1, 1] == pytest.approx(0.1)
    assert record.kinds[0].tolist() == [[1, 1], [1, 1]], "an answer that was lost altogether says nothing of a kind"


def test_edits_keep_their_counts_when_others_come_are_kept_and_go():
    tally = Tally(3)
    many = [enter(tally, switch(n, kinds=(f"kind {n}",), named=frozenset({f"kind {n}"}))) for n in range(ROWS + 8)]
    for n, one in enumerate(many):
        tally.count([Answer(0, one.bit, 0.5, frozenset({f"kind {n}"}))])
    for one in many[::3]:
        tally.keep(one, 1.0)
    for one in many[1::3]:
        tally.leave(one)
    assert {s.number for s in tally.rows[: tally.trials]} == set(range(2, ROWS + 8, 3))
    assert {s.number for s in tally.rows[tally.trials :]} == set(range(0, ROWS + 8, 3))
    for one in many[2::3] + many[::3]:
        record = known(tally, one)
        assert record.whole[:, 0].tolist() == [1, ROWS + 7]
        assert record.kinds[0, 0].tolist() == [1, 1]
    assert tally.rows == []
    assert tally.trials == 0


def test_edits_that_help_become_likely_and_those_that_harm_unlikely():
    tally = Tally(10)
    good = enter(tally, switch(0, focus=frozenset(range(10)), kinds=("late",)))
    bad = enter(tally, switch(1, focus=frozenset(range(10)), kinds=("late",)))
    idle = enter(tally, switch(2, focus=frozenset(range(10)), kinds=("late",)))
    for i in range(60):
        mask = int(unit(1, i) * 8)
        right = unit(2, i) < 0.4 + 0.5 * bool(mask & 1) - 0.35 * bool(mask & 2)
        tally.count([Answer(i % 10, mask, float(right), frozenset() if right else frozenset({"late"}), 0.5)])
    tally.look(np.full(3, 0.3))
    assert good.chance > 0.9
    assert bad.chance < 0.05
    assert idle.chance < 0.3
    assert good.tried + good.compared == 60


def test_a_kept_edit_is_watched_on_what_it_names_and_what_it_makes_rarer():
    tally = Tally(2)
    one = enter(tally, switch(0, kinds=("named", "rarer", "other"), named=frozenset({"named"})))
    for i in range(12):
        shown = {"named", "other"} if i % 2 else {"named", "rarer", "other"}
        tally.count([Answer(0, i % 2, 0.5, frozenset(shown))])
    tally.keep(one, 0.5)
    assert one.kinds == ("named", "rarer")
    assert known(tally, one).kinds[:2].tolist() == [[[3, 3], [3, 3]], [[3, 0], [3, 3]]]


def test_edits_for_the_same_line_are_known_as_rivals():
    tally = Tally(2)
    one, two = enter(tally, switch(0)), enter(tally, switch(1))
    tally.keep(one, 0.5)
    three = enter(tally, switch(2), rivals=[one, two])
    assert tally.rivals == [(one.bit, three.bit)]
    assert len(tally.rows_with_rivals) == 1
    tally.leave(three)
    assert (tally.rivals, tally.rows_with_rivals) == ([], [])


def test_a_faded_record_says_the_same_with_less_weight():
    record = Record.empty()
    record.whole[0] = 4, 2, 1
    record.fade(0.25)
    assert record.whole[0].tolist() == [1, 0.5, 0.25]

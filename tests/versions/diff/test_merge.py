"""Three-way merge: what does not touch merges by itself, the rest is data for a person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Conflict, InvalidInput
from honeyguide.versions.diff import compare, hunks_of, merge, split_lines

lines = st.lists(st.sampled_from(["one\n", "two\n", "three\n", "\n", "end"]), max_size=10)
texts = lines.map("".join) | st.text(max_size=40)

BASE = "a\nb\nc\nd\ne\n"


@given(texts, texts)
def test_a_side_that_changed_nothing_gives_way(base, changed):
    assert merge(base, changed, base).text() == changed
    assert merge(base, base, changed).text() == changed


@given(texts, texts)
def test_the_same_change_on_both_sides_is_no_conflict(base, changed):
    assert merge(base, changed, changed).text() == changed


@given(texts, texts, texts)
def test_swapping_the_sides_swaps_the_conflicts_and_changes_nothing_else(base, theirs, candidate):
    one, other = merge(base, theirs, candidate), merge(base, candidate, theirs)
    assert [(c.base, c.theirs, c.candidate) for c in one.conflicts] == [
        (c.base, c.candidate, c.theirs) for c in other.conflicts
    ]
    assert one.text({c.n: "?" for c in one.conflicts}) == other.text({c.n: "?" for c in other.conflicts})


@given(texts, texts, texts)
def test_deciding_every_conflict_for_the_base_leaves_only_settled_changes(base, theirs, candidate):
    result = merge(base, theirs, candidate)
    settled = result.text({c.n: c.base for c in result.conflicts})
    if result.is_clean:
        for side in (theirs, candidate):
            for hunk in hunks_of(compare(base, side)):
                assert all(line in split_lines(settled) for line in split_lines(hunk.after))
    elif theirs != candidate:
        assert len(result.conflicts) >= 1


@pytest.mark.parametrize(
    ("theirs", "candidate", "merged"),
    [
        ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"),
        ("a\nb\nnew\nc\nd\ne\n", "a\nb\nc\nd\n", "a\nb\nnew\nc\nd\n"),
        ("b\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "b\nc\nD\ne\n"),
    ],
)
def test_changes_that_do_not_touch_are_both_kept(theirs, candidate, merged):
    assert merge(BASE, theirs, candidate).text() == merged


@pytest.mark.parametrize(
    ("theirs", "candidate", "conflict"),
    [
        ("a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n", ("b\n", "B\n", "X\n", 2)),
        ("a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", ("b\nc\n", "B\nc\n", "b\nC\n", 2)),
        ("a\nb\nx\nc\nd\ne\n", "a\nb\ny\nc\nd\ne\n", ("", "x\n", "y\n", 3)),
        ("a\nd\ne\n", "a\nb\nC\nd\ne\n", ("b\nc\n", "", "b\nC\n", 2)),
    ],
)
def test_changes_that_touch_wait_for_a_person(theirs, candidate, conflict):
    result = merge(BASE, theirs, candidate)
    assert [(c.base, c.theirs, c.candidate, c.base_start) for c in result.conflicts] == [conflict]
    with pytest.raises(Conflict):
        result.text()


def test_a_decided_conflict_reads_as_the_person_wants_it():
    result = merge(BASE, "a\nB\nc\nd\nE\n", "a\nX\nc\nd\ne\n")
    assert result.text({1: "both B and X\n"}) == "a\nboth B and X\nc\nd\nE\n"


def test_a_decision_for_a_conflict_that_is_not_there_is_refused():
    with pytest.raises(InvalidInput):
        merge(BASE, BASE, BASE).text({1: "x"})

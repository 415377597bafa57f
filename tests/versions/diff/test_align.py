"""The alignment under everything: lossless, minimal, the same every time, and bounded."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Interrupted
from honeyguide.versions.diff.align import Change, align, slide
from honeyguide.versions.diff.limits import Limits, Work

tokens = st.lists(st.sampled_from("abcde"), max_size=30)


def rebuilt(changes: list[Change], before: list[str], after: list[str]) -> list[str]:
    result: list[str] = []
    at = 0
    for change in changes:
        result += before[at : change.before_start] + after[change.after_start : change.after_end]
        at = change.before_end
    return result + before[at:]


def common_length(before: list[str], after: list[str]) -> int:
    table = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i in range(len(before) - 1, -1, -1):
        for j in range(len(after) - 1, -1, -1):
            same = before[i] == after[j]
            table[i][j] = table[i + 1][j + 1] + 1 if same else max(table[i + 1][j], table[i][j + 1])
    return table[0][0]


@given(tokens, tokens)
def test_changes_turn_the_old_sequence_into_the_new_one_and_leave_the_longest_common_part(before, after):
    changes = align(before, after, Work())
    assert rebuilt(changes, before, after) == after
    assert len(before) - sum(c.before_end - c.before_start for c in changes) == common_length(before, after)


@given(tokens, tokens)
def test_changes_are_never_empty_and_never_touch_each_other(before, after):
    changes = align(before, after, Work())
    assert all(c.before_end > c.before_start or c.after_end > c.after_start for c in changes)
    assert all(
        one.before_end < other.before_start and one.after_end < other.after_start for one, other in pairwise(changes)
    )


@given(tokens, tokens, st.integers(0, 40))
def test_a_small_limit_costs_precision_but_never_correctness(before, after, pairs):
    changes = align(before, after, Work(Limits(block_pairs=pairs, total_pairs=200)))
    assert rebuilt(changes, before, after) == after


@given(tokens, tokens, st.integers(0, 9))
def test_sliding_moves_edges_without_changing_the_result(before, after, taste):
    changes = align(before, after, Work())
    moved = slide(changes, before, after, lambda sequence, at: (at * taste) % 7)
    assert rebuilt(moved, before, after) == after
    assert all(
        one.before_end < other.before_start and one.after_end < other.after_start for one, other in pairwise(moved)
    )


def test_large_blocks_are_cut_at_tokens_that_occur_once_on_both_sides():
    before = [f"line {n}" for n in range(400)]
    after = [*before[:100], "new", *before[100:300], *before[301:]]
    changes = align(before, after, Work(Limits(block_pairs=100)))
    assert changes == [Change(100, 100, 100, 101), Change(300, 301, 301, 301)]


def test_a_block_without_anchors_above_the_limit_is_taken_as_replaced():
    before, after = ["a", "b"] * 40, ["b", "c", "a"] * 40
    assert align(before, after, Work(Limits(block_pairs=100))) == [Change(0, 80, 0, 120)]


def test_a_cancelled_comparison_stops():
    with pytest.raises(Interrupted):
        align(["a", "b"], ["b", "c"], Work(cancelled=lambda: True))

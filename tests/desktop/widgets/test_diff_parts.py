"""The pure parts of the diff view."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.desktop.widgets.diff.bands import (
    CONTEXT_ROWS,
    PIECE,
    Folded,
    Folds,
    Head,
    Piece,
    arrange,
    cuts,
    hunk_numbers,
)
from honeyguide.desktop.widgets.diff.finding import MOST_HITS, Finds, Hit, find_all
from honeyguide.desktop.widgets.diff.heights import Heights
from honeyguide.desktop.widgets.diff.line_ends import with_line_ends_of
from honeyguide.desktop.widgets.diff.marks import TextMark, locate, row_at
from honeyguide.desktop.widgets.diff.reading import read_changes
from honeyguide.desktop.widgets.diff.rows import (
    DiffLine,
    Side,
    changed_words,
    side_by_side_rows,
    split_end,
    whole_text,
)
from honeyguide.desktop.widgets.diff.selecting import Place, Selection
from tests.desktop.samples import AFTER, BEFORE, diff_rows

LINES = st.lists(st.sampled_from(["one\n", "two\n", "three\n", "four five six\n", "four five seven\n"]), max_size=30)


@given(st.lists(st.integers(0, 50), max_size=40), st.data())
def test_heights_agree_with_plain_sums(heights, data):
    tree = Heights(heights)
    for _ in range(5):
        if heights:
            at = data.draw(st.integers(0, len(heights) - 1))
            heights[at] = data.draw(st.integers(0, 60))
            tree.set(at, heights[at])
    tops = list(accumulate(heights, initial=0))
    assert tree.total == tops[-1]
    assert [tree.top(at) for at in range(len(heights) + 1)] == tops
    for y in (-1, 0, tops[-1] // 2, tops[-1], tops[-1] + 5):
        at = tree.at(y)
        if not heights:
            assert at == -1
        elif 0 < y < tops[-1]:
            assert tops[at] <= y < tops[at + 1]


@given(LINES, LINES)
def test_rows_beside_each_other_hold_the_same_texts(before, after):
    rows = diff_rows("".join(before), "".join(after))
    paired = side_by_side_rows(rows)
    for side, lines in ((Side.BEFORE, before), (Side.AFTER, after)):
        assert whole_text(paired, side) == "".join(lines)
    assert hunk_numbers(paired) == hunk_numbers(rows)
    assert not any(a.kind == "deleted" and b.kind == "added" and a.hunk == b.hunk for a, b in pairwise(paired)), (
        "a line that is gone stands beside the one that came instead"
    )


@given(LINES, LINES, st.booleans())
def test_every_row_is_shown_or_folded_exactly_once(before, after, enabled):
    rows = diff_rows("".join(before), "".join(after))
    seen: list[int] = []
    for band in arrange(rows, Folds(enabled)):
        if isinstance(band, Piece):
            seen.append(band.row)
        elif isinstance(band, Folded):
            assert enabled
            assert all(rows[at].kind == "context" for at in range(band.start, band.end))
            seen.extend(range(band.start, band.end))
    assert seen == list(range(len(rows)))


def test_unchanged_rows_fold_but_for_three_beside_a_change():
    rows = diff_rows(BEFORE, AFTER)
    bands = arrange(rows, Folds())
    fold = next(band for band in bands if isinstance(band, Folded))
    assert rows[fold.start - CONTEXT_ROWS - 1].kind != "context"
    assert rows[fold.end + CONTEXT_ROWS].kind != "context"
    assert sum(isinstance(band, Head) for band in bands) == 4


def test_a_fold_opens_bit_by_bit_or_at_a_row():
    rows = [DiffLine("context", f"{n}\n", f"{n}\n", n, n) for n in range(1, 101)]
    rows.append(DiffLine("added", None, "x\n", None, 101, hunk=1))
    folds = Folds()
    fold = next(band for band in arrange(rows, folds) if isinstance(band, Folded))
    assert (fold.start, fold.end) == (0, 97)
    folds.reveal(fold, 20)
    fold = next(band for band in arrange(rows, folds) if isinstance(band, Folded))
    assert (fold.start, fold.end) == (20, 97)
    assert folds.reveal_row(arrange(rows, folds), 90)
    fold = next(band for band in arrange(rows, folds) if isinstance(band, Folded))
    assert fold.end <= 90
    assert not folds.reveal_row(arrange(rows, folds), 95)


def test_texts_without_a_change_are_not_folded():
    rows = diff_rows("a\n" * 50, "a\n" * 50)
    assert not any(isinstance(band, Folded) for band in arrange(rows, Folds()))


@given(st.text(st.sampled_from("ab "), max_size=200), st.integers(1, 60))
def test_long_lines_are_cut_without_losing_a_character(text, times):
    long = text * times
    parts = list(cuts(long))
    assert "".join(long[a:b] for a, b in parts) == long
    assert all(b - a <= PIECE for a, b in parts)


def test_a_very_long_row_stands_in_pieces_and_only_the_first_has_the_number():
    rows = [DiffLine("changed", "w " * 4000, "w " * 1000, 1, 1, hunk=1)]
    pieces = [band for band in arrange(rows, Folds()) if isinstance(band, Piece)]
    assert [piece.first for piece in pieces] == [True, False, False]
    assert [piece.last for piece in pieces] == [False, False, True]
    assert pieces[-1].a0 == pieces[-1].a1 == 2000


def test_marks_are_found_in_the_rows_they_cover():
    rows = diff_rows("one\ntwo\nthree\n", "one\nTWO\nthree\n")
    start = len("one\nT")
    found = locate(
        [TextMark("gate", Side.AFTER, start, start + 6, "x"), TextMark("lock", Side.BEFORE, 99, 100, "y")], rows
    )
    spans = {key: [(part.start, part.end, part.first) for part in parts] for key, parts in found.items()}
    (first, second) = sorted(spans)
    assert spans[first] == [(1, 4, True)]
    assert spans[second] == [(0, 3, False)]
    assert row_at(rows, Side.AFTER, 0) == 0
    assert row_at(rows, Side.AFTER, 999) == len(rows) - 1
    assert row_at([], Side.AFTER, 0) is None


def test_finding_ignores_case_and_reads_unchanged_rows_once():
    rows = diff_rows("The end\nsame the\n", "the End\nsame the\n")
    hits = find_all(rows, "THE")
    assert [(hit.side, hit.start) for hit in hits if rows[hit.row].kind == "context"] == [(Side.AFTER, 5)]
    assert len(hits) == 3
    assert find_all(rows, "") == []
    assert find_all(rows, "a.c") == []
    many = [DiffLine("context", "x" * 9000, "x" * 9000, 1, 1)]
    assert len(find_all(many, "x")) == MOST_HITS


def test_finds_go_round():
    finds = Finds()
    finds.look([DiffLine("added", None, "aXbX", None, 1, hunk=1)], "x")
    steps = [finds.step(1), finds.step(1), finds.step(1), finds.step(-1)]
    assert [hit.start for hit in steps if isinstance(hit, Hit)] == [1, 3, 1, 3]
    finds.look([], None)
    assert finds.step(1) is None


def test_changes_are_read_as_sentences():
    rows = diff_rows("keep\nold words here now\ngone entirely\n", "keep\nnew words here now\n")
    mark = locate([TextMark("gate", Side.AFTER, 5, 8, "Growth: too long")], rows)
    (change,) = read_changes(rows, included=set(), marks=mark)
    assert change.words.splitlines() == [
        "Change 1 of 1, line 2, left out.",
        "Was: “old words here now” Becomes: “new words here now”",
        "Gone: “gone entirely”",
        "Check: Growth: too long",
    ]


def test_a_change_of_line_ends_only_is_said_so():
    (change,) = read_changes(diff_rows("a\r\n", "a\n"))
    assert "Only blanks or the line end differ" in change.words


def test_words_are_counted():
    assert changed_words(diff_rows("a b c d\n", "a b x y d\nnew line\n")) == (4, 1)


@pytest.mark.parametrize(
    ("line", "parts"),
    [("a\n", ("a", "\n")), ("a\r\n", ("a", "\r\n")), ("a\r", ("a", "\r")), ("a", ("a", "")), ("", ("", ""))],
)
def test_line_ends_come_off(line, parts):
    assert split_end(line) == parts


def test_a_selection_takes_lines_of_one_side_in_either_direction():
    rows = [DiffLine("changed", "old one\n", "new one\n", 1, 1, hunk=1), DiffLine("context", "two\n", "two\n", 2, 2)]
    selection = Selection()
    assert selection.text(rows) == ""
    selection.begin(Place(Side.AFTER, 1, 3))
    assert not selection.extend(Place(Side.BEFORE, 0, 0)), "the other side is not crossed into"
    assert selection.extend(Place(Side.AFTER, 0, 4))
    assert selection.text(rows) == "one\ntwo"
    selection.take_word(Place(Side.BEFORE, 0, 1), rows)
    assert selection.text(rows) == "old"


ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "", "c d"]), ENDS), max_size=12), st.booleans())
def test_an_unedited_text_gets_every_line_end_back(lines, open_end):
    text = "".join(line + end for line, end in lines)
    text = text[:-1] if open_end and text.endswith("\n") and not text.endswith("\r\n") else text
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    # a CR that meets the LF of the next, empty line is one line end to everybody
    if "\r\n" not in text or all(end != "\r" for _, end in lines):
        assert with_line_ends_of(text, plain) == text


@pytest.mark.parametrize(
    ("original", "edited", "result"),
    [
        ("a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nC\n", "a\r\nb\nC\r\n"),
        ("a\nb", "a\nb\nc", "a\nb\nc"),
        ("a\rb\r", "b\n", "b\r"),
        ("", "a\nb", "a\nb"),
        ("a\r\nb", "a\nb\nc", "a\r\nb\r\nc"),
    ],
)
def test_edited_lines_get_the_usual_end_and_kept_ones_their_own(original, edited, result):
    assert with_line_ends_of(original, edited) == result

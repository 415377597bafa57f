"""The row model of the diff view."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Interrupted, InvalidInput
from honeyguide.versions.diff import Fold, Limits, Row, RowKind, apply_hunks, compare, fold, rows_of, word_counts
from honeyguide.versions.diff.limits import Work
from honeyguide.versions.diff.words import mark_words, split_words

lines = st.lists(st.sampled_from(["one two three\n", "one two four\n", "\n", "- rule\n", "x\r\n", "end"]), max_size=12)
texts = lines.map("".join) | st.text(max_size=80)


def shape(before: str, after: str) -> list[tuple[str, str | None, str | None]]:
    return [(row.kind.value, row.before, row.after) for row in rows_of(compare(before, after))]


@given(texts, texts)
def test_the_two_sides_of_the_rows_are_the_two_texts(before, after):
    rows = rows_of(compare(before, after))
    assert "".join(row.before or "" for row in rows) == before
    assert "".join(row.after or "" for row in rows) == after


@given(texts, texts)
def test_each_row_is_what_its_kind_says(before, after):
    for row in rows_of(compare(before, after)):
        match row.kind:
            case RowKind.CONTEXT:
                assert row.before == row.after is not None
                assert row.hunk is None
            case RowKind.CHANGED:
                assert row.before is not None and row.after is not None and row.before != row.after
                assert row.before_marks or row.after_marks
            case RowKind.ADDED:
                assert row.before is None and row.after is not None
            case RowKind.DELETED:
                assert row.after is None and row.before is not None


@given(texts, texts)
def test_line_numbers_count_each_side_without_a_gap(before, after):
    rows = rows_of(compare(before, after))
    for numbers in ([r.before_line for r in rows], [r.after_line for r in rows]):
        present = [n for n in numbers if n is not None]
        assert present == list(range(1, len(present) + 1))


@given(texts, texts)
def test_what_is_not_marked_in_a_changed_pair_reads_the_same_on_both_sides(before, after):
    def unmarked(text, marks):
        at, kept = 0, []
        for start, end in marks:
            kept.append(text[at:start])
            at = end
        return "".join([*kept, text[at:]])

    for row in rows_of(compare(before, after)):
        if row.kind is RowKind.CHANGED:
            assert unmarked(row.before, row.before_marks) == unmarked(row.after, row.after_marks)


def test_a_reworded_line_is_one_row_with_its_words_marked():
    rows = rows_of(compare("Always answer in English.\n", "Always answer in French.\n"))
    assert [row.kind for row in rows] == [RowKind.CHANGED]
    assert [rows[0].before[s:e] for s, e in rows[0].before_marks] == ["English"]
    assert [rows[0].after[s:e] for s, e in rows[0].after_marks] == ["French"]


def test_lines_with_little_in_common_are_one_gone_and_one_new():
    assert shape("Keep it short.\n", "Never promise a refund before checking.\n") == [
        ("deleted", "Keep it short.\n", None),
        ("added", None, "Never promise a refund before checking.\n"),
    ]


def test_a_line_finds_its_partner_past_an_inserted_one():
    before = "Be polite to everyone.\nName the source of each figure.\n"
    after = "Name your source of each figure.\nAsk one question at a time.\n"
    assert [kind for kind, _, _ in shape(before, after)] == ["deleted", "changed", "added"]


@pytest.mark.parametrize(
    ("before", "after", "marked"),
    [
        ("a line\n", "a line\r\n", "\n"),
        ("a line\n", "a line", "\n"),
        ("a line\n", "a  line\n", " "),
        ("a\tline\n", "a line\n", "\t"),
    ],
)
def test_a_change_of_blanks_or_line_end_only_is_one_row_with_a_mark(before, after, marked):
    (row,) = rows_of(compare(before, after))
    assert row.kind is RowKind.CHANGED
    assert [before[s:e] for s, e in row.before_marks] == [marked]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Don't stop.", ["Don't", " ", "stop", "."]),
        ("costs 3.50, often", ["costs", " ", "3.50", ",", " ", "often"]),
        ("日本語です", list("日本語です")),
        ("größer ok", ["größer", " ", "ok"]),
        ("ok 👍🏽!", ["ok", " ", "👍🏽", "!"]),
        ("👨‍👩‍👧 x", ["👨‍👩‍👧", " ", "x"]),
        ("{{name}}", ["{", "{", "name", "}", "}"]),
        ("", []),
    ],
)
def test_words_are_cut_as_a_reader_sees_them(line, words):
    assert split_words(line) == words


@given(st.text(max_size=60))
def test_cutting_into_words_loses_nothing(line):
    assert "".join(split_words(line)) == line


def test_short_equal_crumbs_between_changes_count_as_changed():
    marks = mark_words("the red fox of wood sleeps", "the blue cat of stone sleeps", Work())
    assert marks.before == ((4, 19),)


def test_an_inserted_sentence_is_marked_as_a_whole_sentence():
    before = "Be kind. Be brief. Stop."
    after = "Be kind. Be precise. Be brief. Stop."
    (span,) = mark_words(before, after, Work()).after
    assert after[slice(*span)] == "Be precise. "


def test_equal_share_counts_visible_characters_of_the_longer_side():
    assert mark_words("abcd efgh", "abcd wxyz", Work()).equal == pytest.approx(0.5)


def test_long_unchanged_runs_fold_and_keep_their_context():
    text = [f"line {n}\n" for n in range(40)]
    changed = [*text[:20], "different words entirely\n", *text[21:]]
    rows = rows_of(compare("".join(text), "".join(changed)))
    folded = fold(rows, context=3, at_least=8)
    assert folded[0] == Fold(0, 17)
    assert folded[-1] == Fold(25, 41)
    assert sum(item.count if isinstance(item, Fold) else 1 for item in folded) == len(rows)
    assert [item for item in folded if isinstance(item, Row)] == rows[17:25]


@pytest.mark.parametrize("count", [1, 7])
def test_short_unchanged_runs_stay_open(count):
    text = "".join(f"line {n}\n" for n in range(count))
    assert not [item for item in fold(rows_of(compare(text, text))) if isinstance(item, Fold)]


@given(texts, texts, st.integers(0, 4), st.integers(0, 10))
def test_folding_hides_only_unchanged_rows_and_loses_none(before, after, context, at_least):
    rows = rows_of(compare(before, after))
    opened: list[Row] = []
    for item in fold(rows, context=context, at_least=at_least):
        if isinstance(item, Fold):
            assert {row.kind for row in rows[item.start : item.end]} == {RowKind.CONTEXT}
            opened += rows[item.start : item.end]
        else:
            opened.append(item)
    assert opened == rows


def test_a_line_above_the_limit_is_marked_whole():
    before, after = "word " * 100, "word " * 99 + "end "
    (row,) = rows_of(compare(before, after, limits=Limits(word_chars=100, min_equal=0.0)))
    assert row.before_marks == ((0, len(before)),)


def test_large_blocks_are_paired_in_a_moving_window():
    before = [f"Rule {n} says that case number {n} needs care.\n" for n in range(60)]
    after = [line.replace("needs care", "wants thought") for line in before]
    limits = Limits(pairing_cells=10)
    rows = rows_of(compare("".join(before), "".join(after), limits=limits))
    assert [row.kind for row in rows] == [RowKind.CHANGED] * 60


def test_a_view_nobody_wants_any_more_stops():
    asked = iter([False])
    comparison = compare("a\nb\nc\n", "x\nb\ny\n")
    with pytest.raises(Interrupted):
        rows_of(comparison, cancelled=lambda: next(asked, True))


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ("Be kind, always.\n", "Be kind and brief, always.\n", (2, 0)),
        ("Be kind.\nBe brief now.\n", "Be kind.\n", (0, 3)),
        ("same\n", "same\n", (0, 0)),
        ("one two three four\n", "one 2 three four!\n", (1, 1)),
    ],
)
def test_the_counter_counts_words_and_nothing_else(before, after, counts):
    assert word_counts(rows_of(compare(before, after))) == counts


def test_blanks_can_be_ignored_for_looking_but_not_for_applying():
    before, after = "one\n  two\nthree\n", "one\r\ntwo\nfour\n"
    comparison = compare(before, after, ignore_blanks=True)
    rows = rows_of(comparison)
    assert [row.kind.value for row in rows] == ["context", "context", "deleted", "added"]
    assert "".join(row.before or "" for row in rows) == before
    assert "".join(row.after or "" for row in rows) == after
    with pytest.raises(InvalidInput):
        apply_hunks(comparison, {1})

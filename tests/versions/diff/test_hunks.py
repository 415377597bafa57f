"""Numbered hunks and any choice of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import InvalidInput
from honeyguide.versions.diff import apply_hunks, compare, diff_json, hunks_of, parse_hunk_numbers, split_lines

lines = st.lists(st.sampled_from(["one\n", "two\n", "three\r\n", "\n", "- rule\n", "\r", "end"]), max_size=14)
texts = lines.map("".join) | st.text(max_size=60)

BEFORE = "Be kind.\nBe brief.\nAsk first.\nStop.\n"
AFTER = "Be kind.\nBe short.\nAsk first.\nStop.\nName sources.\n"


@given(st.text(max_size=80))
def test_splitting_into_lines_loses_nothing(text):
    assert "".join(split_lines(text)) == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\r\nb\rc\n", ["a\r\n", "b\r", "c\n"]),
        ("a\x0bb\u2028c\n", ["a\x0bb\u2028c\n"]),
        ("\n\n", ["\n", "\n"]),
    ],
)
def test_only_lf_cr_and_crlf_end_a_line(text, lines):
    assert split_lines(text) == lines


@given(texts, texts)
def test_all_hunks_make_the_new_text_and_none_the_old(before, after):
    comparison = compare(before, after)
    assert apply_hunks(comparison, range(1, len(comparison.changes) + 1)) == after
    assert apply_hunks(comparison, ()) == before


@given(texts, texts, st.data())
def test_any_choice_of_hunks_differs_from_the_old_text_only_there(before, after, data):
    comparison = compare(before, after)
    hunks = hunks_of(comparison)
    chosen = data.draw(st.sets(st.sampled_from(range(1, len(hunks) + 1)))) if hunks else set()
    result = apply_hunks(comparison, chosen)
    expected = before_lines = split_lines(before)
    for hunk in reversed(hunks):
        if hunk.n in chosen:
            at = hunk.before_start - 1
            expected = [*expected[:at], *split_lines(hunk.after), *expected[at + len(split_lines(hunk.before)) :]]
    assert split_lines(result) == expected
    assert "".join(before_lines) == before


@given(texts, texts)
def test_the_same_texts_always_give_the_same_hunks(before, after):
    assert hunks_of(compare(before, after)) == hunks_of(compare(before, after))
    assert [h.n for h in hunks_of(compare(before, after))] == list(range(1, len(compare(before, after).changes) + 1))


def test_hunks_say_where_they_stand_on_both_sides():
    first, second = hunks_of(compare(BEFORE, AFTER))
    assert (first.n, first.before, first.after, first.before_start, first.after_start) == (
        1, "Be brief.\n", "Be short.\n", 2, 2,
    )  # fmt: skip
    assert (second.n, second.before, second.after, second.before_start) == (2, "", "Name sources.\n", 5)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((1,), "Be kind.\nBe short.\nAsk first.\nStop.\n"),
        ((2,), "Be kind.\nBe brief.\nAsk first.\nStop.\nName sources.\n"),
        ((2, 1, 1), AFTER),
    ],
)
def test_a_person_can_take_some_of_the_hunks(numbers, text):
    assert apply_hunks(compare(BEFORE, AFTER), numbers) == text


@pytest.mark.parametrize("numbers", [(0,), (3,), (-1, 1)])
def test_an_unknown_hunk_number_is_refused(numbers):
    with pytest.raises(InvalidInput):
        apply_hunks(compare(BEFORE, AFTER), numbers)


@pytest.mark.parametrize(
    ("text", "numbers"), [("1", (1,)), ("3,1", (1, 3)), (" 1 , 4-6 ", (1, 4, 5, 6)), ("2-2,2", (2,))]
)
def test_hunk_numbers_are_read_as_people_write_them(text, numbers):
    assert parse_hunk_numbers(text) == numbers


@pytest.mark.parametrize("text", ["", "a", "1,", "0", "3-1", "1-", "-1", "1.5", "١", "1-99999999999"])
def test_anything_else_is_not_a_list_of_hunks(text):
    with pytest.raises(InvalidInput):
        parse_hunk_numbers(text)


def test_an_inserted_paragraph_is_cut_at_its_blank_line():
    before = "A.\n\nB.\n"
    after = "A.\n\nNew.\n\nB.\n"
    (hunk,) = hunks_of(compare(before, after))
    assert hunk.after == "New.\n\n"


def test_an_inserted_list_item_is_not_split_across_two():
    before = "- one\n  more\n- two\n  more\n"
    after = "- one\n  more\n- new\n  more\n- two\n  more\n"
    (hunk,) = hunks_of(compare(before, after))
    assert hunk.after == "- new\n  more\n"


def test_the_printed_diff_has_both_texts_and_the_numbered_hunks():
    body = diff_json(BEFORE, AFTER)
    assert (body["before"], body["after"]) == (BEFORE, AFTER)
    assert [(h["n"], h["before"], h["after"]) for h in body["hunks"]] == [
        (1, "Be brief.\n", "Be short.\n"),
        (2, "", "Name sources.\n"),
    ]

"""The sentence that says what a change does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.versions.diff import compare, summarise
from honeyguide.versions.diff.summary import units_of

RULES = "# Manner\nBe kind. Be brief.\n\n- Ask one question at a time.\n- Name the source of each figure.\n"


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (RULES, RULES, "Changes nothing."),
        (RULES, RULES + "- Never guess a price.\n", "Adds one rule; 25 % longer."),
        (RULES, RULES.replace("Be kind. Be brief.\n", "Be kind.\n"), "Drops one sentence; 11 % shorter."),
        (
            RULES,
            RULES.replace("Be kind. Be brief.\n\n", "") + "- Say so when you do not know.\n",
            "Adds one rule and drops two sentences; 12 % longer.",
        ),
        (RULES, RULES.replace("one question", "two questions"), "Rewords one rule; 1 % longer."),
        (RULES, RULES.replace("\n", "\r\n"), "Changes only blanks and line ends; 5 % longer."),
        (RULES, RULES + "# Tone\n- Calm.\n- Plain.\n", "Adds one heading and two rules; 26 % longer."),
        ("", "Be kind.\n", "Adds one sentence; 9 characters longer."),
        ("abcd efgh ijkl.\n", "ABCD zzzz yyyy.\n", "Adds one sentence and drops one sentence; same length."),
    ],
)
def test_the_sentence_counts_what_a_reader_would_count(before, after, sentence):
    assert summarise(compare(before, after)).sentence() == sentence


def test_a_rule_that_only_changed_its_place_was_moved():
    before = "- Ask first.\n- Be kind.\n- Be brief.\n- Stop.\n- Name sources.\n"
    after = "- Be kind.\n- Be brief.\n- Stop.\n- Name sources.\n- Ask first.\n"
    summary = summarise(compare(before, after))
    assert (summary.moved, summary.added, summary.dropped) == ({"rule": 1}, {}, {})
    assert summary.sentence() == "Moves one rule; same length."


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("One. Two! Three?\n", [("sentence", "One."), ("sentence", "Two!"), ("sentence", "Three?")]),
        ("A sentence over\ntwo lines. Next\n", [("sentence", "A sentence over two lines."), ("sentence", "Next")]),
        ("1) First\n* Second\n", [("rule", "First"), ("rule", "Second")]),
        ("| a | b |\n", [("row", "| a | b |")]),
        ("## Title\ntext\n", [("heading", "Title"), ("sentence", "text")]),
        ("Use v1.2 here.\n", [("sentence", "Use v1.2 here.")]),
        ("はい。次です。\n", [("sentence", "はい。"), ("sentence", "次です。")]),
        ('He said "no." Then left.\n', [("sentence", 'He said "no."'), ("sentence", "Then left.")]),
        ("   \n\n", []),
    ],
)
def test_text_is_read_as_the_pieces_a_person_counts(text, units):
    assert [tuple(unit) for unit in units_of(text)] == units


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_sentence_is_one_line_and_its_numbers_balance(before, after):
    summary = summarise(compare(before, after))
    sentence = summary.sentence()
    assert sentence.endswith(".") and "\n" not in sentence
    assert (sentence == "Changes nothing.") == (before == after)
    assert (summary.before_chars, summary.after_chars) == (len(before), len(after))

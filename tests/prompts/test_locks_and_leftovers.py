from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import InvalidInput
from honeyguide.prompts import leftovers, locks
from honeyguide.prompts.leftovers import LeftoverKind

TEXT = "Be kind.\n\nNever promise a refund\nbefore a person agrees.\n"


def test_a_locked_passage_may_be_wrapped_differently_and_nothing_else():
    passage = locks.lock(TEXT, "Never promise a refund before a person agrees.")
    assert locks.missing([passage], TEXT.replace("\n", " ")) == ()
    for changed in ("Never promise refunds", "never promise a refund", "Never promise a refund, before"):
        assert locks.missing([passage], TEXT.replace("Never promise a refund", changed)) == (passage,)


def test_a_passage_inside_longer_words_does_not_count():
    passage = locks.lock("Say no.", "no")
    assert locks.missing([passage], "Say nothing.") == (passage,)


def test_the_same_words_have_the_same_id():
    assert locks.lock(TEXT, "refund\nbefore").id == locks.lock(TEXT, "refund before").id


@pytest.mark.parametrize("passage", ["", "  \n", "not there"])
def test_only_what_stands_in_the_text_can_be_locked(passage):
    with pytest.raises(InvalidInput):
        locks.lock(TEXT, passage)


def test_places_are_in_order():
    later, first = locks.lock(TEXT, "a person agrees"), locks.lock(TEXT, "Be kind")
    assert [TEXT[start:end] for _, start, end in locks.places([later, first], TEXT)] == ["Be kind", "a person agrees"]


@given(st.lists(st.text(alphabet="ab.*+?[(\\", min_size=1, max_size=5), min_size=1, max_size=6))
def test_every_passage_is_found_in_its_own_text(words):
    text = "\n".join(words)
    assert locks.find(locks.lock(text, text), "x " + " ".join(words) + " y") is not None


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("TODO: say more", LeftoverKind.NOTE),
        ("- FIXME: tone", LeftoverKind.NOTE),
        ("[insert tone here]", LeftoverKind.SLOT),
        ("[PLACEHOLDER]", LeftoverKind.SLOT),
        ("Write to <YOUR TEXT>", LeftoverKind.SLOT),
        ("<think>", LeftoverKind.REASONING),
        ("</thought>", LeftoverKind.REASONING),
        ("Sure! Here is the improved prompt:", LeftoverKind.CHAT),
        ("Here's the revised version:", LeftoverKind.CHAT),
        ("Let me know if you want changes.", LeftoverKind.CHAT),
        ("Improved prompt:", LeftoverKind.CHAT),
    ],
)
def test_marks_that_a_finished_prompt_does_not_have(line, kind):
    (mark,) = leftovers.added("Be kind.", f"Be kind.\n{line}\n")
    assert mark.kind is kind


@pytest.mark.parametrize(
    "line",
    [
        "Keep a todo list.",
        "Use [brackets] and <b>tags</b>.",
        "Here, answer in one line.",
        "Sure answers only.",
        "Let the customer know if their order is late.",
        "Think before you answer.",
        "{{slot}}",
    ],
)
def test_ordinary_lines_are_no_marks(line):
    assert leftovers.find(line) == []


def test_what_the_old_text_had_is_no_fault():
    assert leftovers.added("Never print <think> tags.", "Do not ever print <think> tags.") == ()

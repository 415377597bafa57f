import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evolution.racing.edits import Edit, apply, edits_between, says_the_same

TEXT = "head\n- one rule\n- two rule\n- three rule"
LINES = st.lists(st.text("abcdefgh ", min_size=1, max_size=12).filter(str.strip), max_size=8, unique=True)


def kinds(edits):
    return [(e.old, e.new) for e in edits]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (TEXT, []),
        (TEXT + "\n- four", [(None, "- four")]),
        ("head\n- two rule\n- three rule", [("- one rule", None)]),
        ("head\n- one rule always\n- two rule\n- three rule", [("- one rule", "- one rule always")]),
        ("head\nquite another thing\n- two rule\n- three rule", [("- one rule", None), (None, "quite another thing")]),
        ("head\n- three rule\n- one rule\n- two rule", [("- three rule", "- three rule")]),
        (TEXT + "\n\n  \n", []),
    ],
    ids=["same", "insert", "delete", "reword", "replace by another thing", "move", "blank lines"],
)
def test_a_rewrite_is_read_as_line_edits(new, expected):
    assert kinds(edits_between(0, TEXT, new)) == expected


def test_an_edit_finds_its_place_when_the_line_before_it_is_not_there():
    edits = edits_between(0, TEXT, "head\n- one rule\n- new first\n- new second\n- two rule\n- three rule")
    assert apply([TEXT], edits[1:]) == ("head\n- one rule\n- new second\n- two rule\n- three rule",)
    assert apply(["head\n- three rule"], edits[1:]) == ("head\n- new second\n- three rule",)


def test_edits_touch_their_part_only_and_the_last_line_is_never_deleted():
    assert apply(["a", "a"], [Edit(1, "a", "b")]) == ("a", "b")
    assert apply(["a"], [Edit(0, "a", None)]) == ("a",)


def test_a_line_that_is_there_is_not_brought_twice():
    assert apply(["a\nb"], [Edit(0, None, "b", ("a",))]) == ("a\nb",)
    assert apply(["a\nb"], [Edit(0, "a", "b")]) == ("b",)


@given(LINES, LINES)
def test_all_edits_together_make_the_rewrite(old, new):
    made = apply(["\n".join(["top", *old])], edits_between(0, "\n".join(["top", *old]), "\n".join(["top", *new])))
    assert set(made[0].split("\n")) == {"top", *new}


@given(LINES, LINES, st.sets(st.integers(0, 15)))
def test_any_of_the_edits_bring_no_line_that_neither_text_has(old, new, chosen):
    edits = edits_between(0, "\n".join(["top", *old]), "\n".join(["top", *new]))
    some = [edit for i, edit in enumerate(edits) if i in chosen]
    made = apply(["\n".join(["top", *old])], some)[0].split("\n")
    assert set(made) <= {"top", *old, *new}
    assert len(made) == len(set(made))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Answer in German.", "- Always answer in German, please.", True),
        ("Answer in German.", "Answer in French.", False),
        ("Answer in German.", "In German: answer.", True),
        ("--", "Answer.", False),
    ],
)
def test_lines_say_the_same_when_one_has_all_words_of_the_other(one, other, same):
    assert says_the_same(one, other) is same
    assert says_the_same(other, one) is same

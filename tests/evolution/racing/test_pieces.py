import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evolution.racing.edits import apply, edits_between
from honeyguide.evolution.racing.pieces import bare, goes_on, joined, pieces

PROSE = (
    "You help guests of a hotel. Be brief, e.g. one line. Prices are in EUR; see No. 5. Is it late? Say so! "
    "Never promise a refund."
)


def said(text):
    return [bare(piece) for piece in pieces(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("See e.g. Berlin. Dr. No said so. 3.5 is less.", ["See e.g. Berlin.", "Dr. No said so.", "3.5 is less."]),
        ("He said “Go.” Then he went.", ["He said “Go.”", "Then he went."]),
        ("- Greet. Then answer.\n# Head. Line", ["- Greet. Then answer.", "# Head. Line"]),
        ("```\nOne. Two.\n```\nOne. Two.", ["```", "One. Two.", "```", "One.", "Two."]),
        ("回答要简短。不要承诺退款。", ["回答要简短。", "不要承诺退款。"]),
        ("one. two", ["one. two"]),
        ("", [""]),
    ],
    ids=["ends", "abbreviations", "quote", "items and headings", "code", "without spaces", "small letters", "empty"],
)
def test_prose_falls_into_sentences_and_lists_into_lines(text, expected):
    assert said(text) == expected


@given(st.text(alphabet="AbC.!? \n\t-#`1“”。", max_size=80))
def test_pieces_joined_are_the_text(text):
    assert joined(pieces(text)) == text


def test_a_rewrite_of_a_paragraph_is_several_edits():
    new = PROSE.replace("Be brief, e.g. one line. ", "").replace("Say so!", "Say so! Offer a later hour.")
    new = new.replace("Never promise a refund.", "Never promise a refund or a discount.")
    edits = edits_between(0, PROSE, new)
    assert [(e.old and bare(e.old), e.new and bare(e.new)) for e in edits] == [
        ("Be brief, e.g. one line.", None),
        (None, "Offer a later hour."),
        ("Never promise a refund.", "Never promise a refund or a discount."),
    ]
    assert apply([PROSE], edits) == (new,)
    assert apply([PROSE], edits[1:2]) == (PROSE.replace("Say so!", "Say so! Offer a later hour."),)


def test_a_paragraph_that_loses_its_first_sentence_stays_a_line_of_its_own():
    text = "# Rules\nBe kind. Be brief.\nSign."
    edits = edits_between(0, text, "# Rules\nBe brief.\nSign.")
    assert apply([text], edits) == ("# Rules\nBe brief.\nSign.",)


def test_a_paragraph_that_becomes_a_list_of_the_same_sentences_is_no_edit():
    assert edits_between(0, "Be kind. Be brief.", "Be kind.\nBe brief.") == []


def test_a_line_goes_behind_the_paragraph_and_a_sentence_into_it():
    text = "Be kind. Be brief.\n- Sign."
    line = edits_between(0, text, "Be kind. Be brief.\n- Greet.\n- Sign.")
    sentence = edits_between(0, text, "Be kind. Smile. Be brief.\n- Sign.")
    assert apply([text], [*line, *sentence]) == ("Be kind. Smile. Be brief.\n- Greet.\n- Sign.",)
    assert [goes_on(e.new) for e in (*line, *sentence)] == [False, True]

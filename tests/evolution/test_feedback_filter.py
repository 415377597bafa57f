import pytest

from honeyguide.evolution.feedback_filter import is_structural, without_structure


def test_structural_lines_go_and_the_others_stay():
    lines = "missing reasoning field\nThe answer is too terse.\nwrong field type\nGive more detail."
    assert without_structure(lines) == "The answer is too terse.\nGive more detail."


def test_nothing_is_left_of_nothing_but_structure():
    assert without_structure("Add a confidence field. Schema mismatch! Invalid JSON shape.") == ""


def test_one_structural_sentence_does_not_cost_the_others_of_its_line():
    said = "Name the order first. Add a reasoning field. Do not promise refunds of 3.50 EUR."
    assert without_structure(said) == "Name the order first. Do not promise refunds of 3.50 EUR."


@pytest.mark.parametrize(
    "sentence",
    [
        "fields missing",
        "It is missing the required answer field.",
        "Remove the X field.",
        "It lacks the `total` field.",
        "It needs a confidence field.",
        "There is an extra field.",
        "unexpected field",
        "wrong type",
        "Field type mismatch.",
        "reorder the fields",
        "wrong order of the fields",
        "schema violation",
        "invalid json shape",
        "missing required property",
        "property missing",
        "shape is wrong",
    ],
)
def test_complaints_about_structure_are_recognised(sentence):
    assert is_structural(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "The steps are in the wrong order of steps.",
        "It is missing the key point.",
        "Add the missing greeting.",
        "Ask for the property address.",
        "Too long.",
        "Mention a field trip only when asked.",
    ],
)
def test_other_complaints_are_not(sentence):
    assert not is_structural(sentence)


def test_sentences_of_other_scripts_are_told_apart():
    assert without_structure("答えが短い。missing answer field。もっと詳しく。") == "答えが短い。もっと詳しく。"

from __future__ import annotations

import pytest

from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.evals.memorisation import memorised_spans

CASE = Example(
    "e1",
    "Dear Okafor, the parcel 4471-98 for Maria del Campo never came to the house by the old mill.",
    "I am sorry that your parcel is late; write to jo@example.org please.",
    conversation="c1",
)
MARKED = Example(
    "e2",
    "HG-canary-7. Where is my bird? Canary string: plugh-xyzzy. Session 7F3A-99CE-B0D1-44AA, my canary is yellow.",
    "It is on its way.",
    conversation="c2",
)
OTHERS = [
    Example(f"o{i}", f"Case {i}: my bill of 2024 is wrong, see handbook-2024-edition.", "Sorry.", conversation=f"o{i}")
    for i in range(5)
]


@pytest.mark.parametrize(
    ("candidate", "kind", "text"),
    [
        (
            "If the parcel never came to the house by the old mill, say so.",
            "words",
            "never came to the house by the old mill",
        ),
        ("Okafor is a good customer.", "name", "Okafor"),
        ("Greet Maria first.", None, ""),
        ("Mention Del Campo.", None, ""),
        ("Write to jo@example.org.", "name", "jo@example.org"),
        ("Answer 447198 first.", "number", "447198"),
        ("Parcel 4471-98 is late.", "number", "4471-98"),
        ("Use at most 3 lines.", None, ""),
        ("Bills of 2024 are final.", None, ""),
        ("Say sorry when a parcel is late.", None, ""),
        ("The word is hg-CANARY-7.", "canary", "hg-CANARY-7"),
        ("Say plugh-xyzzy to everybody.", "canary", "plugh-xyzzy"),
        ("Think of 7f3a-99ce-b0d1-44aa.", "canary", "7f3a-99ce-b0d1-44aa"),
        ("Keep an eye on the canary.", None, ""),
        ("Follow the handbook-2024-edition.", None, ""),
    ],
)
def test_what_leaked_from_a_case_is_found_and_common_knowledge_is_not(candidate, kind, text):
    spans = memorised_spans(candidate, "Help people.", [CASE, MARKED, *OTHERS])
    assert [(s.kind, s.text) for s in spans] == ([(kind, text)] if kind else [])
    assert all(candidate[s.start : s.end] == s.text for s in spans)


def test_what_the_baseline_says_already_did_not_leak():
    text = "If the parcel never came to the house by the old mill, ask Okafor about 4471-98."
    assert memorised_spans(text, text, [CASE]) == ()


def test_the_words_of_a_correction_may_be_followed():
    rubric = Example(
        "r", "Where is it?", "The answer must always name the day on which the parcel left the depot.",
        ExpectationRole.RUBRIC, rejected="Somewhere.",
    )  # fmt: skip
    assert memorised_spans("Always name the day on which the parcel left the depot.", "", [rubric]) == ()


def test_chinese_text_is_compared_character_by_character():
    case = Example("z", "我的包裹在旧磨坊旁边的房子里没有收到", "对不起", conversation="z")
    spans = memorised_spans("如果旧磨坊旁边的房子里没有，就道歉。", "", [case])
    assert [(s.kind, s.text, s.example_id) for s in spans] == [("words", "旧磨坊旁边的房子里没有", "z")]


def test_the_example_that_a_span_comes_from_is_named():
    assert memorised_spans("Ask Okafor.", "", [*OTHERS, CASE])[0].example_id == "e1"

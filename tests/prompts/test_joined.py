"""Several texts as one: joined, and taken apart again to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import InvalidInput
from honeyguide.prompts.joined import Joined, mark
from honeyguide.prompts.targets import TargetKind, TargetRef

PERSONA, TOOL = TargetRef(TargetKind.PERSONA, "support"), TargetRef(TargetKind.TOOL, "search")
BOTH = Joined((PERSONA, TOOL))
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


@given(ANY, ANY)
def test_texts_come_back_to_the_byte(one, other):
    joined = BOTH.join([one, other])
    assert BOTH.split(joined) == (one, other)
    assert [joined[begin:][: len(text)] for begin, text in zip(BOTH.begins(joined), (one, other), strict=True)] == [
        one,
        other,
    ]


@pytest.mark.parametrize(
    "broken",
    [
        "plain",
        BOTH.join(["a", "b"])[:-1],
        BOTH.join([f"a\n{mark(TOOL)}", "b"]),
        Joined((TOOL, PERSONA)).join(["b", "a"]),
        "\n" + BOTH.join(["a", "b"]),
        BOTH.join(["a", "b"]).replace(mark(TOOL), "===== generic:search ====="),
    ],
)
def test_what_does_not_hold_each_text_once_and_in_order_is_refused(broken):
    assert not BOTH.is_whole(broken)
    with pytest.raises(InvalidInput, match="each once"):
        BOTH.split(broken)


def test_a_model_is_given_all_texts_and_tools_last():
    given_first = Joined((TOOL, PERSONA))
    assert given_first.applied(given_first.join(["Finds.\n", "Be kind.\n"])) == "Be kind.\n\nTool search:\nFinds."


@pytest.mark.parametrize("refs", [(PERSONA,), (PERSONA, PERSONA)])
def test_only_different_texts_belong_together(refs):
    with pytest.raises(InvalidInput):
        Joined(refs)

"""The prompt inside a reply: chat, fences and reasoning go; what belongs to the prompt stays byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.llm.parsing import PromptProblem, clean_prompt_reply, strip_reasoning

PROMPT = (
    "You help with orders.\n\n- Name the order number.\n- Offer a refund below 50 euros.\n\nSign with the team's name."
)
CODE = "Run the checks first:\n\n```bash\nmake test\n```\n\nThen answer."
FRONT = "---\nname: review\n---\n\nRead the change, then comment."


@pytest.mark.parametrize("prompt", [PROMPT, CODE, FRONT, "One line.", "Format:\n\nReasoning: why\n\nAnswer: what"])
@pytest.mark.parametrize(
    "wrap",
    [
        "{}",
        "\n\n{}\n\n",
        "````\n{}\n````",
        "````markdown\n{}\n````",
        "~~~text\n{}\n~~~",
        "Sure! Here is the improved prompt:\n\n{}",
        "Here's the revised version:\n\n{}\n\nLet me know if you would like any changes!",
        "Certainly! Here is the new prompt.\n\n{}\n\nI hope this helps.",
        "Improved prompt:\n````\n{}\n````\n",
        "**Revised prompt:**\n\n````md\n{}\n````\n\nThis version adds the missing rule.",
        "<think>What is missing?\nA limit.</think>\n{}",
        "<think>\nIt says <think> somewhere.\n</think>\n</think>\n{}",
        "Plan: be brief.</think>\n{}",
        "<reasoning>a</reasoning>\n\n````\n{}\n````",
        "<prompt>\n{}\n</prompt>",
        "<improved_prompt>{}</improved_prompt>",
        "Here is the improved prompt:\n\n{}\n\n## Changes made:\n- shorter\n- clearer",
        "Sure, here is the updated prompt:\n\n---\n\n{}\n\n---\n\nWould you like me to shorten it?",
    ],
)
def test_the_prompt_is_taken_out_of_what_stands_around_it(prompt: str, wrap: str) -> None:
    assert clean_prompt_reply(wrap.format(prompt), baseline="old").text == prompt


def test_inner_fences_of_the_same_length_stay_inside_the_outer_one() -> None:
    assert clean_prompt_reply(f"```markdown\n{CODE}\n```").text == CODE


def test_a_fence_that_belongs_to_the_prompt_is_never_taken_for_the_prompt() -> None:
    assert clean_prompt_reply(f"{CODE}\n").text == CODE
    ends_in_code = "Always run:\n\n```bash\nls\n```"
    assert clean_prompt_reply(ends_in_code).text == ends_in_code
    starts_with_code = "```bash\nls\n```\n\nRun this before you answer."
    assert clean_prompt_reply(starts_with_code).text == starts_with_code


def test_paragraphs_that_the_present_prompt_has_are_not_chat() -> None:
    baseline = "Greet.\n\nLet me know if anything is unclear."
    assert clean_prompt_reply("Greet warmly.\n\nLet me know if anything is unclear.", baseline=baseline).text == (
        "Greet warmly.\n\nLet me know if anything is unclear."
    )


def test_a_prompt_may_talk_about_reasoning_tags() -> None:
    for prompt in (
        "Never print <think> tags.",
        "Put your thoughts between <thinking> and </thinking>, then answer.",
        "Think first:\n\n```\n<think>\n…\n</think>\n```\n\nThen answer.",
    ):
        assert clean_prompt_reply(prompt).text == prompt


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", PromptProblem.EMPTY),
        ("  \n ", PromptProblem.EMPTY),
        ("```\n```", PromptProblem.EMPTY),
        ("```\nHalf a pro", PromptProblem.TRUNCATED),
        ("Improved prompt:\n```\nHalf a pro", PromptProblem.TRUNCATED),
        ("<think>\nI should", PromptProblem.NO_ANSWER),
        ("I can't help with that.", PromptProblem.REFUSAL),
        ("I'm sorry, but I cannot rewrite this prompt.", PromptProblem.REFUSAL),
        ("I am unable to do so.", PromptProblem.REFUSAL),
        ("Version A:\n```\nBe brief.\n```\nVersion B:\n```\nBe long.\n```", PromptProblem.AMBIGUOUS),
        ("Here is the current prompt.\n", PromptProblem.UNCHANGED),
        ("```\nHere is the current prompt.  \n\n```", PromptProblem.UNCHANGED),
        ("Here is the current prompt.\r\n", PromptProblem.UNCHANGED),
    ],
)
def test_what_holds_no_new_prompt_says_why(text: str, problem: PromptProblem) -> None:
    made = clean_prompt_reply(text, baseline="Here is the current prompt.")
    assert (made.text, made.problem) == (None, problem)


def test_a_reply_cut_off_by_the_length_limit_is_no_prompt_however_whole_it_looks() -> None:
    assert clean_prompt_reply(PROMPT, truncated=True).problem is PromptProblem.TRUNCATED


def test_of_two_blocks_the_one_labelled_new_is_taken() -> None:
    text = "Original prompt:\n```\nBe long.\n```\n\nRevised prompt:\n```\nBe brief.\n```"
    assert clean_prompt_reply(text).text == "Be brief."


@given(st.text(alphabet="ab \n`~<>/think#-*:.!", max_size=200))
def test_no_reply_raises_and_exactly_one_of_text_and_problem_is_there(text: str) -> None:
    made = clean_prompt_reply(text, baseline="a")
    assert (made.text is None) == (made.problem is not None)
    assert made.text is None or made.text.strip()


@given(st.text(alphabet=st.characters(exclude_characters="<`~\ufeff"), min_size=1, max_size=200))
def test_plain_text_has_no_reasoning_to_lose(text: str) -> None:
    assert strip_reasoning(text).text == text.strip()

"""The JSON inside replies in the wild: the right object, or none; never a guess."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.llm.parsing import as_number, parse_verdict, pick_object, scan_json

GOOD = '{"correctness": 8, "procedure": 7, "conciseness": 6, "feedback": "Name the limit."}'
DRAFT = '{"correctness": 1, "procedure": 1, "conciseness": 1, "feedback": "draft"}'
NAMES = ("correctness", "procedure", "conciseness")


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nThat is my verdict.",
        f"Here is my verdict:\n\n{GOOD}\n\nIt could be better.",
        f"The weights {{correctness, procedure}} apply.\n{GOOD}",
        f'Format: {{"correctness": <0-10>, ...}}\n{GOOD}',
        f"I first thought {DRAFT} but on reflection:\n{GOOD}",
        f"<think>Maybe {DRAFT}</think>\n{GOOD}",
        f"<think>{{ hm, it's \"odd</think>{GOOD}",
        f"Okay.\n<thinking>\n{DRAFT}\n</thinking>\n{GOOD}",
        f"{DRAFT} is too harsh.</think>\n{GOOD}",
        f"{DRAFT} is too harsh.</thought>{GOOD}",
        f"<think>a</think>{DRAFT}<reasoning>b</reasoning>{GOOD}",
        f"[{GOOD}]",
        f'{{"verdict": {GOOD}}}',
        f'{{"verdict": {{"scores": {GOOD}}}, "model": "x"}}',
        f"{GOOD}\nThe answer leaked a <think> tag.",
        f"The answer shows `<think>` tags. {GOOD}",
        GOOD.replace("8", '"8"').replace("7", '"7/10"').replace("6", '"6 out of 10"'),
        GOOD.replace("8", "8.0"),
        GOOD.replace("}", ",\n}"),
        GOOD.replace("Name the", "Name\nthe"),
        GOOD.replace("correctness", "Correctness").replace("procedure", "procedureFollowing"),
        f"\ufeff{GOOD}",
    ],
)
def test_the_verdict_is_found(text: str) -> None:
    verdict = parse_verdict(text, NAMES, aliases={"procedure": ["procedureFollowing"]})
    assert verdict is not None
    assert dict(verdict.numbers) == {"correctness": 8, "procedure": 7, "conciseness": 6}
    assert verdict.feedback.split() == ["Name", "the", "limit."]


def test_fences_inside_strings_are_part_of_them() -> None:
    text = json.dumps({**json.loads(GOOD), "feedback": "Use\n```json\n{}\n```\nand </think> less."})
    verdict = parse_verdict(f"```json\n{text}\n```", NAMES)
    assert verdict is not None
    assert verdict.feedback == "Use\n```json\n{}\n```\nand </think> less."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would give it an 8.",
        "8/7/6",
        GOOD[:-1],
        GOOD[:40],
        f"{DRAFT}\n{GOOD[:40]}",
        f'{{"verdict": {GOOD}, "why": "because',
        f"<think>I would say {GOOD}",
        f"<think>{GOOD}",
        GOOD.replace("8", "null"),
        GOOD.replace("8", "true"),
        GOOD.replace("8", "NaN"),
        GOOD.replace("8", '"eight"'),
        GOOD.replace('"procedure": 7, ', ""),
        GOOD.replace("{", '{"correctness": 2, '),
        "{" * 5000,
        '{"a":' * 5000,
    ],
)
def test_anything_else_is_unscored(text: str) -> None:
    assert parse_verdict(text, NAMES) is None


def test_a_cut_off_reply_counts_only_when_it_holds_one_whole_verdict() -> None:
    assert parse_verdict(f"{GOOD}\n\nExplanation: the ans", NAMES, truncated=True) is not None
    assert parse_verdict(f"{DRAFT}\n{GOOD}\nNow I", NAMES, truncated=True) is None


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (8, 8.0),
        (8.5, 8.5),
        ("8", 8.0),
        (" 8,5 ", 8.5),
        ("7/10", 7.0),
        ("7 OUT OF 10", 7.0),
        ("-3", -3.0),
        (True, None),
        ("80%", None),
        ("8/100", None),
        ("", None),
        (None, None),
        ([8], None),
        (10**400, None),
    ],
)
def test_numbers(value: object, number: float | None) -> None:
    assert as_number(value) == number


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    ),
    st.text(alphabet=st.characters(exclude_characters="{}<`\"'")),
    st.text(alphabet=st.characters(exclude_characters="{}<`\"'")),
)
def test_an_object_between_any_words_is_found_as_it_is(value: object, before: str, after: str) -> None:
    text = before + json.dumps({"it": value}) + after
    (found,) = scan_json(text).objects
    assert found.value == {"it": value}
    assert (found.start, found.end) == (len(before), len(text) - len(after))


@given(st.text(alphabet='{}[]",:\\<>/think0 \n', max_size=300))
def test_no_reply_raises(text: str) -> None:
    scan_json(text)
    pick_object(text, lambda value: value)


@pytest.mark.parametrize("text", ['{"a":' * 100_000, "{ " * 300_000, '{"x": "' * 50_000, '{"a": [1,' * 50_000])
def test_hostile_replies_take_no_time(text: str) -> None:
    began = time.process_time()
    assert parse_verdict(text, NAMES) is None
    assert time.process_time() - began < 2

"""The practice model as judge: it compares what the expectation demands with what the answer shows.

It errs in a set share of cases: a grade one point off in 6 of 100, an unusable reply in 1 of 100; and it does
not always write its JSON neatly, as real judges do not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rapidfuzz import fuzz

from honeyguide.kernel.choice import choose, unit
from honeyguide.llm.blocks import Block
from honeyguide.llm.practice.catalogue import REPLY_LANGUAGE, Behaviour, catalogue
from honeyguide.llm.practice.reading import language_of

MISSES_BY_ONE = 0.06
ANSWERS_UNUSABLY = 0.01
_FORM = frozenset({"next-step", "run-command", "title", "word-count", "numbered-steps", "grouped", "iso-date"})
"""Behaviours that are a matter of procedure; all others are a matter of correctness."""


def grade(blocks: Sequence[Block], seed: int, sample: str) -> str:
    """Return the verdict on the ACTUAL block, written as a model would write it."""
    texts = {block.name: block.text for block in blocks}
    actual, message = texts["ACTUAL"], texts.get("INPUT", "")
    expected = texts.get("EXPECTED", texts.get("RUBRIC", ""))
    draw = (message, expected, actual, sample)
    if not actual.strip():
        return _written(
            {"correctness": 0, "procedure": 0, "conciseness": 0, "feedback": "The answer is empty."}, seed, draw
        )
    missing, demanded = _missing(texts, actual)
    spoken = _in_right_language(texts, message, actual)
    complaints = [behaviour.complaint for behaviour in missing]
    if not spoken:
        complaints.insert(0, catalogue().behaviour(REPLY_LANGUAGE).complaint)
    scores = {
        "correctness": _share(demanded, missing, form=False) * (1.0 if spoken else 0.4) * _on_topic(texts, actual),
        "procedure": _share(demanded, missing, form=True) * (1.0 if spoken else 0.6),
        "conciseness": _conciseness(texts, actual),
    }
    if scores["conciseness"] < 0.75:
        complaints.append("The answer should be short and without filler.")
    grades: dict[str, object] = {
        name: _off_by_one(round(10 * value), seed, (*draw, name)) for name, value in scores.items()
    }
    grades["feedback"] = " ".join(complaints[:2]) or "Nothing to add."
    return _written(grades, seed, draw)


def _missing(texts: dict[str, str], actual: str) -> tuple[list[Behaviour], list[Behaviour]]:
    """Return what the answer lacks and all that was demanded."""
    demanded = [b for b in catalogue().behaviours if b.shown is not None and _demands(b, texts)]
    return [b for b in demanded if b.shown is not None and not b.shown.search(actual)], demanded


def _demands(behaviour: Behaviour, texts: dict[str, str]) -> bool:
    if behaviour.shown is None:
        return False
    if "RUBRIC" in texts:
        rubric = texts["RUBRIC"]
        return bool(behaviour.stated.search(rubric) or behaviour.shown.search(rubric))
    return bool(behaviour.shown.search(texts.get("EXPECTED", "")))


def _share(demanded: list[Behaviour], missing: list[Behaviour], *, form: bool) -> float:
    asked = [b for b in demanded if (b.id in _FORM) == form]
    lacking = [b for b in missing if (b.id in _FORM) == form]
    return 1.0 - 0.85 * len(lacking) / len(asked) if asked else 1.0


def _in_right_language(texts: dict[str, str], message: str, actual: str) -> bool:
    wanted = language_of(texts["EXPECTED"]) if "EXPECTED" in texts else language_of(message)
    return wanted == "en" or language_of(actual) == wanted


def _on_topic(texts: dict[str, str], actual: str) -> float:
    """1.0 for the earlier answer's length and words or more; an answer that repeats the rejected one has failed."""
    rejected = texts.get("REJECTED")
    return 0.3 if rejected is not None and fuzz.ratio(rejected, actual) > 97 else 1.0


def _conciseness(texts: dict[str, str], actual: str) -> float:
    filler = sum(line in actual for lines in catalogue().filler.sentences.values() for line in lines)
    return max(0.3, 1.0 - 0.3 * filler)


def _off_by_one(grade: int, seed: int, draw: tuple[str, ...]) -> int:
    mark = unit(seed, *draw, "slip")
    if mark >= MISSES_BY_ONE:
        return grade
    return min(10, max(0, grade + (1 if mark < MISSES_BY_ONE / 2 else -1)))


def _written(grades: dict[str, object], seed: int, draw: tuple[str, ...]) -> str:
    line = json.dumps(grades, ensure_ascii=False)
    if unit(seed, *draw, "unusable") < ANSWERS_UNUSABLY:
        return line[: len(line) // 3]
    style = choose(seed, ("plain",) * 12 + ("fenced", "prose", "text numbers", "thinking"), *draw, "style")
    if style == "fenced":
        return f"```json\n{line}\n```"
    if style == "prose":
        return f"Here is my verdict:\n{line}\nI hope this is useful."
    if style == "text numbers":
        return json.dumps({k: str(v) if isinstance(v, int) else v for k, v in grades.items()}, ensure_ascii=False)
    if style == "thinking":
        return f"<think>The answer is compared with what was expected {{point by point}}.</think>\n{line}"
    return line

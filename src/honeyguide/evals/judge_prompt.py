"""What the judge is asked, as text. Public: models that imitate a judge read these prompts back.

The system part is the same for every example (providers cache it). The user message holds the blocks in a
fixed order and ends with the request for one line of JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.llm.blocks import NOTICE, block

INPUT_BLOCK: Final = "INPUT"
EXPECTED_BLOCK: Final = "EXPECTED"
RUBRIC_BLOCK: Final = "RUBRIC"
REJECTED_BLOCK: Final = "REJECTED"
ACTUAL_BLOCK: Final = "ACTUAL"
CONTEXT_BLOCK: Final = "CONTEXT"

SCORE_KEYS: Final = ("correctness", "procedure", "conciseness")
FEEDBACK_KEY: Final = "feedback"

JUDGE_SYSTEM: Final = f"""\
You grade one answer of an assistant. Be strict and fair, and grade what the answer says, not how confident it sounds.

{NOTICE}

The block INPUT is what the assistant was given and ACTUAL is what it answered. Beside them stands one of two things:
- EXPECTED: an answer that was good. Another answer with the same meaning is as good; the wording need not match.
- RUBRIC: what a good answer must or must not do, because an earlier answer was wrong. REJECTED, where present, is that
  earlier answer: an answer that repeats its mistake has failed.
CONTEXT, where present, is background.

Give three whole numbers from 0 to 10.
correctness: 10 the same meaning, or every point of the rubric met; 7 to 9 a small omission; 4 to 6 an important gap;
1 to 3 mostly wrong; 0 beside the point or empty.
procedure: 10 every demand on format, order and limits is kept; 5 some are not; 0 they are ignored.
conciseness: 10 nothing to cut and nothing missing; 5 clearly too long, or so short that it leaves questions; 0 padding.

Then write feedback: at most three sentences on the one change to the assistant's instructions that would help most.
Speak of the kind of case, and do not repeat names, numbers or wording of this one."""

JUDGE_REQUEST: Final = (
    "Answer with one line of JSON and nothing else, with the keys correctness, procedure, conciseness, feedback."
)

JUDGE_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "correctness": {"type": "integer"},
        "procedure": {"type": "integer"},
        "conciseness": {"type": "integer"},
        "feedback": {"type": "string"},
    },
    "required": ["correctness", "procedure", "conciseness", "feedback"],
    "additionalProperties": False,
}


def judge_message(example: Example, actual: str, context: str | None = None, *, swapped: bool = False) -> str:
    """Return the user message: INPUT, EXPECTED or RUBRIC (+ REJECTED), ACTUAL, CONTEXT when given, the request.

    ``swapped`` puts ACTUAL before the expectation, to find out whether the order sways the judge.
    """
    if example.role is ExpectationRole.RUBRIC:
        expectation = [block(RUBRIC_BLOCK, example.expected)]
        if example.rejected is not None:
            expectation.append(block(REJECTED_BLOCK, example.rejected))
    else:
        expectation = [block(EXPECTED_BLOCK, example.expected)]
    answer = [block(ACTUAL_BLOCK, actual)]
    parts = [block(INPUT_BLOCK, example.input), *(answer + expectation if swapped else expectation + answer)]
    if context:
        parts.append(block(CONTEXT_BLOCK, context))
    parts.append(JUDGE_REQUEST)
    return "\n\n".join(parts)

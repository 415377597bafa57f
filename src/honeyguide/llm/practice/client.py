"""The practice model behind the same protocol as every other model."""

from __future__ import annotations

import asyncio

from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.blocks import read_blocks
from honeyguide.llm.practice.answering import answer
from honeyguide.llm.practice.drafting import draft_change, draft_lessons
from honeyguide.llm.practice.grading import grade
from honeyguide.llm.practice.proposing import propose
from honeyguide.llm.protocol import ModelReply, ModelRequest, ModelRole, StopReason, Usage

CHARACTERS_PER_TOKEN = 4
YIELD_EVERY = 4
"""Calls after which the loop gets a turn, since an answer here never waits for a network."""


class PracticeClient:
    """Answers from the text of the request alone; free, offline, and the same for the same request.

    The model's name may carry a seed, ``practice`` or ``practice-7``: another seed is another model of the
    same kind, with its own mistakes.
    """

    def __init__(self, latency_seconds: float = 0.0) -> None:
        self._latency = latency_seconds
        self._calls = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the reply. Raises InvalidInput when the model's name is not one of the practice models."""
        seed = _seed_of(request.model.model)
        self._calls += 1
        if self._latency > 0 or self._calls % YIELD_EVERY == 0:
            await asyncio.sleep(self._latency)
        message = request.messages[-1].content if request.messages else ""
        text = _reply(request.system, _first_of_draft(request) or message, seed, str(request.repetition))
        most = request.max_tokens * CHARACTERS_PER_TOKEN
        cut = len(text) > most
        text = text[:most]
        return ModelReply(
            text=text,
            stop_reason=StopReason.MAX_TOKENS if cut else StopReason.END,
            usage=Usage(
                input_tokens=_tokens(request.system) + sum(_tokens(m.content) for m in request.messages),
                output_tokens=_tokens(text),
            ),
            cost_usd=0.0,
        )


def _reply(system: str, message: str, seed: int, sample: str) -> str:
    blocks = read_blocks(message)
    names = {block.name for block in blocks}
    if {"ACTUAL", "INPUT"} <= names:
        return grade(blocks, seed, sample)
    if "CURRENT PROMPT" in names:
        return propose(blocks, seed, sample)
    if {"HARNESS", "FAILURES"} <= names:
        return draft_change(system, blocks, seed, sample)
    if {"LESSONS SO FAR", "FAILURES"} <= names:
        return draft_lessons(blocks, seed, sample)
    return answer(system, message, seed, sample)


def _first_of_draft(request: ModelRequest) -> str:
    """Return the question of a draft that is asked for once more: the last message only says what was wrong."""
    first = request.messages[0].content if len(request.messages) > 1 else ""
    return first if request.role is ModelRole.MUTATOR and first.startswith("[[HARNESS ") else ""


def _seed_of(model: str) -> int:
    base, _, number = model.partition("-")
    if base != "practice" or (number and not number.isdigit()):
        raise InvalidInput(
            f"There is no practice model called {model!r}.",
            hint="Use practice:practice, or practice:practice-7 for another seed.",
        )
    return int(number or 0)


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)

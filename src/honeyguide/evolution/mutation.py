"""Asking a model for a better prompt: the request it gets, and how its reply becomes a text again.

The user message holds blocks of ``llm.blocks`` in this order; those in parentheses may be missing:

    TARGET            two lines, ``kind: KIND`` and ``name: NAME``
    CURRENT PROMPT    the text to improve, byte for byte
    LIMITS            one limit a line: ``size: at most N characters``, ``growth: at most N characters (…)``,
                      ``current: N characters``
    (KEEP)            one thing a line: ``variable: {{name}}``, or ``passage: "…"`` as a JSON string
    (OTHER TEXT)      a text that drives the agent beside this one, under a line that names it; one block for each
    (APPENDED)        a section that is added after the prompt by itself and must not be repeated in it
    STRATEGY          ``NAME: explanation``
    FAILURES          entries ``N.`` with the lines ``input:``, ``answer:``, ``expectation:``, ``feedback:``;
                      further lines of a value are indented by three spaces; ``none`` when there are none
    (GOOD ANSWERS)    entries like those of FAILURES: answers without fault, which must stay as they are
    (EARLIER TRIES)   ``- STRATEGY: score 0.61, 0.03 better``, the latest last
    (TRIED IN VAIN)   one line a line, each after ``- ``: they were tried in this prompt and did not help

The reply holds the full new prompt between a line ``<new_prompt>`` and a line ``</new_prompt>``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.evolution.strategies import EXPLANATIONS, Strategy
from honeyguide.llm.blocks import NOTICE, block, read_blocks
from honeyguide.llm.parsing import PromptProblem, clean_prompt_reply, strip_reasoning
from honeyguide.llm.protocol import Message, ModelRef, ModelReply, ModelRequest, ModelRole, StopReason
from honeyguide.prompts.targets import TargetRef

OPENING = "<new_prompt>"
CLOSING = "</new_prompt>"
MAX_FAILURES = 12
"""How many failures one request shows; more would hide what they share."""
MAX_FIELD_CHARS = 700
"""How much of an input, an answer, an expectation or a feedback is shown."""

SYSTEM = (
    "You improve the prompts that drive an AI agent. You are given one prompt, its limits, what has to stay in it, "
    "a strategy, and cases in which the agent's answers were not good enough, with the reason.\n"
    "Write a new version of the whole prompt that follows the strategy and would have made those answers better, "
    "without making others worse. Change as little as the strategy needs. Write general rules: never copy names, "
    "numbers, addresses or sentences from the cases into the prompt. Keep the prompt's language and voice. "
    "Keep everything under KEEP exactly as it is written there. Stay within every limit. Add no placeholders, "
    "no notes to yourself and no comments about the change.\n"
    f"{NOTICE}\n"
    f"Answer with nothing but the full new prompt between a line {OPENING} and a line {CLOSING}."
)
BESIDE = (
    "Each OTHER TEXT drives the same agent beside the prompt and stays as it is. Say nothing in the prompt that one of "
    "them says already or that belongs in it."
)
_OPENS, _CLOSES = (rf"(?:<{slash}new_prompt>|\[\[?{slash}new_prompt(?: [0-9a-f]{{8}})?\]\]?)" for slash in ("", "/"))
"""The markers, also as a small model mixes them up with those of the request's own blocks."""
_REPLY = re.compile(
    rf"^[ \t]*{_OPENS}[ \t]*\n?(?P<text>.*?)\n?[ \t]*{_CLOSES}[ \t]*$", re.DOTALL | re.MULTILINE | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Failure:
    """One answer that was not good enough, as the mutator is shown it."""

    input: str
    answer: str
    expectation: str
    feedback: str


@dataclass(frozen=True, slots=True)
class TextLimits:
    """How long the new prompt may be, in characters (code points); ``None`` means no such limit.

    Attributes:
        size: the hard cap of the target.
        growth: the cap that comes from the deployed text's length.
        growth_note: why the growth cap is what it is, for the model to read.
    """

    size: int | None = None
    growth: int | None = None
    growth_note: str = ""

    @property
    def most(self) -> int | None:
        """The tighter of both caps."""
        caps = [cap for cap in (self.size, self.growth) if cap is not None]
        return min(caps) if caps else None

    def less(self, reserved: int) -> TextLimits:
        """Return the limits that are left when ``reserved`` characters are taken by an appended section."""
        return TextLimits(
            None if self.size is None else max(self.size - reserved, 0),
            None if self.growth is None else max(self.growth - reserved, 0),
            self.growth_note,
        )


@dataclass(frozen=True, slots=True)
class Keep:
    """What a new prompt has to keep: variables, and passages that a person locked."""

    variables: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierTry:
    """A mutation of the same parent that was already measured."""

    strategy: Strategy
    score: float
    change: float


@dataclass(frozen=True, slots=True)
class MutationTask:
    """Everything the mutator is told.

    Attributes:
        good: answers without fault, for contrast.
        avoid: lines that were tried in vain.
        others: texts that drive the agent beside this one, each under a line that names it.
    """

    target: TargetRef
    current: str
    strategy: Strategy
    limits: TextLimits = TextLimits()
    keep: Keep = Keep()
    appended: str = ""
    failures: tuple[Failure, ...] = ()
    earlier: tuple[EarlierTry, ...] = ()
    good: tuple[Failure, ...] = ()
    avoid: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def mutation_request(task: MutationTask, model: ModelRef, *, repetition: int = 0) -> ModelRequest:
    """Return the request for one new prompt. Equal tasks give equal requests."""
    return ModelRequest(
        model=model,
        messages=(Message("user", mutation_message(task)),),
        system=f"{SYSTEM}\n{BESIDE}" if task.others else SYSTEM,
        max_tokens=_tokens_for(task),
        role=ModelRole.MUTATOR,
        repetition=repetition,
    )


def mutation_message(task: MutationTask) -> str:
    """Return the user message: the blocks of the module's docstring, separated by blank lines."""
    parts = [
        block("TARGET", f"kind: {task.target.kind.value}\nname: {task.target.name}"),
        block("CURRENT PROMPT", task.current),
        block("LIMITS", _limits(task)),
    ]
    if task.keep.variables or task.keep.passages:
        parts.append(block("KEEP", _keep(task.keep)))
    parts += [block("OTHER TEXT", other) for other in task.others]
    if task.appended:
        parts.append(block("APPENDED", task.appended))
    parts.append(block("STRATEGY", f"{task.strategy.value}: {EXPLANATIONS[task.strategy]}"))
    parts.append(block("FAILURES", _failures(task.failures)))
    if task.good:
        parts.append(block("GOOD ANSWERS", _failures(task.good)))
    if task.earlier:
        parts.append(block("EARLIER TRIES", "\n".join(_try(entry) for entry in task.earlier)))
    if task.avoid:
        parts.append(block("TRIED IN VAIN", "\n".join(f"- {_value(line)}" for line in task.avoid)))
    parts.append(f"Write the full new prompt between a line {OPENING} and a line {CLOSING}.")
    return "\n\n".join(parts)


def read_new_prompt(reply: ModelReply, current: str) -> tuple[str | None, str]:
    """Return the new prompt that ``reply`` holds, or ``None`` and why there is none.

    What stands between the markers is taken as it is, fences included; models that forget the markers are read by
    ``llm.parsing``. The new prompt ends with the line breaks that ``current`` ends with.
    """
    marked = _marked_text(reply.text)
    if marked is None:
        truncated = reply.stop_reason is StopReason.MAX_TOKENS
        read = clean_prompt_reply(reply.text, baseline=current, truncated=truncated)
        text, problem = read.text, read.problem.value if read.problem else ""
        if text is not None and "\n" not in text and text.endswith(":"):
            text, problem = None, PromptProblem.EMPTY.value
    elif not marked.strip():
        text, problem = None, PromptProblem.EMPTY.value
    elif marked.split() == current.split():
        text, problem = None, PromptProblem.UNCHANGED.value
    else:
        text, problem = marked, ""
    if text is None:
        return None, problem
    return text.rstrip() + current[len(current.rstrip()) :], ""


def _marked_text(reply: str) -> str | None:
    """Models that think aloud may draft first: reasoning goes, and the last complete pair of markers counts.

    Small models write the request's blocks around their text as well; then the text is inside.
    """
    answer = strip_reasoning(reply.replace("\r\n", "\n"))
    found = list(_REPLY.finditer(answer.text)) if answer.is_complete else []
    if not found:
        return None
    text = found[-1]["text"]
    echoed = [block.text for block in read_blocks(text) if block.name == "CURRENT PROMPT"]
    return echoed[-1] if echoed else text


def shorten(text: str, most: int = MAX_FIELD_CHARS) -> str:
    """Return ``text`` with at most ``most`` characters of it, and how many were left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]} [… {len(text) - most} more characters]"


def _limits(task: MutationTask) -> str:
    lines = []
    if task.limits.size is not None:
        lines.append(f"size: at most {task.limits.size} characters")
    if task.limits.growth is not None:
        note = f" ({task.limits.growth_note})" if task.limits.growth_note else ""
        lines.append(f"growth: at most {task.limits.growth} characters{note}")
    lines.append(f"current: {len(task.current)} characters")
    return "\n".join(lines)


def _keep(keep: Keep) -> str:
    variables = [f"variable: {name}" for name in keep.variables]
    passages = [f"passage: {json.dumps(text, ensure_ascii=False)}" for text in keep.passages]
    return "\n".join(variables + passages)


def _failures(failures: Sequence[Failure]) -> str:
    if not failures:
        return "none"
    return "\n".join(
        f"{number}.\n"
        f"input: {_value(failure.input)}\n"
        f"answer: {_value(failure.answer)}\n"
        f"expectation: {_value(failure.expectation)}\n"
        f"feedback: {_value(failure.feedback)}"
        for number, failure in enumerate(failures[:MAX_FAILURES], start=1)
    )


def _value(text: str) -> str:
    return shorten(text.strip()).replace("\r\n", "\n").replace("\n", "\n   ")


def _try(entry: EarlierTry) -> str:
    word = "better" if entry.change > 0 else "worse"
    change = "no change" if entry.change == 0 else f"{abs(entry.change):.2f} {word}"
    return f"- {entry.strategy.value}: score {entry.score:.2f}, {change}"


def _tokens_for(task: MutationTask) -> int:
    """Room for the longest allowed prompt (3 characters a token is low for every script), and for thinking."""
    longest = max(len(task.current) * 2, task.limits.most or 0)
    return min(1024 + longest, 16_384)

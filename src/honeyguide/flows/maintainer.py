"""The one who is asked for a better prompt: what it is told, and how its reply becomes a prompt.

The request is that of the instruction search (``evolution.mutation``), so every model, the practice model too, reads
it; the reported problems and the tries that were turned down stand in blocks of their own. The frontmatter is never
shown, and what comes back is a prompt only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from honeyguide.evolution.mutation import (
    CLOSING,
    OPENING,
    SYSTEM,
    Failure,
    Keep,
    MutationTask,
    TextLimits,
    mutation_message,
)
from honeyguide.evolution.strategies import Strategy
from honeyguide.feedback.items import FeedbackItem
from honeyguide.flows.document import FlowDocument
from honeyguide.flows.liquid import LiquidError, variables
from honeyguide.llm.blocks import block
from honeyguide.llm.parsing import strip_reasoning
from honeyguide.llm.parsing.fences import outer_fences, whole_fence
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.suites.cases import EvalCase
from honeyguide.suites.trials import SuiteOutcome, TrialStatus

MAX_BODY_BYTES: Final = 1_000_000
ROOM: Final = 2.0
"""How many times its length a prompt may grow to, and at least ``ROOM_LEAST`` characters more."""
ROOM_LEAST: Final = 1500
MAINTAINER_SYSTEM: Final = (
    f"{SYSTEM}\n"
    "This prompt belongs to a flow that is run by a program. Make the smallest revision that solves the reported "
    "problems. Add no command, executable block, address, file, glob, symbol or provider (nothing like !`command`, "
    "@./file, @https://…, @git:diff) and no template tag that the prompt does not have; widen none that it has. "
    "Do not begin with a line of three hyphens."
)
_MARKED = re.compile(
    rf"^[ \t]*{re.escape(OPENING)}[ \t]*\n?(?P<text>.*?)\n?[ \t]*{re.escape(CLOSING)}[ \t]*$", re.DOTALL | re.MULTILINE
)
_STRATEGIES: Final = (Strategy.TARGETED_FEEDBACK, Strategy.CLARIFY_CONSTRAINTS, Strategy.EXPAND_EDGE_CASES)


@dataclass(frozen=True, slots=True)
class RejectedTry:
    """An earlier proposal that was turned down."""

    body: str
    reason: str


@dataclass(frozen=True, slots=True)
class MaintainerTask:
    """Everything that the maintainer is told."""

    flow_name: str
    document: FlowDocument
    evidence: tuple[FeedbackItem, ...]
    cases: tuple[EvalCase, ...] = ()
    current: SuiteOutcome | None = None
    rejected: tuple[RejectedTry, ...] = ()
    number: int = 1


def maintainer_message(task: MaintainerTask) -> str:
    """Return the request. Equal tasks give equal requests."""
    body = task.document.body
    mutation = MutationTask(
        target=TargetRef(TargetKind.FLOW, task.flow_name),
        current=body,
        strategy=_STRATEGIES[(task.number - 1) % len(_STRATEGIES)],
        limits=limits_for(body),
        keep=keep_in(body),
        failures=tuple(_failures(task)),
    )
    return with_problems(mutation, task.evidence, task.rejected)


def with_problems(task: MutationTask, evidence: Sequence[FeedbackItem], rejected: Sequence[RejectedTry] = ()) -> str:
    """Return the request of the instruction search, with what was reported and what was turned down before it."""
    known = [
        {
            "id": item.id,
            "type": item.type.value,
            "confidence": item.confidence.value,
            "message": item.message,
            "expected": item.expected,
            "actual": item.actual,
        }
        for item in evidence
    ]
    stated = [{key: value for key, value in one.items() if value is not None} for one in known]
    problems = block("REPORTED PROBLEMS", "\n".join(json.dumps(one, ensure_ascii=False) for one in stated))
    turned_down = [
        block(f"TURNED DOWN {number}", f"reason: {tried.reason}\n\n{tried.body}")
        for number, tried in enumerate(rejected, start=1)
    ]
    return "\n\n".join([problems, *reversed(turned_down), mutation_message(task)])


def limits_for(body: str) -> TextLimits:
    """Return how long a new prompt may get."""
    most = max(int(len(body) * ROOM), len(body) + ROOM_LEAST)
    return TextLimits(growth=most, growth_note="a flow should stay short")


def keep_in(body: str) -> Keep:
    """Return what a new prompt has to keep: the variables of the template."""
    return Keep(variables=_variables(body))


def read_body(reply: str, *, current: str) -> tuple[str | None, str]:
    """Return the prompt that a reply holds, or ``None`` and why there is none.

    Taken, in this order: what stands between the marker lines; the text of ``body`` in a JSON object that is the whole
    reply; what stands in the one fence around or in the reply. Fences inside the prompt stay whole. Prose is no prompt.
    """
    if len(reply.encode("utf-8", "surrogatepass")) > 2 * MAX_BODY_BYTES:
        return None, "the reply is too long"
    answer = strip_reasoning(reply.replace("\r\n", "\n"))
    if not answer.is_complete:
        return None, "the reply breaks off"
    body = _body(answer.text)
    if isinstance(body, _Problem):
        return None, body.words
    if not body.strip():
        return None, "the new prompt is empty"
    if len(body.encode("utf-8", "surrogatepass")) > MAX_BODY_BYTES:
        return None, "the new prompt is too long"
    try:
        body.encode("utf-8")
    except UnicodeEncodeError:
        return None, "the new prompt holds characters that are no text"
    return body, ""


@dataclass(frozen=True, slots=True)
class _Problem:
    words: str


def _body(text: str) -> str | _Problem:
    marked = list(_MARKED.finditer(text))
    if marked:
        return marked[-1]["text"]
    if OPENING in text:
        return _Problem("the reply breaks off")
    stripped = text.strip()
    fenced = whole_fence(stripped) or _json_fence(stripped)
    for candidate in (stripped, fenced or ""):
        if candidate.strip().startswith("{") and candidate.strip().endswith("}"):
            return _json_body(candidate, fenced)
    fences = outer_fences(stripped)
    if not fences:
        return _Problem("the reply holds no marked prompt")
    whole = whole_fence(stripped)
    if whole is not None:
        return whole
    if len(fences) > 1:
        return _Problem("the reply holds several blocks")
    if not fences[0].is_closed or not fences[0].may_hold_prompt:
        return _Problem("the reply's block is no prompt")
    return fences[0].body


def _json_fence(text: str) -> str | None:
    fences = outer_fences(text)
    is_json = len(fences) == 1 and fences[0].is_closed and fences[0].language == "json"
    return fences[0].body if is_json else None


def _json_body(text: str, fenced: str | None) -> str | _Problem:
    try:
        value = json.loads(text)
    except ValueError:
        return fenced if fenced is not None and text is not fenced else _Problem("the reply is broken JSON")
    body = value.get("body") if isinstance(value, dict) else None
    return body if isinstance(body, str) else _Problem("the reply's JSON has no text called body")


def _failures(task: MaintainerTask) -> Sequence[Failure]:
    if task.current is None:
        return []
    by_name = {case.name: case for case in task.cases}
    messages = {item.id: item.message for item in task.evidence}
    found = []
    for result in task.current.cases:
        if result.status is TrialStatus.PASS:
            continue
        case = by_name.get(result.case.name)
        trial = next(
            (t for t in result.trials if t.status is TrialStatus.FAIL), result.trials[0] if result.trials else None
        )
        said = [messages[id] for id in result.case.evidence if id in messages]
        given = [text for text in (case.input, case.stdin, case.prompt) if text] if case else []
        found.append(
            Failure(
                input=" ".join(given) or "(nothing)",
                answer=trial.output if trial and trial.output else "(nothing)",
                expectation=expectation(case) or result.case.name,
                feedback=" ".join([*said, result.reason]).strip() or "It failed.",
            )
        )
    failed = [result for result in task.current.cases if result.status is not TrialStatus.PASS]
    linked = {id for result in failed for id in result.case.evidence}
    found += [
        Failure("(not recorded)", item.actual or "(not recorded)", item.expected or "(not said)", item.message)
        for item in task.evidence
        if item.id not in linked
    ]
    return found


def expectation(case: EvalCase | None) -> str:
    """Return what a case asks for, in a line; empty for none."""
    if case is None:
        return ""
    checks = [f"{check.kind}: {json.dumps(check.value, ensure_ascii=False)}" for check in case.checks]
    return "; ".join([*checks, *([case.rubric] if case.rubric else [])])


def _variables(body: str) -> tuple[str, ...]:
    try:
        return tuple(f"{{{{ {name} }}}}" for name in variables(body))
    except LiquidError:
        return ()

"""Drafting a proposal: evidence, the strong model (at most three times), the gate. Changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from honeyguide.evals.examples import Example
from honeyguide.evolution.plan import Plan, Range, Reason, Stage
from honeyguide.harnesses.changes.gate import GateResult, gate, objective_problem
from honeyguide.harnesses.changes.proposal import Malformed, Proposal, read_proposal
from honeyguide.harnesses.changes.requests import draft_request
from honeyguide.harnesses.evidence.objectives import broken_bounds, mismatched_directions
from honeyguide.harnesses.evidence.report import Report
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.kernel.errors import InvalidInput, ModelRefused, PolicyRefused
from honeyguide.llm.prices import Quote, worst_input_tokens
from honeyguide.llm.protocol import ModelClient, ModelRef, StopReason

MOST_CALLS: Final = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal with what the gate says of it, and how many calls it took."""

    proposal: Proposal
    gate: GateResult
    calls: int


class DraftFailed(ModelRefused):
    """The strong model gave no usable proposal, however often it was asked."""

    code = "malformed-draft"


async def draft(
    harness: Harness, report: Report, client: ModelClient, model: ModelRef, inputs: Sequence[Example] = ()
) -> Draft:
    """Ask for a proposal and judge it.

    Args:
        inputs: recorded inputs that no change may repeat.

    Raises:
        PolicyRefused: the spec switches evolution off.
        InvalidInput: metrics were recorded with another direction than their objective has.
        DraftFailed: no usable reply in ``MOST_CALLS`` calls.
        ModelError, BudgetExceeded, Interrupted: as the client raises them.
    """
    spec = harness.spec
    require_allowed(spec)
    if mismatched := mismatched_directions(report.metrics):
        raise InvalidInput(
            f"The recorded direction of {', '.join(mismatched)} is not that of the objective.",
            hint="Correct evolution.objectives, or record the metric under another name.",
        )
    problem = ""
    for attempt in range(MOST_CALLS):
        request = draft_request(spec, report, model, problem=problem, attempt=attempt)
        reply = await client.complete(request)
        found = read_proposal(reply.text, truncated=reply.stop_reason is StopReason.MAX_TOKENS)
        problem = found.problem if isinstance(found, Malformed) else problem_with(spec, report, found)
        if isinstance(found, Proposal) and not problem:
            return Draft(found, gate(spec, harness.document.data, found, inputs), attempt + 1)
    raise DraftFailed(
        f"The model gave no usable proposal in {MOST_CALLS} tries: {problem}.", hint="Try a stronger model."
    )


def require_allowed(spec: HarnessSpec) -> None:
    """Raise PolicyRefused when the spec switches evolution off."""
    if not spec.evolution.enabled:
        raise PolicyRefused(
            f"{spec.name} switches evolution off (evolution.enabled: false).",
            hint="Set it to true by hand if it shall change.",
        )


def problem_with(spec: HarnessSpec, report: Report, proposal: Proposal) -> str:
    """Return what makes a proposal unusable, so that the model can correct it; empty when it is fine."""
    if problem := objective_problem(spec, proposal):
        return problem
    if not proposal.is_empty and (problem := _target_problem(spec, report, proposal)):
        return problem
    named = {e.metric for e in proposal.objective_expectations}
    if unaddressed := sorted(set(broken_bounds(report.metrics)) - named):
        return f"proposal does not address hard metric constraint violation(s): {', '.join(unaddressed)}"
    return ""


def _target_problem(spec: HarnessSpec, report: Report, proposal: Proposal) -> str:
    targets = report.signal.targets
    shown = ", ".join(targets[:20])
    if proposal.target is None:
        if proposal.objective_expectations:
            return ""
        return f"proposal has no target: name the signal it aims at (one of: {shown})"
    signal = proposal.target.signal
    if signal.startswith("metric:"):
        known = {o.metric for o in spec.evolution.objectives}
        return "" if signal.partition(":")[2] in known else f"{signal} is no configured objective"
    return "" if signal in targets else f"target '{signal[:80]}' is not in the signal map; use one of: {shown}"


def plan_draft(
    spec: HarnessSpec,
    report: Report,
    model: ModelRef,
    quote: Quote,
    *,
    replays: tuple[int, int] = (0, 0),
    replay_usd: tuple[float, float] | None = (0.0, 0.0),
    reasons: Sequence[Reason] = (),
) -> Plan:
    """Return what drafting (and replaying, in calls of the executor) will take; calls nothing."""
    request = draft_request(spec, report, model)
    tokens = worst_input_tokens(request)
    worst = quote.worst_case(request)
    why = list(reasons)
    if not spec.evolution.enabled:
        why.append(Reason("evolution-off", "The spec switches evolution off."))
    if report.is_empty:
        why.append(Reason("nothing-to-evolve", "No failures are recorded for the current version."))
    stages = [Stage("draft", 1, MOST_CALLS)]
    if replays[1]:
        stages.append(Stage("replay", *replays))
    usd = None
    if worst is not None and replay_usd is not None:
        usd = Range(worst / 4 + replay_usd[0], worst * MOST_CALLS + replay_usd[1])
    return Plan(tuple(stages), Range(tokens / 4, tokens * MOST_CALLS), usd, tuple(why))

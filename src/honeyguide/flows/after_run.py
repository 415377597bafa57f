"""After a flow was run: what its policy lets happen by itself. Never a change of the flow.

off: nothing. observe: evidence is kept. suggest: the next free step is named. propose, and apply which acts as propose:
a proposal is queued when a person reported a problem. A quick rerun is at most noted, when that trigger is on; it
asks for words and begins nothing, and it does not stand in the way of a proposal that feedback asks for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from honeyguide.feedback.items import (
    Confidence,
    FailureClass,
    FeedbackDraft,
    FeedbackItem,
    FeedbackState,
    FeedbackType,
    Trigger,
)
from honeyguide.flows.desk import FlowDesk, FlowView
from honeyguide.flows.plans import make_plan
from honeyguide.flows.policy import SWITCHES, Mode
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.clock import iso, parse_iso
from honeyguide.versions.atomic import write_atomically
from honeyguide.versions.disk import LocalDisk

QUICK_MS: Final = 120_000
KEPT_RUNS: Final = 500


class NextStep(StrEnum):
    """What follows."""

    NOTHING = "nothing"
    CLASSIFY = "classify"
    """A failed run was kept: ask whether the prompt was at fault."""
    ASK = "ask"
    """A quick rerun was noted: ask for explicit feedback."""
    SUGGEST = "suggest"
    PROPOSE = "propose"
    """Queue a proposal."""
    BLOCKED = "blocked"
    """A proposal would be queued, but the plan says no."""


@dataclass(frozen=True, slots=True)
class AfterRun:
    """What follows a run, and the sentence for the person."""

    step: NextStep
    message: str = ""
    observed: FeedbackItem | None = None
    reason_code: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the step as plain data."""
        return {
            "step": self.step.value,
            "message": self.message,
            "observed": self.observed.id if self.observed else None,
            "reasonCode": self.reason_code,
        }


def after_run(
    desk: FlowDesk,
    view: FlowView,
    *,
    given: Mapping[str, Any],
    exit_code: int,
    failure: FailureClass | None = None,
    no_evolve: bool = False,
) -> AfterRun:
    """Return what follows a run of a flow. Blocking; spends nothing.

    Args:
        given: the inputs, hashed to tell a rerun of the same.
        failure: why it failed, as far as a program can tell.
        no_evolve: the person said: nothing now.
    """
    is_off = no_evolve or any(desk.environ.get(name, "").strip().lower() == "off" for name in SWITCHES)
    if is_off or not view.policy.is_stated or view.policy.mode is Mode.OFF:
        return AfterRun(NextStep.NOTHING)
    if exit_code != 0:
        return _failed_run(desk, view, fingerprint(dict(given)), exit_code, failure)
    observed = _quick_rerun(desk, view, fingerprint(dict(given)))
    if view.policy.mode is Mode.OBSERVE:
        return AfterRun(NextStep.NOTHING, observed=observed)
    evidence = desk.evidence(view)
    name = view.place.path.name
    if not evidence:
        if observed is not None:
            return AfterRun(
                NextStep.ASK, f'Was something wrong? Say it: honeyguide feedback add {name} "…"', observed=observed
            )
        return AfterRun(NextStep.NOTHING)
    if view.policy.mode is Mode.SUGGEST:
        return AfterRun(
            NextStep.SUGGEST, f"{len(evidence)} open problem(s). Next, free: honeyguide flow plan {name}", observed
        )
    plan = make_plan(desk, view.place.path, is_automatic=True)
    if not plan.ready:
        return AfterRun(NextStep.BLOCKED, plan.decision.reason, observed, plan.decision.code.value)
    return AfterRun(
        NextStep.PROPOSE,
        f"At most {plan.planned} calls in the background: {plan.candidates} proposal, {plan.eval_invocations} current, "
        f"{plan.eval_invocations} proposed. The flow stays as it is.",
        observed,
    )


def _failed_run(desk: FlowDesk, view: FlowView, digest: str, exit_code: int, failure: FailureClass | None) -> AfterRun:
    """Keep a failed run when that trigger is on and nothing but the prompt is known to be at fault.

    It begins no work: first a person says that it was one of behaviour.
    """
    if Trigger.CLASSIFIED_FAILURE not in view.policy.triggers or failure not in (None, FailureClass.UNKNOWN):
        return AfterRun(NextStep.NOTHING)
    same = [
        item
        for item in desk.feedback.read().items
        if item.name == view.place.flow_id and item.type is FeedbackType.RUN_FAILURE
        and item.state is FeedbackState.OPEN and item.input_hash == digest
    ]  # fmt: skip
    kept = same[-1] if same else desk.feedback.add(
        FeedbackDraft(
            kind="flow", name=view.place.flow_id, path=str(view.place.path), text_sha256=view.document.sha256,
            message=f"A run ended with exit code {exit_code}.", type=FeedbackType.RUN_FAILURE,
            confidence=Confidence.LOW, input_hash=digest,
        )
    )  # fmt: skip
    if view.policy.mode is Mode.OBSERVE:
        return AfterRun(NextStep.NOTHING, observed=kept)
    said = f"Was the prompt at fault? Say it: honeyguide feedback classify {kept.id} behavior"
    return AfterRun(NextStep.CLASSIFY, said, observed=kept)


def _quick_rerun(desk: FlowDesk, view: FlowView, digest: str) -> FeedbackItem | None:
    """Note this run; return an observation when the same was run just before and that trigger is on."""
    now = desk.clock.now()
    entry = {"flow": view.place.flow_id, "input": digest, "at": iso(now)}
    with desk.home.locked("flow-history", "the history of flows", timeout=5.0):
        data = LocalDisk().read(desk.home.history) or b""
        lines = [line for line in data.splitlines() if line][-KEPT_RUNS:]
        earlier = [parsed for line in lines if (parsed := _parsed(line)) and parsed.get("flow") == view.place.flow_id]
        write_atomically(desk.home.history, b"".join(line + b"\n" for line in [*lines, json.dumps(entry).encode()]))
    if not earlier or Trigger.QUICK_RERUN not in view.policy.triggers:
        return None
    since = (now - parse_iso(str(earlier[-1]["at"]))).total_seconds() * 1000
    if not 0 <= since < QUICK_MS or earlier[-1].get("input") != digest:
        return None
    return desk.feedback.add(
        FeedbackDraft(
            kind="flow", name=view.place.flow_id, path=str(view.place.path), text_sha256=view.document.sha256,
            message="The same was run again at once.", type=FeedbackType.QUICK_RERUN, confidence=Confidence.LOW,
            input_hash=digest,
        )
    )  # fmt: skip


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "at" in value else None

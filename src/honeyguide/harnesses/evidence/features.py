"""Features: yes-or-no facts about one run, by name, for contrasting runs that failed with runs that did not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from honeyguide.harnesses.evidence.friction import Friction
from honeyguide.traces.readers.hiveloom import JournalEvent, JournalRun

MOST_FEATURES: Final = 200
DEFINES_THE_OUTCOME: Final = frozenset({"loop_limit", "guardrail_halt", "output_validation", "verifier_failure"})
"""Friction that is the failure itself, and so explains none."""
_SIZES: Final = ((400, "short"), (2000, "medium"))


def features_of(run: JournalRun, friction: Iterable[Friction]) -> tuple[str, ...]:
    """Return the sorted features of a run: names only, never a tool's input, an output or a model's text."""
    found: set[str] = set()
    for event in run.events:
        found.update(_of_event(event))
    for one in friction:
        if one.category in DEFINES_THE_OUTCOME:
            continue
        found.add(f"friction:{_token(one.category)}")
        if one.component:
            found.add(f"friction:{_token(one.category)}@{_token(one.component)}")
    return tuple(sorted(found)[: MOST_FEATURES - 1])


def _of_event(event: JournalEvent) -> Iterable[str]:
    payload = event.payload
    if event.type == "run_started" and isinstance(task := payload.get("input"), str):
        yield f"input:{next((name for limit, name in _SIZES if len(task) < limit), 'long')}"
    elif event.type == "tool_call":
        yield f"tool:{_token(payload.get('name'))}"
    elif event.type == "tool_result" and payload.get("is_error"):
        yield f"tool_error:{_token(payload.get('name'))}"
    elif event.type == "tool_spilled":
        yield f"spilled:{_token(payload.get('name'))}"
    elif event.type == "playbook_switch" and payload.get("ok"):
        yield f"playbook:{_token(payload.get('to'))}"
    elif event.type == "note_written":
        yield "notes:written"
    elif event.type == "memory_proposed":
        yield "memory:proposed"
    elif event.type == "memory_selected":
        ids = payload.get("ids")
        yield from (f"memory:{_token(entry)}" for entry in (ids if isinstance(ids, list) else ()))
    elif event.type == "run_finished":
        yield from _of_the_end(event)


def _of_the_end(event: JournalEvent) -> Iterable[str]:
    payload = event.payload
    execution = payload.get("execution")
    if isinstance(execution, dict) and (model := execution.get("effective_model") or execution.get("requested_model")):
        yield f"model:{_token(model)}"
    for step in _objects(payload.get("steps")):
        name = _token(step.get("id"))
        if step.get("violations"):
            yield f"step_violation:{name}"
        if step.get("status") in ("failed", "pending"):
            yield f"step:{name}:{_token(step.get('status'))}"
    for record in _objects(payload.get("delegations")):
        yield f"delegation:{_token(record.get('harness'))}:{_token(record.get('status'))}"
    if payload.get("referrals"):
        yield "delegation:referral"


def _objects(value: object) -> Iterable[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _token(value: object) -> str:
    text = " ".join(str(value or "").split())[:80]
    return text.replace(":", "_").replace("@", "_") or "?"

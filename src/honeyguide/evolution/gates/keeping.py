"""Gates on what must stay: variables, passages that a person locked, and no capability that was not there."""

from __future__ import annotations

from typing import Any

from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores, failed, passed
from honeyguide.prompts import capabilities, locks, variables


def same_variables(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """A dropped variable loses what a person said; an invented one reaches the model as braces."""
    change = variables.compare(text.baseline, text.candidate, text.dialect, text.not_variables)
    facts: dict[str, Any] = {"removed": list(change.removed), "added": list(change.added)}
    if change.removed:
        return failed("variables", f"The variable {_listed(change.removed)} is missing.", **facts)
    if change.added:
        where = next(
            ((v.start, v.end) for v in variables.find(text.candidate, text.dialect, text.not_variables)
             if v.spelled in change.added), None,
        )  # fmt: skip
        return failed(
            "variables", f"The variable {_listed(change.added)} is not one of this prompt.", where=where, **facts
        )
    return passed("variables", "The same variables as before.", **facts)


def locked_passages(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """Word for word; only blanks and line breaks may differ."""
    missing = locks.missing(text.locked, text.candidate)
    if missing:
        shown = missing[0].text if len(missing[0].text) <= 80 else f"{missing[0].text[:80]}…"
        return failed(
            "locked", f"The locked passage {shown!r} was changed or removed.", missing=[p.id for p in missing]
        )
    return passed("locked", f"{len(text.locked)} locked passages, all in place.", count=len(text.locked))


def no_new_capabilities(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """A text may lose what it can make a program do, and gain nothing."""
    new = capabilities.added(capabilities.in_text(text.baseline), capabilities.in_text(text.candidate))
    if new:
        first = new[0]
        return failed(
            "capabilities", f"It adds a capability: {first.kind.value} {first.value}.", where=(first.start, first.end),
            added=[{"kind": c.kind.value, "value": c.value} for c in new],
        )  # fmt: skip
    return passed("capabilities", "It can make a program do nothing that it could not before.")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)

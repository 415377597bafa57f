"""From numbers to an outcome: what a run becomes, and why. Source: contract section 2, "From finding to outcome"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import floor
from statistics import stdev

from honeyguide.evals.findings import Finding

MIN_DELTA = 0.02
STANDARD_ERRORS = 1.28
"""One-sided 90 %: what a gain on development data has to stand above chance by."""
SHORTER_BY = 0.1
"""The share by which a text must get shorter for "safe, not proven" to be worth a person's time."""
_TOLERANCE = 1e-9


class AttemptOutcome(StrEnum):
    """What came of an attempt, spelled as the first seed spells it."""

    PROPOSED = "proposed"
    SKIPPED_TRIGGER = "skipped-trigger"
    SKIPPED_GATES = "skipped-gates"
    SKIPPED_DELTA = "skipped-delta"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome with its reason.

    Attributes:
        is_stored: whether the attempt becomes a run in the history of runs.
        needs_note: whether accepting it needs a note.
        can_accept: whether it may be accepted at all.
    """

    outcome: AttemptOutcome
    reason: str
    is_stored: bool = True
    needs_note: bool = False
    can_accept: bool = True


def too_small(delta: float, min_delta: float, differences: Sequence[float], *, allow_safe: bool) -> str:
    """Say why a gain on development data does not justify opening the holdout; empty when it does.

    It must reach ``min_delta``, and lie at least ``STANDARD_ERRORS`` standard errors above nothing: on few examples
    chance alone makes gains of some points.

    Args:
        differences: candidate minus live text, for each development example that both have a score for.
    """
    if allow_safe:
        return ""
    if delta < min(-_TOLERANCE, min_delta):
        return f"The best text found lost {_points(-delta)} points on the cases it was tried on; nothing is proposed."
    if delta < min_delta - _TOLERANCE:
        return (
            f"The best text found gained {_points(delta)} points on the cases it was tried on; "
            f"under {_points(min_delta)} points nothing is proposed."
        )
    if len(differences) > 1 and delta < STANDARD_ERRORS * stdev(differences) / len(differences) ** 0.5 - _TOLERANCE:
        return (
            f"The best text found gained {_points(delta)} points on the {len(differences)} cases it was tried on; "
            "that may be chance, so nothing is proposed."
        )
    return ""


def with_suite(decision: Decision, finding: Finding, reason: str) -> Decision:
    """Return a decision on the holdout together with what the target's suite said of the same two texts.

    A reported problem that turned from red to green is worth a person's look although the mean shows nothing; a suite
    that could not be measured asks for a note. Harm on unseen cases stays harm.
    """
    if decision.outcome is AttemptOutcome.SKIPPED_DELTA and finding is Finding.VERIFIED_IMPROVEMENT:
        return Decision(AttemptOutcome.PROPOSED, f"{reason} {decision.reason}".strip())
    if decision.outcome is AttemptOutcome.PROPOSED and finding is Finding.INCONCLUSIVE:
        return replace(decision, reason=f"{decision.reason} The suite: {reason}".strip(), needs_note=True)
    return decision


def is_shorter(live: str, candidate: str) -> bool:
    """Say whether ``candidate`` is at least ``SHORTER_BY`` shorter."""
    return len(candidate) <= len(live) * (1 - SHORTER_BY) + _TOLERANCE


def decide(
    finding: Finding,
    because: str,
    *,
    live: str,
    candidate: str,
    allow_safe: bool,
    reason: str = "",
) -> Decision:
    """Return what a verified candidate becomes.

    Args:
        because: the verification's own sentence.
        reason: its stable code; ``judge-not-usable`` bars accepting.
    """
    match finding:
        case Finding.VERIFIED_IMPROVEMENT:
            return Decision(AttemptOutcome.PROPOSED, because)
        case Finding.REGRESSION_SAFE if is_shorter(live, candidate):
            share = 1 - len(candidate) / len(live)
            return Decision(AttemptOutcome.PROPOSED, f"{because} The text got {share:.0%} shorter.")
        case Finding.REGRESSION_SAFE if allow_safe:
            return Decision(AttemptOutcome.PROPOSED, because)
        case Finding.REGRESSION_SAFE:
            return Decision(AttemptOutcome.SKIPPED_DELTA, because, is_stored=False)
        case Finding.INCONCLUSIVE:
            if reason == "judge-not-usable":
                words = f"inconclusive: judge not usable ({because})"
                return Decision(AttemptOutcome.PROPOSED, words, needs_note=True, can_accept=False)
            return Decision(AttemptOutcome.PROPOSED, because, needs_note=True)
        case _:
            return Decision(AttemptOutcome.SKIPPED_GATES, because, can_accept=False)


def _points(share: float) -> str:
    """Return a difference of scores in points of 100, rounded down to tenths, so that what misses a limit says so."""
    tenths = floor(share * 1000 + _TOLERANCE * 1000)
    return f"{tenths / 10:.0f}" if tenths % 10 == 0 else f"{tenths / 10:.1f}"

"""The signal map in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from honeyguide.harnesses.evidence.signal import FeatureSignal, SignalMap

VERDICTS: Final[Mapping[str, str]] = {
    "no_runs": "This version has no finished runs yet, so nothing can be located.",
    "no_failures": "This version has no failures. A change is a chance, not a fix: say what it shall improve.",
    "underpowered": "Too few failed or passed runs to contrast them; count mechanisms, or collect more runs.",
    "actionable": "At least one feature separates failures from successes beyond chance (q <= 0.1); aim there.",
    "suggestive": "Some features lean toward failure, but none survives the correction for how many were tried.",
    "diffuse": "No feature separates failures from successes; the loss looks like content rather than plumbing.",
}


def headline_of(found: SignalMap) -> Iterator[str]:
    """Yield what a person should know first."""
    quality, loss = found.details["quality"], found.details["loss"]
    if quality["runs"]:
        low, high = quality["success_rate_ci"]
        yield (
            f"{quality['runs']} run{'s' if quality['runs'] != 1 else ''}: {quality['successes']} succeeded"
            f" ({quality['success_rate']:.0%}, 95% CI {low:.0%}-{high:.0%}). So many runs show a change of the success"
            f" rate of about {quality['detectable_change']:.0%} or more;"
            f" {quality['runs_per_version_for_10_points']} runs a version would show 10 points."
        )
    if loss["failed_runs"]:
        classes = ", ".join(f"{count} {name}" for name, count in loss["classes"].items())
        yield (
            f"Failures were lost to: {classes}. About {loss['addressable_share']:.0%} show a cause in the harness;"
            f" {loss['content_share']:.0%} finished and were wrong."
        )
    for signal in found.signals[:3]:
        if signal.strength != "weak":
            yield _in_words(signal)
    if found.verdict == "underpowered":
        for row in found.details["failure_features"][:2]:
            yield f"{row['feature']} is in {row['failed_runs']} of the failed runs ({row['share_of_failures']:.0%})."
    for row in found.details["mechanisms"][:2]:
        if row["failed_runs"]:
            yield (
                f"Mechanism {row['target']}: {row['events']} events in {row['runs']} runs, {row['failed_runs']} of them"
                f" failed ({row['share_of_failures']:.0%} of failures)."
            )
    yield VERDICTS[found.verdict]


def _in_words(signal: FeatureSignal) -> str:
    present = "present" if signal.direction == "risk" else "absent"
    reach = "" if signal.addressable else " (out of evolution's reach)"
    return (
        f"{signal.feature}: {signal.rate_with:.0%} of {signal.failures_with + signal.successes_with} runs with it"
        f" failed, {signal.rate_without:.0%} of {signal.failures_without + signal.successes_without} without it"
        f" (a risk when {present}; p={signal.p_value:.3g}, q={signal.q_value:.3g}, {signal.strength})."
        f" Lever: {', '.join(signal.levers)}{reach}."
    )

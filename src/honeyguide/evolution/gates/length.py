"""Gates on how long a text is: not blank, within the target's cap, not much longer than before.

Lengths are UTF-16 code units, as the first seed counts: one for most characters, two for an emoji.
"""

from __future__ import annotations

from typing import Any

from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores, failed, passed
from honeyguide.prompts.limits import sizes


def non_empty(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    if text.candidate.strip() or options.allow_empty:
        return passed("non-empty", "The text is not blank.")
    return failed("non-empty", "The text is blank.")


def size(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """The cap is inclusive."""
    length, most = units(text.candidate), options.size_limit(text.kind)
    if most is None:
        return passed("size", f"{length} characters; this kind has no cap of its own.", current=length, max=None)
    if length <= most:
        return passed("size", f"{length} of at most {most} characters.", current=length, max=most)
    return failed("size", f"{length} characters, but at most {most} are allowed.", current=length, max=most)


def growth(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """The cap is inclusive; a text that got no longer passes, and so does any after an empty baseline."""
    before, after, most = units(text.baseline), units(text.candidate), options.max_growth_ratio
    if after <= before or before == 0:
        return passed("growth", "Not longer than before.", baseline=before, candidate=after, max=most)
    ratio = (after - before) / before
    numbers: dict[str, Any] = {"baseline": before, "candidate": after, "ratio": ratio, "max": most}
    if ratio > most:
        return failed("growth", f"{ratio:.1%} longer than before, but at most {most:.0%} are allowed.", **numbers)
    return passed("growth", f"{ratio:.1%} longer than before, of at most {most:.0%}.", **numbers)


def longest_allowed_growth(baseline: str, options: GateOptions) -> int | None:
    """Return the greatest length that passes ``growth``; ``None`` after an empty baseline."""
    before = units(baseline)
    if before == 0:
        return None
    most = before + int(before * options.max_growth_ratio)
    while (most + 1 - before) / before <= options.max_growth_ratio:
        most += 1
    while most > before and (most - before) / before > options.max_growth_ratio:
        most -= 1
    return most


def units(text: str) -> int:
    """Return the length of ``text`` in UTF-16 code units."""
    return sizes(text).code_units

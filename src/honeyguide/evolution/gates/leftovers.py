"""The seed's gates on what a writer leaves behind: open fences, placeholders, notes to oneself.

They are kept exactly as the first seed has them, gaps included; ``gates.marks`` closes the gaps.
"""

from __future__ import annotations

import re

from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores, failed, passed

FENCE = "```"
_PLACEHOLDERS = (
    re.compile(r"\[(?:PLACEHOLDER|TODO|FIXME|INSERT|XXX|YOUR[\s_][A-Za-z\s_]+)\]", re.IGNORECASE),
    re.compile(r"<(?:placeholder|todo|your[-_\s][A-Za-z\s_-]+)>", re.IGNORECASE),
    re.compile(r"\{\{[A-Za-z_][\w.]*\}\}"),
)
_TODO = re.compile(r"^\s*(?:TODO|FIXME|XXX)\s*:", re.IGNORECASE | re.MULTILINE)


def balanced_fences(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    count = text.candidate.count(FENCE)
    if count % 2 == 0:
        return passed("balanced-fences", f"{count} code fences, all closed.", count=count)
    start = text.candidate.rfind(FENCE)
    return failed(
        "balanced-fences", f"{count} code fences: one is not closed.", where=(start, start + len(FENCE)), count=count
    )


def no_placeholders(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """What the baseline itself contains is a variable of the target, not a leftover."""
    for pattern in _PLACEHOLDERS:
        for found in pattern.finditer(text.candidate):
            if found[0] not in text.baseline:
                return failed(
                    "no-placeholders", f"The placeholder {found[0]} was left in.", where=found.span(), found=found[0]
                )
    return passed("no-placeholders", "No placeholders that were not there before.")


def no_todos(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    found = _TODO.search(text.candidate)
    if found is None:
        return passed("no-todos", "No notes to oneself.")
    piece = found[0].strip()
    return failed("no-todos", f"The note {piece!r} was left in.", where=found.span(), found=piece)

"""Gates on what does not belong in a finished prompt: unfilled slots, notes, a model's reasoning, chat, our own marks.

What the baseline has too is part of the prompt.
"""

from __future__ import annotations

import re

from honeyguide.evolution.gates.results import Gate, GateInput, GateOptions, GateResult, GateScores, failed, passed
from honeyguide.prompts.leftovers import LeftoverKind, added

_REQUEST_MARKS = re.compile(
    r"</?new_prompt>|<\|[a-z_]{2,30}\|>|^\[\[/?[A-Z][A-Z0-9 _-]* [0-9a-f]{8}\]\]$", re.IGNORECASE | re.MULTILINE
)
_OMISSION = re.compile(
    r"\b(?:rest|remainder|remaining) (?:of (?:the )?)?(?:prompt|text|rules|sections?|instructions?)\b[^.\n]{0,30}"
    r"\b(?:unchanged|as before|stays? the same)\b",
    re.IGNORECASE,
)


def without_marks(gate: str, kinds: frozenset[LeftoverKind], otherwise: str) -> Gate:
    """Return a gate that refuses marks of ``kinds``."""

    def check(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
        for mark in added(text.baseline, text.candidate):
            if mark.kind in kinds:
                where = (mark.start, mark.end)
                return failed(gate, f"{mark.value!r} was left in.", where=where, found=mark.value, kind=mark.kind.value)
        return passed(gate, otherwise)

    return check


no_leftovers = without_marks(
    "leftovers", frozenset({LeftoverKind.SLOT, LeftoverKind.NOTE}), "No unfilled slots and no notes."
)
no_reasoning = without_marks("reasoning-tags", frozenset({LeftoverKind.REASONING}), "No marks of a model's reasoning.")
no_chat = without_marks("chat-phrases", frozenset({LeftoverKind.CHAT}), "No words addressed to the writer.")


def no_request_marks(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """Marks of the mutation request, of chat templates, and "the rest stays unchanged" in place of the rest."""
    for pattern in (_REQUEST_MARKS, _OMISSION):
        for found in pattern.finditer(text.candidate):
            if found[0] not in text.baseline:
                return failed("request-marks", f"{found[0]!r} was left in.", where=found.span(), found=found[0])
    return passed("request-marks", "Nothing of the request that made it.")

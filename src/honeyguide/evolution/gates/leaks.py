"""Gates on what must not get into a prompt: secrets, and the very cases that the search learnt from."""

from __future__ import annotations

from honeyguide.evals.memorisation import memorised_spans
from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores, failed, passed
from honeyguide.traces.redaction import scan


def no_secrets(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """The reason names the kind and the place, never the secret."""
    hits = [hit for hit in scan(text.candidate) if text.candidate[hit.start : hit.end] not in text.baseline]
    if hits:
        first = hits[0]
        return failed(
            "secrets", f"It holds a secret ({first.kind}).", where=(first.start, first.end),
            kinds=sorted({hit.kind for hit in hits}),
        )  # fmt: skip
    return passed("secrets", "No secrets that were not there before.")


def no_memorised_cases(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """Refused unless a person allowed it, which stays on record in the result."""
    spans = memorised_spans(text.candidate, text.baseline, text.training)
    if not spans:
        return passed("memorised", "It holds nothing of the cases that the search saw.")
    found = [{"kind": s.kind.value, "text": s.text, "start": s.start, "end": s.end} for s in spans]
    if options.allow_memorised:
        return passed("memorised", "It holds pieces of cases that the search saw; a person allowed it.", spans=found)
    first = spans[0]
    return failed(
        "memorised", f"It copies from a case that the search saw: {first.text[:80]!r}.",
        where=(first.start, first.end), spans=found,
    )  # fmt: skip

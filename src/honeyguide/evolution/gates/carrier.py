"""The gate of the program that loads the file: its own limits on the text."""

from __future__ import annotations

from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores, failed, passed


def carrier_limits(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    broken = [sentence for check in text.carrier_checks for sentence in check(text.candidate)]
    if broken:
        return failed("carrier", broken[0], broken=broken)
    return passed("carrier", "The program that loads it can read it whole.", checks=len(text.carrier_checks))

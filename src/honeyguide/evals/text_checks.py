"""The check kinds that look at an output as text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

import regex
from rapidfuzz.distance import Indel

from honeyguide.evals.checks import CheckFinding, CheckStatus
from honeyguide.kernel.errors import InvalidInput
from honeyguide.kernel.matching import Match, search

SHOWN = 60
"""How many characters of a text a reason quotes."""


def contains(value: Any, output: str) -> CheckFinding:
    """Value: a text, or ``{"text", "ignore_case"}``."""
    text, found = _find(value, output, "contains")
    return CheckFinding.of(
        found, f"The answer contains {quote(text)}." if found else f"The answer lacks {quote(text)}."
    )


def contains_not(value: Any, output: str) -> CheckFinding:
    """Value: a text, or ``{"text", "ignore_case"}``."""
    text, found = _find(value, output, "not-contains")
    verb = "contains" if found else "does not contain"
    return CheckFinding.of(not found, f"The answer {verb} {quote(text)}{', which it must not' if found else ''}.")


def matches(value: Any, output: str) -> CheckFinding:
    """Value: a pattern, or ``{"pattern", "flags"}`` with flags out of ``i``, ``m``, ``s``."""
    pattern, found = _search(value, output, "regex")
    if found is Match.INCONCLUSIVE:
        return _timed_out(pattern)
    ok = found is Match.FOUND
    return CheckFinding.of(ok, f"The answer {'matches' if ok else 'does not match'} the pattern {quote(pattern)}.")


def matches_not(value: Any, output: str) -> CheckFinding:
    """Value: as for ``regex``."""
    pattern, found = _search(value, output, "not-regex")
    if found is Match.INCONCLUSIVE:
        return _timed_out(pattern)
    ok = found is Match.ABSENT
    tail = "" if ok else ", which it must not"
    return CheckFinding.of(
        ok, f"The answer {'does not match' if ok else 'matches'} the pattern {quote(pattern)}{tail}."
    )


def equals(value: Any, output: str) -> CheckFinding:
    """Value: a text; white space around either side does not count. Or ``{"text", "ignore_case"}``."""
    text, ignore_case = _text_and_case(value, "equals")
    same = _fold(text.strip(), ignore_case) == _fold(output.strip(), ignore_case)
    return CheckFinding.of(
        same, f"The answer is {quote(text)}." if same else f"The answer is {quote(output)}, not {quote(text)}."
    )


def length(value: Any, output: str) -> CheckFinding:
    """Value: the highest number of characters, or ``{"min", "max"}``."""
    return _within(value, len(output), "characters", "length")


def line_count(value: Any, output: str) -> CheckFinding:
    """Value: the highest number of lines, or ``{"min", "max"}``; a final line end begins no new line."""
    return _within(value, len(output.splitlines()), "lines", "line-count")


def similarity(value: Any, output: str) -> CheckFinding:
    """Value: ``{"to": text, "min": 0 to 1}``; normalised InDel similarity of the two texts (NFC, outer space cut)."""
    if not isinstance(value, Mapping) or not isinstance(value.get("to"), str):
        raise InvalidInput('A similarity check needs {"to": text, "min": number from 0 to 1}.')
    least = number(value.get("min", 0.8), "similarity", "min")
    if not 0.0 <= least <= 1.0:
        raise InvalidInput(f"A similarity of {least} cannot be asked for; use 0 to 1.")
    got = Indel.normalized_similarity(_normal(value["to"]), _normal(output))
    return CheckFinding.of(got >= least, f"The answer is {got:.2f} alike; at least {least:.2f} is asked for.")


def quote(text: str) -> str:
    """Return ``text`` in quotes, shortened to what a reason can carry."""
    line = " ".join(text.split())
    return f"“{line[:SHOWN]}…”" if len(line) > SHOWN else f"“{line}”"


def number(value: Any, kind: str, key: str) -> float:
    """Return ``value`` as a finite number. Raises InvalidInput."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        raise InvalidInput(f"{key!r} of a {kind} check must be a number, not {value!r}.")
    return float(value)


def search_pattern(value: Any, output: str, kind: str) -> Match:
    """Return what came of searching ``output`` for a pattern value, within the kernel's time limit."""
    return _search(value, output, kind)[1]


def _find(value: Any, output: str, kind: str) -> tuple[str, bool]:
    text, ignore_case = _text_and_case(value, kind)
    return text, _fold(text, ignore_case) in _fold(output, ignore_case)


def _text_and_case(value: Any, kind: str) -> tuple[str, bool]:
    if isinstance(value, str):
        text, ignore_case = value, False
    elif isinstance(value, Mapping) and isinstance(value.get("text"), str):
        text, ignore_case = value["text"], value.get("ignore_case") is True
    else:
        raise InvalidInput(f'A {kind} check needs a text, or {{"text", "ignore_case"}}.')
    if not text and kind != "equals":
        raise InvalidInput(f"A {kind} check needs a text that is not empty.")
    return text, ignore_case


def _search(value: Any, output: str, kind: str) -> tuple[str, Match]:
    flags = 0
    if isinstance(value, str):
        pattern = value
    elif isinstance(value, Mapping) and isinstance(value.get("pattern"), str):
        pattern = value["pattern"]
        for letter in str(value.get("flags", "")):
            if letter not in "ims":
                raise InvalidInput(f"A {kind} check knows the flags i, m and s, not {letter!r}.")
            flags |= {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}[letter]
    else:
        raise InvalidInput(f'A {kind} check needs a pattern, or {{"pattern", "flags"}}.')
    return pattern, search(pattern, output, flags=flags)


def _timed_out(pattern: str) -> CheckFinding:
    return CheckFinding(CheckStatus.INCONCLUSIVE, f"The pattern {quote(pattern)} took too long, so nobody can say.")


def _within(value: Any, got: int, unit: str, kind: str) -> CheckFinding:
    bounds = value if isinstance(value, Mapping) else {"max": value}
    if not set(bounds) & {"min", "max"} or set(bounds) - {"min", "max"}:
        raise InvalidInput(f'A {kind} check needs a highest number, or {{"min", "max"}}.')
    low = number(bounds["min"], kind, "min") if bounds.get("min") is not None else 0.0
    high = number(bounds["max"], kind, "max") if bounds.get("max") is not None else None
    if high is not None and low > high:
        raise InvalidInput(f"A {kind} check cannot ask for at least {low:g} and at most {high:g} {unit}.")
    if got < low:
        return CheckFinding.of(False, f"The answer has {got} {unit}; at least {low:g} are asked for.")
    if high is not None and got > high:
        return CheckFinding.of(False, f"The answer has {got} {unit}; at most {high:g} are allowed.")
    return CheckFinding.of(True, f"The answer has {got} {unit}.")


def _fold(text: str, ignore_case: bool) -> str:
    composed = unicodedata.normalize("NFC", text)
    return composed.casefold() if ignore_case else composed


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())

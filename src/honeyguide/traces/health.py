"""What a reader could not use, by name and line, so that nothing is lost silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

LINES_KEPT = 50
"""Line numbers kept per problem; the count goes on beyond it."""

BROKEN_JSON = "broken-json"
NOT_AN_OBJECT = "not-an-object"
BLANK_LINE = "blank-line"
NUL_BYTES = "nul-bytes"
OVER_LONG = "over-long"
TORN_LAST_LINE = "torn-last-line"
LONE_SURROGATES = "lone-surrogates"
NOT_UTF8 = "not-utf8"
UNKNOWN_TYPE = "unknown-type"
MALFORMED = "malformed"
NO_INPUT = "no-input"
NO_TEXT = "no-text"
DUPLICATE = "duplicate"
MISSING_PARENT = "missing-parent"
BROKEN_CHAIN = "broken-chain"


@dataclass(slots=True)
class Problem:
    """One kind of trouble in one file: how often, and the first ``LINES_KEPT`` lines (from 1) that show it."""

    name: str
    count: int = 0
    lines: list[int] = field(default_factory=list)
    example: str = ""

    def to_json(self) -> dict[str, object]:
        """Return ``{"problem", "lines", "count"}`` and, where one is known, ``"example"``."""
        data: dict[str, object] = {"problem": self.name, "lines": list(self.lines), "count": self.count}
        if self.example:
            data["example"] = self.example
        return data


class HealthReport:
    """Collects the problems of one file while it is read. Plain data inside, so it crosses process borders."""

    def __init__(self) -> None:
        self._problems: dict[str, Problem] = {}

    def note(self, problem: str, line: int | None = None, *, example: str = "", count: int = 1) -> None:
        """Count ``problem``; ``line`` is the line number from 1; ``example`` is a type name, never a person's text."""
        entry = self._problems.setdefault(problem, Problem(problem))
        entry.count += count
        if line is not None and len(entry.lines) < LINES_KEPT:
            entry.lines.append(line)
        if example and not entry.example:
            entry.example = example[:80]

    def merge(self, other: HealthReport) -> None:
        """Add the problems of ``other``, e.g. of another part of the same archive."""
        for problem in other:
            entry = self._problems.setdefault(problem.name, Problem(problem.name))
            entry.count += problem.count
            entry.lines.extend(problem.lines[: LINES_KEPT - len(entry.lines)])
            entry.example = entry.example or problem.example

    def count(self, problem: str) -> int:
        """Return how often ``problem`` was noted."""
        return self._problems[problem].count if problem in self._problems else 0

    def lines(self, problem: str) -> tuple[int, ...]:
        """Return the first lines on which ``problem`` was noted."""
        return tuple(self._problems[problem].lines) if problem in self._problems else ()

    def counts(self) -> Mapping[str, int]:
        """Return problem name to count."""
        return {name: entry.count for name, entry in self._problems.items()}

    def to_json(self) -> list[dict[str, object]]:
        """Return the list that ``traces import --json`` prints under ``health``, sorted by name."""
        return [self._problems[name].to_json() for name in sorted(self._problems)]

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems.values())

    def __bool__(self) -> bool:
        return bool(self._problems)

"""The changes between two texts as numbered hunks, and the text that any choice of them makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from honeyguide.kernel.errors import InvalidInput
from honeyguide.versions.diff.lines import Comparison, compare


@dataclass(frozen=True, slots=True)
class Hunk:
    """One run of changed lines.

    Attributes:
        n: its number, from 1, in reading order; the same two texts always give the same numbers.
        before, after: the old and the new lines with their line ends; one of the two may be empty.
        before_start, after_start: number of the first line on each side, from 1; where a side is empty, the line
            before which the other side's lines stand.
    """

    n: int
    before: str
    after: str
    before_start: int
    after_start: int

    def to_json(self) -> dict[str, object]:
        """Return the hunk as it is printed by every ``diff --json``."""
        return {
            "n": self.n,
            "before": self.before,
            "after": self.after,
            "before_start": self.before_start,
            "after_start": self.after_start,
        }


def hunks_of(comparison: Comparison) -> tuple[Hunk, ...]:
    """Return the hunks of a comparison."""
    return tuple(
        Hunk(
            n,
            "".join(comparison.before[c.before_start : c.before_end]),
            "".join(comparison.after[c.after_start : c.after_end]),
            c.before_start + 1,
            c.after_start + 1,
        )
        for n, c in enumerate(comparison.changes, start=1)
    )


def apply_hunks(comparison: Comparison, numbers: Iterable[int]) -> str:
    """Return the old text with only the hunks in ``numbers`` applied: none gives the old text, all the new one.

    Raises:
        InvalidInput: a number that no hunk has, or a comparison that ignores blanks.
    """
    if comparison.ignores_blanks:
        raise InvalidInput("Changes can only be applied from a comparison of every character.")
    wanted = set(numbers)
    unknown = sorted(wanted - set(range(1, len(comparison.changes) + 1)))
    if unknown:
        raise InvalidInput(
            f"There is no change number {unknown[0]}.",
            hint=f"The changes are numbered 1 to {len(comparison.changes)}."
            if comparison.changes
            else "The two texts do not differ.",
        )
    parts: list[str] = []
    at = 0
    for n, change in enumerate(comparison.changes, start=1):
        parts.extend(comparison.before[at : change.before_start])
        if n in wanted:
            parts.extend(comparison.after[change.after_start : change.after_end])
        else:
            parts.extend(comparison.before[change.before_start : change.before_end])
        at = change.before_end
    parts.extend(comparison.before[at:])
    return "".join(parts)


def parse_hunk_numbers(text: str) -> tuple[int, ...]:
    """Read ``1,3`` or ``1,4-6`` into sorted numbers, each once. Raises InvalidInput for anything else."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isascii() and first.isdigit()) or (dash and not (last.isascii() and last.isdigit())):
            raise InvalidInput(f"{text[:80]!r} is not a list of change numbers.", hint="Write them like 1,3 or 2-4.")
        low, high = int(first), int(last) if dash else int(first)
        if low < 1 or high < low or high > 1_000_000:
            raise InvalidInput(f"{part.strip()!r} is not a range of change numbers.", hint="Write it like 2-4.")
        numbers.update(range(low, high + 1))
    return tuple(sorted(numbers))


def diff_json(before: str, after: str) -> dict[str, object]:
    """Return the body of every ``diff --json``: both texts and the numbered hunks between them."""
    return {"before": before, "after": after, "hunks": [h.to_json() for h in hunks_of(compare(before, after))]}

"""Merge two changes of one text: what does not touch merges by itself, the rest is the person's to decide.

The classic three-way merge (diff3; Khanna, Kunal, Pierce 2007), with one stricter rule: changes that stand directly
beside each other are a conflict too, because a prompt's neighbouring lines are usually one thought.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from honeyguide.kernel.errors import Conflict, InvalidInput
from honeyguide.versions.diff.align import Change
from honeyguide.versions.diff.limits import DEFAULT_LIMITS, Cancelled, Limits, never
from honeyguide.versions.diff.lines import compare


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """A place where both changed the same lines differently.

    Attributes:
        n: its number, from 1.
        base, theirs, candidate: the three wordings, with line ends; any may be empty.
        base_start: number of the first base line it covers, from 1.
    """

    n: int
    base: str
    theirs: str
    candidate: str
    base_start: int

    def to_json(self) -> dict[str, object]:
        """Return the conflict as plain data."""
        return {
            "n": self.n,
            "base": self.base,
            "theirs": self.theirs,
            "candidate": self.candidate,
            "base_start": self.base_start,
        }


@dataclass(frozen=True, slots=True)
class Merge:
    """The result: pieces of settled text and conflicts, in order.

    Attributes:
        parts: settled text (``str``) and conflicts, in reading order.
    """

    parts: tuple[str | MergeConflict, ...]

    @property
    def conflicts(self) -> tuple[MergeConflict, ...]:
        """The places a person has to decide."""
        return tuple(part for part in self.parts if isinstance(part, MergeConflict))

    @property
    def is_clean(self) -> bool:
        """Whether nothing is left to decide."""
        return not self.conflicts

    def text(self, decisions: Mapping[int, str] | None = None) -> str:
        """Return the merged text.

        Args:
            decisions: for each conflict's number the text that shall stand there.

        Raises:
            Conflict: a conflict is undecided.
            InvalidInput: a decision for a conflict that does not exist.
        """
        chosen = dict(decisions or {})
        conflicts = self.conflicts
        unknown = sorted(set(chosen) - {c.n for c in conflicts})
        if unknown:
            raise InvalidInput(f"There is no conflict number {unknown[0]}.")
        undecided = [c.n for c in conflicts if c.n not in chosen]
        if undecided:
            raise Conflict(
                f"{len(undecided)} of {len(conflicts)} overlapping changes are not decided yet.",
                hint="Choose a wording for each of them.",
                details={"conflicts": undecided},
            )
        return "".join(part if isinstance(part, str) else chosen[part.n] for part in self.parts)


def merge(
    base: str, theirs: str, candidate: str, *, limits: Limits = DEFAULT_LIMITS, cancelled: Cancelled = never
) -> Merge:
    """Merge what ``theirs`` and ``candidate`` each changed in ``base``.

    Raises:
        Interrupted: ``cancelled`` said so.
    """
    mine = compare(base, candidate, limits=limits, cancelled=cancelled)
    other = compare(base, theirs, limits=limits, cancelled=cancelled)
    parts: list[str | MergeConflict] = []
    settled: list[str] = []
    at = number = 0
    for left, right in _groups(other.changes, mine.changes):
        start = min(c.before_start for c in left + right)
        end = max(c.before_end for c in left + right)
        settled.extend(mine.before[at:start])
        at = end
        old = "".join(mine.before[start:end])
        theirs_text = _rewritten(left, start, end, mine.before, other.after)
        candidate_text = _rewritten(right, start, end, mine.before, mine.after)
        if not left or theirs_text == candidate_text:
            settled.append(candidate_text)
        elif not right:
            settled.append(theirs_text)
        else:
            number += 1
            if settled:
                parts.append("".join(settled))
                settled = []
            parts.append(MergeConflict(number, old, theirs_text, candidate_text, start + 1))
    settled.extend(mine.before[at:])
    if settled:
        parts.append("".join(settled))
    return Merge(tuple(parts))


def _groups(theirs: tuple[Change, ...], candidate: tuple[Change, ...]) -> list[tuple[list[Change], list[Change]]]:
    """Put changes of the two sides that touch or overlap in the base together, in order."""
    tagged = sorted(
        [(c.before_start, c.before_end, 0, c) for c in theirs]
        + [(c.before_start, c.before_end, 1, c) for c in candidate]
    )
    groups: list[tuple[list[Change], list[Change]]] = []
    end = -1
    for start, stop, side, change in tagged:
        if start > end:
            groups.append(([], []))
        groups[-1][side].append(change)
        end = max(end, stop) if start <= end else stop
    return groups


def _rewritten(changes: list[Change], start: int, end: int, base: tuple[str, ...], changed: tuple[str, ...]) -> str:
    """Return what one side makes of ``base[start:end]``."""
    parts: list[str] = []
    at = start
    for change in changes:
        parts.extend(base[at : change.before_start])
        parts.extend(changed[change.after_start : change.after_end])
        at = change.before_end
    parts.extend(base[at:end])
    return "".join(parts)

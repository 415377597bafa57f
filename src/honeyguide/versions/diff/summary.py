"""Say in one sentence what a change does to a prompt; every count in it can be checked against the diff.

A text is read as units: a list item is a rule, a ``#`` line a heading, a table row a row, everything else sentences.
Inside each hunk, old and new units that are alike are one reworded unit; the rest was dropped or added. A unit that
went away in one hunk and came back word for word in another was moved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from honeyguide.versions.diff.limits import Cancelled, Work, never
from honeyguide.versions.diff.lines import Comparison
from honeyguide.versions.diff.pairs import pair_lines, similarity

_KINDS = ("heading", "rule", "row", "sentence")
_PLURALS = {"heading": "headings", "rule": "rules", "row": "table rows", "sentence": "sentences"}
_SINGULARS = {"heading": "heading", "rule": "rule", "row": "table row", "sentence": "sentence"}
_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_SENTENCE = re.compile(r"\S(?:.*?[.!?…](?=[\"'”’)\]*_`]*\s)|.*?[。！？]|.*$)[\"'”’)\]*_`]*", re.DOTALL)
_RULE = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+(?=\S)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?=\S)")


class Unit(NamedTuple):
    """A piece of prompt that a person would count: its kind and its words with single blanks."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What a change does, counted.

    Attributes:
        added, dropped, reworded, moved: number of units by kind (``heading``, ``rule``, ``row``, ``sentence``).
        before_chars, after_chars: length of both texts in characters (code points).
        hunks: number of changed places.
    """

    added: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    reworded: dict[str, int] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    before_chars: int = 0
    after_chars: int = 0
    hunks: int = 0

    @property
    def growth(self) -> float:
        """Change of length as a share of the old length; 0.12 means 12 % longer. 0 for an empty old text."""
        return self.after_chars / self.before_chars - 1.0 if self.before_chars else 0.0

    def sentence(self) -> str:
        """Return the one English sentence, e.g. ``Adds one rule and drops two sentences; 12 % shorter.``"""
        if not self.hunks:
            return "Changes nothing."
        parts = [
            _count_phrase(verb, counts)
            for verb, counts in (
                ("adds", self.added),
                ("drops", self.dropped),
                ("rewords", self.reworded),
                ("moves", self.moved),
            )
            if counts
        ]
        said = _listed(parts) if parts else "changes only blanks and line ends"
        return f"{said[0].upper()}{said[1:]}; {self._length_phrase()}."

    def to_json(self) -> dict[str, object]:
        """Return the counts and the sentence as plain data."""
        return {
            "sentence": self.sentence(),
            "added": self.added,
            "dropped": self.dropped,
            "reworded": self.reworded,
            "moved": self.moved,
            "before_chars": self.before_chars,
            "after_chars": self.after_chars,
            "hunks": self.hunks,
        }

    def _length_phrase(self) -> str:
        if self.before_chars == self.after_chars:
            return "same length"
        direction = "longer" if self.after_chars > self.before_chars else "shorter"
        percent = round(abs(self.growth) * 100)
        if percent >= 1:
            return f"{percent} % {direction}"
        difference = abs(self.after_chars - self.before_chars)
        return f"{difference} character{'' if difference == 1 else 's'} {direction}"


def summarise(comparison: Comparison, *, cancelled: Cancelled = never) -> Summary:
    """Count what changed between the two texts of ``comparison``.

    Raises:
        Interrupted: ``cancelled`` said so.
    """
    work = Work(comparison.limits, cancelled)
    gone: list[Unit] = []
    new: list[Unit] = []
    reworded: Counter[str] = Counter()
    for change in comparison.changes:
        work.check()
        old_units = units_of("".join(comparison.before[change.before_start : change.before_end]))
        new_units = units_of("".join(comparison.after[change.after_start : change.after_end]))
        kept = Counter(old_units) & Counter(new_units)
        old_units, new_units = _without(old_units, kept), _without(new_units, kept)
        pairs = [
            (i, j)
            for i, j in pair_lines([unit.words for unit in old_units], [unit.words for unit in new_units], work)
            if similarity(old_units[i].words, new_units[j].words, work.limits.min_similarity)
        ]
        reworded.update(new_units[j].kind for _, j in pairs)
        paired_old, paired_new = {i for i, _ in pairs}, {j for _, j in pairs}
        gone += [unit for i, unit in enumerate(old_units) if i not in paired_old]
        new += [unit for j, unit in enumerate(new_units) if j not in paired_new]
    moved = Counter(gone) & Counter(new)
    return Summary(
        added=_by_kind(unit.kind for unit in _without(new, moved)),
        dropped=_by_kind(unit.kind for unit in _without(gone, moved)),
        reworded=_by_kind(reworded.elements()),
        moved=_by_kind(unit.kind for unit in moved.elements()),
        before_chars=sum(map(len, comparison.before)),
        after_chars=sum(map(len, comparison.after)),
        hunks=len(comparison.changes),
    )


def units_of(text: str) -> list[Unit]:
    """Return the countable pieces of ``text`` in reading order; lines of one paragraph flow together."""
    units: list[Unit] = []
    paragraph: list[str] = []
    for line in text.splitlines():
        marker = _HEADING.match(line) or _RULE.match(line)
        if marker or not line.strip() or line.lstrip().startswith("|"):
            units += _sentences(paragraph)
            paragraph = []
        if marker:
            kind = "heading" if line.lstrip().startswith("#") else "rule"
            units.append(Unit(kind, " ".join(line[marker.end() :].split())))
        elif line.lstrip().startswith("|"):
            units.append(Unit("row", " ".join(line.split())))
        elif line.strip():
            paragraph.append(line)
    return units + _sentences(paragraph)


def _sentences(lines: list[str]) -> list[Unit]:
    flowing = " ".join(" ".join(lines).split())
    return [Unit("sentence", found) for found in _SENTENCE.findall(flowing)]


def _without(units: list[Unit], taken: Counter[Unit]) -> list[Unit]:
    left = Counter(taken)
    rest: list[Unit] = []
    for unit in units:
        if left[unit] > 0:
            left[unit] -= 1
        else:
            rest.append(unit)
    return rest


def _by_kind(kinds: Iterable[str]) -> dict[str, int]:
    counts = Counter(kinds)
    return {kind: counts[kind] for kind in _KINDS if counts[kind]}


def _count_phrase(verb: str, counts: dict[str, int]) -> str:
    things = [
        f"{_NUMBERS[n] if n < len(_NUMBERS) else n} {_SINGULARS[kind] if n == 1 else _PLURALS[kind]}"
        for kind, n in counts.items()
    ]
    return f"{verb} {_listed(things)}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

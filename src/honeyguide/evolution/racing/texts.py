"""The text of a combination of edits, and the parts that a text falls into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from honeyguide.evolution.racing.edits import Split
from honeyguide.evolution.racing.pieces import joined, pieces
from honeyguide.evolution.racing.switches import Switch


@dataclass(frozen=True, slots=True)
class TextParts:
    """How a text falls into parts that are reflected on one at a time: the files of a target with several texts.

    ``join(split(text))`` is ``text``.
    """

    split: Callable[[str], tuple[str, ...]] = lambda text: (text,)
    join: Callable[[Sequence[str]], str] = "".join


Pieces = tuple[tuple[tuple[str, ...], frozenset[str]], ...]
"""The pieces of each part, in order, and which there are."""


@dataclass(slots=True)
class Texts:
    """Makes texts of the edits in play: first those that are kept, then those on trial, each in their order.

    Attributes:
        parts: the present text, on which all edits are made.
    """

    parts: tuple[str, ...]
    _kept: list[Switch] = field(default_factory=list)
    _trials: list[Switch] = field(default_factory=list)
    _kept_mask: int = 0
    _steps: list[Pieces] = field(default_factory=list)
    _bases: dict[int, Pieces] = field(default_factory=dict)
    _known: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def follow(self, kept: Sequence[Switch], trials: Sequence[Switch]) -> None:
        """Say which edits are in play from now on."""
        ordered = sorted(kept, key=lambda switch: switch.number)
        if ordered != self._kept:
            self._kept = ordered
            self._kept_mask = sum(switch.bit for switch in kept)
            self._steps.clear()
            self._bases.clear()
        self._trials = sorted(trials, key=lambda switch: switch.number)
        self._known.clear()

    def of(self, mask: int) -> tuple[str, ...]:
        """Return the parts with the edits of ``mask`` made; only edits in play count."""
        known = self._known.get(mask)
        if known is None:
            split = [Split(*part) for part in self._base(mask & self._kept_mask)]
            for switch in self._trials:
                if mask & switch.bit:
                    split[switch.edit.part].make(switch.edit)
            known = self._known[mask] = tuple([joined(part.pieces) for part in split])
        return known

    def _base(self, mask: int) -> Pieces:
        """Return the pieces of the parts with the kept edits of ``mask`` made."""
        base = self._bases.get(mask)
        if base is None:
            steps, kept = self._all_steps(), self._kept
            same = next((i for i, switch in enumerate(kept) if not mask & switch.bit), len(kept))
            split = [Split(*part) for part in steps[same]]
            for switch in kept[same + 1 :]:
                if mask & switch.bit:
                    split[switch.edit.part].make(switch.edit)
            base = self._bases[mask] = _as_pieces(split)
        return base

    def _all_steps(self) -> list[Pieces]:
        """The pieces with none of the kept edits made, with the first one, and so on."""
        if not self._steps:
            split = [Split(pieces(part)) for part in self.parts]
            self._steps.append(_as_pieces(split))
            for switch in self._kept:
                split[switch.edit.part].make(switch.edit)
                self._steps.append(_as_pieces(split))
        return self._steps


def _as_pieces(split: Sequence[Split]) -> Pieces:
    return tuple((tuple(part.pieces), frozenset(part.pieces)) for part in split)

"""The columns of a table, and which of them a person wants to see, in which order and how wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        id: stable name, kept in settings and exports.
        title: what the header says. ``tip``: its tooltip.
        characters: how wide it starts, in average characters.
        right: numbers, aligned to the right.
        shown: whether it stands there before a person chooses.
        stretch: takes the room that is left.
        fixed: cannot be hidden.
    """

    id: str
    title: str
    characters: int = 14
    tip: str = ""
    right: bool = False
    shown: bool = True
    stretch: bool = False
    sortable: bool = True
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class ColumnState:
    """What a person made of a table's columns; plain data for the settings.

    Attributes:
        order: column ids from left to right.
        hidden: ids that are not shown.
        widths: pixels by id.
        sort: the id that is sorted by, and whether descending; ``None`` for the natural order.
        locked: whether the header lets nobody move or size a column by accident.
    """

    order: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    widths: Mapping[str, int] = field(default_factory=dict)
    sort: tuple[str, bool] | None = None
    locked: bool = False

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Self:
        """Return the state before anybody chose."""
        return cls(tuple(c.id for c in columns), frozenset(c.id for c in columns if not c.shown))

    def fitted(self, columns: Sequence[Column]) -> ColumnState:
        """Return the state for ``columns``: unknown ids are dropped, new columns stand at the end as they like."""
        known = {column.id: column for column in columns}
        order = tuple(dict.fromkeys(i for i in self.order if i in known))
        new = tuple(column for column in columns if column.id not in order)
        hidden = {i for i in self.hidden if i in known and not known[i].fixed} | {c.id for c in new if not c.shown}
        return replace(
            self,
            order=order + tuple(c.id for c in new),
            hidden=frozenset(hidden),
            widths={i: w for i, w in self.widths.items() if i in known and w > 0},
            sort=self.sort if self.sort and self.sort[0] in known else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "order": list(self.order),
            "hidden": sorted(self.hidden),
            "widths": dict(self.widths),
            "sort": list(self.sort) if self.sort else None,
            "locked": self.locked,
        }

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read plain data; what cannot be read counts as not chosen."""
        if not isinstance(data, Mapping):
            return cls()
        order, hidden, widths, sort = (data.get(key) for key in ("order", "hidden", "widths", "sort"))
        return cls(
            tuple(i for i in order if isinstance(i, str)) if isinstance(order, list) else (),
            frozenset(i for i in hidden if isinstance(i, str)) if isinstance(hidden, list) else frozenset(),
            {k: v for k, v in widths.items() if isinstance(k, str) and isinstance(v, int) and not isinstance(v, bool)}
            if isinstance(widths, Mapping)
            else {},
            (sort[0], bool(sort[1]))
            if isinstance(sort, list) and len(sort) == 2 and isinstance(sort[0], str)
            else None,
            data.get("locked") is True,
        )

"""Room in a narrow table: the column that stretches takes it from the others, and gives it back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHeaderView

from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.theme import Metrics

LEAST_STRETCHED, LEAST_OTHER = 16, 8
"""In characters: what the column that stretches keeps in a narrow window, and what is left to each of the others."""


class ColumnRoom:
    """What was taken from the columns of one header."""

    def __init__(self, header: QHeaderView, columns: Sequence[Column]) -> None:
        self._header = header
        self._columns = columns
        self._taken_from: dict[int, int] = {}

    def usual_width(self, number: int) -> int:
        """Return how wide a column is where there is room."""
        return self._taken_from.get(number, self._header.sectionSize(number))

    def forget(self, number: int) -> None:
        """Leave a column as a person just made it."""
        self._taken_from.pop(number, None)

    def make(self) -> None:
        """Give back what was taken, then take what is missing now, from the right."""
        header = self._header
        stretched = next((n for n, c in enumerate(self._columns) if c.stretch and not header.isSectionHidden(n)), None)
        if stretched is None:
            return
        for number, width in self._taken_from.items():
            header.resizeSection(number, width)
        self._taken_from.clear()
        missing = Metrics.characters(LEAST_STRETCHED) - header.sectionSize(stretched)
        for place in reversed(range(header.count())):
            number = header.logicalIndex(place)
            width = header.sectionSize(number)
            spare = min(missing, width - Metrics.characters(LEAST_OTHER))
            if spare > 0 and number != stretched and not header.isSectionHidden(number):
                self._taken_from[number] = width
                header.resizeSection(number, width - spare)
                missing -= spare

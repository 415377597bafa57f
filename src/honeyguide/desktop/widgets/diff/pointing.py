"""What lies under the pointer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPoint

from honeyguide.desktop.theme.plain_text import hidden_signs
from honeyguide.desktop.widgets.diff.bands import Band, Folded, Head, Piece
from honeyguide.desktop.widgets.diff.content import Content
from honeyguide.desktop.widgets.diff.painter import check_box, fold_links
from honeyguide.desktop.widgets.diff.rows import Side, side_text
from honeyguide.desktop.widgets.diff.selecting import Place


@dataclass(frozen=True, slots=True)
class Target:
    """What is there: a band, in it perhaps a character, a tick box, or a step of a fold (``some``, ``all``)."""

    band: Band
    place: Place | None = None
    on_box: bool = False
    step: str = ""

    @property
    def is_link(self) -> bool:
        """Whether a press does something."""
        return self.on_box or bool(self.step) or isinstance(self.band, (Head, Folded))


def target_at(content: Content, visible: Iterable[tuple[int, int]], point: QPoint) -> Target | None:
    """Return what lies at ``point``; ``visible`` gives the bands in sight with their tops."""
    columns = content.columns
    for at, y in visible:
        laid = content.layouts.of(at)
        if not y <= point.y() < y + laid.height:
            continue
        band = content.bands[at]
        if isinstance(band, Head):
            box = check_box(columns, y, laid.height).adjusted(-6, -6, 6, 6)
            return Target(band, on_box=content.checkable and box.contains(point))
        if isinstance(band, Folded):
            look = content.fold_look(band)
            _, some, everything = fold_links(columns, y, laid.height, look, content.small_font())
            return Target(band, step="some" if some.contains(point) else "all" if everything.contains(point) else "")
        for side, text in laid.sides.items():
            left, top = columns.text_left(side), y + laid.tops[side]
            area = columns.placed(left, top, columns.text, text.height)
            if area.adjusted(-8, -3, 8, 3).contains(point):
                offset = text.place_at(point.x() - area.left(), point.y() - area.top())
                return Target(band, Place(side, band.row, offset))
        return Target(band)
    return None


def place_near(content: Content, visible: Iterable[tuple[int, int]], point: QPoint, side: Side) -> Place | None:
    """Return the character of one side nearest to ``point``, for a selection that is being drawn."""
    near: Place | None = None
    for at, y in visible:
        band = content.bands[at]
        laid = content.layouts.of(at)
        if not isinstance(band, Piece) or side not in laid.sides:
            continue
        text = laid.sides[side]
        top = y + laid.tops[side]
        area = content.columns.placed(content.columns.text_left(side), top, content.columns.text, text.height)
        inside = min(max(point.y() - top, 0), text.height - 1)
        near = Place(side, band.row, text.place_at(point.x() - area.left(), inside))
        if point.y() < y + laid.height:
            break
    return near


def said_at(content: Content, target: Target | None) -> str:
    """Return what the tooltip says: marks, and signs that cannot be seen."""
    if target is None or not isinstance(target.band, Piece):
        return ""
    said: list[str] = []
    here = target.place
    for side in Side:
        said += [
            part.mark.words
            for part in content.marks.get((target.band.row, side), ())
            if here is None or (here.side is side and part.start <= here.offset <= part.end)
        ]
    if here is not None:
        text = side_text(content.rows[target.band.row], here.side) or ""
        near = text[max(0, here.offset - 1) : here.offset + 1]
        words = QCoreApplication.translate("DiffView", "A sign that cannot be seen: {name}")
        said += [words.format(name=name) for _, name in hidden_signs(near)]
    return "\n".join(dict.fromkeys(said))

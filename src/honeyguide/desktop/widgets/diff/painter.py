"""Paints bands: tinted lines with number and sign, heads of changes with their tick box, folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen

from honeyguide.desktop.theme import Role, paint_icon, qcolor
from honeyguide.desktop.widgets.diff.band_layouts import ROW_PAD, BandLayout
from honeyguide.desktop.widgets.diff.bands import Folded, Head, Piece
from honeyguide.desktop.widgets.diff.columns import EDGE, ICON, PAD, SIGN, Columns
from honeyguide.desktop.widgets.diff.content import Content
from honeyguide.desktop.widgets.diff.finding import Finds
from honeyguide.desktop.widgets.diff.looks import FoldLook, HeadLook
from honeyguide.desktop.widgets.diff.marks import Located
from honeyguide.desktop.widgets.diff.rows import DiffRow, Side, side_line, side_text
from honeyguide.desktop.widgets.diff.selecting import Selection
from honeyguide.desktop.widgets.diff.side_text import Overlay, find_format, selection_format

BOX = 14


@dataclass(frozen=True, slots=True)
class Scene:
    """What painting needs besides the bands."""

    columns: Columns
    small: QFont
    marks: Located
    overlays: Mapping[tuple[int, Side], Sequence[Overlay]]
    left_out: frozenset[int]
    current: int | None
    has_focus: bool

    @classmethod
    def of(cls, content: Content, finds: Finds, selection: Selection, *, has_focus: bool) -> Scene:
        """Return the scene of a view as it is now."""
        overlays: dict[tuple[int, Side], list[Overlay]] = {}
        if finds.hits:
            current, other = find_format(current=True), find_format(current=False)
            for number, hit in enumerate(finds.hits):
                shape = current if number == finds.current else other
                overlays.setdefault((hit.row, hit.side), []).append((hit.start, hit.end, shape))
        selected = selection_format()
        for key, (start, end) in selection.spans(content.rows).items():
            overlays.setdefault(key, []).append((start, end, selected))
        small, left_out = content.small_font(), content.left_out()
        return cls(content.columns, small, content.marks, overlays, left_out, content.current, has_focus)


def paint_bands(
    painter: QPainter,
    clip: QRect,
    content: Content,
    visible: Iterable[tuple[int, int]],
    scene: Scene,
    hover: Folded | None,
) -> None:
    """Paint the bands in sight that touch ``clip``; ``hover`` is the fold under the pointer."""
    painter.fillRect(clip, qcolor(Role.SURFACE))
    for at, y in visible:
        band, laid = content.bands[at], content.layouts.of(at)
        if y + laid.height < clip.top() or y > clip.bottom():
            continue
        if isinstance(band, Piece):
            paint_piece(painter, y, band, content.rows[band.row], laid, scene)
        elif isinstance(band, Head):
            paint_head(painter, y, laid.height, content.head_look(band), scene)
        else:
            paint_fold(painter, y, laid.height, content.fold_look(band), scene, hovered=band == hover)


def paint_piece(painter: QPainter, y: int, piece: Piece, row: DiffRow, laid: BandLayout, scene: Scene) -> None:
    """Paint a row, or a piece of one."""
    columns = scene.columns
    left_out = row.hunk is not None and row.hunk in scene.left_out
    for side in Side:
        if columns.side_by_side:
            left, width = columns.side(side)
            area = columns.placed(left, y, width, laid.height)
        else:
            if side not in laid.sides:
                continue
            block = laid.sides[side].height + 2 * ROW_PAD
            area = columns.placed(0, y + laid.tops[side] - ROW_PAD, columns.width, block)
        _ground(painter, area, row, side, left_out)
        if side in laid.sides:
            _line(painter, y, piece, row, laid, side, scene, left_out)
    if columns.side_by_side:
        middle = columns.placed(columns.side(Side.AFTER)[0] - 1, y, 1, laid.height)
        painter.fillRect(middle, qcolor(Role.LINE))
    if row.hunk is not None and row.hunk == scene.current:
        painter.fillRect(columns.placed(0, y, EDGE, laid.height), qcolor(Role.ACCENT))


def _ground(painter: QPainter, area: QRect, row: DiffRow, side: Side, left_out: bool) -> None:
    if row.kind == "context":
        return
    if side_text(row, side) is None:
        painter.fillRect(area, qcolor(Role.SURFACE_2))
        return
    role = Role.DELETE if side is Side.BEFORE else Role.INSERT
    painter.fillRect(area, qcolor(role, 0.45 if left_out else 1.0))


def _line(
    painter: QPainter, y: int, piece: Piece, row: DiffRow, laid: BandLayout, side: Side, scene: Scene, left_out: bool
) -> None:
    columns = scene.columns
    text = laid.sides[side]
    top = y + laid.tops[side]
    first_line = min(text.height, QFontMetrics(scene.small).height() + 14)
    painter.setFont(scene.small)
    if piece.first:
        painter.setPen(qcolor(Role.TEXT_2))
        sides = (Side.BEFORE, Side.AFTER) if row.kind == "context" and not columns.side_by_side else (side,)
        for numbered in sides:
            number = side_line(row, numbered)
            if number is not None:
                at = columns.placed(columns.number_left(numbered), top, columns.number - PAD // 2, first_line)
                painter.drawText(at, int(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter), str(number))
        sign = _sign(row, side, columns.side_by_side)
        if sign:
            painter.setPen(qcolor(Role.BAD if side is Side.BEFORE else Role.GOOD))
            at = columns.placed(columns.text_left(side) - SIGN, top, SIGN, first_line)
            painter.drawText(at, int(Qt.AlignmentFlag.AlignCenter), sign)
    _mark_icons(painter, piece, text.start, columns, side, top, scene)
    painter.setPen(qcolor(Role.TEXT_2 if left_out else Role.TEXT))
    area = columns.placed(columns.text_left(side), top, columns.text, text.height)
    painter.save()
    painter.setClipRect(area.adjusted(-2, 0, columns.text // 20 + 6, 0))
    text.draw(painter, QPointF(area.left(), top), scene.overlays.get((piece.row, side), ()))
    painter.restore()


def _mark_icons(
    painter: QPainter, piece: Piece, start: int, columns: Columns, side: Side, top: int, scene: Scene
) -> None:
    end = piece.b1 if side is Side.BEFORE else piece.a1
    here = [m for m in scene.marks.get((piece.row, side), ()) if m.first and start <= m.start < max(end, start + 1)]
    if not here:
        return
    is_gate = any(m.mark.kind == "gate" for m in here)
    left = columns.side(side)[0] + EDGE + 2
    at = QRectF(columns.placed(left, top + 3, 16, 16))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_icon(painter, "warning" if is_gate else "lock", at, Role.BAD if is_gate else Role.INFO)


def _sign(row: DiffRow, side: Side, side_by_side: bool) -> str:
    if row.kind == "context":
        return ""
    if row.kind == "changed" and side_by_side:
        return "~"
    return "−" if side is Side.BEFORE else "+"


def check_box(columns: Columns, y: int, height: int) -> QRect:
    """Return where the tick box of a head stands."""
    return columns.placed(EDGE + PAD, y + (height - BOX) // 2, BOX, BOX)


def paint_head(painter: QPainter, y: int, height: int, look: HeadLook, scene: Scene) -> None:
    """Paint the head of a change."""
    columns = scene.columns
    area = columns.placed(0, y, columns.width, height)
    painter.fillRect(area, qcolor(Role.SURFACE_2))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    left = EDGE + PAD
    if look.checked is not None:
        _box(painter, check_box(columns, y, height), look.checked)
        left += BOX + PAD
    font = QFont(scene.small)
    font.setWeight(QFont.Weight.DemiBold if look.is_current else QFont.Weight.Normal)
    painter.setFont(font)
    painter.setPen(qcolor(Role.TEXT if look.is_current else Role.TEXT_2))
    metrics = QFontMetrics(font)
    width = metrics.horizontalAdvance(look.words) + 4
    flags = int(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
    painter.drawText(columns.placed(left, y, width, height), flags, look.words)
    if look.complaint:
        left += width + PAD
        paint_icon(painter, "warning", QRectF(columns.placed(left, y + (height - 14) / 2, 14, 14)), Role.BAD)
        room = columns.width - left - ICON - PAD
        painter.setPen(qcolor(Role.BAD))
        said = metrics.elidedText(look.complaint, Qt.TextElideMode.ElideRight, room)
        painter.drawText(columns.placed(left + ICON, y, room, height), flags, said)
    if look.is_current:
        painter.fillRect(columns.placed(0, y, EDGE, height), qcolor(Role.ACCENT))
        if scene.has_focus:
            painter.setPen(QPen(qcolor(Role.ACCENT_TEXT), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5))


def _box(painter: QPainter, rect: QRect, checked: bool) -> None:
    painter.setPen(QPen(qcolor(Role.FAINT), 1))
    painter.setBrush(qcolor(Role.ACCENT) if checked else qcolor(Role.RAISED))
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    if checked:
        paint_icon(painter, "check", QRectF(rect).adjusted(1, 1, -1, -1), Role.ON_ACCENT)


def fold_links(columns: Columns, y: int, height: int, look: FoldLook, small: QFont) -> tuple[QRect, QRect, QRect]:
    """Return where a fold's words and its two steps stand; an empty rectangle for a missing one."""
    metrics = QFontMetrics(small)
    left = columns.text_left(Side.BEFORE)
    widths = [metrics.horizontalAdvance(text) + 6 if text else 0 for text in (look.words, look.some, look.all)]
    rects = []
    for width in widths:
        rects.append(columns.placed(left, y, width, height) if width else QRect())
        left += width + (16 if width else 0)
    return rects[0], rects[1], rects[2]


def paint_fold(painter: QPainter, y: int, height: int, look: FoldLook, scene: Scene, *, hovered: bool) -> None:
    """Paint a fold."""
    columns = scene.columns
    middle = y + height // 2
    painter.setPen(QPen(qcolor(Role.LINE), 1, Qt.PenStyle.DotLine))
    painter.drawLine(0, middle, columns.width, middle)
    words, some, everything = fold_links(columns, y, height, look, scene.small)
    covered = words.united(some).united(everything).adjusted(-28, 2, 6, -2)
    painter.fillRect(covered, qcolor(Role.SURFACE))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    sign = QRectF(columns.placed(columns.text_left(Side.BEFORE) - SIGN - 4, middle - 7, 14, 14))
    paint_icon(painter, "unfold", sign, Role.TEXT_2)
    painter.setFont(scene.small)
    painter.setPen(qcolor(Role.TEXT_2))
    flags = int(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
    painter.drawText(words, flags, look.words)
    link = QFont(scene.small)
    link.setUnderline(hovered)
    painter.setFont(link)
    painter.setPen(qcolor(Role.ACCENT_TEXT))
    painter.drawText(some, flags, look.some)
    painter.drawText(everything, flags, look.all)

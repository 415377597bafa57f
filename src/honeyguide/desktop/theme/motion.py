"""How long a fade lasts: 120 ms, or nothing where the person, or the system, wants no motion."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QStyle

FADE_MS = 120

_wanted: list[bool | None] = [None]


def set_reduced_motion(reduced: bool | None) -> None:
    """Override the system's wish; ``None`` follows it again."""
    _wanted[0] = reduced


def motion_ms(milliseconds: int = FADE_MS) -> int:
    """Return ``milliseconds``, or 0 when nothing shall move."""
    reduced = _wanted[0]
    if reduced is None:
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return 0
        reduced = app.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
    return 0 if reduced else milliseconds

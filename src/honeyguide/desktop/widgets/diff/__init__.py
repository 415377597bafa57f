"""The diff view: two texts beside or under each other, the words that differ marked, the rest folded away.

``bands``, ``heights``, ``marks``, ``reading`` and ``finding`` are pure; the view lays out only what is in sight.
"""

from honeyguide.desktop.widgets.diff.marks import TextMark
from honeyguide.desktop.widgets.diff.panel import DiffPanel
from honeyguide.desktop.widgets.diff.rows import DiffLine, DiffRow, Layout, Side
from honeyguide.desktop.widgets.diff.view import DiffView

__all__ = ["DiffLine", "DiffPanel", "DiffRow", "DiffView", "Layout", "Side", "TextMark"]

"""Both texts as their Markdown reads, beside each other: to read, not to decide on.

Text that others wrote does nothing here: HTML stays text, nothing is loaded, no link is opened, a picture is the words
for it. What Markdown would hide (front matter, signs without a picture) is shown.
"""

from __future__ import annotations

import re
from functools import partial

from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QImage, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat
from PySide6.QtWidgets import QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.theme.plain_text import visible
from honeyguide.desktop.widgets.diff.rows import Side
from honeyguide.desktop.widgets.labels import PlainLabel, named

MOST_CHARACTERS = 200_000
MOST_LINE = 4_000
"""Characters of a line: a paragraph without a blank takes time with the square of its length."""
MOST_SIGNS = 10_000
"""Signs that open emphasis, pictures or links: many unclosed ones take time with their square."""
MOST_LINES = 5_000
MOST_PICTURES = 200
MOST_CELLS = 3_000
MOST_ITEMS = 2_000
"""Lines, pictures, cells of tables and items of lists that are taken in quickly; time grows with their square."""
_ITEM = re.compile(r"(?:^|[\s>])(?:[-+*]|\d+[.)])(?=\s)", re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


def is_renderable(text: str) -> bool:
    """Whether a text can be rendered without the window standing still."""
    lines = text.splitlines()
    if len(text) > MOST_CHARACTERS or len(lines) > MOST_LINES or max(map(len, lines), default=0) > MOST_LINE:
        return False
    if text.count("![") > MOST_PICTURES:
        return False
    if sum(text.count(sign) for sign in "*_[~`") > MOST_SIGNS or text.count("|") > MOST_CELLS:
        return False
    return sum(1 for _ in _ITEM.finditer(text)) <= MOST_ITEMS


def readable_markdown(text: str) -> str:
    """Return Markdown that hides nothing of ``text``: front matter as code, every sign as one that can be seen."""
    lines = visible(text.replace("\r\n", "\n").replace("\r", "\n"))
    front = _FRONT.match(lines)
    if front is None:
        return lines
    fence = "`" * (max((len(run) for run in re.findall("`+", front[1])), default=0) + 3)
    return f"{fence}yaml\n{front[1]}{fence}\n\n{lines[front.end() :]}"


class RenderedPair(QWidget):
    """The live and the proposed text, rendered; they scroll together, by their share of the whole."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-rendered-pair")
        self.before = RenderedText("diff-rendered-before")
        self.after = RenderedText("diff-rendered-after")
        self._titles = {side: PlainLabel("", Type.CAPTION, Role.TEXT_2, wrap=False) for side in Side}
        self._follows = False
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Metrics.GRID)
        for side, text in ((Side.BEFORE, self.before), (Side.AFTER, self.after)):
            column = QVBoxLayout()
            column.setSpacing(0)
            self._titles[side].setContentsMargins(Metrics.GAP, 4, 0, 4)
            column.addWidget(self._titles[side])
            column.addWidget(text, 1)
            row.addLayout(column, 1)
        for text, other in ((self.before, self.after), (self.after, self.before)):
            text.verticalScrollBar().valueChanged.connect(partial(self._follow, text, other))
        self.setFocusProxy(self.after)

    def show_texts(self, before: str, after: str, titles: tuple[str, str]) -> None:
        """Render two texts; the same ones stay where they were scrolled to."""
        for side, title in zip(Side, titles, strict=True):
            self._titles[side].set_text(title)
        self.before.show_markdown(before, titles[0])
        self.after.show_markdown(after, titles[1])

    def _follow(self, text: RenderedText, other: RenderedText, _value: int) -> None:
        if self._follows:
            return
        self._follows = True
        mine, theirs = text.verticalScrollBar(), other.verticalScrollBar()
        theirs.setValue(round(mine.value() / max(1, mine.maximum()) * theirs.maximum()))
        self._follows = False


def _nothing() -> QImage:
    """Return one clear dot: without any picture at all, Qt would read the file that stands there by itself."""
    dot = QImage(1, 1, QImage.Format.Format_ARGB32)
    dot.fill(Qt.GlobalColor.transparent)
    return dot


class _Inert(QTextDocument):
    """A document that loads nothing."""

    def loadResource(self, kind: int, address: QUrl | str) -> QImage:
        return _nothing()


class RenderedText(QTextBrowser):
    """One text, rendered; read-only, and nothing in it can be followed."""

    def __init__(self, name: str) -> None:
        super().__init__()
        named(self, name, self.tr("Rendered"))
        self._text: str | None = None
        self.setDocument(_Inert(self))
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def show_markdown(self, text: str, title: str) -> None:
        """Render ``text``, which is called ``title``."""
        self.setAccessibleName(self.tr("{title}, rendered").format(title=title))
        if text != self._text:
            self._text = text
            self._render()

    def loadResource(self, kind: int, address: QUrl | str) -> QImage:
        return _nothing()

    def viewportEvent(self, event: QEvent) -> bool:
        # the title of a link would be shown as a tooltip, and read as markup there
        return True if event.type() == QEvent.Type.ToolTip else super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange} and self._text is not None:
            place = self.verticalScrollBar().value()
            self._render()  # the colours of links and code are part of what was rendered
            self.verticalScrollBar().setValue(place)

    def _render(self) -> None:
        document = self.document()
        document.setDefaultFont(Metrics.font(Type.PROSE))
        document.setMarkdown(readable_markdown(self._text or ""), _FEATURES)
        self._name_pictures()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _name_pictures(self) -> None:
        """Put words in the place of pictures: none is loaded, and an empty frame would hide what stands there."""
        found: dict[int, tuple[int, str, str]] = {}
        block = self.document().begin()
        while block.isValid():
            parts = block.begin()
            while not parts.atEnd():
                shape = parts.fragment().charFormat()
                if shape.isImageFormat():
                    image = shape.toImageFormat()
                    words = shape.stringProperty(QTextFormat.Property.ImageAltText.value)
                    place = parts.fragment().position()
                    found[place] = (parts.fragment().length(), words, image.name())
                parts += 1
            block = block.next()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for place, (length, words, address) in sorted(found.items(), reverse=True):
            cursor.setPosition(place)
            cursor.setPosition(place + length, QTextCursor.MoveMode.KeepAnchor)
            said = self.tr("[Picture, not loaded: {words} {address}]").format(words=words.strip(), address=address)
            cursor.insertText(said, QTextCharFormat())
        cursor.endEditBlock()

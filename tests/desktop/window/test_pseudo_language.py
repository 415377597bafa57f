"""The window in a language of no country: every word on it went through a translation, and nothing is cut."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QTabBar,
    QWidget,
)

from honeyguide.desktop import said, translating
from honeyguide.desktop.widgets.labels import ElidedLabel
from honeyguide.desktop.window import SMALLEST
from tests.desktop.drivers import AppDriver, key
from tests.desktop.pseudo_language import CLOSE, OPEN, write_pseudo
from tests.desktop.window.test_pages import DIALOGS, PAGES

_WRAPPED = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
_WORD = re.compile(r"[A-Za-z]{3,}")
_MARKUP = re.compile(r"</?\w+[^>]*>")
_NAMES = re.compile(r"\b(Honeyguide|Python|git|Ctrl|Shift|Alt|UTC)\b")
"""Names of programs, and what stands on keys and clocks."""
_DATA = re.compile(
    r"review-title|target-name|target-detail|trace-view|traces-(source|target)|correction-context|qt_scrollarea_viewport"
    r"|connect-(name|provider)"  # names of models and of who offers them
    r"|setting-window\.language"  # every language by its own name
    r"|gate-[\w -]+: tooltip"  # the rule's name, as files and commands say it
    r"|key-hints"  # Qt's names of keys
    r"|Scroll(Left|Right)Button|qt_keysequenceedit_lineedit"  # Qt's own
    r"|in (accept|about)-dialog: (read aloud|tooltip)"  # paths, hashes, the system
)
"""Where names, texts and paths of the workspace stand; what is of the window around them is wrapped all the same."""


@pytest.fixture
def pseudo_language(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    locale = QLocale()
    window, engine = write_pseudo(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(translating, "translation_file", lambda _: window)
        patched.setattr(said, "said_file", lambda _: engine)
        assert translating.install_language(qapp, "zz") == "zz"
    yield
    translating.install_language(qapp, "en")
    QLocale.setDefault(locale)


def _texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """Yield what a person reads on the visible controls, with the name of each."""
    for widget in [root, *root.findChildren(QWidget)]:
        if not widget.isVisible() or widget.window() is not root.window():
            continue
        name = widget.objectName() or f"{type(widget).__name__} in {_owner(widget)}"
        if isinstance(widget, QLabel | QAbstractButton):
            yield name, widget.text()
        if isinstance(widget, QGroupBox):
            yield name, widget.title()
        if isinstance(widget, QLineEdit):
            yield name, widget.placeholderText()
        if isinstance(widget, QTabBar):
            yield from ((name, widget.tabText(n)) for n in range(widget.count()))
        if isinstance(widget, QComboBox):
            yield from ((name, widget.itemText(n)) for n in range(widget.count()))
        if isinstance(widget, QHeaderView) and widget.model() is not None:
            for n in range(widget.count()):
                shown = widget.model().headerData(n, widget.orientation(), Qt.ItemDataRole.DisplayRole)
                yield name, str(shown or "")
        yield f"{name}: tooltip", widget.toolTip()
        yield f"{name}: read aloud", widget.accessibleName()
        yield f"{name}: described", widget.accessibleDescription()


def _owner(widget: QWidget) -> str:
    parent = widget.parentWidget()
    while parent is not None and not parent.objectName():
        parent = parent.parentWidget()
    return parent.objectName() if parent is not None else "the window"


def _bare(root: QWidget) -> set[tuple[str, str]]:
    """Return the words outside of every translated sentence."""
    found = set()
    for name, text in _texts(root):
        rest = _NAMES.sub("", _MARKUP.sub("", text))
        while _WRAPPED.search(rest):
            rest = _WRAPPED.sub(" ", rest)
        if _WORD.search(rest) and not _DATA.search(name):
            found.add((name, rest.strip()[:100]))
    return found


def _cut(root: QWidget) -> set[str]:
    """Return the visible controls that are narrower than their words; those that shorten on purpose are left out."""
    found = set()
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not root.window() or isinstance(widget, ElidedLabel):
            continue
        if isinstance(widget, QLabel):
            is_one_line = not widget.wordWrap()
            needed = widget.fontMetrics().horizontalAdvance(widget.text()) if is_one_line else 0
            high = widget.heightForWidth(widget.width()) if widget.wordWrap() else 0
        elif isinstance(widget, QAbstractButton):
            needed, high = widget.fontMetrics().horizontalAdvance(widget.text().replace("&", "")), 0
        else:
            continue
        if widget.text() and (needed > widget.width() or high > widget.height() + 1):
            name = widget.objectName() or f"{type(widget).__name__} in {_owner(widget)}"
            found.add(f"{name}: {widget.text()[:80]!r} {needed}x{high} in {widget.width()}x{widget.height()}")
    return found


def test_every_word_went_through_a_translation_and_none_is_cut_in_a_longer_language(
    qapp: QApplication, qloop: Any, proposed: Path, pseudo_language: None
) -> None:
    wide, high = SMALLEST
    found: dict[str, set[tuple[str, str]]] = {}
    cut: dict[str, set[str]] = {}

    async def story() -> None:
        app = await AppDriver(qapp, proposed, wide=wide, high=high).start()
        await app.inbox.review_of("support", "proposed")
        for page in PAGES:
            app.window.show_page(page)
            await asyncio.sleep(0.3)
            assert app.window.width() == wide and app.window.height() == high, page
            found[page], cut[page] = _bare(app.window), _cut(app.window)
        app.go("inbox")
        for number in range(app.inbox.page.review.tabs.count()):
            app.inbox.page.review.tabs.setCurrentIndex(number)
            await asyncio.sleep(0.2)
            found[f"review {number}"], cut[f"review {number}"] = _bare(app.window), _cut(app.window)
        own = [menu for menu in app.window.findChildren(QMenu) if menu.objectName()]  # not those inside of charts
        for menu in own:
            texts = {(menu.objectName(), e.text().partition("\t")[0]) for e in menu.actions()}
            found.setdefault("menus", set()).update(t for t in texts if OPEN not in t[1] and _WORD.search(t[1]))
        for action, name in DIALOGS.items():
            if name == "file-dialog":
                continue  # the system's own
            assert app.window.trigger(action), f"{action}: {app.window.reason_against(action)}"
            dialog: QDialog = await app.dialog(name)
            await asyncio.sleep(0.3)
            found[name], cut[name] = _bare(dialog), _cut(dialog)
            key(dialog, Qt.Key.Key_Escape)
            await app.gone(dialog)
        await app.close()

    qloop.run(story(), timeout=90)
    assert not {where: texts for where, texts in found.items() if texts}
    assert not {where: texts for where, texts in cut.items() if texts}

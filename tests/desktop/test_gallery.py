"""Everything there is to look at can be looked at: in both themes, mirrored, without a warning."""

from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QMenu, QPlainTextEdit, QWidget

from honeyguide.desktop.theme import Scheme, apply_theme, derive
from tests.desktop.gallery import entries

NAMES = [entry[0] for entry in entries()]


def _make(name: str) -> tuple[QWidget, tuple[int, int]]:
    _, make, size = next(entry for entry in entries() if entry[0] == name)
    return make(), size


@pytest.mark.parametrize("name", NAMES)
def test_everything_paints_in_light_dark_and_mirrored_without_a_warning(name, qapp: QApplication, shown, qtbot):
    widget, size = _make(name)
    shown(widget, *size)
    if name.startswith("chart") and name != "chart-empty":
        qtbot.waitUntil(lambda: widget.is_ready, timeout=20_000)
    light = widget.grab().toImage()
    apply_theme(qapp, derive(Scheme.DARK))
    for _ in range(3):
        QCoreApplication.processEvents()
    dark = widget.grab().toImage()
    assert light != dark
    widget.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    QCoreApplication.processEvents()
    assert not widget.grab().isNull()
    apply_theme(qapp, derive(Scheme.LIGHT))
    widget.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.mark.parametrize("name", NAMES)
def test_every_control_has_an_object_name_and_a_name_to_read_aloud(name, shown):
    widget, size = _make(name)
    shown(widget, *size)
    controls = [
        control
        for kind in (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox)
        for control in widget.findChildren(kind)
        if control.focusPolicy() != Qt.FocusPolicy.NoFocus and not _in_menu(control)
    ]
    for control in controls:
        if control.objectName().startswith("qt_") or control.parent().objectName().startswith("qt_"):
            continue
        if isinstance(control.parent(), QComboBox | QLineEdit) or type(control).__name__.startswith("QTableCorner"):
            continue
        assert control.objectName(), f"{control} has no object name"
        assert control.accessibleName() or control.isHidden(), f"{control.objectName()} cannot be read aloud"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_stays_of_what_was_closed(name, qapp: QApplication):
    before = len(QApplication.allWidgets())
    widget, size = _make(name)
    reference = weakref.ref(widget)
    widget.resize(*size)
    widget.show()
    QCoreApplication.processEvents()
    widget.close()
    widget.deleteLater()
    del widget
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        if reference() is None and len(QApplication.allWidgets()) == before:
            break
        gc.collect()
    assert reference() is None
    assert len(QApplication.allWidgets()) == before


def _in_menu(control: QWidget) -> bool:
    """Menus are read by their actions; the chart library keeps controls in menus that are switched off."""
    parent = control.parentWidget()
    while parent is not None:
        if isinstance(parent, QMenu):
            return True
        parent = parent.parentWidget()
    return False

"""The style sheet: hairlines instead of boxes, one accent, sizes from the font."""

from __future__ import annotations

from string import Template

from PySide6.QtGui import QFont, QFontMetricsF

from honeyguide.desktop.theme.roles import Role, Theme
from honeyguide.kernel.resources import resource

_SHEET = Template("""
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 4px 6px; }
QMainWindow, QDialog { background: $surface; }

QSplitter::handle:horizontal { width: 1px; background: $line; }
QSplitter::handle:vertical { height: 1px; background: $line; }

QPushButton {
    background: $surface_2; color: $text; border: 1px solid $line; border-radius: 6px;
    padding: ${pad}px 12px; min-height: ${line_px}px;
}
QPushButton:hover { background: $hover; border-color: $faint; }
QPushButton:pressed { background: $quiet_tint; }
QPushButton:focus { border: 2px solid $accent_text; padding: ${pad_focus}px 11px; }
QPushButton:disabled { color: $faint; background: $surface; }
QPushButton[look="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[look="primary"]:hover { border-color: $on_accent; }
QPushButton[look="primary"]:focus { border: 2px solid $text; }
QPushButton[look="primary"]:disabled {
    background: $surface_2; color: $faint; border-color: $line; font-weight: 400;
}
QPushButton[look="link"] {
    background: transparent; border: 1px solid transparent; color: $accent_text; padding: 0 4px;
    text-decoration: underline;
}
QPushButton[look="link"]:focus { border: 1px solid $accent_text; padding: 0 4px; }
QPushButton[look="chip"] {
    border-radius: ${pill}px; padding: 2px 10px; min-height: ${line_px}px; background: transparent;
    border: 1px solid $line;
}
QPushButton[look="chip"]:hover { background: $hover; }
QPushButton[look="chip"]:checked { background: $accent_tint; border-color: $accent_text; }
QPushButton[look="chip"]:focus { border: 2px solid $accent_text; padding: 1px 9px; }
QPushButton[look="chip"]:disabled { color: $faint; border-color: $surface_2; }

QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 3px; color: $text;
}
QToolButton:hover { background: $hover; }
QToolButton:pressed { background: $quiet_tint; }
QToolButton:checked { background: $accent_tint; border-color: $line; }
QToolButton:focus { border: 2px solid $accent_text; padding: 2px; }
QToolButton:disabled { color: $faint; }
QToolButton::menu-indicator { image: none; }
QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: $field; color: $text; border: 1px solid $line; border-radius: 6px; padding: ${pad}px 8px;
    selection-background-color: $selection; selection-color: $text;
}
QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox { min-height: ${line_px}px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus {
    border: 2px solid $accent_text; padding: ${pad_focus}px 7px;
}
QLineEdit:disabled, QPlainTextEdit:disabled, QComboBox:disabled { color: $faint; background: $surface_2; }
QAbstractSpinBox QLineEdit, QAbstractSpinBox QLineEdit:focus {
    border: none; padding: 0; min-height: 0; background: transparent;
}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; height: 0; border: none; }
QAbstractSpinBox::up-arrow, QAbstractSpinBox::down-arrow { width: 0; height: 0; image: none; }
QComboBox { padding-right: 22px; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url($chevron); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line; selection-background-color: $selection;
    selection-color: $text; }

QTableView, QTreeView, QListView {
    background: $surface; border: none; outline: none; gridline-color: $line;
    selection-background-color: $selection; selection-color: $text; alternate-background-color: $surface;
}
QTreeView { show-decoration-selected: 1; }
QTreeView::branch:selected { background: $selection; }
QTreeView::branch:hover { background: transparent; }
QTreeView::item, QListView::item { padding: 4px 4px; }
QTreeView::item:hover, QListView::item:hover { background: $hover; }
QTreeView::item:selected, QListView::item:selected { background: $selection; color: $text; }
QHeaderView { background: $surface; }
QHeaderView::section {
    background: $surface; color: $text_2; border: none; border-bottom: 1px solid $line; padding: 4px 8px;
    font-weight: 400;
}
QHeaderView::section:hover { color: $text; }
QHeaderView::up-arrow { image: url($up); width: 10px; height: 10px; subcontrol-position: right center; right: 4px; }
QHeaderView::down-arrow {
    image: url($chevron); width: 10px; height: 10px; subcontrol-position: right center; right: 4px;
}
QTableCornerButton::section { background: $surface; border: none; border-bottom: 1px solid $line; }

QTabWidget::pane { border: none; border-top: 1px solid $line; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $text_2; padding: 6px 12px; border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { background: $hover; }

QMenu { background: $raised; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 26px; border-radius: 4px; }
QMenu::item:selected { background: $selection; color: $text; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenu::icon { padding-left: 6px; }
QMenu::indicator { width: 12px; height: 12px; left: 7px; }
QMenu::indicator:checked { image: url($check); }
QMenuBar { background: $surface; }
QMenuBar::item { padding: 4px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: $hover; }

QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 12px; margin: 0; }
QScrollBar:horizontal { height: 12px; margin: 0; }
QScrollBar::handle { background: $scroll; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QCheckBox, QRadioButton { spacing: 8px; }
QCheckBox::indicator, QRadioButton::indicator, QGroupBox::indicator, QTreeView::indicator, QListView::indicator {
    width: 14px; height: 14px; border: 1px solid $faint; background: $field;
}
QCheckBox::indicator, QTreeView::indicator, QListView::indicator { border-radius: 3px; }
QRadioButton::indicator { border-radius: 7px; }
QCheckBox::indicator:checked, QTreeView::indicator:checked, QListView::indicator:checked {
    image: url($check_on_accent); background: $accent; border-color: $accent;
}
QRadioButton::indicator:checked { image: url($dot_on_accent); background: $accent; border-color: $accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 2px solid $accent_text; width: 12px; height: 12px; }
QCheckBox:focus, QRadioButton:focus { text-decoration: underline; }

QProgressBar { background: $quiet_tint; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QGroupBox { border: none; border-top: 1px solid $line; margin-top: 12px; padding-top: 10px; }
QGroupBox::title { subcontrol-origin: margin; left: 0; color: $text_2; padding-right: 8px; }
""")


def stylesheet(theme: Theme, font: QFont) -> str:
    """Return the sheet for ``theme``; heights follow ``font``."""
    line = round(QFontMetricsF(font).height())
    dark = theme.scheme.value
    field = theme[Role.RAISED] if dark == "light" else theme[Role.SURFACE_2]
    values = {role.value.replace("-", "_"): colour.hex for role, colour in theme.colours.items()}
    values |= {
        "field": field.hex,
        "scroll": theme[Role.SURFACE].mixed(theme[Role.TEXT], 0.28).hex,
        "line_px": str(line),
        "pad": "4",
        "pad_focus": "3",
        "pill": str((line + 6) // 2),
        "chevron": _image(f"chevron-down-{dark}"),
        "up": _image(f"chevron-up-{dark}"),
        "check": _image(f"check-{dark}"),
        "check_on_accent": _image("check-on-accent"),
        "dot_on_accent": _image("dot-on-accent"),
    }
    return _SHEET.substitute(values)


def _image(name: str) -> str:
    """Style sheets cannot colour an image, so the few they need stand ready in both schemes."""
    return resource("icons", "sheet", f"{name}.svg").as_posix()

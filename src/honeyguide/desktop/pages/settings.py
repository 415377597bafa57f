"""The settings, made from the registry: every one with its help, its default and its bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.pages.setting_words import group_titles, setting_words
from honeyguide.desktop.said import said_of
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.buttons import Button, Look, ToolButton
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.number_fields import NumberField, WholeField
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.service_status import ServiceStatus
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import Setting, WorkspaceEvent

SERVICE, SERVICE_LEASE = "service", "daemon"
HIDDEN = ("models.judge_exam_passed",)
"""Set by the program alone."""


class SettingsPage(Page):
    """A change holds as soon as the field is left; a value that does not fit says why and changes nothing."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "settings", desk.window.tr("Settings"))
        from honeyguide.workspace import SETTINGS

        self.search = SearchField("settings-search", self.tr("Search settings"))
        self.search.setMaximumWidth(Metrics.characters(38))
        self.models = Button(self.tr("Connect a model…"), "settings-models", look=Look.PRIMARY, icon="model")
        self.keys_button = Button(self.tr("All keys…"), "settings-keys", icon="keyboard")
        self.head.addStretch(1)
        self.head.addWidget(self.search, 2)
        self.head.addWidget(self.keys_button)
        self.head.addWidget(self.models)
        self.service = ServiceStatus()
        self._wanted = ""
        self._rows: dict[str, SettingRow] = {}
        self._groups: dict[str, QWidget] = {}
        body = QWidget()
        body.setMaximumWidth(Metrics.characters(120))
        column = QVBoxLayout(body)
        column.setContentsMargins(Metrics.MARGIN, 0, Metrics.MARGIN, Metrics.GAP_3)
        column.setSpacing(0)
        for group, title in group_titles().items():
            members = [s for s in SETTINGS if s.key.partition(".")[0] == group and s.key not in HIDDEN]
            if not members:
                continue
            heading = QWidget()
            row = QHBoxLayout(heading)
            row.setContentsMargins(0, Metrics.GAP_3, 0, Metrics.GAP)
            row.addWidget(PlainLabel(title, Type.TITLE))
            column.addWidget(heading)
            self._groups[group] = heading
            if group == SERVICE:
                column.addWidget(self.service)
            for setting in members:
                line = SettingRow(setting, self._save)
                self._rows[setting.key] = line
                column.addWidget(line)
        column.addStretch(1)
        holder = QWidget()
        across = QHBoxLayout(holder)
        across.setContentsMargins(0, 0, 0, 0)
        across.addWidget(body, 1)
        across.addStretch(0)
        self._area = area = QScrollArea()
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what is in it
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(holder)
        self.column.addWidget(area, 1)
        self.search.searched.connect(self._on_search)
        self.models.clicked.connect(lambda: desk.do("connect-model"))
        self.keys_button.clicked.connect(lambda: desk.do("shortcuts"))

    def read(self) -> None:
        values = self.desk.workspace.settings()
        for key, row in self._rows.items():
            row.show_value(values.get(key))
        self.tasks.start(self._read_service(), "state of the service")

    async def _read_service(self) -> None:
        self.service.show_status(await self.desk.workspace.daemon_status())

    def show_item(self, item: object) -> None:
        """Bring the line of a setting into sight, by its key."""
        self._wanted = str(item) if str(item) in self._rows else ""
        if self._wanted:
            self.search.set_search("")
            QTimer.singleShot(0, self, self._reveal)  # its place is known once the page is laid out

    def first_focus(self) -> QWidget:
        return self._rows[self._wanted].field if self._wanted else self.search

    def _reveal(self) -> None:
        wanted, self._wanted = self._wanted, ""
        if wanted:
            self._area.ensureWidgetVisible(self._rows[wanted], 0, self._area.height() // 3)

    def concerns(self, event: WorkspaceEvent) -> bool:
        return event.kind in ("setting:changed", "attempt:finished") or event.subject == SERVICE_LEASE

    def handlers(self) -> Handlers:
        return {"find": Handler(self.search.setFocus), "refresh": Handler(self.read)}

    def row(self, key: str) -> SettingRow:
        """Return the line of a setting."""
        return self._rows[key]

    def _save(self, key: str, value: Any) -> None:
        if self.desk.workspace.setting(key) == value:
            return

        async def work() -> None:
            try:
                await self.desk.workspace.set_setting(key, value)
            except HoneyguideError as error:
                self._rows[key].show_error(said_of(error))
                return
            self._rows[key].show_value(self.desk.workspace.setting(key))
            if key == "window.language":
                self.desk.notify.note(self.tr("The language changes when Honeyguide is started again."))

        self.tasks.start(work(), f"set {key}")

    def _on_search(self, text: str) -> None:
        words = text.casefold().split()
        shown: set[str] = set()
        for key, row in self._rows.items():
            fits = all(word in row.haystack for word in words)
            row.setVisible(fits)
            if fits:
                shown.add(key.partition(".")[0])
        for group, heading in self._groups.items():
            heading.setVisible(group in shown)
        self.service.setVisible(SERVICE in shown and bool(self.service.state.raw_text()))


class SettingRow(QWidget):
    """One setting: its title and help, its field, the way back to the default."""

    def __init__(self, setting: Setting, save: Callable[[str, Any], None]) -> None:
        super().__init__()
        self.setObjectName(f"row-{setting.key}")
        self._setting = setting
        self._save = save
        title, help_ = setting_words(setting)
        self.haystack = f"{title} {help_} {setting.key}".casefold()
        self._loading = False
        self.field = self._make(title)
        named(self.field, f"setting-{setting.key}", title, help_)
        self._error = PlainLabel("", Type.CAPTION, Role.BAD)
        self._error.hide()
        self._default = ToolButton("undo", f"default-{setting.key}", self.tr("Back to the default"))
        self._default.clicked.connect(lambda: self._save(setting.key, None))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(PlainLabel(title))
        words.addWidget(PlainLabel(help_, Type.CAPTION, Role.TEXT_2))
        words.addWidget(self._error)
        words.addStretch(1)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, Metrics.GRID + 1, 0, Metrics.GRID + 1)
        grid.setHorizontalSpacing(Metrics.GAP_2)
        grid.addLayout(words, 0, 0)
        grid.addWidget(self.field, 0, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self._default, 0, 2, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)

    def show_value(self, value: Any) -> None:
        """Show a value; one that a person is typing stays."""
        self._error.hide()
        is_default = value == self._setting.default
        self._default.set_allowed(not is_default, self.tr("This is the default."))
        if self.field.hasFocus() and isinstance(self.field, QLineEdit | QPlainTextEdit):
            return
        self._loading = True
        field = self.field
        if isinstance(field, QCheckBox):
            field.setChecked(bool(value))
        elif isinstance(field, QComboBox):
            field.setCurrentIndex(max(0, field.findData(value)))
        elif isinstance(field, WholeField):
            field.setValue(field.minimum() if value is None else int(value))
        elif isinstance(field, NumberField):
            field.setValue(field.minimum() if value is None else float(value))
        elif isinstance(field, QPlainTextEdit):
            lines = [f"{k} = {v}" for k, v in value.items()] if isinstance(value, dict) else list(value or ())
            field.setPlainText("\n".join(lines))
        elif isinstance(field, QLineEdit):
            field.setText("" if value is None else str(value))
        self._loading = False

    def show_error(self, text: str) -> None:
        """Say why a value was not taken."""
        self._error.set_text(text)
        self._error.show()

    def _make(self, title: str) -> QWidget:
        kind = self._setting.type
        if kind == "switch":
            box = QCheckBox(self.tr("on"))
            box.toggled.connect(lambda on: self._put(on))
            return box
        if kind == "choice":
            return self._choice()
        if kind in ("whole", "number"):
            return self._number(kind)
        if kind in ("texts", "table"):
            lines = _Lines(self._on_lines)
            lines.setPlaceholderText(self.tr("one a line") if kind == "texts" else self.tr("NAME = value, one a line"))
            lines.setFixedHeight(Metrics.row_height() * 3)
            return lines
        if self._setting.key == "window.language":
            return self._languages()
        line = QLineEdit()
        line.setPlaceholderText(str(self._setting.default or self.tr("not set")))
        line.editingFinished.connect(lambda: self._put(line.text().strip() or None))
        return line

    def _choice(self) -> QComboBox:
        from honeyguide.desktop.pages.setting_words import choice_words

        box = QComboBox()
        for name in self._setting.choices:
            box.addItem(choice_words(name), name)
        box.currentIndexChanged.connect(lambda _: self._put(box.currentData()))
        return box

    def _languages(self) -> QComboBox:
        from honeyguide.desktop.pages.setting_words import language_words
        from honeyguide.desktop.translating import languages

        box = QComboBox()
        box.addItem(self.tr("as the system"), None)
        for name in languages():
            box.addItem(language_words(name), name)
        box.currentIndexChanged.connect(lambda _: self._put(box.currentData()))
        return box

    def _number(self, kind: str) -> WholeField | NumberField:
        setting = self._setting
        has_none = setting.default is None
        least = setting.least if setting.least is not None else 0
        most = setting.most if setting.most is not None else 1_000_000_000
        box: WholeField | NumberField
        if kind == "whole":
            box = WholeField()
            box.setRange(int(least) - (1 if has_none else 0), int(most))
        else:
            box = NumberField()
            box.setDecimals(2)
            box.setSingleStep(0.01 if most <= 1 else 0.5)
            box.setRange(float(least) - (0.01 if has_none else 0.0), float(most))
        if has_none:
            box.setSpecialValueText(self.tr("not set"))
        box.editingFinished.connect(
            lambda: self._put(None if has_none and box.value() == box.minimum() else box.value())
        )
        return box

    def _on_lines(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if self._setting.type == "texts":
            self._put(lines)
            return
        pairs = [line.partition("=") for line in lines]
        self._put({name.strip(): value.strip() for name, _, value in pairs})

    def _put(self, value: Any) -> None:
        if not self._loading:
            self._save(self._setting.key, value)


class _Lines(QPlainTextEdit):
    """Several lines; says what they are when the focus leaves."""

    def __init__(self, done: Callable[[str], None]) -> None:
        super().__init__()
        self._done = done
        self.setTabChangesFocus(True)

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self._done(self.toPlainText())

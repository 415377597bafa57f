"""How a file is read when it does not say so itself: what wrote it, what each column of a table holds, its target."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtWidgets import QComboBox, QFormLayout, QTreeWidget, QTreeWidgetItem, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import hint_of, sentence_of
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.states import StateStack
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import TablePreviewView

Preview = Callable[[str | None], Awaitable["TablePreviewView"]]
"""Looks at the file as a table, in the named code page (``None`` for UTF-8)."""
AUTO, TABLE = "auto", "table"
ENCODINGS = ("utf-8", "cp1252", "latin-1", "cp1250", "cp1251", "utf-16", "shift_jis", "gb18030")


@dataclass(frozen=True, slots=True)
class ImportChoice:
    """How files are read.

    Attributes:
        source: a reader's name or ``auto``. ``mapping``: column to field, for tables.
        encoding: ``None`` for UTF-8. ``target``: what all of it speaks about, ``KIND:NAME``.
    """

    source: str = AUTO
    mapping: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    target: str | None = None


class ImportAsDialog(Dialog):
    """The columns of a table are shown with what each is taken for, and can be changed before anything is read in."""

    def __init__(
        self, paths: Sequence[Path], reason: str, sources: Sequence[str], targets: Sequence[tuple[str, str]],
        preview: Preview, tasks: TaskScope, parent: QWidget | None,
    ) -> None:  # fmt: skip
        """
        Args:
            reason: why this is asked; empty when the person asked for it.
            targets: words and names.
        """
        super().__init__("import-as", parent.tr("How to read it") if parent else "", parent, wide=88, high=30)
        self._preview = preview
        self._tasks = tasks.child("import as")
        self._boxes: dict[str, QComboBox] = {}
        name = one_line(paths[0].name, 60)
        title = self.tr("How shall {name} be read?") if len(paths) == 1 else self.tr("How shall these files be read?")
        self.add_title(title.format(name=name))
        hint = HintBar(reason, Severity.INFO, closable=False, name="import-as-why")
        self.body.addWidget(hint)
        self._source = named(QComboBox(), "import-as-source", self.tr("What wrote it"))
        self._source.addItem(self.tr("a table: CSV, TSV, JSON, JSONL, XLSX"), TABLE)
        self._source.addItem(self.tr("decide by its content"), AUTO)
        for each in sources:
            if each != TABLE:
                self._source.addItem(each, each)
        self._encoding = named(QComboBox(), "import-as-encoding", self.tr("Character set"))
        for each in ENCODINGS:
            self._encoding.addItem(each.upper(), None if each == "utf-8" else each)
        self._target = named(QComboBox(), "import-as-target", self.tr("It speaks about"))
        self._target.addItem(self.tr("what its content shows"), None)
        for words, value in targets:
            self._target.addItem(one_line(words, 60), value)
        if len(targets) == 1:
            self._target.setCurrentIndex(1)
        form = QFormLayout()
        form.setVerticalSpacing(Metrics.GAP)
        form.addRow(self.tr("What wrote it"), self._source)
        form.addRow(self.tr("Character set"), self._encoding)
        form.addRow(self.tr("It speaks about"), self._target)
        self.body.addLayout(form)
        self._columns = named(QTreeWidget(), "import-as-columns", self.tr("Columns"))
        self._columns.setHeaderLabels([self.tr("Column"), self.tr("It holds"), self.tr("First values")])
        self._columns.setRootIsDecorated(False)
        self._columns.setColumnWidth(0, Metrics.characters(22))
        self._columns.setColumnWidth(1, Metrics.characters(36))
        self._stack = StateStack(self._columns)
        self.body.addWidget(self._stack, 1)
        self.add_text(self.tr("Secrets are replaced before anything is stored; the file itself is not changed."),
                      Role.TEXT_2, caption=True)  # fmt: skip
        self.add_cancel(is_default=False)
        self._go = self.add_button(self.tr("Import"), "import-as-go", look=Look.PRIMARY, icon="import")
        self._go.clicked.connect(lambda _: self.accept())
        self._source.currentIndexChanged.connect(lambda _: self._look())
        self._encoding.currentIndexChanged.connect(lambda _: self._look())
        self.finished.connect(lambda _: self._tasks.close())
        self._source.setFocus()
        self._look()

    def choice(self) -> ImportChoice:
        """Return what was chosen."""
        source = str(self._source.currentData())
        mapping = {column: str(box.currentData()) for column, box in self._boxes.items()} if source == TABLE else {}
        encoding, target = self._encoding.currentData(), self._target.currentData()
        return ImportChoice(source, mapping, str(encoding) if encoding else None, str(target) if target else None)

    def _look(self) -> None:
        if self._source.currentData() != TABLE:
            self._boxes = {}
            self._stack.setVisible(False)
            self._judge()
            return
        self._stack.setVisible(True)
        self._stack.show_loading(self.tr("Looking at its columns…"))
        self._go.set_allowed(False, self.tr("Its columns are being read."))
        encoding = self._encoding.currentData()
        name = str(encoding) if encoding else None
        self._tasks.latest("columns", lambda: self._preview(name), self._show, failed=self._fail)

    def _show(self, found: TablePreviewView) -> None:
        self._columns.clear()
        self._boxes = {}
        for column in found.columns:
            values = " · ".join(one_line(row.get(column, ""), 60) for row in found.rows[:4] if row.get(column))
            item = QTreeWidgetItem([one_line(column, 60), "", values])
            item.setToolTip(0, tooltip(column))
            item.setToolTip(2, tooltip("\n".join(row.get(column, "") for row in found.rows[:4])))
            item.setSizeHint(1, QSize(0, Metrics.row_height() + 8))
            self._columns.addTopLevelItem(item)
            box = named(QComboBox(), f"import-as-field-{len(self._boxes)}", column)
            for name in found.fields:
                box.addItem(field_words(name), name)
            box.setCurrentIndex(box.findData(found.mapping.get(column, "ignore")))
            box.currentIndexChanged.connect(lambda _: self._judge())
            self._columns.setItemWidget(item, 1, box)
            self._boxes[column] = box
        self._stack.show_content()
        self._judge()

    def _fail(self, error: Exception) -> None:
        self._boxes = {}
        if isinstance(error, HoneyguideError):
            self._stack.show_error(sentence_of(error), hint_of(error))
        else:
            self._stack.show_error(self.tr("This file is no table that can be read."), str(error))
        self._go.set_allowed(False, self.tr("It cannot be read as a table."))

    def _judge(self) -> None:
        reason = ""
        if self._source.currentData() == TABLE:
            fields = [str(box.currentData()) for box in self._boxes.values()]
            once = [name for name in fields if name not in ("ignore", "tags")]
            if "input" not in fields:
                reason = self.tr("Say which column holds what the agent was asked.")
            elif len(once) > len(set(once)):
                twice = next(name for name in once if once.count(name) > 1)
                reason = self.tr("Two columns are said to hold “{field}”.").format(field=field_words(twice))
        self._go.set_allowed(not reason, reason)


def field_words(name: str) -> str:
    """Return what a column can hold, in words; an unknown field as it is."""
    tr = QCoreApplication.translate
    return {
        "input": tr("ImportFields", "what the agent was asked"),
        "output": tr("ImportFields", "what it answered"),
        "expected": tr("ImportFields", "the answer that would have been right"),
        "rating": tr("ImportFields", "how good a person found the answer"),
        "comment": tr("ImportFields", "what a person said about the answer"),
        "system": tr("ImportFields", "the system prompt in force"),
        "prompt_name": tr("ImportFields", "the name of the prompt in force"),
        "conversation": tr("ImportFields", "what belongs together"),
        "id": tr("ImportFields", "a stable id of the row"),
        "model": tr("ImportFields", "the model that answered"),
        "timestamp": tr("ImportFields", "when it happened"),
        "duration_ms": tr("ImportFields", "how long it took, in milliseconds"),
        "duration_s": tr("ImportFields", "how long it took, in seconds"),
        "input_tokens": tr("ImportFields", "tokens in"),
        "output_tokens": tr("ImportFields", "tokens out"),
        "cost_usd": tr("ImportFields", "what it cost, in US dollars"),
        "tags": tr("ImportFields", "labels, separated by commas"),
        "project": tr("ImportFields", "the project or folder"),
        "error": tr("ImportFields", "an error of the infrastructure"),
        "ignore": tr("ImportFields", "leave it out"),
    }.get(name, name)

"""Connecting a model: provider, key, address, test; the key is never shown again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.dialogs.files import ask_files
from honeyguide.desktop.dialogs.small import TextDialog
from honeyguide.desktop.rows import role_words
from honeyguide.desktop.said import said_of, spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.theme.code_words import model_words, provider_words
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import ModelsReport, ModelTest, ProviderRow

ROLES = ("executor", "judge", "mutator", "maintainer")
ANOTHER = "+"
"""The choice of a server that is not in the list."""


def server_name(address: str, taken: Sequence[str]) -> str:
    """Return a name for a server: its host, with a number where a provider is called so already."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname or "server"
    stem = re.sub(r"[^a-z0-9]+", "-", host.lower()).strip("-") or "server"
    stem = stem if stem[0].isalpha() else f"server-{stem}"
    return next(name for name in (stem, *(f"{stem}-{n}" for n in range(2, 1000))) if name not in taken)


class ConnectModelDialog(Dialog):
    """Every step says what it did; nothing is used before Use is pressed."""

    def __init__(self, desk: Desk, tasks: TaskScope, parent: QWidget | None) -> None:
        super().__init__(
            "connect-model-dialog", desk.window.tr("Connect a model"), parent, wide=84, high=30, scrolls=True
        )
        self._desk = desk
        self._tasks = tasks.child("connect a model")
        self._report: ModelsReport | None = None
        self.add_title(self.tr("Which model shall do the work?"))
        self._now = self.add_text("", Role.TEXT_2)
        form = QFormLayout()
        form.setHorizontalSpacing(Metrics.GAP_2)
        form.setVerticalSpacing(Metrics.GAP)
        self._provider = named(QComboBox(), "connect-provider", self.tr("Provider"))
        form.addRow(self.tr("Provider"), self._provider)
        self._about = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        form.addRow("", self._about)
        self._address = named(QLineEdit(), "connect-address", self.tr("Address"))
        self._address_row = PlainLabel(self.tr("Address"), wrap=False)
        form.addRow(self._address_row, self._address)
        form.addRow(*self._key_row())
        form.addRow("", self._key_places())
        form.addRow(*self._model_row())
        self._role = named(QComboBox(), "connect-role", self.tr("Use it to"))
        for value, words in (
            ("", self.tr("do everything")),
            ("executor", self.tr("answer")),
            ("judge", self.tr("grade answers")),
            ("mutator", self.tr("propose changes")),
            ("maintainer", self.tr("maintain flows")),
        ):
            self._role.addItem(words, value)
        form.addRow(self.tr("Use it to"), self._role)
        self.body.addLayout(form)
        self._hint = HintBar("", Severity.INFO, closable=False, name="connect-hint")
        self.body.addWidget(self._hint)
        self.body.addStretch(1)
        self._test = self.add_button(self.tr("Test"), "connect-test", icon="play", left=True)
        self._test.set_tip(self.tr("Asks one short question. It may cost a fraction of a cent."))
        self._test.clicked.connect(lambda: self._go(self._run_test(), "test a model"))
        self.add_cancel(self.tr("Close"), is_default=False)
        self._use = self.add_button(self.tr("Use this model"), "connect-use", look=Look.PRIMARY)
        self._use.clicked.connect(lambda: self._go(self._use_it(), "use a model"))
        self.finished.connect(lambda _: self._tasks.close())
        self._provider.currentIndexChanged.connect(lambda _: self._on_provider())
        self._model.currentTextChanged.connect(lambda _: self._judge())
        self._key.textChanged.connect(lambda _: self._judge())
        self._address.editingFinished.connect(lambda: self._go(self._save_address(), "keep an address"))
        self._tasks.latest("models", desk.workspace.models, self._show, failed=self._fail)
        self._judge()

    # --- making

    def _key_row(self) -> tuple[QWidget, QWidget]:
        self._key = named(QLineEdit(), "connect-key", self.tr("Key"))
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setPlaceholderText(self.tr("Paste the key here; it is never shown again"))
        self._save_key = Button(self.tr("Keep the key"), "connect-save-key", icon="key")
        self._save_key.clicked.connect(lambda: self._go(self._keep_key(), "keep a key"))
        self._forget_key = Button(self.tr("Forget it"), "connect-forget-key")
        self._forget_key.clicked.connect(lambda: self._go(self._drop_key(), "forget a key"))
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Metrics.GAP)
        row.addWidget(self._key, 1)
        row.addWidget(self._save_key)
        row.addWidget(self._forget_key)
        self._key_holder = holder
        self._key_label = PlainLabel(self.tr("Key"), wrap=False)
        return self._key_label, holder

    def _key_places(self) -> QWidget:
        self._keyring = named(QRadioButton(self.tr("Keep it in the system's key ring")), "connect-keyring",
                              self.tr("Keep it in the system's key ring"))  # fmt: skip
        self._session = named(QRadioButton(self.tr("For this session only")), "connect-session",
                              self.tr("For this session only"))  # fmt: skip
        self._places = QButtonGroup(self)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for button in (self._keyring, self._session):
            self._places.addButton(button)
            column.addWidget(button)
        self._key_said = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._key_said.setObjectName("connect-key-said")
        column.addWidget(self._key_said)
        self._places_holder = holder
        return holder

    def _model_row(self) -> tuple[str, QWidget]:
        self._model = named(QComboBox(), "connect-name", self.tr("Model"))
        self._model.setEditable(True)
        self._model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._ask = Button(self.tr("Ask which there are"), "connect-list", icon="list")
        self._ask.clicked.connect(lambda: self._go(self._list(), "list models"))
        self._file = Button(self.tr("Choose a file…"), "connect-file", icon="folder")
        self._file.clicked.connect(lambda: self._go(self._add_file(), "add a model file"))
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Metrics.GAP)
        row.addWidget(self._model, 1)
        row.addWidget(self._ask)
        row.addWidget(self._file)
        return self.tr("Model"), holder

    # --- showing

    def _show(self, report: ModelsReport) -> None:
        self._report = report
        chosen_models = {row.role: str(row.model) for row in report.roles if row.chosen}
        if len(set(chosen_models.values())) == 1 and len(chosen_models) == len(report.roles):
            roles = model_words(next(iter(chosen_models.values())))
        else:
            roles = "; ".join(f"{role_words(role)}: {model_words(model)}" for role, model in chosen_models.items())
        self._now.set_text(
            self.tr("In use: {roles}").format(roles=roles)
            if roles
            else self.tr("No model is chosen yet. Nothing is sent anywhere until you choose one.")
        )
        chosen = self._provider.currentData()
        self._provider.blockSignals(True)
        self._provider.clear()
        for row in report.providers:
            words = self.tr("{name} (on this computer)").format(name=provider_words(row.name))
            words = words if row.is_local and row.name not in ("practice", "replay") else provider_words(row.name)
            self._provider.addItem(words, row.name)
        self._provider.addItem(self.tr("Another server…"), ANOTHER)
        at = self._provider.findData(chosen) if chosen else self._provider.findData("practice")
        self._provider.setCurrentIndex(max(0, at))
        self._provider.blockSignals(False)
        self._keyring.setEnabled(report.can_keep_keys)
        (self._keyring if report.can_keep_keys else self._session).setChecked(True)
        self._keyring.setToolTip(spoken(report.keyring))
        self._on_provider()

    def _row(self) -> ProviderRow | None:
        name = self._provider.currentData()
        return next((row for row in self._report.providers if row.name == name), None) if self._report else None

    def _on_provider(self) -> None:
        if self._provider.currentData() == ANOTHER:
            self._go(self._add_server(), "add a server")
            return
        row = self._row()
        if row is None:
            return
        needs_key = row.key_source != "not-needed"
        notes = [spoken(note) for note in row.notes]
        if row.name == "practice":
            notes.append(
                self.tr(
                    "It only plays a model: free, needs no key, sends nothing. What it proves holds for itself alone."
                )
            )
        elif row.is_local:
            notes.append(self.tr("Nothing leaves this computer."))
        self._about.set_text(" ".join(notes))
        for widget in (self._key_holder, self._key_label, self._places_holder):
            widget.setVisible(needs_key)
        has_address = bool(row.address)
        self._address.setVisible(has_address)
        self._address_row.setVisible(has_address)
        self._address.setText(row.address)
        self._key_said.set_text(spoken(row.key))
        self._forget_key.set_allowed(row.key_source in ("keyring", "session"), self.tr("No key of it is kept here."))
        self._file.setVisible(row.name == "gguf")
        self._ask.setVisible(row.name not in ("practice", "gguf", "replay"))
        self._fill_models(row.models)
        self._hint.show_hint("")
        self._judge()

    def _fill_models(self, names: Sequence[str]) -> None:
        typed = self._model.currentText() if self._model.currentText() in names else ""
        self._model.clear()
        self._model.addItems(list(names))
        if typed:
            self._model.setCurrentText(typed)

    def _ref(self) -> str:
        name = self._model.currentText().strip()
        return f"{self._provider.currentData()}:{name}" if name else ""

    def _judge(self) -> None:
        no_name = self.tr("Say which model.")
        self._use.set_allowed(bool(self._ref()), no_name)
        self._test.set_allowed(bool(self._ref()), no_name)
        self._save_key.set_allowed(bool(self._key.text().strip()), self.tr("Paste a key first."))

    # --- doing

    def _go(self, work: Any, name: str) -> None:
        async def careful() -> None:
            try:
                await work
            except HoneyguideError as error:
                self._fail(error)

        self._tasks.start(careful(), name)

    def _fail(self, error: Exception) -> None:
        said = said_of(error)
        self._hint.show_hint(said, Severity.BAD)

    async def _keep_key(self) -> None:
        where = "keyring" if self._keyring.isChecked() else "session"
        key, provider = self._key.text().strip(), str(self._provider.currentData())
        self._key.clear()
        place = await self._desk.workspace.set_key(provider, key, where=where)
        self._show(await self._desk.workspace.models())
        self._hint.show_hint(spoken(place.message), Severity.GOOD)

    async def _drop_key(self) -> None:
        had = await self._desk.workspace.forget_key(str(self._provider.currentData()))
        self._show(await self._desk.workspace.models())
        self._hint.show_hint(self.tr("The key is forgotten.") if had else self.tr("There was none."), Severity.INFO)

    async def _save_address(self) -> None:
        """Keep the typed address; whatever asks the server waits for this, for a button need not take the focus."""
        row = self._row()
        typed = self._address.text().strip()
        if row is None or typed == row.address:
            return
        known = dict(self._desk.workspace.setting("models.base_urls"))
        if typed:
            known[row.name] = typed
        else:
            known.pop(row.name, None)
        await self._desk.workspace.set_setting("models.base_urls", known)
        report = await self._desk.workspace.models()
        model = self._model.currentText()
        self._show(report)
        self._model.setEditText(model)

    async def _add_server(self) -> None:
        """Ask for an address, and keep it under the name of its host."""
        dialog = TextDialog(
            "add-server",
            self.tr("Another server"),
            self.tr("Its address, for example https://models.example.org/v1"),
            self.tr("Add it"),
            self,
            explains=self.tr("Any server that speaks like OpenAI's (Chat Completions); many do."),
        )
        known = dict(self._desk.workspace.setting("models.openai_servers"))
        name = "practice"
        if await dialog.ask():
            name = server_name(dialog.text(), [*known, *(str(row.name) for row in self._rows())])
            await self._desk.workspace.set_setting("models.openai_servers", {**known, name: dialog.text()})
        report = await self._desk.workspace.models()
        self._provider.setCurrentIndex(self._provider.findData("practice"))
        self._show(report)
        self._provider.setCurrentIndex(max(0, self._provider.findData(name)))

    def _rows(self) -> Sequence[ProviderRow]:
        return self._report.providers if self._report else ()

    async def _list(self) -> None:
        await self._save_address()
        self._hint.show_hint(self.tr("Asking…"))
        names = await self._desk.workspace.list_models(str(self._provider.currentData()))
        self._fill_models(names)
        self._hint.show_hint(self.tr("{n} models are offered.").format(n=len(names)), Severity.INFO)

    async def _add_file(self) -> None:
        files = await ask_files(self, self.tr("Choose a model file"))
        if files:
            ref = await self._desk.workspace.add_model_file(files[0])
            self._show(await self._desk.workspace.models())
            self._model.setCurrentText(ref.model)

    async def _run_test(self) -> None:
        await self._save_address()
        self._hint.show_hint(self.tr("Asking one short question…"))
        self._test.set_allowed(False, self.tr("The answer is on its way."))
        try:
            found = await self._desk.workspace.test_models(self._ref())
        finally:
            self._judge()
        self._show_test(found[0])

    def _show_test(self, test: ModelTest) -> None:
        parts = [spoken(test.message), spoken(test.remedy)]
        if test.suggestions:
            parts.append(self.tr("Did you mean: {names}?").format(names=", ".join(test.suggestions)))
        self._hint.show_hint(" ".join(p for p in parts if p), Severity.GOOD if test.ok else Severity.BAD)

    async def _use_it(self) -> None:
        await self._save_address()
        role = self._role.currentData()
        ref = self._ref()
        for name in (role,) if role else ROLES:
            await self._desk.workspace.use_model(name, ref)
        self._desk.notify.info(self.tr("{model} is used from the next run on.").format(model=ref))
        self.accept()

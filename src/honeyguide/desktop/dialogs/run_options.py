"""The choices of a run as a form: preset, ceilings, and the advanced ones with the names the field uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.number_fields import NumberField, WholeField

ROLES = ("executor", "judge", "mutator")
SIZES = {
    "gepa": ("evalSize", "miniEvalSize", "microSize", "anchorEvalSize"),
    "schema": ("evalSize", "miniEvalSize"),
}
COUNTS = ("population", "generations", "schema_population", "schema_generations")


class PresetChoice(QWidget):
    """Signals:
    changed()
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("preset")
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Metrics.GRID)
        for name, words, about in (
            ("quick", self.tr("Quick look"), self.tr("At most 120 calls; can miss what a longer search finds.")),
            ("efficient", self.tr("Efficient"), self.tr("Spends calls where they tell most. The usual choice.")),
            ("thorough", self.tr("Thorough"), self.tr("A larger search, several times the calls.")),
        ):
            button = named(QRadioButton(words), f"preset-{name}", words, about)
            button.setProperty("preset", name)
            self._group.addButton(button)
            column.addWidget(button)
            note = PlainLabel(about, Type.CAPTION, Role.TEXT_2)
            note.setContentsMargins(24, 0, 0, 0)
            column.addWidget(note)
        self.set_preset("efficient")
        self._group.buttonToggled.connect(lambda _, on: self.changed.emit() if on else None)

    def preset(self) -> str:
        """Return the chosen preset."""
        button = self._group.checkedButton()
        return str(button.property("preset")) if button is not None else "efficient"

    def set_preset(self, name: str) -> None:
        """Choose a preset."""
        for button in self._group.buttons():
            button.setChecked(button.property("preset") == name)


class Ceilings(QWidget):
    """What a run may take at most; the calls always have a ceiling, money when it can cost any.

    Signals:
        changed()
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("ceilings")
        self.calls = named(WholeField(), "ceiling-calls", self.tr("At most so many calls"))
        self.calls.setRange(0, 10_000_000)
        self.calls.setSpecialValueText(self.tr("as planned"))
        self.calls.setSingleStep(100)
        self.usd = named(NumberField(), "ceiling-usd", self.tr("At most so many dollars"))
        self.usd.setRange(0, 100_000)
        self.usd.setPrefix("$")
        self.usd.setDecimals(2)
        self.usd.setSpecialValueText(self.tr("no ceiling"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Metrics.GAP)
        self._calls_words = PlainLabel(self.tr("At most"), wrap=False)
        row.addWidget(self._calls_words)
        row.addWidget(self.calls)
        row.addWidget(PlainLabel(self.tr("calls"), wrap=False))
        self._and = PlainLabel(self.tr("and"), wrap=False)
        row.addWidget(self._and)
        row.addWidget(self.usd)
        row.addStretch(1)
        self.calls.valueChanged.connect(lambda _: self.changed.emit())
        self.usd.valueChanged.connect(lambda _: self.changed.emit())

    def set_costs_money(self, costs: bool) -> None:
        """Ask for a ceiling on money, or not."""
        self.usd.setVisible(costs)
        self._and.setVisible(costs)

    def max_calls(self) -> int | None:
        """Return the ceiling on calls; ``None`` leaves it to the plan."""
        return self.calls.value() or None

    def max_usd(self) -> float | None:
        """Return the ceiling on money; ``None`` for none."""
        return self.usd.value() or None


class AdvancedOptions(QScrollArea):
    """Signals:
    changed()
    """

    changed = Signal()

    def __init__(self, models: Mapping[str, str]) -> None:
        """``models`` names the model of each role that is used when the field stays empty."""
        super().__init__()
        self.setObjectName("advanced")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        form = QFormLayout(body)
        form.setContentsMargins(Metrics.GAP, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        form.setHorizontalSpacing(Metrics.GAP_2)
        form.setVerticalSpacing(Metrics.GRID + 2)
        self.setWidget(body)
        self._models: dict[str, QLineEdit] = {}
        role_words = {
            "executor": self.tr("Model that answers"),
            "judge": self.tr("Model that grades"),
            "mutator": self.tr("Model that proposes"),
        }
        for role in ROLES:
            field = named(QLineEdit(), f"model-{role}", role_words[role])
            field.setPlaceholderText(models.get(role, ""))
            field.editingFinished.connect(lambda: self.changed.emit())
            self._models[role] = field
            form.addRow(role_words[role], field)
        self.seed = self._whole("seed", 1, 1, 2_000_000_000)
        self.concurrency = self._whole("concurrency", 4, 1, 64)
        self.min_delta = named(NumberField(), "option-min-delta", self.tr("Smallest gain"))
        self.min_delta.setRange(-100, 100)
        self.min_delta.setDecimals(1)
        self.min_delta.setSuffix(self.tr(" points"))
        self.min_delta.setValue(2.0)
        self.min_delta.valueChanged.connect(lambda _: self.changed.emit())
        form.addRow(self.tr("Seed"), self.seed)
        form.addRow(self.tr("Calls at the same time"), self.concurrency)
        form.addRow(self.tr("Smallest gain (minDelta)"), self.min_delta)
        self._counts: dict[str, WholeField] = {}
        count_words = {
            "population": self.tr("Instruction search: population"),
            "generations": self.tr("Instruction search: generations"),
            "schema_population": self.tr("Schema search: population"),
            "schema_generations": self.tr("Schema search: generations"),
        }
        for name in COUNTS:
            box = self._whole(name.replace("_", "-"), 0, 0, 200, self.tr("as the preset"))
            self._counts[name] = box
            form.addRow(count_words[name], box)
        self._sizes: dict[tuple[str, str], WholeField] = {}
        for stage, names in SIZES.items():
            for name in names:
                box = self._whole(f"{stage}-{name}", 0, 0, 10_000, self.tr("as the preset"))
                self._sizes[stage, name] = box
                form.addRow(f"{stage}.{name}", box)
        self.allow_safe = named(QCheckBox(self.tr("Also propose what is safe but not proven better")), "allow-safe",
                                self.tr("Also propose what is safe"))  # fmt: skip
        self.allow_safe.toggled.connect(lambda _: self.changed.emit())
        form.addRow("", self.allow_safe)
        ablate = self.tr("Measure what each change is worth, and leave out what earns nothing")
        self.ablate = named(QCheckBox(ablate), "ablate", ablate)
        self.ablate.toggled.connect(lambda _: self.changed.emit())
        form.addRow("", self.ablate)

    def values(self) -> dict[str, Any]:
        """Return what differs from the defaults, as fields of ``RunOptions``; models by role as text."""
        sizes: dict[str, dict[str, int]] = {}
        for (stage, name), box in self._sizes.items():
            if box.value():
                sizes.setdefault(stage, {})[name] = box.value()
        return {
            "seed": self.seed.value(),
            "concurrency": self.concurrency.value(),
            "min_delta": self.min_delta.value() / 100,
            "allow_safe": self.allow_safe.isChecked(),
            "ablate": self.ablate.isChecked(),
            "sizes": sizes,
            "models": {role: field.text().strip() for role, field in self._models.items() if field.text().strip()},
            **{name: box.value() or None for name, box in self._counts.items()},
        }

    def _whole(self, name: str, value: int, least: int, most: int, none: str = "") -> WholeField:
        box = named(WholeField(), f"option-{name}", name)
        box.setRange(least, most)
        box.setValue(value)
        if none:
            box.setSpecialValueText(none)
        box.valueChanged.connect(lambda _: self.changed.emit())
        return box

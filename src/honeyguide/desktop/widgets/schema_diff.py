"""How the structure of answers changes, field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QVBoxLayout, QWidget

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.labels import PlainLabel


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of the answer.

    Attributes:
        change: ``added``, ``removed``, ``changed``, ``moved`` or ``same``.
        before, after: type and demands on each side; empty where the field is not there.
        description_before, description_after: what the field is for.
    """

    name: str
    change: str
    before: str = ""
    after: str = ""
    description_before: str = ""
    description_after: str = ""


_SIGNS = {
    "added": ("plus", Role.GOOD),
    "removed": ("dash", Role.BAD),
    "changed": ("tilde", Role.WARN),
    "moved": ("flows", Role.INFO),
    "same": ("equal", Role.TEXT_2),
}


def schema_changes(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[FieldChange]:
    """Compare two schemas in the seed's JSON form (``{"fields": [{name, type, description, required, …}]}``).

    The fields stand in the order of the new schema, those that are gone where they stood.
    """
    old, new = _fields(before), _fields(after)
    old_names, new_names = list(old), list(new)
    kept_old = [name for name in old_names if name in new]
    kept_new = [name for name in new_names if name in old]
    moved = _moved(kept_old, kept_new)
    changes = [_change(name, old.get(name), new[name], name in moved) for name in new_names]
    gone = [name for name in old_names if name not in new]
    for name in gone:
        place = old_names.index(name)
        changes.insert(min(place, len(changes)), _change(name, old[name], None, False))
    return changes


class SchemaDiffTable(QWidget):
    """A sentence and a table of the fields."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema-diff")
        self.model = _SchemaModel(self)
        self._sum = PlainLabel("", role=Role.TEXT_2)
        self.table = DataTable("schema-diff-table", self.tr("Fields of the answer"), self.model)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, Metrics.GAP, 0, 0)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self._sum)
        column.addWidget(self.table, 1)
        self._sum.setContentsMargins(Metrics.MARGIN, 0, Metrics.MARGIN, 0)
        self.set_changes(())

    def set_schemas(self, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Show what changes between two schemas in the seed's JSON form."""
        self.set_changes(schema_changes(before, after))

    def set_changes(self, changes: Sequence[FieldChange]) -> None:
        """Show these fields."""
        self.model.set_rows(changes)
        words = {
            "added": self.tr("{n} added"),
            "removed": self.tr("{n} removed"),
            "changed": self.tr("{n} changed"),
            "moved": self.tr("{n} moved"),
        }
        counts = {kind: sum(row.change == kind for row in changes) for kind in words}
        said = ", ".join(text.format(n=counts[kind]) for kind, text in words.items() if counts[kind])
        if not changes:
            said = self.tr("The answer has no structure that could change.")
        elif not said:
            said = self.tr("The structure of the answer stays as it is.")
        else:
            said = self.tr("Fields of the answer: {changes}.").format(changes=said)
        self._sum.set_text(said)


class _SchemaModel(IndexedTableModel[FieldChange]):
    def __init__(self, parent: QObject | None = None) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            (
                Column("change", translate("SchemaDiffTable", "Change"), 14, fixed=True),
                Column("name", translate("SchemaDiffTable", "Field"), 18, fixed=True),
                Column("before", translate("SchemaDiffTable", "Now"), 30),
                Column("after", translate("SchemaDiffTable", "Proposed"), 30),
                Column("description_before", translate("SchemaDiffTable", "Meaning now"), 28, shown=False),
                Column("description_after", translate("SchemaDiffTable", "Meaning"), 34, stretch=True),
            ),
            parent,
        )

    def key(self, row: FieldChange) -> str:
        return row.name

    def cell(self, row: FieldChange, column: int) -> Cell:
        name = self.columns[column].id
        translate = QCoreApplication.translate
        if name == "change":
            icon, role = _SIGNS.get(row.change, ("question", Role.WARN))
            words = {
                "added": translate("SchemaDiffTable", "added"),
                "removed": translate("SchemaDiffTable", "removed"),
                "changed": translate("SchemaDiffTable", "changed"),
                "moved": translate("SchemaDiffTable", "moved"),
                "same": translate("SchemaDiffTable", "same"),
            }
            return Cell(words.get(row.change, row.change), role, icon)
        if name == "description_after":
            text = row.description_after or row.description_before
            differs = row.description_before and row.description_after != row.description_before
            was = translate("SchemaDiffTable", "Was: {text}").format(text=row.description_before) if differs else ""
            return Cell(one_line(text), Role.TEXT_2, tip=f"{text}\n{was}".strip())
        text = getattr(row, name)
        return Cell(
            one_line(text) if text else "–", Role.TEXT if text else Role.TEXT_2, strong=name == "name", tip=text
        )


def _fields(schema: Mapping[str, Any] | None) -> dict[str, Mapping[str, Any]]:
    fields = (schema or {}).get("fields", [])
    if not isinstance(fields, Sequence) or isinstance(fields, str):
        return {}
    return {str(field.get("name", "")): field for field in fields if isinstance(field, Mapping)}


def _moved(old: list[str], new: list[str]) -> set[str]:
    """Return the names outside the longest run that kept its order."""
    places = [old.index(name) for name in new]
    best: list[list[int]] = []
    for at, place in enumerate(places):
        longest: list[int] = []
        for earlier in range(at):
            if places[earlier] < place and len(best[earlier]) > len(longest):
                longest = best[earlier]
        best.append([*longest, at])
    kept = set(next((line for line in best if len(line) == max(map(len, best))), []))
    return {name for at, name in enumerate(new) if at not in kept}


def _change(name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, moved: bool) -> FieldChange:
    before, after = _demands(old), _demands(new)
    said_before = str(old.get("description", "")) if old else ""
    said_after = str(new.get("description", "")) if new else ""
    if old is None:
        kind = "added"
    elif new is None:
        kind = "removed"
    elif (before, said_before) != (after, said_after):
        kind = "changed"
    else:
        kind = "moved" if moved else "same"
    return FieldChange(name, kind, before, after, said_before, said_after)


def _demands(field: Mapping[str, Any] | None) -> str:
    if field is None:
        return ""
    translate = QCoreApplication.translate
    parts = [str(field.get("type", "string"))]
    required = field.get("required", True)
    parts.append(translate("SchemaDiffTable", "required") if required else translate("SchemaDiffTable", "optional"))
    constraints = field.get("constraints", [])
    for constraint in constraints if isinstance(constraints, Sequence) else ():
        if isinstance(constraint, Mapping):
            value = constraint.get("value", "")
            said = ", ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value
            parts.append(f"{constraint.get('kind', '')} {said}".strip())
    return ", ".join(parts)

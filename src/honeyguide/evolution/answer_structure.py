"""A schema as a section of a prompt, and such a section read back.

The section is what the search measures and what gets deployed; the next run finds it at the end of the live
text, takes it off, and starts from the schema it says.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum

from honeyguide.evolution.schema import ConstraintKind, FieldConstraint, FieldType, Schema, SchemaField
from honeyguide.kernel.errors import InvalidInput

HEADING = "## Answer structure"
DEPLOYED_NAME = "deployed"


class AnswerStyle(StrEnum):
    """How an agent is to give the fields."""

    PROSE = "prose"
    """As parts of an ordinary answer, for people."""
    JSON = "json"
    """As one JSON object, for programs."""


LEADS = {
    AnswerStyle.PROSE: "Give every answer these parts, in this order. An optional part may be left out.",
    AnswerStyle.JSON: (
        "Answer with one JSON object and nothing else, with these fields in this order. "
        "An optional field may be left out."
    ),
}
_BARE = re.compile(r"[^\s,=\[\]\"]+")
_LINE = re.compile(r'- "(?P<name>[^"]+)" \((?P<type>\w+), (?P<need>required|optional)\)(?:: (?P<rest>.*))?')
_CONSTRAINTS = " Constraints: "
_SECTION = re.compile(
    rf"(?:\A|\n\n){re.escape(HEADING)}\n\n(?P<lead>[^\n]+)\n(?P<lines>- \"[^\n]*(?:\n- \"[^\n]*)*)\s*\Z"
)


def render_fields(schema: Schema) -> str:
    """Return one bullet a field: quoted name, type and need, description, constraints as ``kind=value``."""
    return "\n".join(_bullet(field) for field in schema.fields)


def render_section(schema: Schema, style: AnswerStyle = AnswerStyle.PROSE) -> str:
    """Return the section that is put behind a prompt, without a final line break."""
    return f"{HEADING}\n\n{LEADS[style]}\n{render_fields(schema)}"


def read_section(text: str) -> tuple[str, Schema | None]:
    """Split a deployed text into the prompt before its section and the schema that the section says.

    A text without a section at its very end, or with one that cannot be read, comes back whole.
    """
    found = _SECTION.search(text)
    if found is None or found["lead"] not in LEADS.values():
        return text, None
    fields = [_read_bullet(line) for line in found["lines"].split("\n")]
    known = [field for field in fields if field is not None]
    if len(known) < len(fields):
        return text, None
    try:
        schema = Schema(DEPLOYED_NAME, tuple(known))
    except InvalidInput:
        return text, None
    return text[: found.start()], schema


def _bullet(field: SchemaField) -> str:
    parts = [f'- "{field.name}" ({field.type.value}, {"required" if field.required else "optional"})']
    rest = " ".join(field.description.split())
    if field.constraints:
        rest += _CONSTRAINTS + ", ".join(f"{c.kind.value}={_value(c.value)}" for c in field.constraints)
    return f"{parts[0]}: {rest.strip()}" if rest else parts[0]


def _value(value: str | int | float | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) and not _is_json(value) else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _read_bullet(line: str) -> SchemaField | None:
    found = _LINE.fullmatch(line)
    if found is None or found["type"] not in set(FieldType):
        return None
    rest = f" {found['rest'] or ''}"
    cut = len(rest)
    while True:
        cut = rest.rfind(_CONSTRAINTS, 0, cut)
        description = rest if cut < 0 else rest[:cut]
        constraints = () if cut < 0 else _read_constraints(rest[cut + len(_CONSTRAINTS) :])
        if constraints is not None:
            try:
                field = SchemaField(
                    found["name"],
                    FieldType(found["type"]),
                    description.strip(),
                    found["need"] == "required",
                    constraints,
                )
            except InvalidInput:
                return None
            if _bullet(field) == line:
                return field
        if cut < 0:
            return None


def _read_constraints(text: str) -> tuple[FieldConstraint, ...] | None:
    found = []
    position = 0
    while position < len(text):
        name = re.compile(r"(\w+)=").match(text, position)
        if name is None or name[1] not in set(ConstraintKind):
            return None
        read = _read_value(text, name.end())
        if read is None:
            return None
        value, position = read
        found.append(FieldConstraint(ConstraintKind(name[1]), value))
        if position < len(text):
            if not text.startswith(", ", position):
                return None
            position += 2
    return tuple(found) or None


def _read_value(text: str, position: int) -> tuple[str | int | float | tuple[str, ...], int] | None:
    if text.startswith("[", position):
        return _read_list(text, position + 1)
    if text.startswith('"', position):
        try:
            value, end = json.JSONDecoder().raw_decode(text, position)
        except ValueError:
            return None
        return str(value), end
    bare = _BARE.match(text, position)
    if bare is None:
        return None
    if _is_json(bare[0]):
        number = json.loads(bare[0])
        return (number, bare.end()) if isinstance(number, (int, float)) and not isinstance(number, bool) else None
    return bare[0], bare.end()


def _read_list(text: str, position: int) -> tuple[tuple[str, ...], int] | None:
    items: list[str] = []
    while not text.startswith("]", position):
        if items:
            if not text.startswith(", ", position):
                return None
            position += 2
        read = _read_value(text, position)
        if read is None or not isinstance(read[0], str):
            return None
        items.append(read[0])
        position = read[1]
    return tuple(items), position + 1

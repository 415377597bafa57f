"""How long a text may be: per kind, counted the way the program that loads it counts.

Facts and sources: docs/targets.md, table "Limits". Python counts an emoji as one character, JavaScript as
two code units, UTF-8 as four bytes; every measure shows all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.targets import TargetKind

if TYPE_CHECKING:
    from honeyguide.prompts.carriers.document import CarrierDocument

NEAR = 0.02
"""A text within this share below a limit is *near* it: two programs may disagree on which side it falls."""


class Unit(StrEnum):
    """What is counted."""

    CHARACTERS = "characters"
    BYTES = "bytes"
    CODE_UNITS = "code-units"
    """UTF-16 code units, as JavaScript's ``length`` counts."""
    LINES = "lines"


class Strength(StrEnum):
    """What happens beyond the limit."""

    REFUSED = "refused"
    """The program, or the gate, refuses the file."""
    CUT = "cut"
    """The program drops the rest without a word."""
    ADVISED = "advised"


class State(StrEnum):
    """Where a text stands against a limit."""

    WITHIN = "within"
    NEAR = "near"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Sizes:
    """A text counted in every unit."""

    characters: int
    bytes: int
    code_units: int
    lines: int

    def of(self, unit: Unit) -> int:
        """Return the count in ``unit``."""
        return {
            Unit.CHARACTERS: self.characters,
            Unit.BYTES: self.bytes,
            Unit.CODE_UNITS: self.code_units,
            Unit.LINES: self.lines,
        }[unit]


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit.

    Attributes:
        code: stable name, e.g. ``skill-description``.
        scope: what is counted: ``file``, ``body``, ``span``, or ``fields:a+b`` for frontmatter values together.
        maximum: the largest allowed count (inclusive).
        strength: what happens beyond it.
        program: whose limit it is.
    """

    code: str
    scope: str
    unit: Unit
    maximum: int
    strength: Strength
    program: str

    def check(self, sizes: Sizes) -> Measure:
        """Return how ``sizes`` stands against this limit."""
        return Measure(self, sizes)


@dataclass(frozen=True, slots=True)
class Measure:
    """A text against a limit."""

    limit: Limit
    sizes: Sizes

    @property
    def used(self) -> int:
        """The count in the limit's unit."""
        return self.sizes.of(self.limit.unit)

    @property
    def state(self) -> State:
        """Within, near (see `NEAR`; lines are exact and never near), or over."""
        if self.used > self.limit.maximum:
            return State.OVER
        exact = self.limit.unit is Unit.LINES or self.limit.strength is Strength.ADVISED
        return State.NEAR if not exact and self.used > self.limit.maximum * (1 - NEAR) else State.WITHIN

    @property
    def sentence(self) -> str:
        """E.g. ``1,030 of 1,024 characters (1,041 bytes, 1,031 code units)``."""
        unit = self.limit.unit.value.replace("-", " ")
        others = [
            f"{self.sizes.of(other):,} {other.value.replace('-', ' ')}"
            for other in (Unit.CHARACTERS, Unit.BYTES, Unit.CODE_UNITS)
            if other is not self.limit.unit
        ]
        return f"{self.used:,} of {self.limit.maximum:,} {unit} ({', '.join(others)})"


def sizes(text: str, *, byte_count: int | None = None) -> Sizes:
    """Count ``text``; ``byte_count`` overrides the UTF-8 count where the file's own bytes are known."""
    characters = len(text)
    raw = len(text.encode("utf-8", "surrogatepass")) if byte_count is None else byte_count
    code_units = characters if text.isascii() else sum(2 if ord(c) > 0xFFFF else 1 for c in text)
    lines = text.count("\n") + (not text.endswith("\n")) if text else 0
    return Sizes(characters, raw, code_units, lines)


_SEED_SIZES: Mapping[TargetKind, int] = {
    TargetKind.PERSONA: 3_000,
    TargetKind.SECTION: 4_000,
    TargetKind.TOOL: 500,
    TargetKind.SKILL: 15_000,
    TargetKind.GENERIC: 8_000,
}


def gate_limit(kind: TargetKind) -> Limit | None:
    """Return the size that the gate ``size`` allows a text of this kind, in UTF-16 code units (seed 000, 4.6)."""
    maximum = _SEED_SIZES.get(kind)
    if maximum is None:
        return None
    return Limit(f"gate-{kind.value}", "span", Unit.CODE_UNITS, maximum, Strength.REFUSED, "Honeyguide")


def _limit(code: str, scope: str, unit: Unit, maximum: int, strength: Strength, program: str) -> Limit:
    return Limit(code, scope, unit, maximum, strength, program)


_C, _B, _L = Unit.CHARACTERS, Unit.BYTES, Unit.LINES
_REFUSED, _CUT, _ADVISED = Strength.REFUSED, Strength.CUT, Strength.ADVISED
_CLAUDE = "Claude Code"
_SKILL_DESCRIPTION = _limit("skill-description", "fields:description", _C, 1_024, _REFUSED, "Agent Skills")
_SKILL = (
    _limit("skill-name", "fields:name", _C, 64, _REFUSED, "Agent Skills"),
    _SKILL_DESCRIPTION,
    _limit("skill-compatibility", "fields:compatibility", _C, 500, _REFUSED, "Agent Skills"),
    _limit("skill-listing", "fields:description+when_to_use", _C, 1_536, _CUT, _CLAUDE),
    _limit("skill-body-lines", "body", _L, 500, _ADVISED, "Agent Skills"),
)
_TOOL = (
    _limit("tool-description-cut", "span", _B, 2_048, _CUT, _CLAUDE),
    _limit("tool-description-openai", "span", _C, 1_024, _ADVISED, "OpenAI"),
)
_LIMITS: Mapping[FileKind, tuple[Limit, ...]] = {
    FileKind.AGENT_SKILL: _SKILL,
    FileKind.SKILL_OVERRIDE: _SKILL,
    FileKind.CLAUDE_COMMAND: (_limit("command-listing", "fields:description+when_to_use", _C, 1_536, _CUT, _CLAUDE),),
    FileKind.CLAUDE_MEMORY: (
        _limit("claude-memory-lines", "file", _L, 200, _ADVISED, _CLAUDE),
        _limit("claude-memory-size", "file", _C, 40_000, _ADVISED, _CLAUDE),
    ),
    FileKind.CLAUDE_RULE: (_limit("claude-rule-size", "file", _C, 40_000, _ADVISED, _CLAUDE),),
    FileKind.AGENTS_MD: (_limit("codex-project-doc", "file", _B, 32_768, _CUT, "Codex"),),
    FileKind.CURSOR_RULE: (_limit("cursor-rule-lines", "file", _L, 500, _ADVISED, "Cursor"),),
    FileKind.CURSOR_LEGACY: (_limit("cursor-rule-lines", "file", _L, 500, _ADVISED, "Cursor"),),
    FileKind.COPILOT_INSTRUCTIONS: (_limit("copilot-review", "file", _C, 4_000, _ADVISED, "Copilot code review"),),
    FileKind.COPILOT_SCOPED: (_limit("copilot-review", "file", _C, 4_000, _ADVISED, "Copilot code review"),),
    FileKind.COPILOT_AGENT: (_limit("copilot-agent", "body", _C, 30_000, _REFUSED, "Copilot"),),
    FileKind.WINDSURF_RULE: (_limit("windsurf-rule", "file", _C, 12_000, _CUT, "Windsurf"),),
    FileKind.TOOL_JSON: _TOOL,
    FileKind.TOOL_OVERRIDE: _TOOL,
}


def limits_for(kind: FileKind) -> tuple[Limit, ...]:
    """Return the limits of the programs that load files of this kind."""
    return _LIMITS.get(kind, ())


def measure(document: CarrierDocument, *, gate: bool = False) -> tuple[Measure, ...]:
    """Count an opened file against its limits; with ``gate``, the size gate of its target kind comes first."""
    own = gate_limit(document.profile.target) if gate else None
    found: list[Measure] = [own.check(_scoped(document, own.scope))] if own else []
    for limit in document.limits:
        if limit.scope.startswith("fields:") and not _has_fields(document.fields, limit.scope):
            continue
        found.append(limit.check(_scoped(document, limit.scope)))
    return tuple(found)


def field_text(fields: Mapping[str, Any], scope: str) -> str:
    """Return the values that a ``fields:`` scope names, as one text."""
    values = (fields.get(name) for name in scope.removeprefix("fields:").split("+"))
    return " ".join(str(value) for value in values if value not in (None, ""))


def _has_fields(fields: Mapping[str, Any], scope: str) -> bool:
    return any(name in fields for name in scope.removeprefix("fields:").split("+"))


def _scoped(document: CarrierDocument, scope: str) -> Sizes:
    if scope == "file":
        return sizes(document.source.text, byte_count=len(document.data))
    if scope == "body":
        return sizes(document.body)
    if scope == "span":
        return sizes(document.text)
    return sizes(field_text(document.fields, scope))

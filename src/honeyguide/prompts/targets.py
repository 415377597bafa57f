"""The kinds of text that can evolve, and what a target is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from honeyguide.kernel.errors import InvalidInput
from honeyguide.kernel.ids import is_safe_name


class TargetKind(StrEnum):
    """All kinds; the first five are spelled as the first seed spells them."""

    PERSONA = "persona-system-prompt"
    SECTION = "behavioral-spec-section"
    TOOL = "tool-description"
    SKILL = "skill-body"
    GENERIC = "generic"
    INSTRUCTION_FILE = "instruction-file"
    SUBAGENT = "subagent"
    COMMAND = "command"
    HARNESS = "harness"
    FLOW = "flow"


SEED_KINDS = (TargetKind.PERSONA, TargetKind.SECTION, TargetKind.TOOL, TargetKind.SKILL, TargetKind.GENERIC)
SECTIONS = ("coreLoop", "qualityRules", "behavioralRules", "workPatterns", "intelligenceDefaults")


@dataclass(frozen=True, slots=True)
class TargetRef:
    """A target by kind and name; written ``NAME``, or ``KIND:NAME`` where two kinds share a name."""

    kind: TargetKind
    name: str

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.name}"


def check_target_name(name: str) -> str:
    """Return ``name`` if it may name a target. Raises InvalidInput for separators, NUL, leading dots and the like."""
    if not is_safe_name(name):
        raise InvalidInput(
            f"{name!r} cannot name a target.",
            hint="Use 1 to 200 characters without slashes, control characters or a leading dot.",
        )
    return name


def split_target_name(text: str) -> tuple[TargetKind | None, str]:
    """Split ``KIND:NAME`` or ``NAME``; the kind is ``None`` when not given. Raises InvalidInput."""
    head, colon, tail = text.partition(":")
    if colon and head in set(TargetKind):
        return TargetKind(head), check_target_name(tail)
    return None, check_target_name(text)

"""Which targets stand with another one in every run, as the workspace keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from honeyguide.prompts.targets import TargetKind, TargetRef

if TYPE_CHECKING:
    from honeyguide.storage import Unit


def standing_with(unit: Unit, ref: TargetRef) -> list[TargetRef]:
    """Return the targets that stand with ``ref``, as they are kept."""
    stored: Any = unit.settings.get(standing_key(ref), [])
    return [TargetRef(TargetKind(kind), name) for kind, name in stored if kind in set(TargetKind)]


def standing_key(ref: TargetRef) -> str:
    """Return the settings entry that holds them."""
    return f"together.{ref}"

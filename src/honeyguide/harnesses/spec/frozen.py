"""What no proposal may ever change, and what a spec lets proposals change."""

from __future__ import annotations

from typing import Final

from honeyguide.harnesses.spec.evolving import Evolution
from honeyguide.harnesses.spec.paths import covered_by_any, touches_any

ALWAYS_FROZEN: Final = (
    "id", "guardrails", "model", "logging.redact", "extensions", "hooks", "mcp_servers", "evolution.auto_propose",
    "evolution.reflect", "evolution.trace_excerpts", "evolution.objectives", "confinement", "egress", "memory.enabled",
    "memory.max_entries", "memory.max_entry_chars", "memory.prompt_budget_chars", "memory.selection",
    "memory.max_selected",
)  # fmt: skip
FROZEN_IN_PLAYBOOKS: Final = ("on_enter", "on_exit", "model", "model_provider")


def is_frozen(path: str, evolution: Evolution | None = None) -> bool:
    """Say whether ``path``, or anything above or below it, is frozen; letters' case does not matter."""
    return touches_any(path, (*ALWAYS_FROZEN, *(evolution.frozen if evolution else ())))


def is_mutable(path: str, evolution: Evolution) -> bool:
    """Say whether the spec lets proposals change ``path``."""
    return covered_by_any(path, evolution.mutable)


def within_reach(path: str, evolution: Evolution | None) -> bool:
    """Say whether a proposal could change ``path``."""
    return evolution is not None and is_mutable(path, evolution) and not is_frozen(path, evolution)

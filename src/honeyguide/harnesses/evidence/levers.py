"""Levers: which parts of a spec could move a signal, and whether proposals may reach them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from honeyguide.harnesses.spec.evolving import Evolution
from honeyguide.harnesses.spec.frozen import within_reach

_LEVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "tool": ("tools", "loop.steps", "system_prompt"),
    "tool_error": ("tools", "system_prompt", "memory.entries", "loop.steps"),
    "spilled": ("context.tool_results", "system_prompt", "memory.entries"),
    "step": ("loop.steps", "system_prompt"),
    "step_violation": ("loop.steps", "system_prompt"),
    "playbook": ("playbooks",),
    "notes": ("system_prompt",),
    "memory": ("memory.entries",),
    "delegation": ("delegation",),
    "model": ("model",),
    "input": ("system_prompt", "playbooks", "loop.steps"),
}
_FRICTION_LEVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "tool_error": ("tools", "system_prompt", "memory.entries"),
    "retry": ("tools", "system_prompt"),
    "output_truncated": ("system_prompt", "loop.policy"),
    "context_compaction": ("context.strategy", "context.compaction", "loop.max_turns"),
    "user_steer": ("system_prompt", "memory.entries"),
    "guardrail_block": ("system_prompt",),
    "provider_error": ("model",),
}


def family_of(feature: str) -> str:
    """Return the part before the first colon."""
    return feature.partition(":")[0]


def levers_of(target: str, evolution: Evolution | None) -> tuple[tuple[str, ...], bool]:
    """Return the parts of a spec that could move ``target``, reachable ones first, and whether any is reachable."""
    family, _, rest = target.partition(":")
    if family == "friction":
        levers = _FRICTION_LEVERS.get(rest.partition("@")[0], ("system_prompt",))
    else:
        levers = _LEVERS.get(family, ("system_prompt",))
    reachable = [lever for lever in levers if within_reach(lever, evolution)]
    return (*reachable, *(lever for lever in levers if lever not in reachable)), bool(reachable)

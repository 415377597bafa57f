"""The system prompt of a run: the spec's own, then skills, lessons, guidelines of tools, and notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from honeyguide.harnesses.spec.memory import Memory, MemoryEntry
from honeyguide.harnesses.spec.models import HarnessSpec


def system_prompt(spec: HarnessSpec, task: str, guidelines: Sequence[str], notes: str) -> str:
    """Return the prompt; without any extras it is the spec's text, byte for byte."""
    parts = [spec.system_prompt]
    if spec.skills:
        parts.append("Skills (read one with load_skill): " + ", ".join(spec.skills))
    if lessons := lessons_for(spec.memory, task):
        lines = [f"- [{e.kind}] {' '.join(e.title.split())}: {' '.join(e.content.split())}" for e in lessons]
        parts.append("Lessons from earlier runs:\n" + "\n".join(lines))
    parts += guidelines
    if notes:
        parts.append(notes)
    return parts[0] if len(parts) == 1 else "\n\n".join(part.rstrip("\n") for part in parts)


def lessons_for(memory: Memory, task: str) -> list[MemoryEntry]:
    """Return the lessons that are shown: all, or the pinned ones and those that share the most words with the task."""
    if not memory.enabled or memory.selection == "all":
        return list(memory.entries) if memory.enabled else []
    words = _words(task)
    scored = [(e.pinned, len(words & _words(f"{e.title} {e.content}")), -n, e) for n, e in enumerate(memory.entries)]
    fitting = [row for row in sorted(scored, key=lambda r: r[:3], reverse=True) if row[0] or row[1]]
    chosen = {row[3].id for row in fitting[: memory.max_selected]}
    return [entry for entry in memory.entries if entry.id in chosen]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.casefold()))

"""Skills, subagents and commands that imported history never shows in use."""

from __future__ import annotations

from collections.abc import Iterator

from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Shelf
from honeyguide.prompts.kinds import FileKind, profile

_CALLED = (FileKind.AGENT_SKILL, FileKind.CLAUDE_SUBAGENT, FileKind.CLAUDE_COMMAND, FileKind.CODEX_PROMPT)
_ENOUGH_SESSIONS = 10
"""Fewer sessions than this prove nothing."""


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield what was never called, where there is enough history to say so."""
    usage = shelf.context.usage
    if usage is None or usage.sessions < _ENOUGH_SESSIONS:
        return
    called = {name.rpartition(":")[2].casefold() for name, count in usage.calls.items() if count > 0}
    for prompt in shelf.documents:
        if prompt.kind in _CALLED and prompt.name.casefold() not in called:
            since = f" since {usage.since}" if usage.since else ""
            label = profile(prompt.kind).label
            yield Finding(
                "info",
                "never-used",
                prompt.path,
                1,
                f"{label} {prompt.name!r} was never used in {usage.sessions:,} sessions{since}.",
                "Its description takes room in every conversation. A sharper description may bring it to use.",
            )

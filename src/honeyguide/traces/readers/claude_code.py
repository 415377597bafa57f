"""Claude Code sessions: ``~/.claude/projects/<folder>/<session>.jsonl`` and the logs of their sub-agents.

Three steps, one module each: ``_claude_lines`` says what a line is, ``_claude_tree`` joins lines to a tree,
``_claude_traces`` makes traces of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from honeyguide.traces.conversations import Conversation
from honeyguide.traces.lines import iter_json, noise_filter
from honeyguide.traces.readers._claude_lines import LINE_TYPES, Lines
from honeyguide.traces.readers._claude_traces import conversations_in
from honeyguide.traces.readers._documents import look
from honeyguide.traces.readers._values import text_of
from honeyguide.traces.readers.protocol import ReadContext

NOISE = ("progress",)
"""Line types that are passed over before parsing; they are up to 99 % of a session's bytes."""


class ClaudeCodeSource:
    """The project is the ``cwd`` of the lines; the folder's name is lossy and never decoded."""

    name = "claude-code"

    def sniff(self, head: bytes, name_hint: str) -> float:
        best = 0.0
        for value in look(head).objects()[:100]:
            if text_of(value.get("type")) not in LINE_TYPES:
                continue
            if "sessionId" in value and ("uuid" in value or "message" in value):
                return 0.95
            if {"leafUuid", "parentUuid", "sessionId", "snapshot"} & value.keys():
                best = 0.6
        return best

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        lines = Lines(context.health)
        for record in iter_json(stream, context, skip=noise_filter("type", NOISE)):
            lines.add(record.data, record.number)
        context.check_cancelled()
        yield from conversations_in(lines, self.name, context.name)


SOURCE = ClaudeCodeSource()

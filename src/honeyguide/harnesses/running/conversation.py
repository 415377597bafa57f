"""The conversation of a run, kept twice: as it is sent, and event by event in the journal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from honeyguide.harnesses.running.journal import JournalWriter, payload_hash
from honeyguide.llm.protocol import Message, ModelReply
from honeyguide.llm.tools import ToolResult, ToolSpec

CHARACTERS_PER_TOKEN = 4


class Conversation:
    """Appends turns, and tells the journal of each, of every change of system prompt and tools, and of shortening."""

    def __init__(self, journal: JournalWriter) -> None:
        self._journal = journal
        self.messages: list[Message] = []
        self._system = ""
        self._tools: tuple[ToolSpec, ...] | None = None

    def user(self, text: str) -> None:
        """Append what is said to the model. Two turns of the user in a row become one, as providers want it."""
        last = self.messages[-1] if self.messages else None
        if last is not None and last.role == "user" and not last.tool_results:
            self.messages[-1] = Message("user", f"{last.content}\n\n{text}")
        elif last is not None and last.role == "user":
            self.messages[-1] = Message("user", text, tool_results=last.tool_results)
        else:
            self.messages.append(Message("user", text))
        self._tell(Message("user", text))

    def assistant(self, reply: ModelReply) -> None:
        """Append what the model answered."""
        message = Message("assistant", reply.text, tool_calls=reply.tool_calls)
        self.messages.append(message)
        self._tell(message)

    def results(self, results: Sequence[ToolResult]) -> None:
        """Append what the tools answered."""
        message = Message("user", "", tool_results=tuple(results))
        self.messages.append(message)
        self._tell(message)

    def frame(self, system: str, tools: Sequence[ToolSpec]) -> None:
        """Tell the journal of the system prompt and the tools, where they changed."""
        if system != self._system:
            self._system = system
            self._journal.write("context_system", {"system": system, "hash": payload_hash(system)})
        if self._tools is None or tuple(tools) != self._tools:
            self._tools = tuple(tools)
            listed = [tool.to_json() for tool in tools]
            self._journal.write("context_tools", {"tools": listed, "hash": payload_hash(listed)})

    def call_payload(self, turn: int, phase: str, most_tokens: int) -> dict[str, Any]:
        """Return what a ``model_call`` event says."""
        messages = [as_journaled(message) for message in self.messages]
        tools = [tool.to_json() for tool in self._tools or ()]
        return {
            "turn": turn,
            "phase": phase,
            "num_messages": len(messages),
            "context_head": self._journal.next_seq - 1,
            "system_hash": payload_hash(self._system),
            "tools_hash": payload_hash(tools),
            "input_tokens": self.tokens(),
            "max_input_tokens": most_tokens,
            "messages_hash": payload_hash(messages),
            "request_hash": payload_hash([self._system, tools, messages]),
        }

    def tokens(self) -> int:
        """Return an estimate of the tokens that a call would send."""
        size = len(self._system) + sum(len(str(tool.to_json())) for tool in self._tools or ())
        size += sum(len(str(as_journaled(message)["content"])) for message in self.messages)
        return math.ceil(size / CHARACTERS_PER_TOKEN)

    def rewind(self, length: int) -> None:
        """Go back to the first ``length`` turns."""
        dropped = len(self.messages) - length
        del self.messages[length:]
        self._journal.write("context_rewound", {"kept": length, "dropped": dropped})

    def older_turns(self) -> tuple[int, int]:
        """Return the range of turns that may be shortened: all but the task and the newest exchange."""
        end = len(self.messages) - 2
        while end > 1 and (self.messages[end].role != "assistant" or self.messages[end - 1].tool_calls):
            end -= 1
        return 1, max(1, end)

    def shorten(self, method: str, summary: str) -> None:
        """Replace the older turns by a summary (or by nothing) and tell the journal."""
        before, count = self.tokens(), len(self.messages)
        _, end = self.older_turns()
        task = self.messages[0]
        note = f"{task.content}\n\nSummary of what happened so far:\n{summary}" if summary else task.content
        self.messages[:end] = [Message("user", note)]
        self._journal.write(
            "context_compaction",
            {
                "method": method,
                "tokens_before": before,
                "tokens_after": self.tokens(),
                "messages_before": count,
                "messages_after": len(self.messages),
                "messages": [as_journaled(message) for message in self.messages],
            },
        )

    def _tell(self, message: Message) -> None:
        self._journal.write("context_append", {"index": len(self.messages) - 1, "message": as_journaled(message)})


def as_journaled(message: Message) -> dict[str, Any]:
    """Return a turn as journals hold it."""
    if message.role == "user" and not message.tool_results:
        return {"role": "user", "content": message.content}
    blocks: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": r.call_id, "content": r.content, "is_error": r.is_error}
        for r in message.tool_results
    ]
    if message.content:
        blocks.append({"type": "text", "text": message.content})
    blocks += [{"type": "tool_use", "id": c.id, "name": c.name, "input": dict(c.arguments)} for c in message.tool_calls]
    return {"role": message.role, "content": blocks}

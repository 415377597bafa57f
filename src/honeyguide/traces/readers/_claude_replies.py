"""Joins the lines of a Claude Code session that belong together: replies over several lines, tools and results."""

from __future__ import annotations

from dataclasses import dataclass, field

from honeyguide.traces.readers._claude_lines import Entry, Kind, ToolResult, ToolUse
from honeyguide.traces.readers._claude_tree import Tree
from honeyguide.traces.readers._values import whole
from honeyguide.traces.records import ReasoningStep, TokenCounts


@dataclass(slots=True)
class Reply:
    """One model reply: the lines that carry one message id, joined."""

    key: str
    first: Entry
    entries: list[Entry] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(dict.fromkeys(entry.text for entry in self.entries if entry.text))

    @property
    def uses(self) -> list[ToolUse]:
        return [use for entry in self.entries for use in entry.uses]

    @property
    def thoughts(self) -> list[ReasoningStep]:
        return [ReasoningStep(t, a) for t, a in {e.thinking: e.at for e in self.entries if e.thinking}.items()]

    @property
    def tokens(self) -> TokenCounts:
        """Every line repeats the usage; early copies know only the first output tokens, so the largest holds."""
        usages = [entry.usage for entry in self.entries if entry.usage is not None]
        if not usages:
            return TokenCounts()
        usage = max(usages, key=lambda found: whole(found.get("output_tokens")) or 0)
        return TokenCounts(
            whole(usage.get("input_tokens")),
            whole(usage.get("output_tokens")),
            whole(usage.get("cache_read_input_tokens")),
            whole(usage.get("cache_creation_input_tokens")),
        )


class Replies:
    """All replies of a file, and where each tool was asked for and answered."""

    def __init__(self, tree: Tree) -> None:
        self._results: dict[str, tuple[ToolResult, Entry]] = {}
        self._uses: dict[str, Entry] = {}
        self._replies: dict[tuple[str, str | None], Reply] = {}
        self._reply_of: dict[str, Reply] = {}
        for entry in tree.entries:
            for result in entry.results:
                self._results.setdefault(result.id, (result, entry))
            for use in entry.uses:
                self._uses.setdefault(use.id, entry)
            if entry.kind is Kind.REPLY:
                # One reply answers one request; an id that comes again later is another reply.
                place = (entry.message_id or entry.uuid, tree.request(entry))
                reply = self._replies.setdefault(place, Reply(entry.reply_key, entry))
                reply.entries.append(entry)
                self._reply_of[entry.uuid] = reply

    def of(self, entry: Entry) -> Reply:
        """Return the reply that a line is part of."""
        return self._reply_of[entry.uuid]

    def asked(self, use_id: str) -> Entry | None:
        """Return the line that asked for a tool."""
        return self._uses.get(use_id)

    def result(self, use_id: str) -> tuple[ToolResult, Entry] | None:
        """Return what a tool gave back, and the line that says so."""
        return self._results.get(use_id)

    def uses(self) -> list[ToolUse]:
        """Return every use of a tool in the file."""
        return [use for reply in self._replies.values() for use in reply.uses]

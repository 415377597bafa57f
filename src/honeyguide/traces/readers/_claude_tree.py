"""Joins the lines of a Claude Code session to a tree: what answers what, which branch was kept, which conversation.

Every line names its parent. The tree may have holes (lines passed over as noise, lines in another file), loops and
second roots; nothing of that may lose a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from honeyguide.traces.readers._claude_lines import Entry, Kind

_STARTS = (Kind.HUMAN, Kind.COMMAND)


@dataclass(frozen=True, slots=True)
class Rewind:
    """A person went back behind ``left`` and wrote ``kept`` instead."""

    left: Entry
    kept: Entry


class Tree:
    """The tree of one file's lines.

    Attributes:
        entries: the lines in file order.
        rewinds: where a person went back.
        left_behind: uuids of all lines on branches that were left.
    """

    def __init__(self, entries: Mapping[str, Entry], fallback_session: str) -> None:
        self.entries = list(entries.values())
        self._by_uuid = entries
        self._fallback = fallback_session
        self._parents = _resolved_parents(self.entries, entries)
        self._children: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            parent = self._parents[entry.uuid]
            if parent is not None:
                self._children[parent].append(entry)
        self._conversations = self._name_conversations()
        self._requests = self._find_requests()
        self.rewinds: list[Rewind] = []
        self.left_behind: set[str] = set()
        self._find_rewinds()

    def conversation(self, entry: Entry) -> str:
        """Return the key of the conversation that ``entry`` belongs to."""
        return self._conversations[entry.uuid]

    def request(self, entry: Entry) -> str | None:
        """Return the uuid of the request that ``entry`` answers (itself, when it is one)."""
        return self._requests.get(entry.uuid)

    def _name_conversations(self) -> dict[str, str]:
        """A conversation is named by the session it began in; a continued one keeps that name."""
        named: dict[str, str] = {}
        for entry in self.entries:
            chain: list[Entry] = []
            current: Entry | None = entry
            seen: set[str] = set()
            while current is not None and current.uuid not in named and current.uuid not in seen:
                seen.add(current.uuid)
                chain.append(current)
                parent = self._parents[current.uuid]
                above = self._by_uuid.get(parent) if parent is not None else None
                current = above if above is not None and above.agent == current.agent else None
            name = named[current.uuid] if current is not None and current.uuid in named else self._own_name(chain[-1])
            for link in chain:
                named[link.uuid] = name
        return named

    def _own_name(self, root: Entry) -> str:
        session = root.session or self._fallback
        if root.agent is None:
            return session
        return f"{session}/{root.agent}" if root.agent != "sidechain" else f"{session}/sidechain-{root.uuid}"

    def _find_requests(self) -> dict[str, str]:
        requests: dict[str, str] = {}
        latest: dict[str, str] = {}
        for entry in self.entries:
            conversation = self._conversations[entry.uuid]
            if entry.kind in _STARTS or (entry.agent and entry.kind is Kind.MACHINE and conversation not in latest):
                requests[entry.uuid] = latest[conversation] = entry.uuid
                continue
            found = self._request_above(entry, requests) or latest.get(conversation)
            if found is not None:
                requests[entry.uuid] = found
        return requests

    def _request_above(self, entry: Entry, requests: Mapping[str, str]) -> str | None:
        seen = {entry.uuid}
        parent = self._parents[entry.uuid]
        while parent is not None and parent not in seen:
            above = self._by_uuid[parent]
            if above.agent != entry.agent:
                return None
            if parent in requests:
                return requests[parent]
            if above.kind in _STARTS:
                return parent
            seen.add(parent)
            parent = self._parents[parent]
        return None

    def _find_rewinds(self) -> None:
        """Two human lines under one parent: the branch with the last line was kept, the other was left."""
        kept = self._kept_paths()
        for parent, children in self._children.items():
            people = [child for child in children if child.kind is Kind.HUMAN and child.agent is None]
            if len(people) < 2 or self._by_uuid[parent].agent is not None:
                continue
            winner = next((child for child in people if child.uuid in kept), people[-1])
            for child in people:
                if child is winner:
                    continue
                self.left_behind |= self._subtree(child)
                if child.text != winner.text:
                    self.rewinds.append(Rewind(child, winner))

    def _kept_paths(self) -> set[str]:
        """The lines above the last line of each conversation."""
        last: dict[str, Entry] = {}
        for entry in self.entries:
            if entry.agent is None:
                last[self._conversations[entry.uuid]] = entry
        kept: set[str] = set()
        for entry in last.values():
            current: str | None = entry.uuid
            while current is not None and current not in kept:
                kept.add(current)
                current = self._parents[current]
        return kept

    def _subtree(self, root: Entry) -> set[str]:
        found: set[str] = set()
        waiting = [root.uuid]
        while waiting:
            uuid = waiting.pop()
            if uuid not in found:
                found.add(uuid)
                waiting.extend(child.uuid for child in self._children.get(uuid, ()))
        return found


def _resolved_parents(ordered: Iterable[Entry], known: Mapping[str, Entry]) -> dict[str, str | None]:
    """Return each line's parent; for one that is not in the file, the line that stood before its first child.

    Lines that are passed over as noise are links too; what hangs on one hangs on the line before it.
    """
    stand_ins: dict[str, str | None] = {}
    parents: dict[str, str | None] = {}
    before: dict[tuple[str, str | None], str] = {}
    for entry in ordered:
        place = (entry.session, entry.agent)
        if entry.parent is None or entry.parent == entry.uuid:
            parents[entry.uuid] = None
        elif entry.parent in known:
            parents[entry.uuid] = entry.parent
        else:
            parents[entry.uuid] = stand_ins.setdefault(entry.parent, before.get(place))
        before[place] = entry.uuid
    return parents

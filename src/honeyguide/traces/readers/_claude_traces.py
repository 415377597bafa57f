"""Makes conversations of a Claude Code session's tree: their traces, turns, titles and projects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from honeyguide.traces.conversations import Conversation, CorrectionSignal, Role, Turn
from honeyguide.traces.readers._claude_lines import Entry, Kind, Lines
from honeyguide.traces.readers._claude_replies import Replies
from honeyguide.traces.readers._claude_requests import Request, Session
from honeyguide.traces.readers._claude_tree import Tree
from honeyguide.traces.readers._values import object_of, text_of
from honeyguide.traces.records import Trace


def conversations_in(lines: Lines, source: str, file_name: str) -> Iterator[Conversation]:
    """Yield the conversations of one file; its name says which session, where the lines do not."""
    tree = Tree(lines.entries, PurePosixPath(file_name.replace("\\", "/").rsplit(":", 1)[-1]).stem)
    session = Session(source, lines, tree, Replies(tree))
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in tree.entries:
        groups[tree.conversation(entry)].append(entry)
    for key, entries in groups.items():
        if any(entry.kind is not Kind.LINK for entry in entries):
            yield _conversation(session, key, entries)


def _conversation(session: Session, key: str, entries: Sequence[Entry]) -> Conversation:
    tree, lines = session.tree, session.lines
    members: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        owner = tree.request(entry)
        if owner is not None:
            members[owner].append(entry)
        elif entry.kind in (Kind.REPLY, Kind.API_ERROR):
            members[""].append(entry)
    project = next((entry.cwd for entry in entries if entry.cwd), None)
    agent_type = _agent_type(session, entries)
    people = [entry for entry in entries if entry.kind is Kind.HUMAN and entry.uuid not in tree.left_behind]
    traces: list[Trace] = []
    signals: list[CorrectionSignal] = []
    keys: dict[str, str] = {}
    for owner, followed in members.items():
        request = Request(session, key, owner, followed, people, project, agent_type)
        if request.is_worth_a_trace:
            keys[owner] = request.key
            traces.append(request.trace(len(traces)))
            signals.extend(request.signals())
    prompts = dict.fromkeys(lines.prompts[entry.uuid] for entry in entries if entry.uuid in lines.prompts)
    first = entries[0]
    return Conversation(
        source=session.source,
        key=key,
        traces=tuple(traces),
        turns=tuple(_turns(session, entries, keys)),
        signals=tuple(signals),
        prompts=tuple(prompts),
        project=project,
        started_at=min((entry.at for entry in entries if entry.at), default=None),
        parent=first.session if first.agent is not None and first.session else None,
        title=_title(lines, entries),
    )


def _turns(session: Session, entries: Sequence[Entry], keys: dict[str, str]) -> Iterator[Turn]:
    spoken: set[str] = set()
    for entry in entries:
        trace_key = keys.get(session.tree.request(entry) or "", "")
        left = entry.uuid in session.tree.left_behind
        if entry.kind in (Kind.HUMAN, Kind.COMMAND, Kind.MACHINE):
            machine = entry.kind is not Kind.HUMAN
            yield Turn(Role.USER, entry.text, entry.key, machine, entry.at, trace_key, entry.line, left)
        elif entry.kind is Kind.REPLY:
            reply = session.replies.of(entry)
            if reply.key not in spoken:
                spoken.add(reply.key)
                yield Turn(Role.ASSISTANT, reply.text, reply.key, False, entry.at, trace_key, entry.line, left)


def _title(lines: Lines, entries: Sequence[Entry]) -> str | None:
    """The last title; a summary names the line it speaks about, which may stand in another file."""
    uuids = {entry.uuid for entry in entries}
    titles = [text for leaf, text in lines.titles if (leaf in uuids if leaf else entries[0].agent is None)]
    return titles[-1] if titles else None


def _agent_type(session: Session, entries: Sequence[Entry]) -> str | None:
    """The kind of sub-agent, where the call that started it stands in the same file."""
    asked = next((entry.text for entry in entries if entry.kind is Kind.MACHINE), None)
    if entries[0].agent is None or not asked:
        return None
    calls = (object_of(use.args) for use in session.replies.uses())
    return next((text_of(c.get("subagent_type")) for c in calls if text_of(c.get("prompt")) == asked), "") or None

"""One request of a Claude Code session as a trace: what was asked, all that followed it, and how it ended."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces.conversations import CorrectionSignal, PromptText, SignalKind, sum_tokens
from honeyguide.traces.readers._approval import is_approval
from honeyguide.traces.readers._claude_lines import Entry, Kind, Lines, ToolResult
from honeyguide.traces.readers._claude_replies import Replies
from honeyguide.traces.readers._claude_tree import Tree
from honeyguide.traces.readers._values import milliseconds_between, object_of, text_of
from honeyguide.traces.records import PromptInForce, ToolCall, Trace, TraceFacts, TraceOutcome, TracePayload

INSTRUCTIONS = PromptInForce("instruction-file", "CLAUDE.md")
"""Inferred: Claude Code loads the project's ``CLAUDE.md``, but a session does not hold its text."""


@dataclass(frozen=True, slots=True)
class Session:
    """What is known of a whole file."""

    source: str
    lines: Lines
    tree: Tree
    replies: Replies


class Request:
    """One request and all that followed it."""

    def __init__(
        self,
        session: Session,
        conversation: str,
        owner: str,
        members: Sequence[Entry],
        people: Sequence[Entry],
        project: str | None,
        agent_type: str | None,
    ) -> None:
        self._source = session.source
        self._lines = session.lines
        self._tree = session.tree
        self._all = session.replies
        self._conversation = conversation
        self._start = self._lines.entries.get(owner)
        self._members = members
        self._people = people
        self._project = project
        self._agent_type = agent_type
        self._replies = list({r.key: r for e in members if e.kind is Kind.REPLY for r in [self._all.of(e)]}.values())
        self._replies = [reply for reply in self._replies if (self._tree.request(reply.first) or "") == owner]
        if self._start is not None:
            self.key = self._start.key
        else:
            self.key = self._replies[0].key if self._replies else members[0].key

    @property
    def is_worth_a_trace(self) -> bool:
        """A command that the program answered by itself is none; a request without an answer is one."""
        if self._start is not None and self._start.kind is Kind.HUMAN:
            return True
        return bool(self._replies) or any(entry.kind is Kind.API_ERROR for entry in self._members)

    def trace(self, turn: int) -> Trace:
        outcome, detail, evidence = self._outcome()
        tokens = sum_tokens(reply.tokens for reply in self._replies)
        costs = [max((e.cost for e in r.entries if e.cost is not None), default=None) for r in self._replies]
        known_costs = [cost for cost in costs if cost is not None]
        times = [entry.at for entry in self._members if entry.at]
        models = [entry.model for reply in self._replies for entry in reply.entries if entry.model]
        return Trace(
            payload=TracePayload(
                input="" if self._start is None else self._start.text,
                output="\n\n".join(reply.text for reply in self._replies if reply.text),
                reasoning=tuple(step for reply in self._replies for step in reply.thoughts),
                tool_calls=tuple(self._tool_calls()),
                tokens=tokens,
            ),
            outcome=outcome,
            session_id=self._members[0].session or self._conversation,
            model=models[-1] if models else None,
            cost_usd=round(sum(known_costs), 10) if known_costs else None,
            duration_ms=self._duration(times),
            created_at=times[0] if times else "",
            finalized_at=times[-1] if times else None,
            facts=TraceFacts(
                source=self._source,
                source_key=self.key,
                conversation=self._conversation,
                turn=turn,
                project=self._project,
                prompts=self._prompts(),
                outcome_detail=detail,
                outcome_evidence=evidence,
            ),
        )

    def signals(self) -> Iterator[CorrectionSignal]:
        """Yield refusals, interruptions and the step back, in the order of the file."""
        for entry in self._members:
            for result in entry.results:
                if result.refused:
                    said = result.reason or (entry.text if entry.kind is Kind.HUMAN else "")
                    yield CorrectionSignal(SignalKind.REFUSAL, self._asked_by(result), said, f"line {entry.line}")
            if entry.interrupts and not any(result.refused for result in entry.results):
                after = self._next_human(entry)
                yield CorrectionSignal(
                    SignalKind.INTERRUPT, self.key, where=f"line {entry.line}", turn_key=after.key if after else ""
                )
        for rewind in self._tree.rewinds:
            if rewind.left is self._start:
                yield CorrectionSignal(
                    SignalKind.REWIND, self.key, where=f"line {rewind.left.line}", turn_key=rewind.left.key,
                    replacement=rewind.kept.text,
                )  # fmt: skip

    def _asked_by(self, result: ToolResult) -> str:
        """The trace whose reply wanted the tool; a refusal that carries words begins a request of its own."""
        asked = self._all.asked(result.id)
        owner = None if asked is None else self._lines.entries.get(self._tree.request(asked) or "")
        return self.key if owner is None else owner.key

    def _tool_calls(self) -> Iterator[ToolCall]:
        seen: set[str] = set()
        for reply in self._replies:
            for entry in reply.entries:
                for use in entry.uses:
                    if use.id and use.id in seen:
                        continue
                    seen.add(use.id)
                    found = self._all.result(use.id)
                    if found is None:
                        yield ToolCall(use.name, use.args, timestamp=entry.at)
                        continue
                    result, at = found
                    ok = None if result.is_error is None else not result.is_error
                    took = milliseconds_between(entry.at, at.at)
                    yield ToolCall(use.name, use.args, result.content, ok, took, entry.at)

    def _outcome(self) -> tuple[TraceOutcome, str, str]:
        """What is known about how it ended; silence is no success."""
        if self._start is not None and self._start.uuid in self._tree.left_behind:
            return TraceOutcome.ABANDONED, "rewound", "rewind"
        told = [e for e in self._members if e.kind in (Kind.REPLY, Kind.API_ERROR, Kind.INTERRUPT, Kind.RESULTS)]
        last = told[-1] if told else None
        refused = self._refused()
        stopped = last is not None and last.interrupts
        if refused:
            detail = f"refused: {', '.join(refused)}"
            ends_there = stopped or last is None or last.kind is not Kind.REPLY
            return (TraceOutcome.ABANDONED if ends_there else TraceOutcome.PENDING), detail, "refusal"
        if stopped:
            return TraceOutcome.ABANDONED, "interrupted", "interrupt"
        if last is not None and last.kind is Kind.API_ERROR:
            return (
                TraceOutcome.ABANDONED,
                f"error: {(last.text.strip().splitlines() or ['API error'])[0]}"[:200],
                "status",
            )
        if not self._replies:
            return TraceOutcome.ABANDONED, "no reply", ""
        after = self._next_human(self._members[-1])
        if after is not None and is_approval(after.text):
            return TraceOutcome.SUCCESS, f"approved: {after.text.strip()}", "approval"
        return TraceOutcome.PENDING, "unknown", ""

    def _refused(self) -> list[str]:
        names = [
            use.name
            for reply in self._replies
            for entry in reply.entries
            for use in entry.uses
            if (found := self._all.result(use.id)) is not None and found[0].refused
        ]
        return list(dict.fromkeys(names))

    def _next_human(self, after: Entry) -> Entry | None:
        """The next thing a person said on the kept path."""
        place = bisect_right(self._people, after.line, key=lambda entry: entry.line)
        return self._people[place] if place < len(self._people) else None

    def _duration(self, times: Sequence[str]) -> int | None:
        reported = [self._lines.durations[e.uuid] for e in self._members if e.uuid in self._lines.durations]
        if reported:
            return sum(reported)
        return milliseconds_between(times[0], times[-1]) if len(times) > 1 and self._replies else None

    def _prompts(self) -> tuple[PromptInForce, ...]:
        texts: list[PromptText] = [self._lines.prompts[e.uuid] for e in self._members if e.uuid in self._lines.prompts]
        exact = {(p.kind, p.name): PromptInForce(p.kind, p.name, sha256_hex(p.text), exact=True) for p in texts}
        named: list[tuple[str, str]] = []
        if self._start is not None and self._start.kind is Kind.COMMAND:
            named.append(("command", self._start.command))
        if self._agent_type:
            named.append(("subagent", self._agent_type))
        for use in (use for reply in self._replies for use in reply.uses):
            args: Any = object_of(use.args)
            if use.name == "Skill":
                named.append(("skill-body", text_of(args.get("skill") or args.get("command"))))
            elif use.name in ("Task", "Agent"):
                named.append(("subagent", text_of(args.get("subagent_type"))))
        links = [exact.pop(pair, PromptInForce(*pair)) for pair in dict.fromkeys(named) if pair[1]]
        links.extend(exact.values())
        if self._project is not None:
            links.append(INSTRUCTIONS)
        return tuple(links)

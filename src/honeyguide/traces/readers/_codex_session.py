"""Builds the conversation of one Codex session from its lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation, CorrectionSignal, PromptText, Role, SignalKind, Turn
from honeyguide.traces.readers._approval import is_approval
from honeyguide.traces.readers._codex_replay import About
from honeyguide.traces.readers._codex_tools import Calls
from honeyguide.traces.readers._codex_usage import Usage
from honeyguide.traces.readers._machine_text import human_part
from honeyguide.traces.readers._messages import text_in
from honeyguide.traces.readers._values import (
    content_key,
    milliseconds_between,
    moment,
    object_of,
    objects_of,
    text_of,
    whole,
)
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import PromptInForce, ReasoningStep, Trace, TraceFacts, TraceOutcome, TracePayload

_QUIET = {"ghost_snapshot", "compaction", "other"}


def session_about(meta: dict[str, Any]) -> About:
    """Return what a ``session_meta`` says about the session's origin."""
    source = meta.get("source")
    sub_agent = object_of(source).get("subagent", object_of(source).get("sub_agent"))
    spawn = object_of(object_of(sub_agent).get("thread_spawn"))
    own = text_of(meta.get("id")) or text_of(meta.get("session_id"))
    forked = text_of(meta.get("forked_from_id")) or text_of(spawn.get("forked_from_id"))
    named = (forked, spawn.get("parent_thread_id"), meta.get("parent_thread_id"), meta.get("session_id"))
    parent = next((text for name in named if (text := text_of(name)) and text != own), None)
    is_sub_agent = (
        sub_agent is not None
        or meta.get("thread_source") == "subagent"
        or (isinstance(source, str) and source.lower().startswith("subagent"))
    )
    own_from = whole(meta.get("subagent_history_start_ordinal"))
    return About(own, parent, bool(forked), is_sub_agent, own_from)


@dataclass(slots=True)
class _Request:
    """One request and what followed; ``text`` is empty for usage without a request."""

    key: str
    text: str
    line: int
    at: str | None
    machine: bool = False
    from_item: bool = False
    replies: list[tuple[str, str | None, int]] = field(default_factory=list)
    unmatched: dict[str, list[str]] = field(default_factory=lambda: {"event": [], "item": []})
    reasoning: list[ReasoningStep] = field(default_factory=list)
    calls: Calls = field(default_factory=Calls)
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    ended: str | None = None
    error: str = ""
    aborted: int | None = None
    rolled_back: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nothing followed it yet."""
        return not self.replies and not self.calls and not self.usage.known

    def say(self, text: str, way: str, at: str | None, line: int) -> None:
        """Add a reply; it comes as an event and as an item, in either order, and counts once."""
        other = "item" if way == "event" else "event"
        words = text.strip()
        if not words:
            return
        if words in self.unmatched[other]:
            self.unmatched[other].remove(words)
            return
        self.unmatched[way].append(words)
        self.replies.append((text, at, line))


class CodexSession:
    """Takes the lines of a session in order; repeated ones only set the scene (model, totals, instructions)."""

    def __init__(self, about: About, key: str, source: str, context: ReadContext) -> None:
        self._about = about
        self._key = key
        self._source = source
        self._context = context
        self._requests: list[_Request] = []
        self._events_seen = False
        self._prompts: dict[str, PromptText] = {}
        self._project: str | None = None
        self._model: str | None = None
        self._started: str | None = None
        self._totals = Usage(inherits=about.is_fork)

    def begin(self, meta: dict[str, Any], at: Any) -> None:
        """Take the first ``session_meta``."""
        self._project = text_of(meta.get("cwd")) or None
        self._started = moment(meta.get("timestamp")) or moment(at)
        base = meta.get("base_instructions")
        text = text_of(base.get("text")) if isinstance(base, dict) else text_of(base)
        if text:
            self._prompts[text] = PromptText("generic", "codex base instructions", text)

    def add(self, line: int, kind: str, payload: dict[str, Any], at: Any, *, repeated: bool) -> None:
        """Take one line."""
        when = moment(at)
        self._started = self._started or (None if repeated else when)
        if repeated:
            self._context.health.note(health.DUPLICATE, line)
        if kind == "turn_context":
            self._set_scene(payload, line, when)
        elif kind == "event_msg":
            self._add_event(line, payload, when, repeated)
        elif kind == "response_item":
            self._add_item(line, payload, when, repeated)
        elif kind not in ("session_meta", "compacted", "state"):
            self._context.health.note(health.UNKNOWN_TYPE, line, example=kind)

    def conversation(self) -> Conversation:
        """Return the conversation."""
        requests = [r for r in self._requests if r.text or r.replies or r.calls or r.usage.known]
        turns = tuple(turn for request in requests for turn in self._turns(request))
        traces = tuple(self._trace(place, request, requests) for place, request in enumerate(requests))
        if not any(request.text for request in requests) and requests:
            self._context.health.note(health.NO_TEXT, example="usage only")
        return Conversation(
            source=self._source,
            key=self._key,
            traces=traces,
            turns=turns,
            signals=tuple(self._signals(requests)),
            prompts=tuple(self._prompts.values()),
            project=self._project,
            started_at=self._started,
            parent=self._about.parent,
        )

    # lines

    def _set_scene(self, payload: dict[str, Any], line: int, at: str | None) -> None:
        model = text_of(payload.get("model")) or None
        self._project = self._project or text_of(payload.get("cwd")) or None
        last = self._requests[-1] if self._requests else None
        if model is not None and last is not None and last.is_open:
            last.model = model
        elif model is not None and last is not None and not last.text and model != last.model:
            # Usage without requests: one trace for each model.
            self._requests.append(self._silent(line, at, model))
        self._model = model or self._model

    def _add_event(self, line: int, payload: dict[str, Any], at: str | None, repeated: bool) -> None:
        kind = text_of(payload.get("type"))
        if kind == "token_count":
            used = self._totals.step(object_of(payload.get("info")))
            if not repeated and used is not None:
                self._current(line, at).usage.add(used)
            return
        if kind == "user_message" and not repeated:
            text = human_part(text_of(payload.get("message")))
            if text or payload.get("images"):
                self._events_seen = True
                self._ask(text or "[image]", at, line)
            return
        if repeated or not self._requests:
            return
        request = self._requests[-1]
        request.ended = at or request.ended
        if kind == "agent_message":
            request.say(text_of(payload.get("message")), "event", at, line)
        elif kind in ("exec_command_end", "patch_apply_end", "mcp_tool_call_end"):
            request.calls.finish(payload)
        elif kind == "turn_aborted":
            request.aborted = line
        elif kind == "error":
            request.error = text_of(payload.get("message")) or "unnamed"
        elif kind == "thread_rolled_back":
            for gone in [r for r in self._requests if r.text and not r.rolled_back][
                -(whole(payload.get("num_turns")) or 1) :
            ]:
                gone.rolled_back = True

    def _add_item(self, line: int, payload: dict[str, Any], at: str | None, repeated: bool) -> None:
        kind = text_of(payload.get("type"))
        if kind == "message":
            self._add_message(line, payload, at, repeated)
            return
        if repeated or kind in _QUIET:
            return
        if kind == "reasoning":
            # ``encrypted_content`` is nobody's to read and is not kept.
            parts = objects_of(payload.get("summary")) + objects_of(payload.get("content"))
            for text in (text_of(part.get("text")) for part in parts):
                if text:
                    self._current(line, at).reasoning.append(ReasoningStep(text, at))
        elif kind.endswith("_output"):
            self._current(line, at).calls.answer(payload, at)
        elif kind.endswith("_call"):
            self._current(line, at).calls.ask(payload, at)
        else:
            self._context.health.note(health.UNKNOWN_TYPE, line, example=kind)
        if self._requests:
            self._requests[-1].ended = at or self._requests[-1].ended
            self._requests[-1].error = ""

    def _add_message(self, line: int, payload: dict[str, Any], at: str | None, repeated: bool) -> None:
        role = text_of(payload.get("role"))
        text = text_in(payload.get("content"))
        if role == "assistant" and not repeated:
            self._current(line, at).say(text, "item", at, line)
            self._requests[-1].ended = at or self._requests[-1].ended
            self._requests[-1].error = ""
        elif role == "user":
            self._note_instructions(text)
            words = human_part(text)
            if words and not repeated and not self._events_seen:
                self._ask(words, at, line, from_item=True)

    def _note_instructions(self, text: str) -> None:
        stripped = text.strip()
        for opening, closing in (
            ("<INSTRUCTIONS>", "</INSTRUCTIONS>"),
            ("<user_instructions>", "</user_instructions>"),
        ):
            if opening in stripped and stripped.startswith(("# AGENTS.md instructions", "<user_instructions>")):
                body = stripped.split(opening, 1)[1].rsplit(closing, 1)[0].strip()
                self._prompts[body] = PromptText("instruction-file", "AGENTS.md", body)

    # requests

    def _ask(self, text: str, at: str | None, line: int, *, from_item: bool = False) -> None:
        """Begin a request. The event is the authoritative copy: it replaces the item that came just before it."""
        last = self._requests[-1] if self._requests else None
        if last is not None and last.is_open and ((last.from_item and not from_item) or not last.text):
            self._requests.pop()
        same = sum(1 for request in self._requests if request.text == text and request.at == at)
        key = content_key(self._key, at, text, same)
        machine = self._about.is_sub_agent
        self._requests.append(_Request(key, text, line, at, machine, from_item, model=self._model, ended=at))

    def _current(self, line: int, at: str | None) -> _Request:
        if not self._requests:
            self._requests.append(self._silent(line, at))
        return self._requests[-1]

    def _silent(self, line: int = 0, at: str | None = None, model: str | None = None) -> _Request:
        """Usage without a request; a copy of it in another file begins at the same moment, so it has the same key."""
        using = model or self._model
        name = content_key("usage", at or f"{self._key}/{len(self._requests)}", using)
        return _Request(name, "", line, at, model=using, ended=at)

    # results

    def _turns(self, request: _Request) -> Iterator[Turn]:
        if request.text:
            yield Turn(
                Role.USER,
                request.text,
                request.key,
                request.machine,
                request.at,
                request.key,
                request.line,
                request.rolled_back,
            )
        for place, (text, at, line) in enumerate(request.replies):
            name = content_key(request.key, place, text)
            yield Turn(Role.ASSISTANT, text, name, False, at, request.key, line, request.rolled_back)

    def _trace(self, place: int, request: _Request, requests: list[_Request]) -> Trace:
        outcome, detail, evidence = self._outcome(place, request, requests)
        prompts = tuple(PromptInForce(p.kind, p.name, sha256_hex(p.text), exact=True) for p in self._prompts.values())
        return Trace(
            payload=TracePayload(
                input=request.text,
                output="\n\n".join(text for text, _, _ in request.replies),
                reasoning=tuple(request.reasoning),
                tool_calls=request.calls.finished(),
                tokens=request.usage.counts,
            ),
            outcome=outcome,
            session_id=self._key,
            model=request.model or self._model,
            duration_ms=milliseconds_between(request.at, request.ended) if request.replies or request.calls else None,
            created_at=request.at or self._started or "",
            finalized_at=request.ended,
            facts=TraceFacts(
                source=self._source,
                source_key=request.key,
                conversation=self._key,
                turn=place,
                project=self._project,
                prompts=prompts,
                outcome_detail=detail,
                outcome_evidence=evidence,
            ),
        )

    def _outcome(self, place: int, request: _Request, requests: list[_Request]) -> tuple[TraceOutcome, str, str]:
        if request.rolled_back:
            return TraceOutcome.ABANDONED, "rewound", "rewind"
        if request.aborted is not None:
            refused = request.calls.probably_refused()
            return (
                TraceOutcome.ABANDONED,
                f"interrupted; probably refused: {', '.join(refused)}" if refused else "interrupted",
                "interrupt",
            )
        if request.error:
            return TraceOutcome.ABANDONED, f"error: {request.error.strip().splitlines()[0]}"[:200], "status"
        if not request.text:
            return TraceOutcome.PENDING, "unknown", ""
        if not request.replies and not request.calls:
            return TraceOutcome.ABANDONED, "no reply", ""
        after = next((r for r in requests[place + 1 :] if r.text and not r.rolled_back), None)
        if after is not None and not after.machine and is_approval(after.text):
            return TraceOutcome.SUCCESS, f"approved: {after.text.strip()}", "approval"
        return TraceOutcome.PENDING, "unknown", ""

    def _signals(self, requests: list[_Request]) -> Iterator[CorrectionSignal]:
        for place, request in enumerate(requests):
            after = next((r for r in requests[place + 1 :] if r.text and not r.machine and not r.rolled_back), None)
            if request.machine:
                continue
            if request.aborted is not None:
                turn = after.key if after is not None else ""
                yield CorrectionSignal(
                    SignalKind.INTERRUPT, request.key, where=f"line {request.aborted}", turn_key=turn
                )
            if request.rolled_back:
                text = after.text if after is not None else ""
                yield CorrectionSignal(SignalKind.REWIND, request.key, "", f"line {request.line}", request.key, text)

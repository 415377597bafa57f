"""Traces made of spans: one kind of span for all such sources, and what a tree of them says as one execution.

A tree repeats itself: an agent's span repeats the usage of the model calls below it, every model call repeats the
conversation so far, a tool call stands in the message and again as a span. ``trace_of`` counts each once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation, CorrectionSignal, PromptText, SignalKind, sum_tokens
from honeyguide.traces.readers._messages import Message
from honeyguide.traces.readers._transcript import (
    SYSTEM_KIND,
    Transcript,
    first_request,
    last_reply,
    prompts_in_force,
    request_with_history,
)
from honeyguide.traces.readers._values import compact, milliseconds_between
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import (
    PromptInForce,
    TokenCounts,
    ToolCall,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
)

LLM, TOOL, AGENT, OTHER = "llm", "tool", "agent", "other"


@dataclass(frozen=True, slots=True)
class Score:
    """A score on a span or trace. ``human`` only when the source says that a person gave it.

    Attributes:
        value: as the source has it; its direction and range are not known.
        correction: the right answer, when the score carries one.
    """

    name: str
    value: float | None = None
    label: str = ""
    comment: str = ""
    human: bool = False
    correction: str = ""
    where: str = ""

    @property
    def tag(self) -> str:
        """``machine-score:NAME=VALUE``: kept with the trace, and never taken for a person's word."""
        shown = self.label or ("" if self.value is None else f"{self.value:g}")
        return f"machine-score:{self.name}={shown or '?'}"


@dataclass(frozen=True, slots=True)
class Span:
    """One span in neutral words; times are ISO 8601 UTC, what is unknown is ``None`` or empty.

    Attributes:
        kind: ``llm`` (a model call), ``tool``, ``agent`` or ``other``.
        asked, answered: the messages that went into a model call, and those that came out.
        input, output: the span's own text, used where no message tells more.
        tool: for a tool's span.
        failed: an error of the infrastructure, in words.
        check_failed: a guardrail or verifier that said no, in words.
        textless: the source says that text exists but does not stand here.
    """

    id: str
    trace: str
    parent: str | None = None
    kind: str = OTHER
    name: str = ""
    start: str | None = None
    end: str | None = None
    duration_ms: int | None = None
    model: str | None = None
    asked: tuple[Message, ...] = ()
    answered: tuple[Message, ...] = ()
    input: str = ""
    output: str = ""
    tokens: TokenCounts = field(default_factory=TokenCounts)
    cost: float | None = None
    tool: ToolCall | None = None
    tool_id: str = ""
    failed: str | None = None
    check_failed: str | None = None
    conversation: str | None = None
    agent: str | None = None
    scores: tuple[Score, ...] = ()
    prompts: tuple[PromptText, ...] = ()
    named_prompts: tuple[PromptInForce, ...] = ()
    textless: bool = False
    line: int | None = None


def conversations_of(spans: Iterable[Span], source: str, context: ReadContext) -> list[Conversation]:
    """Return the conversations that ``spans`` make up; spans that come twice (same trace and id) count once."""
    trees: dict[str, dict[str, Span]] = {}
    for span in spans:
        tree = trees.setdefault(span.trace, {})
        if span.id in tree:
            context.health.note(health.DUPLICATE, span.line)
        else:
            tree[span.id] = span
    groups: dict[str, list[list[Span]]] = defaultdict(list)
    for trace_id, tree in trees.items():
        context.check_cancelled()
        named = next((span.conversation for span in tree.values() if span.conversation), None)
        groups[named or trace_id].append(list(tree.values()))
    return [_conversation(key, group, source, context) for key, group in groups.items()]


def _conversation(key: str, trees: list[list[Span]], source: str, context: ReadContext) -> Conversation:
    transcript = Transcript(key)
    traces: list[Trace] = []
    signals: list[CorrectionSignal] = []
    prompts: dict[tuple[str, str, str], PromptText] = {}
    trees.sort(key=lambda tree: min((span.start or "~" for span in tree), default="~"))
    for tree in trees:
        made = _TraceMaker(tree, source, key, transcript, context)
        traces.append(made.trace())
        signals.extend(made.signals())
        prompts.update({(p.kind, p.name, p.text): p for p in made.prompts})
    starts = sorted(trace.created_at for trace in traces if trace.created_at)
    return Conversation(
        source=source,
        key=key,
        traces=tuple(traces),
        turns=tuple(transcript.turns),
        signals=tuple(signals),
        prompts=tuple(prompts.values()),
        started_at=starts[0] if starts else None,
        title=next((span.name for tree in trees for span in tree if span.parent is None and span.name), None),
    )


class _TraceMaker:
    """Reads one tree of spans as one execution, adding what was said to the conversation's transcript."""

    def __init__(
        self, spans: Sequence[Span], source: str, conversation: str, transcript: Transcript, context: ReadContext
    ) -> None:
        self._spans = sorted(spans, key=lambda span: (span.start or "~", span.end or "~"))
        self._by_id = {span.id: span for span in self._spans}
        self._children: dict[str, list[Span]] = defaultdict(list)
        for span in self._spans:
            if span.parent in self._by_id and span.parent != span.id:
                self._children[span.parent or ""].append(span)
        self._root = next((s for s in self._spans if s.parent is None or s.parent not in self._by_id), self._spans[0])
        self._source = source
        self._conversation = conversation
        self._transcript = transcript
        self._context = context
        self._key = self._root.trace
        self._main_calls = [span for span in self._spans if span.kind == LLM and not self._is_sub_agent(span)]
        self.prompts: list[PromptText] = []

    def trace(self) -> Trace:
        """Return the execution."""
        before = len(self._transcript.turns)
        calls_before = len(self._transcript.tool_calls)
        reasoning_before = len(self._transcript.reasoning)
        self._transcript.begin(self._main_calls[0].asked if self._main_calls else ())
        for span in self._main_calls:
            self._transcript.add(span.asked, span.answered, self._key, span.start, span.end)
        if len(self._transcript.turns) == before:
            self._add_root_text()
        turns = self._transcript.turns[before:]
        self._collect_prompts()
        scores = [score for span in self._spans for score in span.scores]
        outcome, detail, evidence = self._outcome(scores)
        output = last_reply(turns) or self._root.output
        request = self._request(turns, before)
        if not request and not output:
            self._context.health.note(health.NO_TEXT, self._root.line)
        named = [link for span in self._spans for link in span.named_prompts]
        return Trace(
            payload=TracePayload(
                input=request,
                output=output,
                reasoning=tuple(self._transcript.reasoning[reasoning_before:]),
                tool_calls=self._tool_calls(calls_before),
                tokens=self._tokens(),
                tags=tuple(dict.fromkeys(score.tag for score in scores if not score.human)),
            ),
            outcome=outcome,
            session_id=self._conversation,
            model=next((span.model for span in reversed(self._main_calls) if span.model), self._any_model()),
            cost_usd=self._cost(),
            duration_ms=self._duration(),
            created_at=self._root.start or next((s.start for s in self._spans if s.start), None) or "",
            finalized_at=self._root.end,
            facts=TraceFacts(
                source=self._source,
                source_key=self._key,
                conversation=self._conversation,
                turn=before,
                prompts=tuple(dict.fromkeys([*prompts_in_force(self.prompts), *named])),
                outcome_detail=detail,
                outcome_evidence=evidence,
            ),
        )

    def signals(self) -> list[CorrectionSignal]:
        """Return what a person said about it."""
        found: list[CorrectionSignal] = []
        for score in (score for span in self._spans for score in span.scores if score.human):
            if score.correction:
                kind = SignalKind.CORRECTION
            elif score.value is not None and 0.0 <= score.value <= 1.0:
                kind = SignalKind.SCORE
            else:
                kind = SignalKind.ANNOTATION
            text = score.comment or score.label or ("" if score.value is None else f"{score.name}: {score.value:g}")
            value = score.value if kind is SignalKind.SCORE else None
            found.append(CorrectionSignal(kind, self._key, text, score.where, "", score.correction, value))
        return found

    def _request(self, turns: Sequence[Any], before: int) -> str:
        """The words that this execution answers: with the dialogue before them when the model saw one."""
        if self._root.input and not turns:
            return self._root.input
        people = [turn for turn in turns if turn.is_human]
        if before or len(people) > 1:
            return request_with_history(self._transcript.turns)
        return first_request(turns) or self._root.input

    def _add_root_text(self) -> None:
        asked = [Message("user", self._root.input)] if self._root.input else []
        answered = [Message("assistant", self._root.output)] if self._root.output else []
        self._transcript.add(asked, answered, self._key, self._root.start, self._root.end)

    def _collect_prompts(self) -> None:
        for span in self._spans:
            self.prompts.extend(p for p in span.prompts if p not in self.prompts)
        agent = next((span.agent for span in self._spans if span.agent), None)
        known = {p.text for p in self.prompts}
        for span in self._main_calls:
            for message in span.asked:
                if message.role == "system" and message.text and message.text not in known:
                    known.add(message.text)
                    name = self._agent_of(span) or agent or "system prompt"
                    self.prompts.append(PromptText(SYSTEM_KIND, name, message.text))

    def _tool_calls(self, calls_before: int) -> tuple[ToolCall, ...]:
        """Tool calls of the messages, completed by the tools' own spans; a span without a message is added."""
        calls = list(self._transcript.tool_calls[calls_before:])
        free = list(range(len(calls)))
        extra: list[ToolCall] = []
        for span in self._spans:
            if span.tool is None:
                continue
            match = next((i for i in free if _same_call(calls[i], span.tool)), None)
            if match is None:
                match = next((i for i in free if calls[i].tool == span.tool.tool), None)
            if match is None:
                extra.append(span.tool)
                continue
            free.remove(match)
            said = calls[match]
            calls[match] = replace(
                span.tool,
                args=said.args if said.args is not None else span.tool.args,
                result=span.tool.result if span.tool.result is not None else said.result,
                ok=span.tool.ok if span.tool.ok is not None else said.ok,
            )
        return tuple(calls + extra)

    def _tokens(self) -> TokenCounts:
        return sum_tokens(s.tokens for s in self._spans if _counts(s) and not self._below(s, _counts))

    def _cost(self) -> float | None:
        costs = [s.cost for s in self._spans if s.cost is not None and not self._below(s, lambda t: t.cost is not None)]
        return round(sum(costs), 10) if costs else None

    def _below(self, span: Span, has: Any) -> bool:
        waiting, seen = list(self._children[span.id]), {span.id}
        while waiting:
            child = waiting.pop()
            if child.id in seen:
                continue
            seen.add(child.id)
            if has(child):
                return True
            waiting.extend(self._children[child.id])
        return False

    def _duration(self) -> int | None:
        if self._root.duration_ms is not None:
            return self._root.duration_ms
        return milliseconds_between(self._root.start, self._root.end)

    def _outcome(self, scores: Sequence[Score]) -> tuple[TraceOutcome, str, str]:
        last = self._main_calls[-1] if self._main_calls else None
        error = self._root.failed or (last.failed if last is not None else None)
        if error is not None:
            return TraceOutcome.ABANDONED, f"error: {error}"[:200], "status"
        check = next((span.check_failed for span in self._spans if span.check_failed), None)
        if check is not None:
            return TraceOutcome.PENDING, f"failed-check: {check}"[:200], "verifier"
        return TraceOutcome.PENDING, "unknown", ""

    def _is_sub_agent(self, span: Span) -> bool:
        """An agent below another agent's tool, or below another agent's model call, was asked by that agent."""
        agents, tools = 0, 0
        for ancestor in self._ancestors(span):
            if ancestor.kind == TOOL:
                tools += 1
            elif ancestor.kind == AGENT and (tools or agents):
                return True
            elif ancestor.kind == AGENT:
                agents += 1
        return False

    def _agent_of(self, span: Span) -> str | None:
        if span.agent:
            return span.agent
        return next((a.agent or a.name for a in self._ancestors(span) if a.kind == AGENT and (a.agent or a.name)), None)

    def _ancestors(self, span: Span) -> Iterable[Span]:
        seen = {span.id}
        current = self._by_id.get(span.parent or "")
        while current is not None and current.id not in seen:
            seen.add(current.id)
            yield current
            current = self._by_id.get(current.parent or "")

    def _any_model(self) -> str | None:
        return next((span.model for span in reversed(self._spans) if span.model), None)


def _counts(span: Span) -> bool:
    return span.tokens != TokenCounts()


def _same_call(said: ToolCall, span: ToolCall) -> bool:
    return said.tool == span.tool and compact(said.args) == compact(span.args)

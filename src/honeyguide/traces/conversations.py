"""One conversation as a reader hands it out: its turns, its traces, and the signs that a person was not satisfied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from honeyguide.traces.records import TokenCounts, Trace


class Role(StrEnum):
    """Whose turn it is. A tool's result is no turn; it stands in the trace's tool calls."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said in a conversation, in order.

    Attributes:
        role: who said it.
        text: what was said, wrappers of the program removed; may be empty in a file that holds usage only.
        key: stable key of the turn within its source (uuid, message id); the same turn copied into another
            file has the same key, so that it is counted once.
        machine: a user-role text that no person wrote (reminders, summaries, verifier messages).
        timestamp: ISO 8601 UTC, or ``None``.
        trace_key: ``facts.source_key`` of the trace this turn belongs to; empty when it belongs to none.
        line: line number in the file from 1, or ``None``.
        left_behind: it stands on a branch that the person went back from.
    """

    role: Role
    text: str
    key: str
    machine: bool = False
    timestamp: str | None = None
    trace_key: str = ""
    line: int | None = None
    left_behind: bool = False

    @property
    def is_human(self) -> bool:
        """Whether a person wrote it."""
        return self.role is Role.USER and not self.machine


class SignalKind(StrEnum):
    """Structured signs of dissatisfaction that a source holds itself."""

    REFUSAL = "refusal"
    """A tool use was refused; ``text`` is the person's reason, empty when none was given."""
    INTERRUPT = "interrupt"
    """The reply was interrupted; ``turn_key`` names the next human turn when there is one."""
    REWIND = "rewind"
    """The person went back; ``turn_key`` names the turn left behind, ``replacement`` the text written instead."""
    SCORE = "score"
    """A person rated the answer; ``score`` is in [0, 1], higher is better; ``text`` a comment, if any."""
    ANNOTATION = "annotation"
    """A person commented on the answer."""
    CORRECTION = "correction"
    """A person wrote the right answer: ``replacement``."""
    PREFERENCE = "preference"
    """Of two answers the person preferred ``replacement``; the trace's output is the other."""


@dataclass(frozen=True, slots=True)
class CorrectionSignal:
    """One structured sign, exactly as the source states it. Only what a *person* said or did; never a judge's score.

    Attributes:
        kind: what it is.
        trace_key: ``facts.source_key`` of the trace that it speaks about.
        text: the person's words; empty when there are none.
        where: place in the source, e.g. ``line 42`` or ``scores[2].comment``.
        turn_key: the turn it refers to, see ``SignalKind``.
        replacement: what the person wanted instead.
        score: see ``SignalKind.SCORE``.
    """

    kind: SignalKind
    trace_key: str
    text: str = ""
    where: str = ""
    turn_key: str = ""
    replacement: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class PromptText:
    """The text of a prompt that the source holds; ``sha256`` in ``PromptInForce`` is the hash of this text."""

    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ConversationCounts:
    """How much a conversation holds; what stands on a branch left behind counts as tool calls only."""

    human_prompts: int = 0
    replies: int = 0
    tool_calls: int = 0


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything a source says about one conversation. The unit that an import stores whole or not at all.

    Attributes:
        source: name of the reader.
        key: stable key within the source; every trace carries it as ``facts.conversation``.
        traces: one per human request with all that followed it; each with a ``facts.source_key`` of its own.
        turns: all turns in order, those left behind included and marked.
        signals: structured signs of dissatisfaction.
        prompts: texts of prompts that the source holds.
        project: the project's folder as the source wrote it.
        started_at: ISO 8601 UTC, or ``None``.
        parent: key of the conversation that started this one (sub-agent) or that it was forked from.
        title: a name the source gives it.
    """

    source: str
    key: str
    traces: tuple[Trace, ...] = ()
    turns: tuple[Turn, ...] = ()
    signals: tuple[CorrectionSignal, ...] = ()
    prompts: tuple[PromptText, ...] = ()
    project: str | None = None
    started_at: str | None = None
    parent: str | None = None
    title: str | None = None

    @property
    def counts(self) -> ConversationCounts:
        """Count human prompts and replies on the kept path, and the tool calls of all traces."""
        tally = Tally()
        tally.add(self)
        return tally.counts

    @property
    def tokens(self) -> TokenCounts:
        """Return the sum over the traces; a part that no trace knows stays ``None``."""
        return sum_tokens(trace.payload.tokens for trace in self.traces)


def sum_tokens(parts: Iterable[TokenCounts]) -> TokenCounts:
    """Add token counts; what is unknown everywhere stays ``None``."""
    total = TokenCounts()
    for part in parts:
        total = TokenCounts(
            _plus(total.input, part.input),
            _plus(total.output, part.output),
            _plus(total.cache_read, part.cache_read),
            _plus(total.cache_write, part.cache_write),
        )
    return total


def _plus(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right


@dataclass(slots=True)
class Tally:
    """Adds conversations up without counting a copied turn or trace twice, whatever order the files come in.

    Of a trace that comes twice, once cut off and once whole, the larger counts hold.
    """

    conversations: int = 0
    human_prompts: int = 0
    replies: int = 0
    tool_calls: int = 0
    tokens: TokenCounts = field(default_factory=TokenCounts)
    _turns: set[tuple[str, str]] = field(default_factory=set)
    _traces: dict[tuple[str, str], tuple[int, TokenCounts]] = field(default_factory=dict)
    _conversations: set[tuple[str, str]] = field(default_factory=set)

    @property
    def counts(self) -> ConversationCounts:
        """Return the three counts as one record."""
        return ConversationCounts(self.human_prompts, self.replies, self.tool_calls)

    def add(self, conversation: Conversation) -> None:
        """Count what was not counted before."""
        name = (conversation.source, conversation.key)
        if name not in self._conversations:
            self._conversations.add(name)
            self.conversations += 1
        for turn in conversation.turns:
            key = (conversation.source, f"{turn.role}:{turn.key}")
            if turn.left_behind or turn.machine or turn.role is Role.SYSTEM or key in self._turns:
                continue
            self._turns.add(key)
            if turn.role is Role.USER:
                self.human_prompts += 1
            else:
                self.replies += 1
        for trace in conversation.traces:
            key = (trace.facts.source, trace.facts.source_key)
            calls, tokens = self._traces.get(key, (0, TokenCounts()))
            larger_calls = max(calls, len(trace.payload.tool_calls))
            larger_tokens = _larger(tokens, trace.payload.tokens)
            self._traces[key] = (larger_calls, larger_tokens)
            self.tool_calls += larger_calls - calls
            self.tokens = sum_tokens((self.tokens, _beyond(larger_tokens, tokens)))


def _larger(left: TokenCounts, right: TokenCounts) -> TokenCounts:
    """Return the larger of each count; a known one is larger than an unknown one."""

    def pick(first: int | None, second: int | None) -> int | None:
        return max((value for value in (first, second) if value is not None), default=None)

    return TokenCounts(
        pick(left.input, right.input),
        pick(left.output, right.output),
        pick(left.cache_read, right.cache_read),
        pick(left.cache_write, right.cache_write),
    )


def _beyond(larger: TokenCounts, counted: TokenCounts) -> TokenCounts:
    """Return what ``larger`` holds that was not counted yet."""

    def rest(new: int | None, old: int | None) -> int | None:
        return None if new is None else new - (old or 0)

    return TokenCounts(
        rest(larger.input, counted.input),
        rest(larger.output, counted.output),
        rest(larger.cache_read, counted.cache_read),
        rest(larger.cache_write, counted.cache_write),
    )

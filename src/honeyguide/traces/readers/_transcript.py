"""Joins the message lists of one conversation: each call repeats what was said before, and nothing is kept twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces.conversations import PromptText, Role, Turn
from honeyguide.traces.readers._machine_text import human_part
from honeyguide.traces.readers._messages import Answer, Message
from honeyguide.traces.readers._values import content_key
from honeyguide.traces.records import PromptInForce, ReasoningStep, ToolCall

SYSTEM_KIND = "persona-system-prompt"
"""The kind of target that a chat's system message is."""


@dataclass(slots=True)
class Transcript:
    """What was said in one conversation so far, in order, each message once.

    Attributes:
        key: the conversation's key; turn keys are made from it, so a repeated history gets the same keys again.
        turns, system_texts: what was said, and the system messages.
    """

    key: str
    turns: list[Turn] = field(default_factory=list)
    system_texts: list[str] = field(default_factory=list)
    reasoning: list[ReasoningStep] = field(default_factory=list)
    _known: Counter[str] = field(default_factory=Counter)
    _said: Counter[str] = field(default_factory=Counter)
    _calls: dict[str, ToolCall] = field(default_factory=dict)
    _open: list[tuple[str, str]] = field(default_factory=list)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls with their results, in order."""
        return tuple(self._calls.values())

    def begin(self, asked: Sequence[Message]) -> None:
        """Begin another request: of what it asks, only what stands before its last user message was said before."""
        last = max((i for i, message in enumerate(asked) if message.role == "user"), default=0)
        history = Counter(_digest(message) for message in asked[:last] if message.role != "tool")
        self._known = history & self._said

    def add(
        self,
        asked: Sequence[Message],
        answered: Sequence[Message],
        trace_key: str,
        at: str | None,
        answered_at: str | None = None,
    ) -> None:
        """Add what one model call says beyond what is known."""
        here: Counter[str] = Counter()
        for place, message in enumerate([*asked, *answered]):
            if message.role != "tool":
                digest = _digest(message)
                here[digest] += 1
                if here[digest] <= self._known[digest]:
                    continue
                self._known[digest] += 1
                self._said[digest] += 1
                self._say(
                    message,
                    f"{digest}.{self._said[digest]}",
                    trace_key,
                    at if place < len(asked) else answered_at or at,
                )
            self._answer(message.answers)

    def _say(self, message: Message, name: str, trace_key: str, at: str | None) -> None:
        if message.role == "system":
            if message.text and message.text not in self.system_texts:
                self.system_texts.append(message.text)
            return
        key = content_key(self.key, name)
        if message.role == "user":
            human = human_part(message.text)
            text = human or message.text
            if text:
                self.turns.append(Turn(Role.USER, text, key, not human, at, trace_key))
            return
        if message.reasoning:
            self.reasoning.append(ReasoningStep(message.reasoning, at))
        if message.text or message.calls:
            self.turns.append(Turn(Role.ASSISTANT, message.text, key, timestamp=at, trace_key=trace_key))
        for number, call in enumerate(message.calls):
            name = call.id or f"{key}/{number}"
            if name not in self._calls:
                self._calls[name] = ToolCall(call.name, call.args, timestamp=at)
                self._open.append((name, call.name))

    def _answer(self, answers: Sequence[Answer]) -> None:
        for answer in answers:
            name = answer.id if answer.id in self._calls else self._oldest_open(answer)
            if name is None:
                continue
            call = self._calls[name]
            if call.result is None:
                ok = None if answer.is_error is None else not answer.is_error
                self._calls[name] = ToolCall(call.tool, call.args, answer.result, ok, call.duration_ms, call.timestamp)
            self._open = [entry for entry in self._open if entry[0] != name]

    def _oldest_open(self, answer: Answer) -> str | None:
        """An answer without a known id belongs to the oldest call of its name that waits for one."""
        if answer.id:
            return None
        return next((key for key, tool in self._open if not answer.name or tool == answer.name), None)


def _digest(message: Message) -> str:
    return content_key(message.role, message.text, [[call.name, call.args] for call in message.calls])


def first_request(turns: Sequence[Turn]) -> str:
    """Return the text of the first human turn, or of the first machine one when no person spoke."""
    users = [turn for turn in turns if turn.role is Role.USER]
    return next((turn.text for turn in users if turn.is_human), users[0].text if users else "")


def last_reply(turns: Sequence[Turn]) -> str:
    """Return the text of the last reply that says something."""
    return next((turn.text for turn in reversed(turns) if turn.role is Role.ASSISTANT and turn.text), "")


def request_with_history(turns: Sequence[Turn]) -> str:
    """Return what the last answer answered: one human turn as it is, or the whole dialogue before the answer."""
    last = max((i for i, turn in enumerate(turns) if turn.role is Role.USER), default=-1)
    said = [turn for turn in turns[: last + 1] if turn.text]
    if len(said) == 1:
        return said[0].text
    return "\n\n".join(f"{'User' if turn.role is Role.USER else 'Assistant'}: {turn.text}" for turn in said)


def prompts_in_force(texts: Iterable[PromptText]) -> tuple[PromptInForce, ...]:
    """Return the exact links to prompts whose text the source holds."""
    return tuple(PromptInForce(p.kind, p.name, sha256_hex(p.text), exact=True) for p in texts)

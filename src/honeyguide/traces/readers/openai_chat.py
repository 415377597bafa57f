"""OpenAI chat fine-tuning files: desired conversations, one a line, and preference pairs.

These are answers that somebody wants, not answers that were observed: the outcome is never a success, its detail
is ``reference``. A row is one trace: the dialogue up to the last answer, and that answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation, CorrectionSignal, PromptText, Role, SignalKind
from honeyguide.traces.readers._documents import items, look
from honeyguide.traces.readers._messages import Message, messages_of
from honeyguide.traces.readers._transcript import (
    SYSTEM_KIND,
    Transcript,
    last_reply,
    prompts_in_force,
    request_with_history,
)
from honeyguide.traces.readers._values import content_key, object_of
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import REFERENCE, Trace, TraceFacts, TraceOutcome, TracePayload

EMPTY_ANSWER = "empty-answer"


class OpenAIChatSource:
    """A row's key is its content: the same row in two files, or twice in one, is one conversation."""

    name = "openai-chat"

    def sniff(self, head: bytes, name_hint: str) -> float:
        scores = [_certainty(value) for value in look(head).objects()[:20]]
        return max(scores, default=0.0)

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        seen: set[str] = set()
        for item in items(stream, context, inside=("data",)):
            context.check_cancelled()
            row = item.data
            if isinstance(row.get("preferred_output"), list):
                conversation = self._preference(row, item.line, context)
            elif isinstance(row.get("messages"), list):
                conversation = self._dialogue(row, item.line, context)
            else:
                context.health.note(health.UNKNOWN_TYPE, item.line, example=", ".join(list(row)[:2]))
                continue
            if conversation is None:
                continue
            if conversation.key in seen:
                context.health.note(health.DUPLICATE, item.line)
                continue
            seen.add(conversation.key)
            yield conversation

    def _dialogue(self, row: dict[str, Any], line: int | None, context: ReadContext) -> Conversation | None:
        messages = messages_of(row["messages"])
        if not any(message.role == "user" and message.text for message in messages):
            context.health.note(health.NO_INPUT, line)
            return None
        last = max((i for i, message in enumerate(messages) if _is_target(message)), default=None)
        if last is None:
            context.health.note(health.NO_TEXT, line, example="no answer")
            return None
        return self._conversation(content_key(row["messages"]), messages[:last], [messages[last]], context, line)

    def _preference(self, row: dict[str, Any], line: int | None, context: ReadContext) -> Conversation | None:
        asked = messages_of(object_of(row.get("input")).get("messages"))
        preferred = messages_of(row["preferred_output"], "assistant")
        other = messages_of(row.get("non_preferred_output"), "assistant")
        wanted = next((message.text for message in reversed(preferred) if message.text), "")
        if not any(message.role == "user" for message in asked) or not other or not wanted:
            context.health.note(health.NO_INPUT if other and wanted else health.NO_TEXT, line)
            return None
        key = content_key(row.get("input"), row["preferred_output"], row.get("non_preferred_output"))
        signal = CorrectionSignal(SignalKind.PREFERENCE, key, where=_where(line), replacement=wanted)
        return self._conversation(key, asked, other, context, line, (signal,))

    def _conversation(
        self,
        key: str,
        asked: list[Message],
        answered: list[Message],
        context: ReadContext,
        line: int | None,
        signals: tuple[CorrectionSignal, ...] = (),
    ) -> Conversation:
        transcript = Transcript(key)
        transcript.add(asked, answered, key, None)
        output = last_reply(transcript.turns)
        if not output and not any(message.calls for message in answered):
            context.health.note(EMPTY_ANSWER, line)
        prompts = tuple(PromptText(SYSTEM_KIND, "system prompt", text) for text in transcript.system_texts)
        trace = Trace(
            payload=TracePayload(
                input=request_with_history([turn for turn in transcript.turns if turn.role is not Role.SYSTEM]),
                output=answered[-1].text,
                tool_calls=transcript.tool_calls,
                tags=(REFERENCE,) if not signals else (),
            ),
            outcome=TraceOutcome.PENDING,
            session_id=key,
            facts=TraceFacts(
                source=self.name,
                source_key=key,
                conversation=key,
                prompts=prompts_in_force(prompts),
                outcome_detail=REFERENCE if not signals else "not preferred",
            ),
        )
        return Conversation(self.name, key, (trace,), tuple(transcript.turns), signals, prompts)


def _is_target(message: Message) -> bool:
    return message.role == "assistant" and message.weight != 0


def _where(line: int | None) -> str:
    return "" if line is None else f"line {line}"


def _certainty(value: dict[str, Any]) -> float:
    if isinstance(value.get("preferred_output"), list) and isinstance(value.get("input"), dict):
        return 0.95
    messages = value.get("messages")
    if not isinstance(messages, list) or not messages or not isinstance(messages[0], dict) or "role" not in messages[0]:
        return 0.0
    known = {"messages", "tools", "functions", "parallel_tool_calls"}
    return 0.9 if value.keys() <= known else 0.6


SOURCE = OpenAIChatSource()

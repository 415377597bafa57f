"""Codex sessions: ``~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl``, of today's and of the oldest shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from honeyguide.traces.conversations import Conversation
from honeyguide.traces.lines import Record, iter_json
from honeyguide.traces.readers._codex_replay import Replay
from honeyguide.traces.readers._codex_session import CodexSession, session_about
from honeyguide.traces.readers._documents import look
from honeyguide.traces.readers._values import content_key, object_of, text_of
from honeyguide.traces.readers.protocol import ReadContext

_ITEMS = {"message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "local_shell_call"}
_ENVELOPES = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}


class CodexSource:
    """Totals are cumulative and the human text comes twice; a fork repeats its parent from the beginning."""

    name = "codex"

    def sniff(self, head: bytes, name_hint: str) -> float:
        objects = look(head).objects()[:50]
        if any(text_of(v.get("type")) in _ENVELOPES and isinstance(v.get("payload"), dict) for v in objects):
            return 0.95
        flat = any(text_of(v.get("type")) in _ITEMS and "payload" not in v for v in objects)
        first = objects[0] if objects else {}
        return 0.7 if flat and {"id", "timestamp"} <= first.keys() and "type" not in first else 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        session: CodexSession | None = None
        replay: Replay | None = None
        for record in iter_json(stream, context):
            kind, payload = _opened(record)
            if session is None:
                about = session_about(payload) if kind == "session_meta" else session_about({})
                name = about.id or f"session-{content_key(record.data)[:12]}"
                session = CodexSession(about, name, self.name, context)
                replay = Replay(about, text_of(record.data.get("timestamp")), context)
                if kind == "session_meta":
                    session.begin(payload, record.data.get("timestamp"))
                    continue
            if replay is not None:
                for repeated, owed in replay.sort(record, kind, payload):
                    session.add(owed.number, *_opened(owed), owed.data.get("timestamp"), repeated=repeated)
        if session is not None and replay is not None:
            for repeated, owed in replay.rest():
                session.add(owed.number, *_opened(owed), owed.data.get("timestamp"), repeated=repeated)
            context.check_cancelled()
            yield session.conversation()


def _opened(record: Record) -> tuple[str, dict[str, Any]]:
    """Return the kind and payload of a line; the oldest shape has no envelope."""
    data = record.data
    kind = text_of(data.get("type"))
    if isinstance(data.get("payload"), dict):
        return kind, data["payload"]
    if kind in _ITEMS or kind.endswith(("_call", "_call_output")):
        return "response_item", data
    if not kind and {"id", "timestamp"} <= data.keys():
        return "session_meta", {**data, "base_instructions": data.get("instructions")}
    if not kind and "record_type" in data:
        return "state", {}
    return kind, dict(object_of(data.get("payload")))


SOURCE = CodexSource()

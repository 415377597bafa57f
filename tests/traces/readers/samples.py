"""A small history in the form of every source, written here, and short ways to read it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from openpyxl import Workbook

from honeyguide.traces.conversations import Conversation
from honeyguide.traces.readers import source
from honeyguide.traces.readers.protocol import ReadContext

ASKED = "Which bus goes to the harbour?"
ANSWERED = "Line 7 goes to the harbour."


def jsonl(rows: Iterable[Any]) -> bytes:
    """Return one JSON value a line; texts and bytes go in as they are."""
    lines = []
    for row in rows:
        if isinstance(row, bytes):
            lines.append(row)
        else:
            lines.append((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)).encode())
    return b"\n".join(lines) + b"\n"


def read(name: str, data: bytes, /, **options: Any) -> tuple[list[Conversation], ReadContext]:
    """Read ``data`` with the reader called ``name``; return the conversations and the context with its health."""
    context = ReadContext(**{"name": "history", **options})
    return list(source(name).read(io.BytesIO(data), context)), context


def only(name: str, data: bytes, /, **options: Any) -> Conversation:
    """Read ``data`` and return its only conversation."""
    conversations, _ = read(name, data, **options)
    assert len(conversations) == 1
    return conversations[0]


# Claude Code


class Session:
    """Writes the lines of a Claude Code session, each hanging on the one before unless told otherwise."""

    def __init__(self, session: str = "s-1", cwd: str = "/home/kim/shop") -> None:
        self.session, self.cwd = session, cwd
        self.lines: list[Any] = []
        self.last: str | None = None
        self.second = 0

    def line(self, kind: str, uuid: str, message: Any = None, parent: Any = ..., **more: Any) -> Session:
        self.second += 1
        row = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last if parent is ... else parent,
            "sessionId": self.session,
            "timestamp": f"2026-05-01T10:{self.second // 60:02d}:{self.second % 60:02d}.000Z",
            "cwd": self.cwd,
            "isSidechain": False,
        }
        if message is not None:
            row["message"] = message
        row.update(more)
        self.lines.append(row)
        self.last = uuid
        return self

    def human(self, uuid: str, text: Any, **more: Any) -> Session:
        return self.line("user", uuid, {"role": "user", "content": text}, **more)

    def reply(
        self,
        uuid: str,
        text: str = "",
        tools: Sequence[dict[str, Any]] = (),
        usage: Any = None,
        id: str = "",
        **more: Any,
    ) -> Session:
        blocks = ([{"type": "text", "text": text}] if text else []) + [{"type": "tool_use", **t} for t in tools]
        message = {"role": "assistant", "id": id or f"msg-{uuid}", "model": "claude-test-1", "content": blocks}
        if usage is not None:
            message["usage"] = usage
        return self.line("assistant", uuid, message, **more)

    def result(
        self, uuid: str, tool: str, text: str, is_error: bool | None = None, extra: str = "", **more: Any
    ) -> Session:
        block = {"type": "tool_result", "tool_use_id": tool, "content": text}
        if is_error is not None:
            block["is_error"] = is_error
        blocks = [block] + ([{"type": "text", "text": extra}] if extra else [])
        return self.human(uuid, blocks, toolUseResult=text, **more)

    def bytes(self) -> bytes:
        return jsonl(self.lines)


def claude_code() -> bytes:
    return Session().human("u1", ASKED).reply("a1", ANSWERED).bytes()


# Codex


def codex_lines(session: str = "c-1", at: str = "2026-05-01T10:00", **meta: Any) -> list[dict[str, Any]]:
    """Return the opening lines of a Codex session."""
    about = {"id": session, "cwd": "/home/kim/api", "source": "cli", **meta}
    return [
        {"timestamp": f"{at}:00.000Z", "type": "session_meta", "payload": about},
        {
            "timestamp": f"{at}:00.500Z",
            "type": "turn_context",
            "payload": {"cwd": "/home/kim/api", "model": "gpt-test-1"},
        },
    ]


def event(at: str, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": "event_msg", "payload": {"type": kind, **payload}}


def item(at: str, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": "response_item", "payload": {"type": kind, **payload}}


def said(at: str, role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(at, "message", role=role, content=[{"type": kind, "text": text}])


def tokens(at: str, total: tuple[int, int, int], last: tuple[int, int, int] | None = None) -> dict[str, Any]:
    def usage(counts: tuple[int, int, int]) -> dict[str, int]:
        return {"input_tokens": counts[0], "output_tokens": counts[1], "cached_input_tokens": counts[2]}

    return event(at, "token_count", info={"total_token_usage": usage(total), "last_token_usage": usage(last or total)})


def codex() -> bytes:
    return jsonl(
        [
            *codex_lines(),
            event("2026-05-01T10:00:01.000Z", "user_message", message=ASKED),
            said("2026-05-01T10:00:01.001Z", "user", ASKED),
            said("2026-05-01T10:00:03.000Z", "assistant", ANSWERED),
            event("2026-05-01T10:00:03.001Z", "agent_message", message=ANSWERED),
        ]
    )


# Spans


def attribute(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    return {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}


def otlp_span(
    span: str, parent: str | None, attributes: dict[str, Any], second: int = 0, **more: Any
) -> dict[str, Any]:
    start = 1_777_000_000_000_000_000 + second * 10**9
    return {
        "traceId": "0AF7651916CD43DD8448EB211C80319C",
        "spanId": span,
        "parentSpanId": parent or "",
        "name": span,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": start + 10**9,
        "attributes": [attribute(key, value) for key, value in attributes.items()],
        **more,
    }


def envelope(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": list(spans)}]}]}


def part(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def chat_attributes(asked: Any = None, answered: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "model-1",
        "gen_ai.input.messages": [part("user", ASKED)] if asked is None else asked,
        "gen_ai.output.messages": [part("assistant", ANSWERED)] if answered is None else answered,
        **more,
    }


def otlp() -> bytes:
    return jsonl([json.dumps(envelope(otlp_span("aa", None, chat_attributes())), indent=1)])


def openinference() -> bytes:
    return json.dumps(
        [
            {
                "name": "ChatCompletion",
                "span_kind": "LLM",
                "context": {"trace_id": "t1", "span_id": "s1"},
                "parent_id": None,
                "start_time": "2026-05-01T10:00:00+00:00",
                "end_time": "2026-05-01T10:00:02+00:00",
                "attributes": {
                    "openinference": {"span": {"kind": "LLM"}},
                    "llm": {
                        "model_name": "model-1",
                        "input_messages": [{"message": {"role": "user", "content": ASKED}}],
                        "output_messages": [{"message": {"role": "assistant", "content": ANSWERED}}],
                    },
                },
            }
        ],
        indent=1,
    ).encode()


def langfuse(trace: dict[str, Any] | None = None, observations: list[dict[str, Any]] | None = None) -> bytes:
    generation = {
        "id": "o1",
        "type": "GENERATION",
        "name": "answer",
        "startTime": "2026-05-01T10:00:00.000Z",
        "endTime": "2026-05-01T10:00:02.000Z",
        "model": "model-1",
        "input": [{"role": "user", "content": ASKED}],
        "output": {"role": "assistant", "content": ANSWERED},
    }
    about = {
        "id": "t1",
        "name": "bus",
        "timestamp": "2026-05-01T10:00:00.000Z",
        "input": None,
        "output": None,
        "scores": [],
    }
    data = {"trace": {**about, **(trace or {})}, "observations": [generation] if observations is None else observations}
    return json.dumps(data, indent=2).encode()


def langsmith_run(**more: Any) -> dict[str, Any]:
    return {
        "id": "r1",
        "name": "ChatModel",
        "run_type": "llm",
        "trace_id": "r1",
        "parent_run_id": None,
        "start_time": "2026-05-01T10:00:00",
        "end_time": "2026-05-01T10:00:02",
        "inputs": {"messages": [[{"type": "human", "content": ASKED}]]},
        "outputs": {"generations": [[{"text": ANSWERED, "message": {"type": "ai", "content": ANSWERED}}]]},
        **more,
    }


def langsmith() -> bytes:
    return json.dumps([langsmith_run()]).encode()


def opik(**trace: Any) -> bytes:
    about = {
        "id": "t1",
        "name": "bus",
        "start_time": "2026-05-01T10:00:00Z",
        "end_time": "2026-05-01T10:00:02Z",
        "input": {"messages": [{"role": "user", "content": ASKED}]},
        "output": {"output": ANSWERED},
        "feedback_scores": None,
        **trace,
    }
    return json.dumps({"trace": about, "spans": []}).encode()


def openai_agents() -> bytes:
    return jsonl(
        [
            {"object": "trace", "id": "trace_1", "workflow_name": "Bus", "group_id": None},
            {
                "object": "trace.span",
                "id": "span_1",
                "trace_id": "trace_1",
                "parent_id": None,
                "started_at": "2026-05-01T10:00:00+00:00",
                "ended_at": "2026-05-01T10:00:02+00:00",
                "error": None,
                "span_data": {
                    "type": "generation",
                    "model": "model-1",
                    "input": [{"role": "user", "content": ASKED}],
                    "output": [{"role": "assistant", "content": ANSWERED}],
                },
            },
        ]
    )


# Evaluations and tables


def promptfoo_row(**more: Any) -> dict[str, Any]:
    return {
        "id": "row-1",
        "success": True,
        "gradingResult": {"pass": True, "componentResults": []},
        "prompt": {"raw": ASKED, "label": "{{question}}"},
        "promptIdx": 0,
        "testIdx": 0,
        "provider": {"id": "model-1"},
        "vars": {"question": ASKED},
        "response": {"output": ANSWERED},
        **more,
    }


def promptfoo(*rows: dict[str, Any]) -> bytes:
    results = {
        "version": 3,
        "timestamp": "2026-05-01T10:00:00Z",
        "prompts": [],
        "results": list(rows or [promptfoo_row()]),
    }
    return json.dumps({"evalId": "eval-1", "results": results, "config": {}}).encode()


def inspect_sample(**more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "epoch": 1,
        "input": ASKED,
        "target": "Line 7",
        "messages": [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWERED}],
        "output": {"model": "model-1", "choices": [{"message": {"role": "assistant", "content": ANSWERED}}]},
        "scores": {},
        **more,
    }


def inspect_log(*samples: dict[str, Any]) -> dict[str, Any]:
    about = {"run_id": "run-1", "task": "buses", "model": "model-1", "created": "2026-05-01T10:00:00+00:00"}
    return {"version": 2, "status": "success", "eval": about, "samples": list(samples or [inspect_sample()])}


def inspect() -> bytes:
    return json.dumps(inspect_log()).encode()


def inspect_archive(*samples: dict[str, Any], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    log = inspect_log(*samples)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr("header.json", json.dumps({k: v for k, v in log.items() if k != "samples"}))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return out.getvalue()


def openai_chat() -> bytes:
    rows = [{"messages": [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWERED}]}]
    return jsonl(
        [*rows, {"messages": [{"role": "user", "content": "And back?"}, {"role": "assistant", "content": "Line 8."}]}]
    )


def journal(*events: tuple[str, dict[str, Any]], run: str = "run_1", chained: bool = True) -> list[bytes]:
    """Return the raw lines of a hiveloom journal with a true hash chain."""
    import hashlib

    lines: list[bytes] = []
    for seq, (kind, payload) in enumerate(events):
        row: dict[str, Any] = {
            "run_id": run,
            "harness_name": "bus-guide",
            "harness_id": "hl-000000000001",
            "harness_version_hash": "0123456789ab",
            "seq": seq,
            "timestamp": f"2026-05-01T10:00:{seq:02d}.000000+00:00",
            "type": kind,
        }
        if chained:
            row["prev"] = hashlib.sha256(lines[-1]).hexdigest() if lines else ""
        row["payload"] = payload
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode())
    return lines


def run_events(status: str = "success", passed: bool | None = None) -> list[tuple[str, dict[str, Any]]]:
    events: list[tuple[str, dict[str, Any]]] = [
        ("run_started", {"input": ASKED, "model": "model-1", "harness": {"spec": "name: bus-guide\n"}}),
        ("context_system", {"system": "Answer about buses.", "hash": "x"}),
        ("model_response", {"turn": 1, "phase": "act", "text": ANSWERED, "usage": {}, "effective_model": "model-1"}),
    ]
    if passed is not None:
        events.append(("verification_result", {"verifier": "names_a_line", "passed": passed, "feedback": ""}))
    return [*events, ("run_finished", {"status": status, "turns": 1, "output": ANSWERED})]


def hiveloom() -> bytes:
    return b"\n".join(journal(*run_events())) + b"\n"


def table() -> bytes:
    return f'Question;Answer\n"{ASKED}";"{ANSWERED}"\n"And back?";"Line 8."\n'.encode()


def xlsx(rows: Sequence[Sequence[Any]]) -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


SAMPLES: dict[str, Callable[[], bytes]] = {
    "claude-code": claude_code,
    "codex": codex,
    "hiveloom": hiveloom,
    "inspect": inspect,
    "langfuse": langfuse,
    "langsmith": langsmith,
    "openai-agents": openai_agents,
    "openai-chat": openai_chat,
    "openinference": openinference,
    "opik": opik,
    "otlp": otlp,
    "promptfoo": promptfoo,
    "table": table,
}
"""Each holds one conversation of one question and one answer (two in the two that hold rows); no tokens, no verdict."""

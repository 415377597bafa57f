"""Tool calls of Codex, joined to their results, which come in several spellings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from honeyguide.traces.readers._messages import text_in
from honeyguide.traces.readers._values import embedded, milliseconds_between, object_of, text_of, whole
from honeyguide.traces.records import ToolCall

_EXIT = re.compile(r"\A(?:Exit code|Process exited with code):?\s*(\d+)", re.MULTILINE)
_EXIT_LATER = re.compile(r"^Process exited with code (\d+)$", re.MULTILINE)


@dataclass(slots=True)
class Calls:
    """The tool calls of one request, in order."""

    _calls: dict[str, ToolCall] = field(default_factory=dict)
    _escalated: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self._calls)

    def ask(self, payload: dict[str, Any], at: str | None) -> None:
        """Take a ``function_call``, ``custom_tool_call``, ``local_shell_call`` or ``web_search_call``."""
        kind = text_of(payload.get("type"))
        name = text_of(payload.get("name")) or kind.removesuffix("_call")
        args = embedded(payload.get("arguments", payload.get("input", payload.get("action"))))
        key = text_of(payload.get("call_id")) or text_of(payload.get("id")) or f"#{len(self._calls)}"
        if key in self._calls:
            return
        data = object_of(args)
        if data.get("with_escalated_permissions") is True or data.get("sandbox_permissions") == "require_escalated":
            self._escalated.add(key)
        self._calls[key] = ToolCall(name, args, timestamp=at)

    def answer(self, payload: dict[str, Any], at: str | None) -> None:
        """Take a result; one without its call belongs to an earlier part and is left out."""
        key = text_of(payload.get("call_id"))
        call = self._calls.get(key)
        if call is None:
            return
        result, ok = _result(payload.get("output"))
        took = milliseconds_between(call.timestamp, at) if call.duration_ms is None else call.duration_ms
        self._calls[key] = ToolCall(
            call.tool, call.args, result, call.ok if call.ok is not None else ok, took, call.timestamp
        )

    def finish(self, payload: dict[str, Any]) -> None:
        """Take an ``…_end`` event, which knows the exit code and how long it took."""
        key = text_of(payload.get("call_id"))
        call = self._calls.get(key)
        if call is None:
            return
        ok: bool | None = None
        if isinstance(payload.get("success"), bool):
            ok = payload["success"]
        elif whole(payload.get("exit_code")) is not None:
            ok = whole(payload.get("exit_code")) == 0
        elif isinstance(payload.get("result"), dict):
            ok = "Err" not in payload["result"]
        length = object_of(payload.get("duration"))
        took = None
        if length:
            took = (whole(length.get("secs")) or 0) * 1000 + (whole(length.get("nanos")) or 0) // 1_000_000
        result = call.result if call.result is not None else payload.get("aggregated_output")
        known = ok if ok is not None else call.ok
        length_ms = took if took is not None else call.duration_ms
        self._calls[key] = ToolCall(call.tool, call.args, result, known, length_ms, call.timestamp)

    def finished(self) -> tuple[ToolCall, ...]:
        """Return the calls."""
        return tuple(self._calls.values())

    def probably_refused(self) -> list[str]:
        """Calls that asked for more rights and got no answer. Codex does not record a refusal."""
        return [call.tool for key, call in self._calls.items() if key in self._escalated and call.result is None]


def _result(output: Any) -> tuple[Any, bool | None]:
    if isinstance(output, list):
        return text_in(output), None
    value = embedded(output)
    if isinstance(value, dict):
        code = whole(object_of(value.get("metadata")).get("exit_code"))
        if "output" in value:
            success = value.get("success")
            known = success if isinstance(success, bool) else None if code is None else code == 0
            return value["output"], known
        if isinstance(value.get("success"), bool):
            return value.get("content", value), value["success"]
        return value, None
    text = text_of(value)
    found = _EXIT.match(text) or _EXIT_LATER.search(text[:400])
    return value, None if found is None else found.group(1) == "0"

"""A small model server on loopback that speaks the Messages API and Chat Completions, streaming and batches included.

What it answers is a function of the last user message; ``plan`` makes the next requests fail, dawdle, break off or
carry headers. Every request is kept in ``seen``. Also a program: ``python -m tests.fakes.model_server [PORT]``.
"""

from __future__ import annotations

import json
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

ANTHROPIC_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """How one request is treated.

    Attributes:
        text: the reply; the server's ``answer`` when not given.
        error: fields for the error object of the answer's body.
        delay: seconds before anything is sent.
        cut: break the connection before the answer, or in the middle of its body.
        raw: sent instead of an answer, with ``content_type``.
    """

    status: int = 200
    text: str | None = None
    stop: str = ""
    error: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: Literal["", "before", "middle"] = ""
    raw: bytes | None = None
    content_type: str = "application/json"


class ModelServer:
    """The server; a context manager.

    Attributes:
        key: requests with another key get 401; any key will do when empty.
        models: what the lists offer, and the only names that are answered unless it is empty.
        refuses: top-level fields of a body that are answered with 400, as by a server that does not offer them.
        url: its address, without a path.
    """

    def __init__(
        self,
        answer: Callable[[str], str] = lambda text: f"echo: {text}",
        *,
        key: str = "",
        models: tuple[str, ...] = (),
        refuses: tuple[str, ...] = (),
        delay: float = 0.0,
        tls: ssl.SSLContext | None = None,
        port: int = 0,
    ) -> None:
        self.answer = answer
        self.key = key
        self.models = models
        self.refuses = refuses
        self.delay = delay
        self.plan: list[Turn] = []
        self.seen: list[Seen] = []
        self.under_way = 0
        self.most_under_way = 0
        self.batches: dict[str, dict[str, Any]] = {}
        self.has_batches = True
        self.batches_take = 0
        """How many looks at a batch it takes until it has ended."""
        self.lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), self)
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self.port: int = self._http.server_address[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def calls(self) -> list[Seen]:
        """The model calls among the requests."""
        return [seen for seen in self.seen if seen.path.endswith(("/messages", "/chat/completions"))]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError | ssl.SSLError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._handle({})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self._handle(json.loads(self.rfile.read(length) or b"{}"))

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    @property
    def _is_anthropic(self) -> bool:
        return "anthropic-version" in self.headers

    def _handle(self, body: dict[str, Any]) -> None:
        owner = self.server.owner
        path = self.path.split("?")[0]
        with owner.lock:
            owner.seen.append(
                Seen(self.command, path, {name.lower(): value for name, value in self.headers.items()}, body)
            )
            turn = owner.plan.pop(0) if owner.plan else Turn()
            owner.under_way += 1
            owner.most_under_way = max(owner.most_under_way, owner.under_way)
        try:
            time.sleep(turn.delay or owner.delay)
            self._treat(owner, turn, path, body)
        finally:
            with owner.lock:
                owner.under_way -= 1

    def _treat(self, owner: ModelServer, turn: Turn, path: str, body: dict[str, Any]) -> None:
        if turn.cut == "before":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif turn.raw is not None:
            self._send(turn.status, turn.raw, turn.headers, turn.content_type)
        elif turn.status >= 300:
            self._error(turn.status, turn.error, turn.headers)
        elif owner.key and owner.key not in (self._bearer(), self.headers.get("x-api-key")):
            self._error(401, {"message": f"invalid key: {self._bearer() or self.headers.get('x-api-key')}"}, {})
        elif refused := next((name for name in owner.refuses if _holds(body, name)), None):
            self._error(400, {"message": f"Unsupported parameter: {refused}", "param": refused}, {})
        elif owner.models and "model" in body and body["model"] not in owner.models:
            self._error(404, {"message": f"model: {body['model']}"}, {})
        else:
            self._answer(owner, turn, path, body)

    def _answer(self, owner: ModelServer, turn: Turn, path: str, body: dict[str, Any]) -> None:
        if path.endswith("/models"):
            self._json({"data": [self._model(name) for name in owner.models], "has_more": False, "object": "list"})
        elif "/batches" in path:
            self._batch(owner, path, body)
        elif path == "/v1/messages":
            message = message_for(owner, turn, body)
            events = anthropic_events(message) if body.get("stream") else None
            self._reply(message, events, turn)
        elif path.endswith("/chat/completions"):
            completion = completion_for(owner, turn, body)
            self._reply(completion, openai_events(completion) if body.get("stream") else None, turn)
        else:
            self._error(404, {"message": f"no such path: {path}"}, {})

    def _batch(self, owner: ModelServer, path: str, body: dict[str, Any]) -> None:
        if not owner.has_batches:
            self._error(404, {"message": "no such path"}, {})
            return
        if self.command == "POST" and path.endswith("/batches"):
            name = f"msgbatch_{len(owner.batches) + 1}"
            owner.batches[name] = {"requests": body["requests"], "looks": 0}
            self._json(self._batch_state(owner, name, ended=False))
            return
        name = path.split("/batches/")[1].split("/")[0]
        if name not in owner.batches:
            self._error(404, {"message": "no such batch"}, {})
        elif path.endswith("/results"):
            lines = [
                {
                    "custom_id": item["custom_id"],
                    "result": {"type": "succeeded", "message": message_for(owner, Turn(), item["params"])},
                }
                for item in owner.batches[name]["requests"]
            ]
            for line in lines:
                if "expire" in json.dumps(line["result"]):
                    line["result"] = {"type": "expired"}
            raw = "".join(json.dumps(line) + "\n" for line in reversed(lines)).encode()
            self._send(200, raw, {}, "application/x-jsonl")
        else:
            owner.batches[name]["looks"] += 1
            self._json(self._batch_state(owner, name, ended=owner.batches[name]["looks"] > owner.batches_take))

    def _batch_state(self, owner: ModelServer, name: str, *, ended: bool) -> dict[str, Any]:
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0},
            "created_at": "2026-01-01T00:00:00Z",
            "expires_at": "2026-01-02T00:00:00Z",
            "ended_at": None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{owner.url}/v1/messages/batches/{name}/results" if ended else None,
        }

    def _model(self, name: str) -> dict[str, Any]:
        if self._is_anthropic:
            return {
                "type": "model",
                "id": name,
                "display_name": name.title(),
                "created_at": "2026-01-01T00:00:00Z",
                "lifecycle": "deprecated" if "old" in name else "active",
                "retires_at": "2026-12-31T00:00:00Z" if "old" in name else None,
            }
        return {"id": name, "object": "model", "created": 0, "owned_by": "tests"}

    def _bearer(self) -> str:
        return str(self.headers.get("authorization") or "").removeprefix("Bearer ")

    def _error(self, status: int, fields: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        kind = ANTHROPIC_ERRORS.get(status, "api_error")
        error = {"type": kind, "message": f"status {status}", **fields}
        self._json({"type": "error", "error": error} if self._is_anthropic else {"error": error}, status, headers)

    def _reply(self, whole: dict[str, Any], events: list[bytes] | None, turn: Turn) -> None:
        raw = b"".join(events) if events else json.dumps(whole).encode()
        kind = "text/event-stream" if events else "application/json"
        if turn.cut == "middle":
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw[: len(raw) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self._send(200, raw, turn.headers, kind)

    def _json(self, data: dict[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self._send(status, json.dumps(data).encode(), headers or {}, "application/json")

    def _send(self, status: int, raw: bytes, headers: Mapping[str, str], content_type: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": content_type, "content-length": str(len(raw)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)


def message_for(owner: ModelServer, turn: Turn, body: dict[str, Any]) -> dict[str, Any]:
    """Return a message of the Messages API."""
    text, read = _text(owner, turn, body)
    written = max(1, len(text) // 4)
    limit = int(body.get("max_tokens", 10**9))
    is_cut = written > limit
    text = text[: limit * 4] if is_cut else text
    caches = "cache_control" in json.dumps(body.get("system", ""))
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [{"type": "text", "text": text}],
        "stop_reason": turn.stop or ("max_tokens" if is_cut else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": read,
            "output_tokens": min(written, limit),
            "cache_creation_input_tokens": 50 if caches else 0,
            "cache_read_input_tokens": 0,
        },
    }


def completion_for(owner: ModelServer, turn: Turn, body: dict[str, Any]) -> dict[str, Any]:
    """Return a chat completion."""
    text, read = _text(owner, turn, body)
    written = max(1, len(text) // 4)
    limit = int(body.get("max_tokens") or body.get("max_completion_tokens") or 10**9)
    is_cut = written > limit
    text = text[: limit * 4] if is_cut else text
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": turn.stop or ("length" if is_cut else "stop"),
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": min(written, limit),
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": 3},
        },
    }


def anthropic_events(message: dict[str, Any]) -> list[bytes]:
    """Return the server-sent events that carry ``message``."""
    text = message["content"][0]["text"]
    start = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text[i : i + 8]}}
            for i in range(0, len(text), 8)
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
            "usage": message["usage"],
        },
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def openai_events(completion: dict[str, Any]) -> list[bytes]:
    """Return the server-sent events that carry ``completion``."""
    choice = completion["choices"][0]
    text = choice["message"]["content"]
    base = {name: completion[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    pieces: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
    pieces += [({"content": text[i : i + 8]}, None) for i in range(0, len(text), 8)]
    pieces.append(({}, choice["finish_reason"]))
    lines = [
        json.dumps({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
        for delta, reason in pieces
    ]
    return [f"data: {line}\n\n".encode() for line in [*lines, "[DONE]"]]


def _text(owner: ModelServer, turn: Turn, body: dict[str, Any]) -> tuple[str, int]:
    last = body["messages"][-1]["content"] if body.get("messages") else ""
    asked = last if isinstance(last, str) else "".join(block.get("text", "") for block in last)
    text = owner.answer(asked) if turn.text is None else turn.text
    return text, max(1, len(json.dumps(body.get("system", "")) + asked) // 4)


def _holds(body: Any, name: str) -> bool:
    """Whether ``name`` is a field of the body, or the value of one (``json_schema``)."""
    if isinstance(body, dict):
        return name in body or any(value == name or _holds(value, name) for value in body.values())
    return False


def main() -> None:
    """Serve until interrupted."""
    with ModelServer(port=int(sys.argv[1]) if len(sys.argv) > 1 else 0) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()

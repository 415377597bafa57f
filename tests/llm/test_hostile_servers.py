"""Whatever a server answers, the caller gets one sentence, soon, and without filling the memory."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest

from honeyguide.kernel.errors import ModelError
from honeyguide.llm import Message, ModelRef, ModelReply, ModelRequest, ModelRole, ModelSettings, diagnose
from honeyguide.llm.failures import FailureKind, failure_of
from tests.fakes.hostile_server import Answer, HostileServer, answer, forever
from tests.llm.support import registry

CLAUDE, LOCAL = ModelRef("anthropic", "m"), ModelRef("llamacpp", "m")
BOTH = pytest.mark.parametrize("ref", [CLAUDE, LOCAL], ids=["anthropic", "openai"])
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
BOMB = gzip.compress(bytes(100_000_000), 9)


def body(text: Any = "fine", usage: Any = None, **fields: Any) -> bytes:
    """Return one JSON document that is a reply in both dialects."""
    message = {"role": "assistant", "content": text}
    return json.dumps(
        {
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": usage or {},
            **fields,
        }
    ).encode()


BROKEN: dict[str, tuple[Answer, FailureKind]] = {
    "a login page": (answer(b"<html>Log in</html>", kind="text/html"), FailureKind.BAD_ANSWER),
    "a page that says it is JSON": (answer(b"<html>Log in</html>"), FailureKind.BAD_ANSWER),
    "a page of a gateway": (answer(b"<html>no</html>", status="502 Bad Gateway", kind="text/html"), FailureKind.SERVER),
    "plain text": (answer(b"hello", kind="text/plain"), FailureKind.BAD_ANSWER),
    "nothing": (answer(b""), FailureKind.BAD_ANSWER),
    "null": (answer(b"null"), FailureKind.BAD_ANSWER),
    "a list": (answer(b"[1, 2]"), FailureKind.BAD_ANSWER),
    "another object": (answer(b'{"content": {"a": 1}, "choices": "x"}'), FailureKind.BAD_ANSWER),
    "half a document": (answer(body()[:30]), FailureKind.BAD_ANSWER),
    "a document without end": (answer(b"[" * 200_000), FailureKind.BAD_ANSWER),
    "no UTF-8": (answer(body().replace(b"fine", b"\xff\xfe")), FailureKind.BAD_ANSWER),
    "half a character": (answer(body().replace(b"fine", b"\\ud83d")), FailureKind.BAD_ANSWER),
    "no gzip": (answer(b"abcde", headers="content-encoding: gzip\r\n"), FailureKind.BAD_ANSWER),
    "a gzip bomb": (answer(BOMB, headers="content-encoding: gzip\r\n"), FailureKind.BAD_ANSWER),
    "a body without end": (forever(HEAD + b'{"a": "', b"a" * 65536), FailureKind.BAD_ANSWER),
    "chunks without end": (forever(CHUNKED, b"10000\r\n" + b"a" * 65536 + b"\r\n"), FailureKind.BAD_ANSWER),
    "headers without end": (forever(b"HTTP/1.1 200 OK\r\n", b"x-a: " + b"a" * 1000 + b"\r\n"), FailureKind.CUT),
    "events without end": (forever(HEAD, b"event: ping\ndata: {}\n\n", pause=0.01), FailureKind.TIMEOUT),
    "a byte now and then": (forever(HEAD, b" ", pause=0.05), FailureKind.TIMEOUT),
    "another protocol": (b"SSH-2.0-OpenSSH_9.0\r\n", FailureKind.CUT),
    "half a header": (b"HTTP/1.1 200 OK\r\ncontent-ty", FailureKind.CUT),
    "less than it said": (answer(body(), length=5000), FailureKind.CUT),
    "a negative length": (answer(b"", length=-1), FailureKind.CUT),
    "another host": (
        answer(b"", status="307 Temporary Redirect", headers="location: http://127.0.0.2:9/\r\n"),
        FailureKind.REDIRECT,
    ),
    "itself": (answer(b"", status="308 Permanent Redirect", headers="location: /\r\n"), FailureKind.REDIRECT),
    "an error as a list": (answer(b'[{"error": 1}]', status="400 Bad Request"), FailureKind.BAD_REQUEST),
    "an error that is no text": (answer(b"\xff\xfe", status="500 Oops"), FailureKind.SERVER),
    "a status that is none": (answer(b"", status="999 What"), FailureKind.SERVER),
}


@BOTH
def test_a_broken_answer_is_a_sentence(ref: ModelRef) -> None:
    async def of(sent: Answer) -> ModelReply | ModelError:
        with HostileServer(sent) as server:
            return await _ask(ref, server.url)

    async def run() -> list[ModelReply | ModelError]:
        return await asyncio.gather(*(of(sent) for sent, _ in BROKEN.values()))

    found = dict(zip(BROKEN, asyncio.run(run()), strict=True))
    errors = {name: error for name, error in found.items() if isinstance(error, ModelError)}
    assert {name: failure_of(error).kind for name, error in errors.items()} == {
        n: kind for n, (_, kind) in BROKEN.items()
    }
    assert all(error.hint and len(error.message) < 500 for error in errors.values())


@BOTH
def test_a_provider_that_may_have_charged_is_not_taken_for_free(ref: ModelRef) -> None:
    assert failure_of(failed(ref, answer(b"<html>"))).may_be_billed
    assert not failure_of(failed(ref, answer(b"", status="500 Oops"))).may_be_billed


@BOTH
def test_a_long_message_of_an_error_is_cut(ref: ModelRef) -> None:
    long = json.dumps({"error": {"message": "z" * 1_000_000}}).encode()
    assert len(failed(ref, answer(long, status="400 Bad Request")).message) < 500


@BOTH
def test_figures_that_cannot_be_are_not_believed(ref: ModelRef) -> None:
    names = ("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens")
    for wrong in (-5, True, 10**30, "7", 0.5):
        made = replied(ref, answer(body(usage=dict.fromkeys(names, wrong))))
        assert (made.usage.input_tokens, made.usage.output_tokens) == (None, None)
    for cost in ("-5", "NaN", "Infinity", "true"):
        sent = body(usage={"cost": 0}).replace(b'"cost": 0', f'"cost": {cost}'.encode())
        made = replied(ref, answer(sent))
        assert (made.cost_usd, made.cost_is_reported) == (None, False)


@BOTH
@pytest.mark.parametrize("left", ["\u00b2", "9" * 400, "-1", "1e9", ""])
def test_rate_headers_that_are_none_are_left_out(ref: ModelRef, left: str) -> None:
    headers = "".join(
        f"{name}: {left}\r\n"
        for name in (
            "anthropic-ratelimit-requests-remaining",
            "anthropic-ratelimit-requests-reset",
            "x-ratelimit-remaining-requests",
            "x-ratelimit-reset-requests",
        )
    )
    assert replied(ref, answer(body(), headers=headers)).text == "fine"


@BOTH
@pytest.mark.parametrize("asked", ["-5", "soon", "9" * 400, "Wed, 99 Foo 2026"])
def test_a_retry_after_that_is_none_harms_nothing(ref: ModelRef, asked: str) -> None:
    error = failed(ref, answer(b"{}", status="429 Slow Down", headers=f"retry-after: {asked}\r\n"))
    assert failure_of(error).kind is FailureKind.RATE_LIMIT
    assert failure_of(error).retry_after is None


@BOTH
def test_the_diagnosis_of_a_hostile_server_is_a_sentence_too(ref: ModelRef) -> None:
    async def run() -> None:
        for sent in (b"", answer(b"[" * 200_000, status="404 Not Found"), answer(b"<html>")):
            with HostileServer(sent) as server:
                models = registry({}, ModelSettings(base_urls={ref.provider: server.url}))
                found = await diagnose(ref, models)
                await models.close()
            assert not found.is_ok
            assert found.sentence
            assert found.remedy

    asyncio.run(run())


def test_a_request_with_half_a_character_is_refused_here() -> None:
    request = ModelRequest(CLAUDE, (Message("user", "\ud83d"),))
    with HostileServer(answer(body())) as server:
        error = asyncio.run(_ask(CLAUDE, server.url, request))
    assert isinstance(error, ModelError)
    assert failure_of(error).kind is FailureKind.BAD_REQUEST
    assert not failure_of(error).may_be_billed
    assert server.requests == 0


def failed(ref: ModelRef, sent: Answer) -> ModelError:
    with HostileServer(sent) as server:
        found = asyncio.run(_ask(ref, server.url))
    assert isinstance(found, ModelError), found
    return found


def replied(ref: ModelRef, sent: Answer) -> ModelReply:
    with HostileServer(sent) as server:
        found = asyncio.run(_ask(ref, server.url))
    assert isinstance(found, ModelReply), found
    return found


async def _ask(ref: ModelRef, url: str, request: ModelRequest | None = None) -> ModelReply | ModelError:
    environ = {"ANTHROPIC_API_KEY": "key-of-the-test", "LLAMACPP_API_KEY": "key-of-the-test"}
    settings = ModelSettings(base_urls={ref.provider: url}, timeouts=dict.fromkeys(ModelRole, 8.0))
    models = registry(environ, settings)
    try:
        return await models.provider(ref).complete(request or ModelRequest(ref, (Message("user", "hello"),)))
    except ModelError as error:
        return error
    finally:
        await models.close()

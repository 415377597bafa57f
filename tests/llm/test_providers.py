"""The official SDKs talk to a real server on loopback, through the same providers that are shipped."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from honeyguide.kernel.errors import AuthFailed, ModelError, ModelRefused, NoKey, RateLimited, Unreachable
from honeyguide.llm.failures import RETRYABLE_STATUSES, FailureKind, failure_of
from honeyguide.llm.limiter import Limiter
from honeyguide.llm.protocol import Message, ModelRef, ModelReply, ModelRequest, ModelRole, StopReason
from honeyguide.llm.providers.outgoing import Provider
from honeyguide.llm.registry import make_provider
from honeyguide.llm.settings import ModelSettings
from tests.fakes.model_server import ModelServer, Turn
from tests.llm.support import ask, registry

T = TypeVar("T")
CLAUDE = ModelRef("anthropic", "claude-haiku-4-5")
GPT = ModelRef("openai", "gpt-4.1-mini")
BOTH = pytest.mark.parametrize("ref", [CLAUDE, GPT], ids=["anthropic", "openai"])
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


@BOTH
def test_a_call_brings_text_usage_and_stop_reason(ref: ModelRef) -> None:
    with ModelServer(lambda text: text.upper(), key="secret-key-123") as server:
        made = _complete(server, ask("hello there", model=ref, system="Shout."), key="secret-key-123")
    assert (made.text, made.stop_reason, made.replayed) == ("HELLO THERE", StopReason.END, False)
    assert made.usage.input_tokens is not None
    assert made.usage.output_tokens == 2
    assert made.latency_ms >= 0


@BOTH
def test_the_preview_is_exactly_what_is_sent(ref: ModelRef) -> None:
    request = ModelRequest(
        ref,
        (Message("user", "a"), Message("assistant", "b"), Message("user", "ç\ud83d\ude00")),
        system="s" * 5000,
        max_tokens=77,
        response_schema=SCHEMA,
        temperature=0.25,
    )
    request = replace(request, messages=(*request.messages[:2], Message("user", "ç😀")))
    with ModelServer() as server:

        async def run(provider: Provider) -> None:
            outgoing = provider.preview(request)
            assert server.seen == []
            await provider.complete(request)
            (seen,) = server.calls
            assert seen.body == outgoing.body
            assert outgoing.url == server.url + seen.path
            assert "key-of-the-test" not in str(outgoing)

        _with_provider(server, ref, run)


@BOTH
def test_a_reply_cut_off_by_the_limit_says_so(ref: ModelRef) -> None:
    with ModelServer(lambda text: "word " * 100) as server:
        made = _complete(server, ask(model=ref, max_tokens=10))
    assert made.stop_reason is StopReason.MAX_TOKENS


@BOTH
@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (400, FailureKind.BAD_REQUEST, ModelRefused),
        (401, FailureKind.AUTH, AuthFailed),
        (402, FailureKind.QUOTA, RateLimited),
        (403, FailureKind.FORBIDDEN, AuthFailed),
        (404, FailureKind.MODEL_NOT_FOUND, ModelRefused),
        (408, FailureKind.TIMEOUT, Unreachable),
        (409, FailureKind.BAD_REQUEST, ModelRefused),
        (413, FailureKind.TOO_LARGE, ModelRefused),
        (422, FailureKind.BAD_REQUEST, ModelRefused),
        (425, FailureKind.BAD_REQUEST, ModelRefused),
        (429, FailureKind.RATE_LIMIT, RateLimited),
        (500, FailureKind.SERVER, Unreachable),
        (501, FailureKind.SERVER, Unreachable),
        (502, FailureKind.SERVER, Unreachable),
        (503, FailureKind.OVERLOADED, Unreachable),
        (504, FailureKind.TIMEOUT, Unreachable),
        (529, FailureKind.OVERLOADED, Unreachable),
    ],
)
def test_every_status_becomes_one_error_after_one_attempt(ref, status, kind, error) -> None:
    with ModelServer() as server:
        server.plan.append(Turn(status, headers={"retry-after": "7"}))
        caught = _failure(server, ask(model=ref))
        assert len(server.calls) == 1  # the SDK's own retries are off
    failure = failure_of(caught)
    assert (type(caught), failure.kind, failure.status, failure.retry_after) == (error, kind, status, 7.0)
    assert failure.is_retryable == (status in RETRYABLE_STATUSES)
    assert caught.hint


@BOTH
@pytest.mark.parametrize(
    ("turn", "kind", "billed"),
    [
        (Turn(cut="before"), FailureKind.CUT, True),
        (Turn(cut="middle"), FailureKind.CUT, True),
        (Turn(302, headers={"location": "http://127.0.0.1:1/"}), FailureKind.REDIRECT, False),
        (Turn(raw=b"<html>log in</html>", content_type="text/html"), FailureKind.BAD_ANSWER, True),
        (Turn(raw=b'{"hello": 1}'), FailureKind.BAD_ANSWER, True),
        (Turn(raw=b'{"broken": '), FailureKind.BAD_ANSWER, True),
        (Turn(raw=b"\xff\xfe\x00"), FailureKind.BAD_ANSWER, True),
        (Turn(raw=b'{"choices": [], "content": null}'), FailureKind.BAD_ANSWER, True),
        (Turn(429, error={"code": "insufficient_quota", "type": "insufficient_quota"}), FailureKind.QUOTA, False),
    ],
)
def test_broken_answers_are_told_apart(ref: ModelRef, turn: Turn, kind: FailureKind, billed: bool) -> None:
    with ModelServer() as server:
        server.plan.append(turn)
        failure = failure_of(_failure(server, ask(model=ref)))
    assert (failure.kind, failure.may_be_billed) == (kind, billed)


@BOTH
def test_a_redirect_is_not_followed_so_the_key_stays_here(ref: ModelRef) -> None:
    with ModelServer() as server, ModelServer() as other:
        server.plan.append(Turn(307, headers={"location": other.url + "/v1/messages"}))
        _failure(server, ask(model=ref))
        assert other.seen == []


@BOTH
def test_a_slow_answer_is_a_timeout_that_may_be_billed(ref: ModelRef) -> None:
    with ModelServer() as server:
        server.plan.append(Turn(delay=1.0))

        async def run(provider: Provider) -> ModelError:
            with pytest.raises(Unreachable) as caught:
                await provider.complete(ask(model=ref))
            return caught.value

        began = time.monotonic()
        failure = failure_of(_with_provider(server, ref, run, seconds=0.2))
        assert (failure.kind, failure.may_be_billed) == (FailureKind.TIMEOUT, True)
        assert time.monotonic() - began < 5


@BOTH
def test_nobody_listening_is_refused(ref: ModelRef) -> None:
    with ModelServer() as server:
        address = server.url
    reg = registry(_environ(address))

    async def run() -> ModelError:
        with pytest.raises(Unreachable) as caught:
            await reg.provider(ref).complete(ask(model=ref))
        await reg.close()
        return caught.value

    failure = failure_of(asyncio.run(run()))
    assert (failure.kind, failure.may_be_billed) == (FailureKind.REFUSED, False)


def test_an_official_address_without_a_key_asks_for_one_before_anything_is_sent() -> None:
    reg = registry({})

    async def run() -> None:
        with pytest.raises(NoKey):
            await reg.provider(CLAUDE).complete(ask())

    asyncio.run(run())


def test_the_stable_prefix_is_marked_for_the_cache_and_cached_tokens_are_counted() -> None:
    with ModelServer() as server:
        made = _complete(server, ask(system="rule " * 1000))
        without = _complete(server, ask())
        call, call_without = server.calls
    assert call.body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in str(call.body["messages"])
    assert "system" not in call_without.body
    assert (made.usage.cache_write_tokens, without.usage.cache_write_tokens) == (50, 0)


def test_cached_tokens_of_a_chat_completion_are_taken_out_of_the_input() -> None:
    with ModelServer() as server:
        made = _complete(server, ask("x" * 400, model=GPT))
    assert made.usage.cache_read_tokens == 3
    assert made.usage.input_tokens is not None
    assert made.usage.input_tokens >= 90


@pytest.mark.parametrize(
    ("ref", "refuses", "request_", "left"),
    [
        (CLAUDE, ("output_config",), replace(ask(model=CLAUDE), response_schema=SCHEMA), {"output_config"}),
        (CLAUDE, ("temperature",), replace(ask(model=CLAUDE), temperature=0.5), {"temperature"}),
        (GPT, ("json_schema",), replace(ask(model=GPT), response_schema=SCHEMA), set()),
        (GPT, ("response_format",), replace(ask(model=GPT), response_schema=SCHEMA), {"response_format"}),
        (GPT, ("temperature",), replace(ask(model=GPT), temperature=0.5), {"temperature"}),
    ],
)
def test_a_setting_the_server_does_not_offer_is_left_out_from_then_on(ref, refuses, request_, left) -> None:
    with ModelServer(refuses=refuses) as server:

        async def run(provider: Provider) -> None:
            for _ in range(3):
                try:
                    await provider.complete(request_)
                    break
                except ModelRefused as error:
                    assert failure_of(error).is_retryable
                    assert failure_of(error).kind is FailureKind.PARAMETER_DROPPED
            await provider.complete(request_)
            assert provider.preview(request_).notes

        _with_provider(server, ref, run)
        assert not left & set(server.calls[-1].body)
        if refuses == ("json_schema",):
            assert server.calls[-1].body["response_format"] == {"type": "json_object"}
        assert len(server.calls) <= 4


def test_parallel_calls_that_all_meet_the_refusal_may_all_try_again() -> None:
    with ModelServer(refuses=("output_config",)) as server:

        async def run(provider: Provider) -> list[object]:
            request = replace(ask(model=CLAUDE), response_schema=SCHEMA)
            return await asyncio.gather(*(provider.complete(request) for _ in range(6)), return_exceptions=True)

        outcomes = _with_provider(server, CLAUDE, run)
    assert all(isinstance(o, ModelReply) or failure_of(o).is_retryable for o in outcomes)  # type: ignore[arg-type]


def test_a_price_the_provider_reports_is_taken() -> None:
    raw = (
        b'{"id":"1","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"finish_reason":"stop",'
        b'"message":{"role":"assistant","content":"ok"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,'
        b'"total_tokens":2,"cost":0.00042}}'
    )
    with ModelServer() as server:
        server.plan.append(Turn(raw=raw))
        made = _complete(server, ask(model=GPT))
    assert (made.cost_usd, made.cost_is_reported) == (0.00042, True)


@BOTH
def test_rate_headers_reach_the_limiter_from_replies_and_from_errors(ref: ModelRef) -> None:
    low = {"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "60s"}
    with ModelServer() as server:
        for turn in (Turn(headers=low), Turn(429, headers=low)):
            limiter = Limiter(8)
            server.plan.append(turn)

            async def run(provider: Provider) -> None:
                with contextlib.suppress(RateLimited):
                    await provider.complete(ask(model=ref))

            _with_provider(server, ref, run, limiter=limiter)
            assert [limiter.try_acquire(), limiter.try_acquire()] == [True, False]


def test_model_lists_come_from_the_provider() -> None:
    with ModelServer(models=("claude-haiku-4-5", "claude-old-1")) as server:
        reg = registry(_environ(server.url))

        async def run() -> tuple[list[str], list[str], str]:
            claude, gpt = await reg.list_models("anthropic"), await reg.list_models("openai")
            await reg.close()
            return [m.id for m in claude], [m.id for m in gpt], claude[1].note

        names, others, note = asyncio.run(run())
    assert names == others == ["claude-haiku-4-5", "claude-old-1"]
    assert note == "deprecated, retires 2026-12-31"


@BOTH
def test_streams_of_the_fake_server_are_ones_that_the_sdks_read(ref: ModelRef) -> None:
    """The fake speaks streaming too, for those who use it; our providers ask for whole replies."""
    with ModelServer(lambda text: "a streamed answer") as server:

        async def run() -> str:
            if ref is CLAUDE:
                import anthropic

                async with (
                    anthropic.AsyncAnthropic(api_key="k", base_url=server.url) as claude,
                    claude.messages.stream(
                        model="m", max_tokens=99, messages=[{"role": "user", "content": "x"}]
                    ) as stream,
                ):
                    return await stream.get_final_text()
            import openai

            async with openai.AsyncOpenAI(api_key="k", base_url=server.url + "/v1") as gpt:
                chunks = await gpt.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": "x"}], stream=True
                )
                return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])

        assert asyncio.run(run()) == "a streamed answer"


def test_the_proxy_of_the_environment_is_used_but_never_for_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as proxy, ModelServer() as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert _complete(server, ask("direct")).text == "echo: direct"
        assert proxy.seen == []
        proxy.plan.append(Turn(raw=b'{"type":"error"}', status=502))
        reg = registry({"ANTHROPIC_BASE_URL": "http://models.example.com", "ANTHROPIC_API_KEY": "k"})
        with pytest.raises(Unreachable):
            asyncio.run(_once(reg, ask()))
        assert [seen.path for seen in proxy.seen] == ["http://models.example.com/v1/messages"]


def test_a_proxy_of_the_settings_is_used() -> None:
    with ModelServer() as proxy:
        proxy.plan.append(Turn(status=407, raw=b"{}"))
        settings = ModelSettings(proxy=proxy.url)
        reg = registry({"ANTHROPIC_BASE_URL": "http://models.example.com", "ANTHROPIC_API_KEY": "k"}, settings)
        with pytest.raises(ModelError) as caught:
            asyncio.run(_once(reg, ask()))
    assert failure_of(caught.value).kind is FailureKind.PROXY


def test_no_proxy_holds_for_the_proxy_of_the_settings_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "models.invalid")
    with ModelServer() as proxy:
        reg = registry({"ANTHROPIC_BASE_URL": "http://models.invalid"}, ModelSettings(proxy=proxy.url))
        with pytest.raises(ModelError) as caught:
            asyncio.run(_once(reg, ask()))
        assert proxy.seen == []
    assert failure_of(caught.value).kind is FailureKind.DNS


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "nonsense://x"])
def test_a_proxy_of_an_unknown_kind_is_said_to_be_one(proxy: str) -> None:
    reg = registry({"ANTHROPIC_BASE_URL": "http://models.invalid"}, ModelSettings(proxy=proxy))
    with pytest.raises(ModelError) as caught:
        asyncio.run(_once(reg, ask()))
    failure = failure_of(caught.value)
    assert failure.kind is FailureKind.PROXY_KIND
    assert not failure.is_retryable
    assert "NO_PROXY" in caught.value.hint


def test_a_proxy_that_does_not_answer_is_not_taken_for_the_provider() -> None:
    settings = ModelSettings(proxy="http://somebody:secret-word@127.0.0.1:9")
    reg = registry({"ANTHROPIC_BASE_URL": "http://models.invalid", "ANTHROPIC_API_KEY": "k"}, settings)
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9 does not answer") as caught:
        asyncio.run(_once(reg, ask()))
    assert failure_of(caught.value).kind is FailureKind.PROXY
    assert "secret-word" not in str(caught.value)


def test_a_proxy_for_other_addresses_is_no_hindrance(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as proxy:
        monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:1")
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        proxy.plan.append(Turn(status=407, raw=b"{}"))
        reg = registry({"ANTHROPIC_BASE_URL": "http://models.invalid", "ANTHROPIC_API_KEY": "k"})
        with pytest.raises(ModelError):
            asyncio.run(_once(reg, ask()))
        assert len(proxy.seen) == 1


def test_a_key_with_impossible_characters_is_refused_before_anything_is_sent() -> None:
    with ModelServer() as server:
        with pytest.raises(AuthFailed):
            _complete(server, ask(), key="schlüssel-123")
        assert server.seen == []


async def _once(reg, request: ModelRequest) -> ModelReply:
    try:
        return await reg.provider(request.model).complete(request)
    finally:
        await reg.close()


def _environ(url: str, key: str = "key-of-the-test") -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": key,
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": key,
    }


def _with_provider(
    server: ModelServer,
    ref: ModelRef,
    run: Callable[[Provider], Awaitable[T]],
    *,
    key: str = "key-of-the-test",
    seconds: float | None = None,
    limiter: Limiter | None = None,
) -> T:
    async def main() -> T:
        environ = _environ(server.url, key)
        reg = registry(environ)
        provider = make_provider(ref, reg.settings, reg.keys, environ, on_headers=limiter.observe if limiter else None)
        if seconds is not None:
            connection = replace(provider.connection, timeout=lambda role: seconds)  # type: ignore[attr-defined]
            provider = type(provider)(connection)  # type: ignore[call-arg]
        try:
            return await run(provider)
        finally:
            await provider.close()

    return asyncio.run(main())


def _complete(server: ModelServer, request: ModelRequest, key: str = "key-of-the-test") -> ModelReply:
    async def run(provider: Provider) -> ModelReply:
        return await provider.complete(request)

    return _with_provider(server, request.model, run, key=key)


def _failure(server: ModelServer, request: ModelRequest) -> ModelError:
    async def run(provider: Provider) -> ModelError:
        with pytest.raises(ModelError) as caught:
            await provider.complete(request)
        return caught.value

    return _with_provider(server, request.model, run)


def test_local_servers_get_more_time() -> None:
    settings = ModelSettings()
    assert settings.timeout(ModelRole.JUDGE, "https://api.anthropic.com") == 120
    assert settings.timeout(ModelRole.MUTATOR, "https://api.anthropic.com") == 300
    assert settings.timeout(ModelRole.JUDGE, "http://127.0.0.1:1") == 900

"""What both SDK providers share: the SDK imported and its client built in a worker thread, on the first call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from honeyguide.kernel.errors import ModelError
from honeyguide.llm.connections import Connection, HeaderListener
from honeyguide.llm.failures import SHORTEST_SECRET, Failure, FailureKind, model_error
from honeyguide.llm.protocol import ModelReply, ModelRequest
from honeyguide.llm.providers.sdk_errors import bad_answer, body_fields, from_sdk, is_of_the_call, timed_out

Sdk = TypeVar("Sdk")
T = TypeVar("T")
Body = dict[str, Any]
Sent = tuple[Mapping[str, str], Any]
"""The headers of an answer, and what the SDK made of its body."""
NO_KEY = "none"
"""Sent to servers that need no key, because the SDKs insist on one."""


class SdkClient(Generic[Sdk]):
    """An SDK's client, built late; its calls timed, its errors turned into ours."""

    optional_parameters: ClassVar[Mapping[str, str]] = {}
    """Parameters a server may refuse, with what is said when one is left out from then on."""

    def __init__(
        self, connection: Connection, build: Callable[[Connection, str], Sdk], on_headers: HeaderListener | None = None
    ) -> None:
        self.connection = connection
        self._build = build
        self._on_headers = on_headers
        self._sdk: Sdk | None = None
        self._secrets: tuple[str, ...] = ()
        self._building = asyncio.Lock()
        self.left_out: dict[str, set[str]] = {}

    async def sdk(self) -> Sdk:
        """Return the client. Raises NoKey when the provider needs a key and none is known."""
        if self._sdk is None:
            async with self._building:
                if self._sdk is None:
                    self._sdk = await asyncio.to_thread(self._load)
        return self._sdk

    async def call(self, request: ModelRequest, send: Callable[[Sdk, Body, float], Awaitable[Sent]]) -> tuple[Any, int]:
        """Return what ``send`` got for the body of ``request``, and how many milliseconds it took. Raises ModelError.

        When the server refuses a parameter it need not have, that one is left out from then on, and the error says
        that the next attempt may succeed.
        """
        sdk = await self.sdk()
        seconds = self.connection.timeout(request.role)
        body = self.body(request)
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                headers, parsed = await send(sdk, body, seconds)
        except TimeoutError:
            raise timed_out(self.connection) from None
        except Exception as error:
            if not is_of_the_call(error):
                raise
            raise self._translated(error, request, body) from None  # keys stay out of the chain
        if self._on_headers:
            self._on_headers(headers)
        if isinstance(parsed, str | bytes) or parsed is None:
            raise bad_answer(self.connection)
        return parsed, round((time.monotonic() - began) * 1000)

    async def ask(self, send: Callable[[Sdk], Awaitable[T]], seconds: float = 60.0) -> T:
        """Return what ``send`` got: for lists and batches, which are not model calls. Raises ModelError."""
        sdk = await self.sdk()
        try:
            async with asyncio.timeout(seconds):
                return await send(sdk)
        except TimeoutError:
            raise timed_out(self.connection) from None
        except Exception as error:
            if not is_of_the_call(error):
                raise
            raise from_sdk(error, self.connection, self._secrets) from None

    def without_key(self, reply: ModelReply) -> ModelReply:
        """Return ``reply`` without our key, should the server have sent it back: replies are written to files."""
        if not any(len(secret) >= SHORTEST_SECRET for secret in self._secrets):
            return reply

        def clean(text: str) -> str:
            for secret in self._secrets:
                text = text.replace(secret, "…")
            return text

        calls = tuple(call.redacted(clean) for call in reply.tool_calls)
        return replace(reply, text=clean(reply.text), tool_calls=calls)

    def without(self, model: str) -> frozenset[str]:
        """Return the parameters that this server is known to refuse for ``model``."""
        return frozenset(self.left_out.get(model, ()))

    def notes(self, model: str) -> tuple[str, ...]:
        """Return what a person should know about requests to ``model``."""
        return tuple(self.optional_parameters[name] for name in sorted(self.without(model)))

    def body(self, request: ModelRequest) -> Body:
        """Return the JSON body of ``request`` as it is sent now."""
        raise NotImplementedError

    def carries(self, parameter: str, body: Body) -> bool:
        """Say whether a body carries one of the optional parameters."""
        return parameter in body

    def is_refused(self, parameter: str, words: str) -> bool:
        """Say whether ``words`` (the parameter and message of a 400) refuse the parameter."""
        return parameter in words

    async def close(self) -> None:
        """Close the connections."""
        sdk, self._sdk = self._sdk, None
        if sdk is not None:
            await sdk.close()  # type: ignore[attr-defined]

    def _load(self) -> Sdk:
        key = self.connection.find_key()
        if not key and self.connection.needs_key:
            raise model_error(Failure(FailureKind.NO_KEY), who=self.connection.who)
        if key and not key.isascii():
            raise model_error(Failure(FailureKind.AUTH), who=self.connection.who, said="a key has no such characters")
        self._secrets = (key,) if key else ()
        try:
            return self._build(self.connection, key or NO_KEY)
        except ValueError:  # of the HTTP client; what it says may hold the proxy's password
            failure = Failure(FailureKind.PROXY_KIND)
            raise model_error(failure, who=self.connection.who, said="its address is not one") from None

    def _translated(self, error: Exception, request: ModelRequest, body: Body) -> ModelError:
        if isinstance(error, ModelError):
            return error
        headers = getattr(getattr(error, "response", None), "headers", None)
        if headers is not None and self._on_headers:
            self._on_headers(headers)
        if getattr(error, "status_code", None) in (400, 422):
            named = body_fields(error)
            words = f"{named.get('param')} {named.get('message')}"
            for parameter in self.optional_parameters:
                if self.is_refused(parameter, words) and self.carries(parameter, body):
                    self.left_out.setdefault(request.model.model, set()).add(parameter)
                    failure = Failure(FailureKind.PARAMETER_DROPPED, status=getattr(error, "status_code", None))
                    return model_error(failure, who=self.connection.who, said=parameter)
        return from_sdk(error, self.connection, self._secrets)

"""The HTTP application: routes, guards, and the one place where errors become responses."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from honeyguide import __version__
from honeyguide.kernel.errors import HoneyguideError
from honeyguide.server.access import Access
from honeyguide.server.answers import answer, error_answer, error_body, refusal
from honeyguide.server.bodies import TooLarge, WrongMediaType
from honeyguide.server.evolution_api import EvolutionApi
from honeyguide.server.guards import HostGuard, TokenGuard, TokenNeeded, token_headers
from honeyguide.server.live_runs import LiveRuns
from honeyguide.server.openapi import document
from honeyguide.server.prompts_api import PromptsApi
from honeyguide.workspace import Workspace

OPENAPI_PATH = "/api/openapi.json"


def make_app(workspace: Workspace, access: Access, live: LiveRuns, stopping: asyncio.Event) -> Starlette:
    """Return the application.

    Args:
        stopping: set when the server is about to stop; open streams end then.
    """
    routes = [
        Route("/healthz", _health, methods=["GET"]),
        Route(OPENAPI_PATH, _openapi, methods=["GET"]),
        *EvolutionApi(workspace, live).routes(),
        *PromptsApi(workspace, stopping).routes(),
    ]
    return Starlette(routes=routes, middleware=guards(access), exception_handlers=EXCEPTION_HANDLERS)


def guards(access: Access) -> list[Middleware]:
    """Return what stands before every request, outermost first."""
    return [
        Middleware(HostGuard, access=access),
        Middleware(
            CORSMiddleware,
            allow_origins=list(access.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "X-API-Key"],
            expose_headers=["ETag"],
            max_age=600,
        ),
        Middleware(TokenGuard, access=access),
    ]


async def _health(request: Request) -> Response:
    return answer({"status": "ok", "version": __version__})


async def _openapi(request: Request) -> Response:
    return answer(document())


async def _known(request: Request, error: Exception) -> Response:
    assert isinstance(error, HoneyguideError)
    if isinstance(error, TokenNeeded):
        return answer(error_body(error), 401, dict(token_headers()))
    if isinstance(error, TooLarge):
        return answer(error_body(error), 413, {"connection": "close"})
    if isinstance(error, WrongMediaType):
        return answer(error_body(error), 415)
    return error_answer(error)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "not-found", 405: "method"}.get(error.status_code, "invalid")
    sentence = {404: "There is no such path.", 405: "This path does not take that method."}
    return refusal(
        error.status_code, sentence.get(error.status_code, str(error.detail)), code, f"See {OPENAPI_PATH}.",
        dict(error.headers or {}),
    )  # fmt: skip


async def _unexpected(request: Request, error: Exception) -> Response:
    """Answer without details; the framework raises the error again, and the server logs it."""
    return refusal(
        500, f"Something unexpected happened: {type(error).__name__}.", "internal", "See the server's output."
    )


EXCEPTION_HANDLERS = {HoneyguideError: _known, HTTPException: _http, Exception: _unexpected}

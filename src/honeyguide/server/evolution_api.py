"""The endpoints under ``/api/evolution``: the first seed's eight, and ours beside them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from honeyguide.kernel.errors import InvalidInput, PolicyRefused
from honeyguide.server import bodies
from honeyguide.server.answers import answer
from honeyguide.server.frames import event_stream, wants_events
from honeyguide.server.fresh import Fresh, FreshAnswers, fresh
from honeyguide.server.guards import TokenNeeded, is_trusted, require_token
from honeyguide.server.live_runs import LiveRuns
from honeyguide.server.packing import takes_gzip
from honeyguide.server.run_log import RunLog
from honeyguide.server.run_pages import RunPages
from honeyguide.server.run_request import RunRequest, read_run_request
from honeyguide.workspace import Origin, RunFilter, TargetKind, TargetRef, Workspace

BASE = "/api/evolution"
MOST_OFFSET = 10**9
MOST_VERDICTS = 16
"""Verdicts per case that may be asked for; the workspace has the last word."""
_ORIGIN_WAY = "http"


class EvolutionApi:
    """Answers the requests of one server."""

    def __init__(self, workspace: Workspace, live: LiveRuns) -> None:
        self._workspace = workspace
        self._live = live
        self._counts: FreshAnswers[Fresh] = FreshAnswers()
        self._pages = RunPages(workspace)

    def routes(self) -> Sequence[Route]:
        """Return the routes."""
        return [
            Route(f"{BASE}/runs", self.list_runs, methods=["GET"]),
            Route(f"{BASE}/runs/{{uuid}}", self.show_run, methods=["GET"]),
            Route(f"{BASE}/runs/{{uuid}}/accept", self.accept, methods=["POST"]),
            Route(f"{BASE}/runs/{{uuid}}/reject", self.reject, methods=["POST"]),
            Route(f"{BASE}/runs/{{uuid}}/continue", self.go_on, methods=["POST"]),
            Route(f"{BASE}/runs/{{uuid}}/cancel", self.cancel, methods=["POST"]),
            Route(f"{BASE}/runs/{{uuid}}/events", self.events, methods=["GET"]),
            Route(f"{BASE}/runs/{{uuid}}/diff", self.diff, methods=["GET"]),
            Route(f"{BASE}/runs/{{uuid}}/evidence", self.evidence, methods=["GET"]),
            Route(f"{BASE}/targets", self.targets, methods=["GET"]),
            Route(f"{BASE}/baseline", self.baseline, methods=["GET"]),
            Route(f"{BASE}/run", self.run, methods=["POST"]),
            Route(f"{BASE}/status", self.status, methods=["GET"]),
            Route(f"{BASE}/daemon", self.daemon, methods=["GET"]),
        ]

    # --- reading

    async def list_runs(self, request: Request) -> Response:
        """Return runs, newest first: ``{runs, count, attempts, total}``."""
        query = request.query_params
        wanted = RunFilter(
            status=tuple(query.getlist("status")),
            kind=query.get("targetKind") or None,
            name=query.get("targetName") or None,
            since=query.get("since") or None,
            limit=query.get("limit"),
            offset=_offset(query.get("offset")),
        )
        return _kept(request, await self._pages.page(wanted))

    async def status(self, request: Request) -> Response:
        """Return ``{counts, pendingCount, attempts}``."""
        query = request.query_params
        kind, name, since = (query.get(key) or None for key in ("targetKind", "targetName", "since"))

        async def make() -> Fresh:
            return await fresh((await self._workspace.run_status(kind=kind, name=name, since=since)).to_json())

        state = self._workspace.state()
        newest = None if state is None else state.newest
        return _kept(request, await self._counts.get((kind, name, since), newest, make))

    async def show_run(self, request: Request) -> Response:
        """Return one run with its decoded parts and its proof."""
        return answer((await self._workspace.run(request.path_params["uuid"])).to_json())

    async def diff(self, request: Request) -> Response:
        """Return ``{before, after, hunks}`` of a proposal."""
        return answer((await self._workspace.run_diff(request.path_params["uuid"])).to_json())

    async def evidence(self, request: Request) -> Response:
        """Return every unseen case of a run's verification: ``{evidence, total}``."""
        rows = [row.to_json() for row in await self._workspace.run_evidence(request.path_params["uuid"])]
        return answer({"evidence": rows, "total": len(rows)})

    async def targets(self, request: Request) -> Response:
        """Return personas, sections and the default schema, and every target of any kind under ``targets``."""
        listed = await self._workspace.target_names_for_api()
        rows = [row.to_json() for row in await self._workspace.targets()]
        return answer({**listed, "targets": rows})

    async def baseline(self, request: Request) -> Response:
        """Return a target's live text and a schema to begin with."""
        kind, name = request.query_params.get("kind"), request.query_params.get("name")
        if not kind or not name:
            raise InvalidInput("kind and name are required.")
        if kind not in set(TargetKind):
            raise InvalidInput(f"kind must be one of: {', '.join(TargetKind)}.")
        found = await self._workspace.target(TargetRef(TargetKind(kind), name))
        schema = (await self._workspace.target_names_for_api())["defaultSchema"]
        return answer(
            {"baseline": found.text, "schemaBaseline": {**schema, "name": f"{kind.replace('-', '_')}_baseline"}}
        )

    async def daemon(self, request: Request) -> Response:
        """Return how the autonomous service stands."""
        return answer((await self._workspace.daemon_status()).to_json())

    # --- deciding

    async def accept(self, request: Request) -> Response:
        """Accept a proposal and deploy it; 200 also when the deploy failed, with status ``failed``."""
        require_token(request, "Accepting a proposal")
        body = await bodies.read_object(request)
        done = await self._workspace.accept(
            request.path_params["uuid"],
            note=bodies.text(body, "note"),
            hunks=_numbers(body, "hunks"),
            edited_text=bodies.text(body, "editedText"),
            origin=Origin.here(_ORIGIN_WAY),
        )
        return answer(done.to_json())

    async def reject(self, request: Request) -> Response:
        """Reject a proposal."""
        require_token(request, "Rejecting a proposal")
        body = await bodies.read_object(request)
        done = await self._workspace.reject(
            request.path_params["uuid"], reason=bodies.text(body, "reason"), origin=Origin.here(_ORIGIN_WAY)
        )
        return answer(done.to_json())

    async def go_on(self, request: Request) -> Response:
        """Go on with the evidence of a proposal that is not decided; answers when it is measured."""
        require_token(request, "Going on with a proof")
        body = await bodies.read_object(request)
        done = await self._workspace.continue_proof(
            request.path_params["uuid"],
            repeats=bodies.whole(body, "repeats", 1, MOST_VERDICTS),
            is_confirmed=True,
            origin=Origin.here(_ORIGIN_WAY),
        )
        return answer(done.to_json())

    # --- running

    async def run(self, request: Request) -> Response:
        """Run to the end and return the result, or stream its events when the client asks for a stream."""
        wanted = read_run_request(await bodies.read_json(request), self._workspace)
        log = await self._start(wanted, is_trusted=is_trusted(request))
        if wants_events(request.headers.get("accept", "")):
            return event_stream(log.follow())
        await log.ended()
        return answer(log.body, log.status)

    async def events(self, request: Request) -> Response:
        """Stream the events of any run, from where ``Last-Event-ID`` left off."""
        last = request.headers.get("last-event-id", "")
        return event_stream(await self._live.follow(request.path_params["uuid"], last))

    async def cancel(self, request: Request) -> Response:
        """Stop a run before its next call; what was paid for is kept."""
        uuid = request.path_params["uuid"]
        detail = await self._workspace.run(uuid)
        require_token(request, "Stopping a run")
        await self._workspace.cancel_run(uuid)
        return answer({"uuid": uuid, "status": detail.status}, 202)

    # --- inside

    async def _start(self, wanted: RunRequest, *, is_trusted: bool) -> RunLog:
        """Begin a run. As the first seed has it, a missing key is said before anything is looked up.

        A paid run needs the token.
        """
        options = wanted.options
        await self._workspace.require_keys(options)
        await self._workspace.target(wanted.ref)
        if self._workspace.costs_money(options):
            plan = await self._workspace.plan(wanted.ref, options)
            if not is_trusted:
                raise TokenNeeded(
                    "A run that costs money needs the token of this server.", details={"plan": plan.to_json()}
                )
            ceiling = options.max_calls or self._workspace.setting("limits.calls_per_run")
            if plan.price_is_unknown and ceiling is None:
                raise PolicyRefused(
                    "The price of this model is unknown.", hint="Name a ceiling: maxCalls.",
                    details={"plan": plan.to_json()},
                )  # fmt: skip
            options = options.confirmed()
        return await self._live.start(wanted.ref, options)


def _kept(request: Request, found: Fresh) -> Response:
    """Send a kept answer: not at all to who has it, compressed to who takes that."""
    headers = {"etag": found.etag, "cache-control": "no-cache", "vary": "Accept-Encoding"}
    body = found.body
    if found.gzip is not None and takes_gzip(request.headers.get("accept-encoding", "")):
        body = found.gzip
        headers |= {"etag": f'{found.etag[:-1]}-gz"', "content-encoding": "gzip"}
    if found.etag[:-1] in request.headers.get("if-none-match", ""):
        headers.pop("content-encoding", None)
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


def _offset(text: str | None) -> int:
    with suppress(ValueError):
        return min(max(int((text or "0")[:12]), 0), MOST_OFFSET)
    return 0


def _numbers(body: Any, name: str) -> list[int] | None:
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(n, int) and not isinstance(n, bool) for n in value):
        raise InvalidInput(f"{name} must be a list of whole numbers.")
    return value

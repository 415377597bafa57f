"""The OpenAPI document: what every endpoint takes and gives. A test holds it against the real server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from honeyguide import __version__
from honeyguide.server import openapi_schemas as schemas
from honeyguide.workspace import TargetKind

Json = dict[str, Any]
_REF = "#/components/schemas/"


@cache
def document() -> Json:
    """Return the document; treat it as constant."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Honeyguide",
            "version": __version__,
            "description": "Improves the prompts that drive AI agents, with proof, and lets a person decide. "
            "Reading and runs that cost nothing are open to callers on this computer; accepting, rejecting, stopping "
            "and paid runs need the token.",
        },
        "paths": _paths(),
        "components": {
            "schemas": schemas.SCHEMAS,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
        "security": [{}, {"bearer": []}, {"apiKey": []}],
    }


def _paths() -> Json:
    base, uuid = "/api/evolution", [_in_path("uuid", "The public id of a run.")]
    kind = {"type": "string", "enum": [kind.value for kind in TargetKind]}
    filters = [
        _query("targetKind", {"type": "string"}, "Only runs on this kind of target."),
        _query("targetName", {"type": "string"}, "Only runs on the target of this name."),
        _query("since", {"type": "string", "pattern": r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$"},
               "Only runs since this day or moment, in ISO 8601."),
    ]  # fmt: skip
    page = [
        _query("status", {"type": "array", "items": {"type": "string"}}, "Only runs in these states; may be repeated."),
        *filters,
        _query("limit", {"type": "string"}, "1 to 500; 50 when missing, 0 or no number."),
        _query("offset", {"type": "string"}, "How many to pass over."),
    ]
    match = [_header("If-None-Match", "An ETag from before; 304 when nothing has changed.")]
    again = [_header("Last-Event-ID", "The id of the last event that was received.")]
    token: list[Json] = [{"bearer": []}, {"apiKey": []}]
    return {
        "/healthz": {"get": _operation("Say that the server lives", _json("Health"))},
        "/api/openapi.json": {"get": _operation("Return this document", {"type": "object"})},
        f"{base}/runs": {
            "get": _operation("List runs, newest first", _json("RunList"), page + match, (304, 400))
        },
        f"{base}/runs/{{uuid}}": {"get": _operation("Show a run", _json("RunDetail"), uuid, (404,))},
        f"{base}/runs/{{uuid}}/diff": {"get": _operation("Show what a run changes", _json("Diff"), uuid, (404,))},
        f"{base}/runs/{{uuid}}/evidence": {
            "get": _operation("Show the unseen cases of a run", _json("Evidence"), uuid, (404,))
        },
        f"{base}/runs/{{uuid}}/events": {
            "get": _operation(
                "Follow a run, also one that was begun elsewhere", _json("Event"), uuid + again, (404,),
                media="text/event-stream",
            )
        },
        f"{base}/runs/{{uuid}}/accept": {
            "post": _operation(
                "Accept a proposal and deploy it", _json("RunDetail"), uuid, (400, 403, 404, 409, 413, 415),
                body=_json("AcceptBody"), security=token,
            )
        },
        f"{base}/runs/{{uuid}}/reject": {
            "post": _operation(
                "Reject a proposal", _json("RunDetail"), uuid, (400, 404, 409, 413, 415), body=_json("RejectBody"),
                security=token,
            )
        },
        f"{base}/runs/{{uuid}}/continue": {
            "post": _operation(
                "Go on with the evidence of a proposal that is not decided", _json("RunDetail"), uuid,
                (400, 403, 404, 409, 413, 415, 422), body=_json("ContinueBody"), security=token,
            )
        },
        f"{base}/runs/{{uuid}}/cancel": {
            "post": _operation(
                "Stop a run; what was paid for stays", _json("Cancelled"), uuid, (404, 409), status=202, security=token
            )
        },
        f"{base}/targets": {"get": _operation("List what can be improved", _json("Targets"))},
        f"{base}/baseline": {
            "get": _operation(
                "Return the live text of a target", _json("Baseline"),
                [
                    _query("kind", kind, "Its kind.", required=True),
                    _query("name", {"type": "string", "minLength": 1}, "Its name.", required=True),
                ],
                (400, 404),
            )
        },
        f"{base}/run": {
            "post": _operation(
                "Run: as one JSON answer, or as events with Accept: text/event-stream", _json("RunResult"), [],
                (400, 403, 404, 409, 413, 415, 422, 503), body=_json("RunBody"), body_required=True, streams=True,
            )
        },
        f"{base}/status": {"get": _operation("Count runs by state", _json("Status"), filters + match, (304, 400))},
        f"{base}/daemon": {"get": _operation("Say how the autonomous service stands", _json("Daemon"))},
        "/api/prompts/events": {
            "get": _operation(
                "Hear when a prompt has to be loaded anew", _json("Event"), again, (400,),
                media="text/event-stream",
            )
        },
        "/api/prompts/{kind}/{name}": {
            "get": _operation(
                "Return an active prompt, as JSON or with Accept: text/plain", _json("Prompt"),
                [_in_path("kind", "Its kind."), _in_path("name", "Its name."), *match], (304, 400, 404),
                also_plain=True,
            )
        },
    }  # fmt: skip


def _operation(
    summary: str,
    schema: Json,
    parameters: list[Json] | None = None,
    errors: tuple[int, ...] = (),
    *,
    status: int = 200,
    media: str = "application/json",
    body: Json | None = None,
    body_required: bool = False,
    security: list[Json] | None = None,
    streams: bool = False,
    also_plain: bool = False,
) -> Json:
    content: Json = {media: {"schema": schema}}
    if streams:
        content["text/event-stream"] = {"schema": _json("Event")}
    if also_plain:
        content["text/plain"] = {"schema": {"type": "string"}}
    responses: Json = {str(status): {"description": "Done.", "content": content}}
    for code in sorted({*errors, 401, 403, 500}):
        responses[str(code)] = _error(code)
    operation: Json = {"summary": summary, "responses": responses}
    if parameters:
        operation["parameters"] = parameters
    if body is not None:
        operation["requestBody"] = {"required": body_required, "content": {"application/json": {"schema": body}}}
    if security is not None:
        operation["security"] = security
    return operation


def _error(code: int) -> Json:
    if code == 304:
        return {"description": "Nothing has changed."}
    return {"description": _MEANINGS[code], "content": {"application/json": {"schema": _json("Error")}}}


def _json(name: str) -> Json:
    return {"$ref": f"{_REF}{name}"}


def _query(name: str, schema: Mapping[str, Any], about: str, *, required: bool = False) -> Json:
    return {"name": name, "in": "query", "required": required, "schema": dict(schema), "description": about}


def _header(name: str, about: str) -> Json:
    return {"name": name, "in": "header", "required": False, "schema": {"type": "string"}, "description": about}


def _in_path(name: str, about: str) -> Json:
    schema = {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema, "description": about}


_MEANINGS = {
    400: "A field is missing or wrong; the sentence names it.",
    401: "The token is missing or wrong.",
    403: "Refused: by a rule of the workspace, or because host or origin are not known.",
    404: "There is no such run, target or path.",
    409: "The thing is in another state, changed meanwhile, or somebody else works on it.",
    413: "The body is larger than 10 MiB.",
    415: "The body is not JSON.",
    422: "The configured provider needs a key and has none.",
    500: "Something unexpected happened.",
    503: "The model cannot be reached or used.",
}

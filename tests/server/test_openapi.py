"""The served OpenAPI document says what the server really does."""

from __future__ import annotations

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from honeyguide.server.app import OPENAPI_PATH
from honeyguide.server.evolution_api import EvolutionApi
from honeyguide.server.openapi import document
from honeyguide.server.prompts_api import PromptsApi
from tests.server.servers import RunningServer

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip
ENDLESS = "/api/prompts/events"
QUICK, SOAK = 200, 2000


def operations() -> set[tuple[str, str]]:
    return {(path, method) for path, methods in document()["paths"].items() for method in methods}


def test_every_route_is_described_and_nothing_else():
    routes = [*EvolutionApi(None, None).routes(), *PromptsApi(None, None).routes()]
    served = {(route.path, "post" if "POST" in route.methods else "get") for route in routes}
    assert operations() == served | {("/healthz", "get"), (OPENAPI_PATH, "get")}


def test_the_served_document_is_valid_openapi(reader):
    served = reader.get(OPENAPI_PATH).json()
    assert served == document()
    assert served["openapi"] == "3.1.0"
    for schema in served["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("cases", [QUICK, pytest.param(SOAK, marks=pytest.mark.soak)])
def test_no_request_finds_a_server_error_or_an_answer_that_is_not_described(shared: RunningServer, proposal, cases):
    described = schemathesis.openapi.from_url(f"{shared.url}{OPENAPI_PATH}").exclude(path=ENDLESS)
    found = [result.ok() for result in described.get_all_operations()]
    left_out = operations() - {(operation.path, operation.method) for operation in found}
    assert left_out <= {(ENDLESS, "get"), (OPENAPI_PATH, "get")}
    known = st.sampled_from([None, "writer", proposal, "coreLoop"])
    for operation in found:
        count = 0

        @settings(
            max_examples=max(cases // len(found), 1),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(), name=known, trusted=st.booleans())
        def try_case(case, name, trusted):
            nonlocal count
            count += 1
            if name is not None:
                for place in ("uuid", "name"):
                    if place in case.path_parameters and case.path.endswith(("}", "/diff", "/evidence", "/events")):
                        case.path_parameters[place] = name
            if trusted and not case.path.endswith(("/accept", "/reject")):
                case.headers = {**(case.headers or {}), **shared.auth}
            case.call_and_validate(checks=CHECKS, timeout=60)

        try_case()
        assert count > 0

"""The MCP server as agents use it: in memory, over standard streams, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import sys

import httpx2 as httpx
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from honeyguide.kernel.errors import PolicyRefused
from honeyguide.server.mcp_server import make_mcp_server, telling_changes, uri_of
from honeyguide.server.mcp_serving import serve_mcp_http
from honeyguide.workspace import RunOptions, TargetKind, TargetRef
from tests.server.servers import PERSONA
from tests.workspace.conftest import workspace

__all__ = ["workspace"]
pytestmark = pytest.mark.anyio
WRITER = uri_of(TargetRef(TargetKind.PERSONA, "writer"))
TOOLS = {
    "list_targets", "read_prompt", "list_proposals", "read_proposal", "read_diff", "read_evidence", "plan",
    "record_feedback",
}  # fmt: skip


def said(result):
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


async def test_no_tool_accepts_or_deploys(workspace):
    async with Client(make_mcp_server(workspace)) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.read_only_hint is (tool.name != "record_feedback")
        assert tool.description


async def test_prompts_proposals_and_evidence_can_be_read(workspace):
    run = await workspace.evolve("writer", RunOptions())
    async with Client(make_mcp_server(workspace)) as client:
        listed = said(await client.call_tool("list_targets", {}))
        assert listed["total"] == 12
        assert said(await client.call_tool("read_prompt", {"target": "writer"}))["kind"] == PERSONA
        proposals = said(await client.call_tool("list_proposals", {"target": "writer"}))["proposals"]
        assert [proposal["run_uuid"] for proposal in proposals] == [run.uuid]
        detail = said(await client.call_tool("read_proposal", {"uuid": run.uuid}))
        assert (detail["status"], detail["verification"]["n"] > 0) == ("proposed", True)
        diff = said(await client.call_tool("read_diff", {"uuid": run.uuid}))
        assert diff["hunks"]
        evidence = said(await client.call_tool("read_evidence", {"uuid": run.uuid, "limit": 3}))
        assert len(evidence["evidence"]) == 3 < evidence["total"]


async def test_a_plan_calls_nothing(workspace):
    async with Client(make_mcp_server(workspace)) as client:
        plan = said(await client.call_tool("plan", {"target": "writer", "preset": "quick"}))
    assert plan["ready"] is True
    assert (await workspace.run_rows()).total == 0


async def test_a_problem_can_be_reported(workspace):
    async with Client(make_mcp_server(workspace)) as client:
        said(await client.call_tool("record_feedback", {"target": "writer", "problem": "It invents quotes."}))
    kept = (await workspace.list_feedback("writer")).to_json()
    assert kept["total"] == 1
    assert kept["feedback"][0]["message"] == "It invents quotes."


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_prompt", {"target": "nobody"}, "no target called"),
        ("read_prompt", {"target": "../x"}, "cannot name a target"),
        ("read_proposal", {"uuid": "none"}, "Run not found"),
        ("plan", {"target": "writer", "preset": "endless"}, "not a preset"),
        ("read_evidence", {"uuid": "x", "limit": 10**9}, "limit"),
        ("record_feedback", {"target": "writer", "problem": ""}, "problem"),
    ],
)
async def test_what_cannot_be_done_is_said_in_a_sentence(workspace, tool, arguments, words):
    async with Client(make_mcp_server(workspace)) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert words in result.content[0].text


async def test_active_prompts_are_resources(workspace):
    async with Client(make_mcp_server(workspace)) as client:
        listed = {str(resource.uri) for resource in (await client.list_resources()).resources}
        assert WRITER in listed
        assert len(listed) == 12
        text = (await client.read_resource(WRITER)).contents[0].text
        assert text == workspace.active_prompt(PERSONA, "writer")
        for uri in ("honeyguide://prompts/poem/writer", f"honeyguide://prompts/{PERSONA}/nobody"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)


async def test_listeners_hear_when_a_prompt_changes(workspace):
    run = await workspace.evolve("writer", RunOptions())
    server = make_mcp_server(workspace)
    async with telling_changes(server, workspace):
        heard: asyncio.Queue[object] = asyncio.Queue()
        server.changes.subscribe(heard.put_nowait)
        await workspace.accept(run.uuid, note="ok")
        event = await asyncio.wait_for(heard.get(), 5)
    assert str(event.uri) == WRITER


async def test_over_standard_streams(folder):
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "honeyguide", "--workspace", str(folder), "mcp"], env=dict(os.environ)
    )
    async with Client(stdio_client(command)) as client:
        assert said(await client.call_tool("list_targets", {}))["total"] == 12


async def test_over_http_on_this_computer(workspace):
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_mcp_http(workspace, port=0, on_ready=lambda found: ready.set_result(found.url)))
    try:
        url = await asyncio.wait_for(ready, 10)
        async with Client(streamable_http_client(url)) as client:
            assert said(await client.call_tool("list_targets", {}))["total"] == 12
        async with httpx.AsyncClient() as stranger:
            for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
                response = await stranger.post(url, json={}, headers=headers)
                assert response.status_code == 403
            assert (await stranger.post(url, json={}, headers={"X-API-Key": "wrong"})).status_code == 401
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def test_it_is_not_served_to_other_computers(workspace):
    with pytest.raises(PolicyRefused):
        await serve_mcp_http(workspace, host="0.0.0.0", port=0)

"""Public samples and trial inputs, imported into a workspace: counted as by hand, doubled by nothing."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from honeyguide.workspace.core import Core
from honeyguide.workspace.history import History
from honeyguide.workspace.opening import make_folder, open_core
from honeyguide.workspace.views.traces import TraceQuery

DATA = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2] / ".." / "shared" / "data")).resolve()

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not (DATA / "traces").is_dir(), reason="the shared samples are not here"),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def core(tmp_path: Path, anyio_backend: str) -> AsyncIterator[Core]:
    make_folder(tmp_path / "workspace", sample=False)
    opened = open_core(tmp_path / "workspace", create=True)
    yield opened
    await opened.close()


async def test_every_sample_is_read_and_nothing_is_doubled(core):
    history = History(core)
    first = (await history.import_traces([DATA / "traces"])).to_json()
    again = (await history.import_traces([DATA / "traces"])).to_json()
    assert not [file for file in first["files"] if "message" in file]
    assert (first["imported"], first["known"]) == ((await history.traces()).total, 0)
    assert (again["imported"], again["updated"], again["known"]) == (0, 0, first["imported"])
    same = ("conversations", "human_prompts", "replies", "tool_calls", "corrections", "tokens", "redactions")
    assert {name: again[name] for name in same} == {name: first[name] for name in same}


@pytest.mark.parametrize(
    ("trial", "counted", "expected"),
    [
        ("E2-otlp", ("imported", "input", "output"), ("traces", "input_tokens", "output_tokens")),
        (
            "T01-streaming-duplicates",
            ("conversations", "human_prompts", "replies", "tool_calls", "input", "output", "cache_read"),
            (
                "sessions",
                "human_prompts",
                "assistant_turns",
                "tool_calls",
                "input_tokens",
                "output_tokens",
                "cache_read",
            ),
        ),
        ("T04-damaged-file", ("human_prompts", "replies"), ("human_prompts", "assistant_turns")),
    ],
)
async def test_a_trial_is_counted_as_expected(core, trial, counted, expected):
    folder = DATA / "trials" / trial
    if not folder.is_dir():
        pytest.skip(f"{trial} is not among the samples")
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    data = (await History(core).import_traces([folder])).to_json()
    figures = {**data, **data["tokens"]}
    assert [figures[name] for name in counted] == [wanted[name] for name in expected]


async def test_the_files_of_a_trial_may_come_in_any_order(core, tmp_path):
    folder = DATA / "trials" / "T03-codex-cumulative"
    if not folder.is_dir():
        pytest.skip("T03 is not among the samples")
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    history = History(core)
    files = sorted(folder.rglob("*.jsonl"), reverse=True)
    for file in files:
        await history.import_traces([file])
    report = (await history.import_traces(files)).to_json()
    assert [report["tokens"]["input"], report["tokens"]["output"]] == wanted["total_tokens"]
    assert report["conversations"] == wanted["sessions"]
    assert (await history.traces(TraceQuery(source="codex"))).total == report["known"]

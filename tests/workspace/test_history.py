"""The history as it is listed, searched, exported, deleted and archived."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound, Unwritable
from honeyguide.llm import Journal, Message, ModelRef, ModelReply, ModelRequest, read_entries
from honeyguide.storage.records import AttemptRecord
from honeyguide.traces.records import TraceOutcome
from honeyguide.workspace.history import History
from honeyguide.workspace.views.traces import ImportReport, TraceQuery
from tests.workspace.sessions import SESSION, conversation

pytestmark = pytest.mark.anyio


async def recorded(core, count: int = 5, persona: str = "support") -> History:
    """Record some traces as an agent would."""
    history = History(core)
    recorder = history.recorder()
    for number in range(count):
        with recorder.start(f"Question number {number} about parcels", persona_id=persona) as run:
            run.record_tool_call("search", {"q": number}, "found", ok=True)
            run.finish(f"Answer number {number}: it arrives on day {number}.")
    return history


async def test_what_an_agent_records_is_listed_newest_first_with_its_target(core):
    history = await recorded(core, 3)
    page = await history.traces(TraceQuery(limit=2))
    assert page.total == 3
    assert [row.input for row in page.items] == ["Question number 2 about parcels", "Question number 1 about parcels"]
    assert {row.target for row in page.items} == {"persona-system-prompt:support"}
    assert page.items[0].to_json()["tool_calls"] == 1


async def test_pages_from_the_oldest_meet_those_from_the_newest(core):
    history = await recorded(core, 7)
    newest = [row.id for row in (await history.traces(TraceQuery(limit=100))).items]
    pages = [(await history.traces(TraceQuery(limit=3, offset=start, sort="oldest"))).items for start in (0, 3, 6, 9)]
    assert [row.id for page in pages for row in page] == newest[::-1]


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (TraceQuery(outcome="great"), InvalidInput),
        (TraceQuery(since="yesterday"), InvalidInput),
        (TraceQuery(sort="colour"), InvalidInput),
        (TraceQuery(target="nobody"), NotFound),
        (TraceQuery(target="../x"), InvalidInput),
    ],
)
async def test_a_query_that_means_nothing_is_refused(core, query, error):
    with pytest.raises(error):
        await History(core).traces(query)


async def test_queries_narrow_the_list(core):
    history = await recorded(core, 4)
    await recorded(core, 2, persona="coder")
    history.recorder().mark_corrected(1, "It was late.")
    assert (await history.traces(TraceQuery(target="persona-system-prompt:coder"))).total == 2
    assert [r.id for r in (await history.traces(TraceQuery(outcome="corrected"))).items] == [1]
    assert (await history.traces(TraceQuery(text="number 3", target="support"))).total == 1
    assert (await history.traces(TraceQuery(since="2999-01-01"))).total == 0


async def test_search_shows_the_words_around_a_hit(core):
    history = await recorded(core, 3)
    page = await history.search_traces("arrives number 2", 10)
    assert (page.total, page.items[0].id) == (1, 3)
    found = (await history.search_traces("arrives", 2)).items
    assert len(found) == 2
    assert all("it arrives on day" in row.excerpt for row in found)
    with pytest.raises(InvalidInput):
        await history.search_traces("  ")


async def test_one_trace_is_shown_with_columns_payload_links_and_siblings(core, tmp_path):
    history = History(core)
    await history.import_traces([conversation(tmp_path / "h")])
    detail = await history.trace(2)
    data = detail.to_json()
    assert data["payload"]["toolCalls"][0]["tool"] == "Skill"
    assert json.loads(data["trace_json"]) == data["payload"]
    assert {link["target"] for link in data["targets"]} >= {"skill-body:units"}
    assert data["siblings"] == [1, 2]
    assert [c["state"] for c in (await history.trace(1)).to_json()["corrections"]] == ["suggested"]
    with pytest.raises(NotFound):
        await history.trace(99)


async def test_an_export_is_whole_private_and_can_be_imported_elsewhere(core, tmp_path):
    history = await recorded(core, 60)
    path = tmp_path / "out" / "traces.jsonl"
    with pytest.raises(Unwritable):
        await history.export_traces(path)
    path.parent.mkdir()
    assert await history.export_traces(path) == 60
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text().splitlines()) == 60
    assert await history.export_traces(path, TraceQuery(text="number 7", limit=5)) == 1
    await history.export_traces(path)
    report = await history.import_traces([path])
    assert (report.imported, report.known) == (0, 60)


async def test_an_export_never_overwrites_the_workspace(core):
    history = await recorded(core, 1)
    with pytest.raises(InvalidInput):
        await history.export_traces(core.layout.database)
    assert await history.export_traces(core.layout.root / "mine.jsonl") == 1


async def test_never_send_marks_traces_and_folders(core, tmp_path):
    history = History(core)
    await history.import_traces([conversation(tmp_path / "h", n) for n in range(2)])
    assert await history.mark_never_send([1, 2, 77]) == 2
    assert [row.id for row in (await history.traces()).items if row.never_send] == [2, 1]
    assert await history.mark_never_send([1, 2], False) == 2
    core.settings.set("privacy.never_send_folders", ["/home/ada"])
    assert all(row.never_send for row in (await history.traces()).items)


async def test_a_deleted_trace_is_in_no_file_and_does_not_come_back(core, tmp_path):
    words = "a very particular sentence about kingfishers"
    path = conversation(tmp_path / "h", complaint=f"No, that is wrong: {words}.")
    history = History(core)
    await history.import_traces([path])
    assert await history.delete_traces([1, 2, 2, 99]) == 2
    assert await history.delete_traces([1]) == 0
    for file in core.layout.root.rglob("*"):
        if file.is_file():
            assert words.encode() not in file.read_bytes(), file
    path.touch()
    report = await history.import_traces([path])
    assert (report.imported, report.forgotten) == (0, 2)
    assert (await history.traces()).total == 0


async def with_run(core, history: History, trace_id: int, state: str = "failed") -> Path:
    """Store a run whose dataset and files quote a trace, as a real one leaves them."""
    from honeyguide.evals.examples import Dataset, Example

    trace = (await history.trace(trace_id)).trace
    example = Example("e1", trace.payload.input, trace.payload.output, metadata={"traceId": trace_id})
    dataset = Dataset(train=(example,), validation=(), holdout=(), seed=1, sourced=1)
    attempt = AttemptRecord("run-1", "persona-system-prompt", "support")

    def write(unit) -> None:
        unit.datasets.save(dataset)
        unit.attempts.start(attempt)
        unit.attempts.note("run-1", dataset_hash=dataset.dataset_hash)
        if state != "running":
            unit.attempts.finish("run-1", state)

    await core.store.write(write)
    folder = core.layout.run("run-1")
    folder.mkdir(parents=True)
    model = ModelRef("practice", "practice")
    with Journal(folder / "journal.jsonl") as journal:
        for text in (trace.payload.input, "Something else altogether"):
            request = ModelRequest(model, (Message("user", f"Answer this:\n{text}"),))
            journal.record_reply(request, ModelReply(f"About {text}", cost_usd=0.5))
    pairs = [{"trace_id": trace_id, "x": 1}, {"input": trace.payload.input}, {"input": "other"}]
    (folder / "evidence.json").write_text(json.dumps({"pairs": pairs}))
    (folder / "decisions.jsonl").write_text(f'{{"n":0}}\n{{"n":1,"said":{json.dumps(trace.payload.output)}}}\n')
    return folder


async def test_deleting_takes_the_words_out_of_run_folders_and_keeps_the_figures(core):
    history = await recorded(core, 2)
    folder = await with_run(core, history, 1)
    assert await history.delete_traces([1]) == 1
    entries = list(read_entries(folder / "journal.jsonl"))
    assert [entry.text for entry in entries] == ["[deleted]", "About Something else altogether"]
    with Journal(folder / "journal.jsonl") as journal:
        assert (journal.totals.calls, journal.totals.usd, journal.damaged_lines) == (2, 1.0, [])
    assert json.loads((folder / "evidence.json").read_text()) == {"pairs": [{"input": "other"}]}
    assert (folder / "decisions.jsonl").read_text() == '{"n":0}\n{"deleted": true}\n'
    everything = b"".join(path.read_bytes() for path in core.layout.root.rglob("*") if path.is_file())
    assert b"Question number 0" not in everything
    assert b"Question number 1" in everything


async def test_a_trace_that_a_run_works_with_is_not_deleted(core):
    history = await recorded(core, 2)
    await with_run(core, history, 1, state="running")
    with pytest.raises(Conflict):
        await history.delete_traces([1, 2])
    assert (await history.traces()).total == 2


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Claude Code's folder with three sessions, one of them old."""
    folder = tmp_path / "claude"
    for number in range(3):
        conversation(folder / "projects" / "-home-ada-shop", number)
    old = (datetime.now(UTC) - timedelta(days=28)).timestamp()
    os.utime(folder / "projects" / "-home-ada-shop" / f"{SESSION.format(0)}.jsonl", (old, old))
    return folder


async def test_sessions_are_archived_once_redacted_and_readable(core, claude):
    core.environ = {"CLAUDE_CONFIG_DIR": str(claude)}
    history = History(core)
    expiry = await history.expiring_sessions()
    assert (expiry.sentence, expiry.total) == ("1 session expires within 7 days.", 3)
    first = await history.archive_traces()
    again = await history.archive_traces()
    assert (first.archived, again.archived, again.unchanged) == (3, 0, 3)
    assert (first.expiring, again.to_json()["sentence"]) == (0, "No session expires within 7 days.")
    copies = sorted((core.layout.archive / "claude-code").iterdir())
    assert not any("home" in path.name for path in copies)
    assert {stat.S_IMODE(path.stat().st_mode) for path in copies} == {0o600}
    report = await history.import_traces([core.layout.archive])
    assert report.imported == 6


async def test_only_a_session_that_grew_is_archived_anew(core, claude):
    core.environ = {"CLAUDE_CONFIG_DIR": str(claude)}
    history = History(core)
    await history.archive_traces()
    session = next(claude.rglob("*.jsonl"))
    with session.open("a") as file:
        file.write('{"type":"user"}\n')
    report = await history.archive_traces()
    assert (report.archived, report.unchanged, report.failed) == (1, 2, 0)


async def test_the_copy_of_a_deleted_trace_goes_and_is_not_made_again(core, claude):
    core.environ = {"CLAUDE_CONFIG_DIR": str(claude)}
    history = History(core)
    await history.import_traces([claude / "projects"])
    await history.archive_traces()
    target = (await history.search_traces("tower number 1")).items[0]
    await history.delete_traces([target.id])
    report = await history.archive_traces()
    assert (report.archived, report.left_out, report.unchanged) == (0, 1, 2)
    kept = b"".join(gzip.decompress(p.read_bytes()) for p in (core.layout.archive / "claude-code").glob("*.gz"))
    assert b"tower number 1?" not in kept
    assert b"tower number 2?" in kept


async def test_recording_marks_a_correction_on_a_stored_trace(core):
    history = await recorded(core, 1)
    history.recorder().mark_corrected(1, "Wrong day, mail jo.doe@acme.dev.")
    trace = (await history.trace(1)).trace
    assert trace.outcome is TraceOutcome.CORRECTED
    assert "jo.doe" not in (trace.payload.correction_feedback or "")


async def test_what_the_settings_ask_for_is_done_and_nothing_else(core, claude):
    core.environ = {"CLAUDE_CONFIG_DIR": str(claude)}
    history = History(core)
    await history.keep_up()
    assert not core.layout.archive.exists()
    assert (await history.traces()).total == 0
    core.settings.set("history.archive", True)
    core.settings.set("history.watch_folders", [str(claude / "projects"), str(claude / "nowhere")])
    reports: list[ImportReport] = []
    task = asyncio.create_task(history.keep_up(reports.append))
    while not reports:
        await asyncio.sleep(0.02)
    await history.close()
    await task
    assert reports[0].imported == 6
    assert len(list((core.layout.archive / "claude-code").iterdir())) == 3

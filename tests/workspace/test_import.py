"""Importing history: counted once, redacted before it is stored, cancelled without halves, watched."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import threading
import time
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Interrupted, NotFound, Unreadable, Unsupported
from honeyguide.workspace.history import History
from honeyguide.workspace.views.traces import TraceQuery
from tests.workspace.sessions import SESSION, assistant, conversation, user, write

pytestmark = pytest.mark.anyio

SECRETS = {
    "anthropic": "sk-ant-api03-" + "Zq8Kx2Lm9Wv4Tn7R" * 5 + "-AbCdEfAA",
    "openai": "sk-proj-" + "b3Tq9Lx7Vn2Kp5Rm8Wd4" * 3,
    "github": "ghp_" + "a8Kx2Lm9Wv4Tn7RpQ3sD6fG1hJ5kL0zXcVbN"[:36],
    "aws": "AKIA" + "Q7ZX4WNT2VKM9RLP",
    "slack": "xoxb-" + "123456789012-123456789012-" + "a8Kx2Lm9Wv4Tn7RpQ3sD6fG1",
    "url": "hUnter2-9fK3xQ",
    "bearer": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "password": "c0rrect-h0rse-battery9",
}


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


async def test_the_report_has_exactly_the_public_shape(core, tmp_path):
    path = conversation(tmp_path / "h")
    report = await History(core).import_traces([path])
    data = report.to_json()
    assert data == {
        "imported": 2,
        "known": 0,
        "updated": 0,
        "forgotten": 0,
        "conversations": 1,
        "human_prompts": 2,
        "replies": 2,
        "tool_calls": 1,
        "corrections": 1,
        "tokens": {"input": 20, "output": 10, "cache_read": None, "cache_write": None},
        "files": [{"path": str(path), "source": "claude-code", "traces": 2, "health": []}],
        "redactions": {},
    }


async def test_importing_again_adds_nothing_and_counts_the_same(core, tmp_path):
    folder = tmp_path / "h"
    for number in range(3):
        conversation(folder, number)
    history = History(core)
    first = (await history.import_traces([folder])).to_json()
    again = (await history.import_traces([folder])).to_json()
    assert (first["imported"], again["imported"], again["known"]) == (6, 0, 6)
    assert all(file["unchanged"] for file in again["files"])
    for name in ("conversations", "human_prompts", "replies", "tool_calls", "corrections", "tokens", "redactions"):
        assert again[name] == first[name], name
    assert (await history.traces()).total == 6


async def test_a_copy_of_a_file_without_times_is_known_and_not_updated(core, tmp_path):
    line = '{"messages": [{"role": "user", "content": "What is %d?"}, {"role": "assistant", "content": "That is it."}]}'
    (tmp_path / "chats.jsonl").write_text("\n".join(line % n for n in range(3)))
    (tmp_path / "table.csv").write_text("question,answer\nWhat is that?,That is it.\nAnd this one?,This is it.\n")
    history = History(core)
    first = await history.import_traces([tmp_path / "chats.jsonl", tmp_path / "table.csv"])
    copies = tmp_path / "copies"
    copies.mkdir()
    for name in ("chats.jsonl", "table.csv"):
        (copies / name).write_bytes((tmp_path / name).read_bytes())
    again = await history.import_traces([copies])
    assert (first.imported, again.imported, again.known, again.updated) == (5, 0, 5, 0)


async def test_a_session_that_grew_is_read_again_and_only_the_new_part_is_added(core, tmp_path):
    path = conversation(tmp_path / "h")
    history = History(core)
    await history.import_traces([path])
    more = [user(4, "And how wide is the tower?"), assistant(5, "It is 40 metres wide.")]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in more)
    report = await history.import_traces([path])
    assert (report.imported, report.known + report.updated, report.human_prompts) == (1, 2, 3)


async def test_a_changed_mapping_reads_a_table_again(core, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("frage,reply,other\nHow tall is it?,100 metres,330 feet\n", encoding="utf-8")
    history = History(core)
    await history.import_traces([table], source="table", mapping={"frage": "input", "reply": "output"})
    again = await history.import_traces([table], source="table", mapping={"frage": "input", "other": "output"})
    assert not again.files[0].unchanged
    outputs = {(await history.trace(row.id)).trace.payload.output for row in (await history.traces()).items}
    assert outputs == {"100 metres", "330 feet"}


async def test_what_cannot_be_read_is_named_and_the_rest_is_imported(core, tmp_path):
    folder = tmp_path / "h"
    for number in range(3):
        conversation(folder, number)
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    (folder / "torn.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    (folder / "shopping.txt").write_text("milk, bread and a newspaper")
    report = await History(core).import_traces([folder])
    assert report.imported == 6
    assert {Path(file.path).name for file in report.unreadable} == {"gone.jsonl", "torn.jsonl.gz", "shopping.txt"}
    assert "broken link" in next(file.message for file in report.unreadable if file.path.endswith("gone.jsonl"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
async def test_a_file_without_permission_is_named(core, tmp_path):
    folder = tmp_path / "h"
    conversation(folder, 0)
    conversation(folder, 1).chmod(0)
    report = await History(core).import_traces([folder])
    assert (report.imported, len(report.unreadable)) == (2, 1)


async def test_a_named_file_that_cannot_be_read_is_an_error(core, tmp_path):
    history = History(core)
    with pytest.raises(NotFound):
        await history.import_traces([tmp_path / "nowhere.jsonl"])
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(Unreadable):
        await history.import_traces([broken])
    prose = tmp_path / "letter.txt"
    prose.write_text("Dear all, the meeting is on Tuesday.")
    with pytest.raises(Unsupported):
        await history.import_traces([prose])
    report = await history.import_traces([prose, conversation(tmp_path)])
    assert (report.imported, len(report.unreadable)) == (2, 1)


async def test_the_source_files_stay_as_they_are(core, tmp_path):
    path = conversation(tmp_path / "h")
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    await History(core).import_traces([path])
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


async def test_no_secret_is_found_in_any_file_of_the_workspace(core, tmp_path):
    session = SESSION.format(7)
    everywhere = " ".join(f"{name} {secret}" for name, secret in SECRETS.items() if name not in ("url", "password"))
    path = write(
        tmp_path / "h" / f"{session}.jsonl",
        user(0, f"{everywhere} postgres://app:{SECRETS['url']}@db.internal/shop", session=session),
        assistant(
            1,
            f"I set DB_PASSWORD={SECRETS['password']} and it works: {SECRETS['password']}.",
            session=session,
            tool={
                "name": "Bash",
                "input": {"env": {"password": SECRETS["password"]}, "command": f"echo {SECRETS['github']}"},
            },
        ),
        user(2, f"No, that is wrong, the key is {SECRETS['anthropic']}.", session=session),
    )
    table = tmp_path / "rows.csv"
    table.write_text(
        "id,conversation,input,output,model,comment,rating\n"
        f"{SECRETS['github']},{SECRETS['aws']},What is the key of the shop?,It is {SECRETS['openai']},"
        f"{SECRETS['slack']},bad: {SECRETS['bearer']},1\n"
        "2,c2,What time is it now in Rome?,Noon,m,fine,5\n",
        encoding="utf-8",
    )
    history = History(core)
    report = await history.import_traces([path, table])
    assert report.imported == 4
    assert sum(report.redactions.values()) >= 8
    await history.search_traces("key", 10)
    await history.export_traces(core.layout.root / "export.jsonl")
    corrections = await core.store.read(lambda unit: unit.corrections.list())
    assert len(corrections) >= 1
    for name, data in bytes_of(core.layout.root).items():
        for kind, secret in SECRETS.items():
            assert secret.encode() not in data, (kind, name)


async def test_personal_data_are_replaced_unless_switched_off_and_later_too(core, tmp_path):
    path = write(tmp_path / "h" / "s.jsonl", user(0, "Write to jo.doe@acme.dev about it."), assistant(1, "I did."))
    history = History(core)
    core.settings.set("privacy.replace_personal", False)
    await history.import_traces([path])
    assert "jo.doe@acme.dev" in (await history.trace(1)).trace.payload.input
    core.settings.set("privacy.replace_personal", True)
    report = await history.import_traces([path])
    assert (report.updated, report.redactions["email"]) == (1, 1)
    assert "jo.doe@acme.dev" not in (await history.trace(1)).trace.payload.input


async def test_spawned_readers_find_the_same_as_this_process(core, fresh_folder, tmp_path):
    folder = tmp_path / "h"
    for number in range(5):
        conversation(folder, number)
    (folder / "gone.jsonl").symlink_to(folder / "nowhere")
    report = await History(core).import_traces([folder], processes=2)
    alone = await History(core).import_traces([folder])
    assert report.imported == 10
    for name in ("conversations", "human_prompts", "replies", "tool_calls", "corrections", "tokens"):
        assert alone.to_json()[name] == report.to_json()[name]
    assert len(report.unreadable) == 1


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
async def test_a_pipe_in_the_folder_is_named_and_waited_for_by_nobody(core, tmp_path):
    conversation(tmp_path / "h")
    os.mkfifo(tmp_path / "h" / "pipe.jsonl")
    report = await History(core).import_traces([tmp_path / "h"])
    assert (report.imported, [Path(file.path).name for file in report.unreadable]) == (2, ["pipe.jsonl"])


async def test_a_reader_process_that_dies_costs_one_file(core, tmp_path):
    folder = tmp_path / "h"
    for number in range(3):
        conversation(folder, number)

    def kill_the_first() -> None:
        while not (children := multiprocessing.active_children()):
            time.sleep(0.001)
        children[0].kill()

    killer = threading.Thread(target=kill_the_first)
    killer.start()
    report = await History(core).import_traces([folder], processes=1)
    killer.join()
    assert report.imported == 4
    assert ["ended unexpectedly" in file.message for file in report.unreadable] == [True]


async def test_cancelling_ends_soon_and_leaves_whole_conversations(core, tmp_path):
    folder = tmp_path / "h"
    text = "This answer is long. " * 400
    for number in range(300):
        session = f"{number:08d}-2222-4333-8444-555555555555"
        lines = [(user if n % 2 == 0 else assistant)(n, f"{n} {text}", session=session) for n in range(6)]
        write(folder / f"{session}.jsonl", *lines)
    history = History(core)
    stop = threading.Event()
    task = asyncio.create_task(history.import_traces([folder], cancel=stop))
    while (await history.traces()).total == 0:
        await asyncio.sleep(0.01)
    began = time.monotonic()
    stop.set()
    with pytest.raises(Interrupted):
        await task
    assert time.monotonic() - began < 2
    found = (await history.traces(TraceQuery(limit=10_000))).items
    counted: dict[str, int] = {}
    for row in found:
        counted[row.conversation] = counted.get(row.conversation, 0) + 1
    assert 0 < len(counted) < 300
    assert set(counted.values()) == {3}


async def test_cancelling_the_task_ends_spawned_readers_too(core, tmp_path):
    folder = tmp_path / "h"
    for number in range(9):
        conversation(folder, number)
    history = History(core)
    task = asyncio.create_task(history.import_traces([folder], processes=2))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 2
    assert not multiprocessing.active_children()
    await history.close()


async def test_progress_is_told_in_bytes_on_the_loops_thread_and_never_goes_back(core, tmp_path):
    folder = tmp_path / "h"
    for number in range(4):
        conversation(folder, number)
    told: list[tuple[int, int]] = []
    threads: set[int] = set()

    def progress(done: int, total: int, path: str) -> None:
        told.append((done, total))
        threads.add(threading.get_ident())

    await History(core).import_traces([folder], progress=progress)
    await asyncio.sleep(0)
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert told[-1] == (size, size)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert threads == {threading.get_ident()}


async def test_new_sessions_are_picked_up_while_watching(core, tmp_path):
    folder = tmp_path / "h"
    conversation(folder, 0)
    history = History(core)
    reports = []
    task = asyncio.create_task(history.watch_traces([folder], on_report=reports.append))
    deadline = time.monotonic() + 15
    while not reports and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.5)
    conversation(folder, 1)
    while len(reports) < 2 and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
    await history.close()
    await task
    assert [report.imported for report in reports] == [2, 2]
    assert [Path(file.path).name for file in reports[1].files] == [f"{SESSION.format(1)}.jsonl"]


async def test_a_detector_that_was_wrong_too_often_stays_silent(core, tmp_path):
    from honeyguide.workspace.corrections import Corrections

    folder, later = tmp_path / "h", tmp_path / "later"
    for number in range(10):
        conversation(folder, number)
    history, corrections = History(core), Corrections(core)
    assert (await history.import_traces([folder])).corrections == 10
    for row in (await corrections.list(limit=20)).items:
        await corrections.dismiss(row.id)
    detectors = await corrections.detectors()
    assert [(d.detector, d.dismissed, d.is_switched_off) for d in detectors] == [("cue-words-en", 10, True)]
    assert "Switched off" in detectors[0].sentence
    write(later / "x.jsonl", *(json.loads(line) for line in conversation(tmp_path / "t", 1).read_text().replace(
        SESSION.format(1), "99999999-2222-4333-8444-555555555551").splitlines()))  # fmt: skip
    assert (await history.import_traces([later])).corrections == 0


async def test_recorded_traces_are_imported_like_a_file_of_them(core):
    from honeyguide.workspace.sample import compose_history

    traces = list(compose_history())[:200]
    history = History(core)
    first = await history.import_recorded(traces)
    again = await history.import_recorded(traces)
    assert (first.imported, again.imported, again.known) == (200, 0, 200)
    corrected = sum(trace.outcome == "corrected" for trace in traces)
    assert first.corrections >= corrected


async def test_traces_are_linked_to_the_instruction_file_that_governs_their_folder(core, tmp_path):
    from honeyguide.storage.records import TargetRecord

    record = TargetRecord("instruction-file", "shop-rules", "/home/ada/shop/.claude/CLAUDE.md", {"selector": "body"})
    await core.store.write(lambda unit: unit.targets.add(record))
    folder = tmp_path / "h"
    conversation(folder, 0)
    write(folder / "other.jsonl", user(0, "Hello you there?", session=SESSION.format(5), cwd="/home/ada/shopping"))
    history = History(core)
    await history.import_traces([folder])
    rows = (await history.traces(TraceQuery(target="shop-rules"))).items
    assert {row.project for row in rows} == {"/home/ada/shop"}
    links = (await history.trace(rows[0].id)).links
    assert [(link.how, link.exact) for link in links if link.target.endswith("shop-rules")] == [("path", False)]

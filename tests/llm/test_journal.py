"""A call already made is replayed, never paid twice, whatever happened to the process or the file."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import BudgetExceeded, Conflict, Locked, NotFound, Unreachable
from honeyguide.llm.journal import Journal, JournaledClient, read_entries
from honeyguide.llm.protocol import ModelReply, ModelRole, StopReason, Usage
from tests.llm.support import Scripted, ask, reply


def test_the_same_request_is_answered_from_the_journal_without_a_call(tmp_path: Path) -> None:
    inner = Scripted(reply("paid for"))

    async def run() -> list[ModelReply]:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(inner, journal)
            return [await client.complete(ask()), await client.complete(ask())]

    first, second = asyncio.run(run())
    assert (first.text, first.replayed) == ("paid for", False)
    assert (second.text, second.replayed, second.cost_usd) == ("paid for", True, 0.0)
    assert len(inner.requests) == 1


def test_a_rerun_on_the_same_file_makes_no_call(tmp_path: Path) -> None:
    asyncio.run(_complete(tmp_path, Scripted(), "a", "b", "c"))
    second = Scripted()
    replies = asyncio.run(_complete(tmp_path, second, "c", "a", "b"))
    assert [r.text for r in replies] == ["echo: c", "echo: a", "echo: b"]
    assert second.requests == []


def test_a_rerun_knows_how_many_paid_replies_it_has_not_come_to_yet(tmp_path: Path) -> None:
    asyncio.run(_complete(tmp_path, Scripted(), "a", "b", "c"))

    async def run() -> list[int]:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(Scripted(), journal)
            left = [journal.unasked]
            for text in ("b", "b", "new", "a"):
                await client.complete(ask(text))
                left.append(journal.unasked)
            return left

    assert asyncio.run(run()) == [3, 2, 2, 2, 1]


@pytest.mark.parametrize(
    "other",
    [
        ask("hello", repetition=1),
        ask("hello", max_tokens=101),
        ask("hello", system="s"),
        ask("hellO"),
        replace(ask("hello"), temperature=0.0),
        replace(ask("hello"), response_schema={"type": "object"}),
    ],
)
def test_whatever_decides_a_reply_makes_another_call(tmp_path: Path, other) -> None:
    inner = Scripted()

    async def run() -> None:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(inner, journal)
            await client.complete(ask("hello"))
            await client.complete(other)

    asyncio.run(run())
    assert len(inner.requests) == 2


def test_the_role_does_not_make_another_call(tmp_path: Path) -> None:
    inner = Scripted()

    async def run() -> None:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(inner, journal)
            await client.complete(ask("hello"))
            await client.complete(ask("hello", role=ModelRole.JUDGE))

    asyncio.run(run())
    assert len(inner.requests) == 1


def test_two_tasks_asking_the_same_thing_at_once_pay_once(tmp_path: Path) -> None:
    inner = Scripted(pause=0.02)

    async def run() -> list[ModelReply]:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(inner, journal)
            replies = await asyncio.gather(*(client.complete(ask("same")) for _ in range(5)))
            assert journal.replayed_calls == 4
            return replies

    replies = asyncio.run(run())
    assert len(inner.requests) == 1
    assert [r.text for r in replies] == ["echo: same"] * 5
    assert sorted(r.replayed for r in replies) == [False, True, True, True, True]


def test_a_waiting_task_takes_over_when_the_one_that_asked_is_cancelled(tmp_path: Path) -> None:
    inner = Scripted(pause=0.05)

    async def run() -> ModelReply:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(inner, journal)
            leader = asyncio.create_task(client.complete(ask("same")))
            await asyncio.sleep(0.01)
            follower = asyncio.create_task(client.complete(ask("same")))
            await asyncio.sleep(0.01)
            leader.cancel()
            return await follower

    assert asyncio.run(run()).text == "echo: same"
    assert len(inner.requests) == 2


@pytest.mark.parametrize("error", [Unreachable("gone"), BudgetExceeded("no more")])
def test_a_failure_is_shared_by_those_who_wait_and_never_replayed(tmp_path: Path, error) -> None:
    inner = Scripted(error, pause=0.01)

    async def run() -> None:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(inner, journal)
            outcomes = await asyncio.gather(*(client.complete(ask("x")) for _ in range(3)), return_exceptions=True)
            assert outcomes == [error] * 3
            assert len(inner.requests) == 1
            assert (await client.complete(ask("x"))).text == "echo: x"

    asyncio.run(run())


def test_an_entry_is_in_the_file_before_the_reply_is_used(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"

    async def run() -> None:
        with Journal(path) as journal:
            await JournaledClient(Scripted(reply("kept")), journal).complete(ask())
            assert "kept" in path.read_text()

    asyncio.run(run())


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_what_was_paid_for_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    program = (
        "import asyncio, sys, pathlib\n"
        "from honeyguide.llm.journal import Journal, JournaledClient\n"
        "from tests.llm.support import Scripted, ask\n"
        "async def main():\n"
        "    journal = Journal(pathlib.Path(sys.argv[1]))\n"
        "    client = JournaledClient(Scripted(), journal)\n"
        "    for n in range(100):\n"
        "        await client.complete(ask(str(n)))\n"
        "        print(n, flush=True)\n"
        "asyncio.run(main())\n"
    )
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, cwd=root)
    assert child.stdout is not None
    seen = 0
    for line in child.stdout:
        seen = int(line)
        if seen >= 20:
            os.kill(child.pid, signal.SIGKILL)
            break
    child.stdout.close()
    child.wait()
    with Journal(path) as journal:
        assert all(ask(str(n)).request_hash in journal for n in range(seen + 1))
        assert journal.damaged_lines == []


@given(cut=st.integers(min_value=1, max_value=400))
def test_a_torn_last_line_is_cut_off_and_the_rest_kept(tmp_path_factory, cut: int) -> None:
    path = tmp_path_factory.mktemp("torn") / "j.jsonl"
    asyncio.run(_record(path, "one", "two"))
    whole = path.read_bytes()
    last_length = len(whole) - whole[:-1].rfind(b"\n") - 1
    cut = min(cut, last_length - 1)
    path.write_bytes(whole[:-cut])
    with Journal(path) as journal:
        assert journal.torn_bytes == last_length - cut
        assert len(journal) == 1
    asyncio.run(_record(path, "two"))
    with Journal(path) as journal:
        assert (len(journal), journal.torn_bytes, journal.damaged_lines) == (2, 0, [])


def test_a_damaged_line_in_the_middle_is_reported_and_its_call_made_again(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    asyncio.run(_record(path, "one", "two", "three"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"v":1,"kind":"reply","ha\n' + lines[2])
    with Journal(path) as journal:
        assert journal.damaged_lines == [2]
        assert [ask(n).request_hash in journal for n in ("one", "two", "three")] == [True, False, True]
    assert [entry.kind for entry in read_entries(path)] == ["reply", "damaged", "reply"]


@given(
    text=st.text(),
    prompt=st.text(alphabet=st.characters()),
    usage=st.builds(Usage, *[st.none() | st.integers(0, 10**9)] * 4),
    stop=st.sampled_from(list(StopReason)),
    cost=st.none() | st.floats(0, 1e6, allow_nan=False),
)
def test_a_reply_comes_back_as_it_was(tmp_path_factory, text, prompt, usage, stop, cost) -> None:
    path = tmp_path_factory.mktemp("back") / "j.jsonl"
    made = ModelReply(text, stop, usage, cost, False, 12)
    with Journal(path) as journal:
        journal.record_reply(ask(prompt), made)
    with Journal(path) as journal:
        found = journal.find(ask(prompt).request_hash)
        assert found is not None
        assert replace(found, replayed=False, cost_usd=cost) == made
        assert journal.totals.usd == (None if cost is None else cost)
    (entry,) = read_entries(path)
    assert entry.request["messages"] == [{"role": "user", "content": prompt}]


def test_requests_are_redacted_before_they_are_hashed_and_sent_and_replies_before_use(tmp_path: Path) -> None:
    inner = Scripted(reply("the key is hunter2"))

    def redact(text: str) -> str:
        return text.replace("hunter2", "[secret]")

    async def run() -> ModelReply:
        with Journal(tmp_path / "j.jsonl") as journal:
            client = JournaledClient(inner, journal, redact)
            first = await client.complete(ask("use hunter2", system="never say hunter2"))
            again = await client.complete(ask("use [secret]", system="never say [secret]"))
            assert again.replayed
            return first

    assert asyncio.run(run()).text == "the key is [secret]"
    assert "hunter2" not in str(inner.requests)
    assert "hunter2" not in (tmp_path / "j.jsonl").read_text()


def test_failed_attempts_count_in_the_totals_of_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        journal.record_failure(ask(), Unreachable("gone"), maybe_usd=0.5, maybe_tokens=100)
        journal.record_reply(ask(), replace(reply(read=10, written=5), cost_usd=0.25))
    with Journal(path) as journal:
        assert journal.totals.calls == 2
        assert (journal.totals.usd, journal.totals.maybe_usd) == (0.25, 0.5)
        assert journal.totals.input_tokens + journal.totals.output_tokens + journal.totals.maybe_tokens == 115


def test_the_file_is_the_owners_alone_and_holds_no_path(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    asyncio.run(_record(path, "one"))
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert str(tmp_path) not in path.read_text()
    assert json.loads(path.read_text())["v"] == 1


def test_a_journal_is_open_in_one_place_only_and_can_be_read_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        journal.record_reply(ask(), reply())
        with pytest.raises(Locked):
            Journal(path)
        assert [entry.kind for entry in read_entries(path)] == ["reply"]
    with Journal(path) as again:
        assert len(again) == 1


def test_a_journal_that_is_closed_or_missing_says_so(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")
    journal.close()
    journal.close()
    with pytest.raises(Conflict):
        journal.record_reply(ask(), reply())
    with pytest.raises(NotFound):
        list(read_entries(tmp_path / "other.jsonl"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_leaves_the_journal_whole(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    asyncio.run(_record(path, "one"))
    before = path.read_bytes()
    with Journal(path) as journal:
        own = journal._descriptor
        assert own is not None
        full = os.open("/dev/full", os.O_RDWR)
        kept = os.dup(own)
        os.dup2(full, own)
        with pytest.raises((Conflict, OSError)):
            journal.record_reply(ask("two"), reply())
        os.dup2(kept, own)
        os.close(full)
        os.close(kept)
        assert ask("two").request_hash not in journal
    assert path.read_bytes() == before


async def _record(path: Path, *texts: str) -> None:
    with Journal(path) as journal:
        client = JournaledClient(Scripted(), journal)
        for text in texts:
            await client.complete(ask(text))


async def _complete(folder: Path, inner: Scripted, *texts: str) -> list[ModelReply]:
    with Journal(folder / "j.jsonl") as journal:
        client = JournaledClient(inner, journal)
        return [await client.complete(ask(text)) for text in texts]

"""Encoded answers: shared while nothing changes, never older than the question."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.server.fresh import FreshAnswers, fresh
from honeyguide.server.packing import gzipped, packed, takes_gzip
from honeyguide.server.run_pages import RunPages
from honeyguide.storage.records import RunDraft
from honeyguide.workspace import RunFilter
from tests.workspace.conftest import workspace

__all__ = ["workspace"]
pytestmark = pytest.mark.anyio


async def test_many_readers_share_one_computation():
    answers, made = FreshAnswers(), []

    async def make():
        made.append(1)
        await asyncio.sleep(0.01)
        return await fresh({"n": len(made)})

    found = await asyncio.gather(*(answers.get(("list",), 7, make) for _ in range(50)))
    assert len(made) == 1
    assert len(set(found)) == 1
    await answers.get(("list",), 7, make)
    assert len(made) == 1
    await answers.get(("list",), 8, make)
    assert len(made) == 2


async def test_a_change_is_seen_by_the_very_next_question(workspace):
    answers = FreshAnswers()

    async def make():
        return await fresh({"lock": workspace.setting("service.enabled")})

    def ask():
        return answers.get(("x",), workspace.state().newest, make)

    for value in (True, False, True, False):
        await workspace.set_setting("service.enabled", value)
        others = [asyncio.create_task(ask()) for _ in range(5)]
        assert json.loads((await ask()).body) == {"lock": value}
        await asyncio.gather(*others)


async def test_an_error_is_not_kept():
    answers = FreshAnswers()

    async def fail():
        raise ValueError("no")

    async def make():
        return await fresh([])

    with pytest.raises(ValueError, match="no"):
        await answers.get(("x",), 1, fail)
    assert (await answers.get(("x",), 1, make)).body == b"[]"


async def test_where_nobody_knows_the_state_every_question_is_computed():
    answers, made = FreshAnswers(), []

    async def make():
        made.append(1)
        return await fresh([])

    for _ in range(3):
        await answers.get(("x",), None, make)
    assert len(made) == 3


async def test_the_oldest_answers_go_first(monkeypatch):
    monkeypatch.setattr("honeyguide.server.fresh.MOST_ANSWERS", 3)
    answers, made = FreshAnswers(), []

    def maker(key):
        async def make():
            made.append(key)
            return await fresh(key)

        return make

    for key in (1, 2, 3, 1, 4, 1, 2):
        await answers.get((key,), 1, maker(key))
    assert made == [1, 2, 3, 4, 2]


async def test_the_long_part_of_a_list_is_kept_while_a_run_moves_on(workspace):
    wanted, store = RunFilter(limit="5"), workspace._core.store
    pages = RunPages(workspace)
    loaded = []
    load = workspace.runs

    async def watched(wanted, *, with_runs=True):
        loaded.append(with_runs)
        return await load(wanted, with_runs=with_runs)

    workspace.runs = watched

    async def listed():
        found = await pages.page(wanted)
        page = json.loads(found.body)
        assert gzip.decompress(found.gzip) == found.body
        assert page == (await load(wanted)).to_json()
        return page

    assert (await listed())["count"] == 0
    draft = RunDraft("one", "persona-system-prompt", "writer", "before", "after", 0.1, "pass", "[]")
    await store.write(lambda unit: unit.runs.create(draft))
    assert (await listed())["count"] == 1
    await store.write(lambda unit: unit.events.append("attempt:progress", "one"))
    assert (await listed())["count"] == 1
    await store.write(lambda unit: unit.runs.reject("one", "no"))
    assert (await listed())["runs"][0]["status"] == "rejected"
    assert loaded.count(True) == 3  # empty, one proposed, one rejected; not for the progress


@pytest.mark.parametrize(
    ("header", "takes"),
    [
        ("", False), ("gzip", True), ("gzip, deflate, br", True), ("br;q=1.0, GZIP;q=0.5", True), ("*", True),
        ("gzip;q=0", False), ("gzip; q=0.0", False), ("identity", False),
    ],
)  # fmt: skip
def test_compression_is_for_who_asks_for_it(header, takes):
    assert takes_gzip(header) is takes


@given(st.binary(max_size=3000), st.binary(max_size=500))
def test_a_joined_file_is_one_gzip_member(beginning, end):
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert unpack.decompress(gzipped(packed(beginning), end)) == beginning + end
    assert (unpack.eof, unpack.unused_data) == (True, b"")

"""Encoded answers: shared while nothing changes, never older than the question."""

from __future__ import annotations

import asyncio
import json

import pytest

from honeyguide.server.fresh import FreshAnswers
from tests.workspace.conftest import workspace

__all__ = ["workspace"]
pytestmark = pytest.mark.anyio


async def test_many_readers_share_one_computation(workspace):
    fresh, made = FreshAnswers(workspace), []

    async def make():
        made.append(1)
        await asyncio.sleep(0.01)
        return {"n": len(made)}

    answers = await asyncio.gather(*(fresh.get(("list",), make) for _ in range(50)))
    assert len(made) == 1
    assert len(set(answers)) == 1
    await fresh.get(("list",), make)
    assert len(made) == 1


async def test_a_change_is_seen_by_the_very_next_question(workspace):
    fresh = FreshAnswers(workspace)

    async def make():
        return {"lock": workspace.setting("service.enabled")}

    for value in (True, False, True, False):
        await workspace.set_setting("service.enabled", value)
        others = [asyncio.create_task(fresh.get(("x",), make)) for _ in range(5)]
        assert json.loads((await fresh.get(("x",), make)).body) == {"lock": value}
        await asyncio.gather(*others)


async def test_an_error_is_not_kept(workspace):
    fresh = FreshAnswers(workspace)

    async def fail():
        raise ValueError("no")

    async def make():
        return []

    with pytest.raises(ValueError, match="no"):
        await fresh.get(("x",), fail)
    assert (await fresh.get(("x",), make)).body == b"[]"


async def test_the_oldest_answers_go_first(workspace, monkeypatch):
    monkeypatch.setattr("honeyguide.server.fresh.MOST_ANSWERS", 3)
    fresh, made = FreshAnswers(workspace), []

    def maker(key):
        async def make():
            made.append(key)
            return key

        return make

    for key in (1, 2, 3, 1, 4, 1, 2):
        await fresh.get((key,), maker(key))
    assert made == [1, 2, 3, 4, 2]

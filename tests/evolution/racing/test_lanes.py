import asyncio

import pytest

from honeyguide.evolution.racing.lanes import Lanes


def run(coroutine):
    return asyncio.run(coroutine)


def test_no_more_calls_begin_than_there_are_slots_and_reflections_begin_first():
    begun = []

    async def main():
        lanes, gate = Lanes(2), asyncio.Event()

        def call(name):
            async def make():
                begun.append(name)
                await gate.wait()
                return name

            return make

        calls = [lanes.evaluate(call(f"e{i}")) for i in range(4)] + [lanes.reflect(call("r"))]
        await asyncio.sleep(0)
        assert begun == ["e0", "e1"]
        gate.set()
        return [await one.result() for one in calls]

    assert run(main()) == ["e0", "e1", "e2", "e3", "r"]
    assert begun == ["e0", "e1", "r", "e2", "e3"]


def test_an_error_belongs_to_its_call_and_frees_the_slot():
    async def fail():
        raise ValueError("no")

    async def good():
        return 1

    async def main():
        lanes = Lanes(1)
        bad, fine = lanes.evaluate(fail), lanes.evaluate(good)
        with pytest.raises(ValueError, match="no"):
            await bad.result()
        return await fine.result()

    assert run(main()) == 1


def test_closing_stops_what_is_under_way_and_begins_nothing_more():
    ended = []

    async def slow():
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("stopped")

    async def main():
        lanes = Lanes(1)
        lanes.evaluate(slow)
        lanes.evaluate(slow)
        await asyncio.sleep(0)
        await lanes.close()

    run(main())
    assert ended == ["stopped"]

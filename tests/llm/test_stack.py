"""All layers together: one run's models, resumed, stopped, priced, seen before they leave."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from honeyguide.kernel.errors import BudgetExceeded, Interrupted, ModelError, ModelRefused
from honeyguide.llm import ModelRef, ModelRole, ModelSettings, RunModels, Spend, is_truncated
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.journal import read_entries
from honeyguide.llm.stack import as_it_is
from tests.fakes.model_server import ModelServer, Turn
from tests.llm.support import HAIKU, QUICK, ask, registry

PRICED = ModelRef("mine", "big")


def test_a_run_pays_once_and_a_rerun_pays_nothing(tmp_path: Path) -> None:
    with ModelServer() as server:
        first = asyncio.run(_run(server, tmp_path, ["a", "b", "a", "c"]))
        assert (first.calls, first.replayed_calls, first.usd) == (3, 1, 0.0)
        second = asyncio.run(_run(server, tmp_path, ["c", "b", "a"]))
        assert (second.calls, second.replayed_calls) == (3, 3)  # calls of the earlier start count as made
        assert len(server.calls) == 3


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    with ModelServer(delay=0.02) as server:
        cancel = Cancellation()

        async def stopped() -> None:
            asyncio.get_running_loop().call_later(0.15, cancel.request)
            await _run(server, tmp_path, [str(n) for n in range(200)], cancel=cancel)

        with pytest.raises(Interrupted):
            asyncio.run(stopped())
        made = len(server.calls)
        assert 0 < made < 200
        asyncio.run(_run(server, tmp_path, [str(n) for n in range(made + 5)]))
        assert len(server.calls) == made + 5  # nothing twice, nothing lost


def test_a_stopped_run_does_not_even_replay(tmp_path: Path) -> None:
    with ModelServer() as server:
        asyncio.run(_run(server, tmp_path, ["a"]))
        cancel = Cancellation()
        cancel.request()
        with pytest.raises(Interrupted):
            asyncio.run(_run(server, tmp_path, ["a"], cancel=cancel))


def test_the_ceiling_holds_over_resumes_with_failures_counted(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.plan += [Turn(529, headers={"retry-after": "0.01"}), Turn(cut="before")]
        with pytest.raises(BudgetExceeded):
            asyncio.run(_run(server, tmp_path, ["a", "b", "c"], max_calls=4))
        assert len(server.calls) == 4
        with pytest.raises(BudgetExceeded):
            asyncio.run(_run(server, tmp_path, ["a", "b", "c"], max_calls=4))
        assert len(server.calls) == 4
        spend = asyncio.run(_run(server, tmp_path, ["a", "b", "c"], max_calls=5))
        assert (spend.calls, spend.replayed_calls) == (5, 2)
    kinds = [entry.kind for entry in read_entries(tmp_path / "journal.jsonl")]
    assert kinds == ["failed", "failed", "reply", "reply", "reply"]


def test_prices_of_a_paid_provider_reach_journal_and_spend(tmp_path: Path) -> None:
    """A server that is not this computer costs money; here its price list is the person's own."""
    own = tmp_path / "prices.json"
    own.write_text(
        '{"as_of": "2030-01-01", "models": [{"provider": "anthropic", "model": "claude-haiku-4-5",'
        ' "input": 1000, "output": 5000}]}'
    )
    with ModelServer() as server:
        reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"}, overrides=own)
        quote = reg.prices.quote(HAIKU)

        async def run() -> Spend:
            from honeyguide.llm.budget import Budget
            from honeyguide.llm.journal import Journal
            from honeyguide.llm.stack import build_stack

            with Journal(tmp_path / "j.jsonl") as journal:
                budget = Budget(max_usd=10.0)
                stack = build_stack(
                    HAIKU, reg.provider(HAIKU), journal=journal, budget=budget, limiter=reg.limiter(HAIKU), quote=quote
                )
                made = await stack.complete(ask("x" * 40))
                assert made.cost_usd == pytest.approx(0.010 + 0.055, abs=0.02)
                again = await stack.complete(ask("x" * 40))
                assert again.cost_usd == 0.0
            await reg.close()
            return budget.spend

        spend = asyncio.run(run())
    (entry,) = read_entries(tmp_path / "j.jsonl")
    assert entry.cost_usd == spend.usd
    assert not entry.cost_is_reported


def test_the_outbox_shows_what_leaves_redacted(tmp_path: Path) -> None:
    with ModelServer() as server:

        async def run() -> None:
            reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})
            run = RunModels.open(reg, tmp_path / "j.jsonl", redact=lambda text: text.replace("hunter2", "[secret]"))
            client = run.client(HAIKU)
            request = ask("my password is hunter2", system="hunter2 is secret")
            shown = client.preview(request)
            assert server.seen == []
            await client.complete(request)
            assert server.calls[0].body == shown.body
            assert "hunter2" not in str(shown.body)
            await run.close()
            await reg.close()

        asyncio.run(run())


def test_an_overload_slows_everybody_down(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.plan.append(Turn(429, headers={"retry-after": "0.05"}))
        reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})

        async def run() -> int:
            run = RunModels(reg, *_parts(tmp_path), policy=QUICK)
            await run.client(HAIKU).complete(ask())
            window = reg.limiter(HAIKU).window
            await run.close()
            await reg.close()
            return window

        assert asyncio.run(run()) == 4


def test_replay_answers_from_a_past_run_and_nothing_else(tmp_path: Path) -> None:
    with ModelServer() as server:
        asyncio.run(_run(server, tmp_path, ["a"]))
        made = len(server.seen)
        settings = ModelSettings(replay_journal=tmp_path / "journal.jsonl")
        reg = registry({}, settings)
        ref = ModelRef.parse(f"replay:{HAIKU}")

        async def run() -> None:
            run = RunModels.open(reg, tmp_path / "second.jsonl")
            client = run.client(ref)
            assert (await client.complete(ask("a", model=ref))).text == "echo: a"
            with pytest.raises(ModelRefused):
                await client.complete(ask("new", model=ref))
            assert [m.id for m in await reg.list_models("replay")] == [str(HAIKU)]
            assert run.spend.usd == 0.0
            await run.close()

        asyncio.run(run())
        assert len(server.seen) == made


def test_the_practice_model_goes_through_the_same_layers(tmp_path: Path) -> None:
    ref = ModelRef.parse("practice")
    reg = registry({})

    async def run() -> Spend:
        run = RunModels.open(reg, tmp_path / "j.jsonl", max_calls=1)
        client = run.client(ref)
        await client.complete(ask("hello", model=ref))
        with pytest.raises(BudgetExceeded):
            await client.complete(ask("more", model=ref))
        assert client.preview(ask("x", model=ref)).notes
        await run.close()
        return run.spend

    spend = asyncio.run(run())
    assert (spend.calls, spend.usd) == (1, 0.0)


@pytest.mark.parametrize("role", [ModelRole.JUDGE, ModelRole.MUTATOR, ModelRole.MAINTAINER])
def test_a_reply_cut_off_is_asked_for_once_more_with_more_room(tmp_path: Path, role: ModelRole) -> None:
    with ModelServer(lambda text: "word " * int(text)) as server:
        reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})

        async def run() -> None:
            run = RunModels.open(reg, tmp_path / "j.jsonl")
            client = run.client(HAIKU)
            whole = await client.complete(ask("60", max_tokens=50, role=role))
            assert not is_truncated(whole)
            assert [call.body["max_tokens"] for call in server.calls] == [50, 100]
            still_cut = await client.complete(ask("600", max_tokens=50, role=role))
            assert is_truncated(still_cut)
            assert len(server.calls) == 4
            short = await client.complete(ask("6", max_tokens=50, role=role))
            assert not is_truncated(short)
            assert len(server.calls) == 5
            assert run.spend.calls == 5
            await run.close()
            await reg.close()

        asyncio.run(run())


def test_an_answer_that_is_measured_is_taken_as_it_is(tmp_path: Path) -> None:
    with ModelServer(lambda text: "word " * int(text)) as server:

        async def run() -> None:
            reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})
            run = RunModels.open(reg, tmp_path / "j.jsonl")
            assert is_truncated(await run.client(HAIKU).complete(ask("60", max_tokens=50)))
            await run.close()
            await reg.close()

        asyncio.run(run())
        assert len(server.calls) == 1


def test_a_failure_that_stays_is_one_error_for_the_caller(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.plan += [Turn(503)] * 6
        with pytest.raises(ModelError, match="overloaded"):
            asyncio.run(_run(server, tmp_path, ["a"]))
        assert len(server.calls) == 6


async def _run(
    server: ModelServer,
    folder: Path,
    texts: list[str],
    *,
    max_calls: int | None = None,
    cancel: Cancellation | None = None,
) -> Spend:
    reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})
    opened = RunModels.open(reg, folder / "journal.jsonl", max_calls=max_calls, cancel=cancel)
    run = RunModels(
        reg,
        opened.journal,
        opened.budget,
        cancel=opened.cancel,
        redact=as_it_is,
        policy=replace(QUICK, waits=(0.0,)),
    )
    try:
        client = run.client(HAIKU)
        for text in texts:
            await client.complete(ask(text))
        await run.sync()
        return run.spend
    finally:
        await run.close()
        await reg.close()


def _parts(folder: Path):
    from honeyguide.llm.budget import Budget
    from honeyguide.llm.journal import Journal

    return Journal(folder / "j.jsonl"), Budget()

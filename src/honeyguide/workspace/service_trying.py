"""One attempt of the autonomous service: may this target run, within what, and how it goes, to its end or to a stop."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import Any

from honeyguide.evolution.requests import Trigger
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import HoneyguideError, Interrupted
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.workspace import service_memory as memories
from honeyguide.workspace import service_rules as rules
from honeyguide.workspace.core import Core
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.running import Running
from honeyguide.workspace.service_rules import ServiceRules, Standing
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.runs import RunResult
from honeyguide.workspace.views.service import TickReport

WAY = "daemon"
LOOK_AT_SWITCH_EVERY = 1.0
"""Seconds between two looks at the off switch while a run is under way."""
CUT_SHORT = ("interrupted", "aborted")
"""States of a run that a crash or an orderly stop ended; one that a person stopped is no longer remembered."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A target that can run, with the options that keep it inside the day's budget."""

    standing: Standing
    options: RunOptions
    reserved_usd: float


class Trying:
    """Tries targets for the service; what is spent is written down before it can be spent."""

    def __init__(self, core: Core, running: Running) -> None:
        self._core = core
        self._running = running

    # --- asked by the service

    def rules(self) -> ServiceRules:
        """Return how the service is set up now."""
        return rules.rules_from(self._core.environ, self._core.settings.get)

    async def reload(self) -> None:
        """Take over what another program wrote into the settings."""
        before = {key: value for key, value in self._core.settings.all().items() if key.startswith("models.")}
        await self._core.in_thread(self._core.settings.reload)
        after = {key: value for key, value in self._core.settings.all().items() if key.startswith("models.")}
        if before != after and not self._running.active():
            await self._core.renew_registry()

    def report(self, outcome: str, reason: str, ref: TargetRef | None = None, uuid: str | None = None) -> TickReport:
        """Return what a look came to."""
        return TickReport(iso(self._core.clock.now()), outcome, reason, None if ref is None else str(ref), uuid)

    async def prepared(self, standing: Standing, memory: memories.Memory, found: ServiceRules) -> Chosen | str:
        """Return what is to be run, or the sentence that says why not. Calls nothing."""
        settings = self._core.settings
        options = RunOptions(preset=settings.get("runs.preset"), min_delta=settings.get("runs.min_delta"))
        plan = await self._running.plan(standing.ref, options)
        blocking = [reason.message for reason in plan.plan.reasons if reason.blocks]
        if blocking:
            return blocking[0]
        calls_left = found.calls_per_day - memory.calls
        if calls_left < max(plan.plan.calls.low, 1):
            return f"Today's {found.calls_per_day} calls are used up, or the rest is too few for this target."
        options = replace(options, max_calls=min(calls_left, max(int(plan.plan.calls.high), 1)), is_confirmed=True)
        if not plan.costs_money:
            return Chosen(standing, options, 0.0)
        if plan.plan.usd is None:
            return "The price of the model is unknown, so the daily ceiling on money could not be kept."
        usd_left = found.usd_per_day - memory.usd
        if usd_left <= 0 or usd_left < plan.plan.usd.low:
            return f"Today's ${found.usd_per_day:.2f} are used up, or the rest is too little for this target."
        ceiling = min(usd_left, float(plan.plan.usd.high) or usd_left)
        return Chosen(standing, replace(options, max_usd=ceiling), ceiling)

    async def improve(self, chosen: Chosen, found: ServiceRules) -> TickReport:
        ref = chosen.standing.ref
        beginning = asyncio.ensure_future(self._begin(chosen, found))
        try:
            uuid = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            with contextlib.suppress(HoneyguideError):
                await self._running.cancel(await beginning)
            raise
        return await self._followed(uuid, ref, found, self._running.wait(uuid))

    async def go_on(self, uuid: str, ref: TargetRef, found: ServiceRules) -> TickReport:
        """Finish a run of the service that a crash or a stop cut short; no call is paid twice."""
        return await self._followed(uuid, ref, found, self._running.resume(uuid, origin=Origin.here(WAY)))

    async def unfinished(self, memory: memories.Memory) -> tuple[str, TargetRef] | None:
        current = memory.current
        if current is None:
            return None
        uuid = str(current["uuid"])
        await self._core.store.write(lambda unit: unit.attempts.sweep())
        attempt = await self._core.store.read(lambda unit: unit.attempts.get(uuid))
        if attempt is None or attempt.state not in CUT_SHORT:
            calls, usd = (None, None) if attempt is None else (attempt.calls, attempt.cost_usd)
            await memories.change(self._core.store, lambda m: m.settle(calls, usd))
            return None
        return uuid, TargetRef(TargetKind(attempt.target_kind), attempt.target_name or "")

    async def note_failure(self, ref: TargetRef, found: ServiceRules) -> None:
        now = self._core.clock.now()
        await memories.change(self._core.store, lambda m: m.failed(str(ref), now, found.interval))

    # --- inside

    async def _begin(self, chosen: Chosen, found: ServiceRules) -> str:
        """Start the run; what it may take is written down before it can take anything."""
        ref, calls = chosen.standing.ref, chosen.options.max_calls or 0
        await memories.change(self._core.store, lambda m: m.reserve(str(ref), calls, chosen.reserved_usd))
        try:
            uuid = await self._running.start(
                ref,
                chosen.options,
                origin=Origin.here(WAY),
                trigger=Trigger(chosen.standing.new, found.min_traces),
            )
        except BaseException:
            await memories.change(self._core.store, lambda m: m.settle(0, 0.0))
            raise
        await memories.change(self._core.store, lambda m: m.begun(uuid))
        return uuid

    async def _followed(self, uuid: str, ref: TargetRef, found: ServiceRules, work: Any) -> TickReport:
        switch = asyncio.create_task(self._stop_when_off(uuid), name=f"off switch of {uuid}")
        try:
            result: RunResult = await work
        except asyncio.CancelledError:
            with contextlib.suppress(HoneyguideError):
                await self._running.cancel(uuid)
            raise  # what is remembered as under way is resumed by the next tick
        except Interrupted as error:
            await memories.change(self._core.store, lambda m: m.settle(None, None))
            return self.report("failed", error.message, ref, uuid)
        except Exception as error:  # noqa: BLE001 - the outermost edge of an automatic run: it reports
            await memories.change(self._core.store, lambda m: m.settle(None, None))
            await self.note_failure(ref, found)
            return self.report("failed", sentence(error), ref, uuid)
        finally:
            switch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await switch
        spend = result.payload.get("spend") or {}

        def settle(memory: memories.Memory) -> None:
            memory.settle(spend.get("calls"), spend.get("usd"))
            if result.exit_code == 0:
                memory.failures.pop(str(ref), None)

        await memories.change(self._core.store, settle)
        if result.exit_code != 0:
            await self.note_failure(ref, found)
        report = self.report("ran", str(result.payload.get("reason") or ""), ref, uuid)
        return replace(report, result=result.outcome)

    async def _stop_when_off(self, uuid: str) -> None:
        """Stop the run as soon as somebody switches the service off."""
        while self.rules().is_on:
            await asyncio.sleep(LOOK_AT_SWITCH_EVERY)
            await self.reload()
        with contextlib.suppress(HoneyguideError):
            await self._running.cancel(uuid)


def sentence(error: Exception) -> str:
    return error.message if isinstance(error, HoneyguideError) else str(error) or type(error).__name__

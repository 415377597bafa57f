"""The autonomous service: looks now and then for a target with enough new evidence, tries to improve it, and leaves
what it finds for a person. Off by default; it never accepts and never deploys.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from honeyguide.evolution.requests import Trigger
from honeyguide.kernel.clock import iso, parse_iso
from honeyguide.kernel.errors import Conflict, HoneyguideError, Interrupted, Locked, ModelError, PolicyRefused
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import DAEMON
from honeyguide.workspace import service_memory as memories
from honeyguide.workspace import service_rules as rules
from honeyguide.workspace.core import Core
from honeyguide.workspace.evidence_marks import new_evidence
from honeyguide.workspace.holding import held
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.running import Running
from honeyguide.workspace.service_rules import ServiceRules, Standing
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.runs import RunResult
from honeyguide.workspace.views.service import DaemonStatus, TickReport, WaitingTarget

WAY = "daemon"
LOOK_EVERY = 5.0
"""Seconds between two looks at clock and settings while nothing is due: a computer that slept wakes up in time."""
LOOK_AT_SWITCH_EVERY = 1.0
"""Seconds between two looks at the off switch while a run is under way."""
CUT_SHORT = ("interrupted", "aborted")
"""States of a run that a crash or an orderly stop ended; one that a person stopped is no longer remembered."""
OnTick = Callable[[TickReport], None]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A target that can run, with the options that keep it inside the day's budget."""

    standing: Standing
    options: RunOptions
    reserved_usd: float


class EvolutionService:
    """One for each open workspace; the lease ``daemon`` keeps it alone among processes."""

    def __init__(self, core: Core, homes: Homes, running: Running) -> None:
        self._core = core
        self._homes = homes
        self._running = running
        self._busy = False
        self._next: datetime | None = None

    # --- at work

    async def run(
        self, *, once: bool, idle_while_off: bool = False, on_tick: OnTick | None = None
    ) -> TickReport | None:
        """Tick once, or at once and then whenever it is due, until cancelled.

        Args:
            idle_while_off: wait while the service is off, or another process runs it, instead of refusing.

        Raises:
            PolicyRefused: it is off (without ``once`` and ``idle_while_off``).
            Locked: another process runs the service.
        """
        await self._reload()
        if once:
            if not self._rules().is_on:
                return await self.tick()
            async with self._alone():
                return await self.tick()
        if not idle_while_off:
            self._require_on()
            async with self._alone():
                await self._loop(on_tick, idle_while_off=False)
            return None
        while True:
            with contextlib.suppress(Locked):
                if self._rules().is_on:
                    async with self._alone():
                        await self._loop(on_tick, idle_while_off=True)
            await asyncio.sleep(LOOK_EVERY)
            await self._reload()

    async def tick(self) -> TickReport:
        """Try one target, if one is eligible and can run. Never raises; what went wrong is in the report."""
        if self._busy:
            return self._report("busy", "A tick is already in progress.")
        self._busy = True
        try:
            report = await self._tick()
        except Exception as error:  # noqa: BLE001 - the outermost edge of a tick: it reports
            report = self._report("failed", f"tick failed: {_sentence(error)}")
        finally:
            self._busy = False
        await self._remember(report)
        return report

    # --- asked

    async def status(self) -> DaemonStatus:
        """Say how the service stands, whoever runs it."""
        await self._reload()
        found = self._rules()
        standings = await self.standings()
        now = self._core.clock.now()

        def read(unit: Any) -> tuple[Any, Any]:
            lease = unit.leases.holder(DAEMON)
            return memories.load(unit), lease if lease is not None and unit.leases.is_live(lease) else None

        memory, lease = await self._core.store.read(read)
        memory.begin_day(now)
        running = lease and {"pid": lease.pid, "host": lease.host, "way": lease.way, "since": lease.acquired_at}
        return DaemonStatus(
            enabled=found.is_on,
            why_off=found.why_off,
            running=running,
            interval_seconds=found.interval,
            min_traces=found.min_traces,
            last_tick=memory.last_tick,
            next_tick=_next_tick(memory, found, now) if running else None,
            spent={"day": memory.day, "calls": memory.calls, "usd": round(memory.usd, 6)},
            calls_per_day=found.calls_per_day,
            usd_per_day=found.usd_per_day,
            targets=tuple(self._waiting(standing, memory, found, now) for standing in standings),
        )

    async def standings(self) -> list[Standing]:
        """Return where every watched target stands."""
        refs = await self._watched()

        def read(unit: Any) -> list[Standing]:
            found = []
            for ref in refs:
                last = unit.attempts.last_of(ref.kind.value, ref.name)
                traces, corrections = new_evidence(unit, ref, last)
                found.append(Standing(ref, last.started_at if last else None, traces, corrections))
            return found

        return await self._core.store.read(read)

    # --- inside

    async def _loop(self, on_tick: OnTick | None, *, idle_while_off: bool) -> None:
        due = self._core.clock.now()
        while True:
            found = self._rules()
            if not found.is_on:
                if not idle_while_off:
                    self._require_on()
                return
            now = self._core.clock.now()
            due = rules.reachable(due, now, found.interval)
            if now >= due:
                report = await self.tick()
                if on_tick is not None:
                    on_tick(report)
                due = self._core.clock.now() + timedelta(seconds=found.interval)
            await asyncio.sleep(min(LOOK_EVERY, max((due - self._core.clock.now()).total_seconds(), 0.01)))
            await self._reload()

    async def _tick(self) -> TickReport:
        await self._reload()
        found = self._rules()
        if not found.is_on:
            return self._report("off", found.why_off)
        now = self._core.clock.now()
        memory = await memories.change(self._core.store, lambda m: m.begin_day(now))
        unfinished = await self._unfinished(memory)
        if unfinished is not None:
            return await self._go_on(*unfinished, found)
        if memory.calls >= found.calls_per_day:
            return self._report("budget", f"Today's {found.calls_per_day} calls are used up.")
        eligible = rules.in_order(await self.standings(), found.min_traces)
        passed: list[dict[str, str]] = []
        for standing in eligible:
            until, failures = memory.rest_of(str(standing.ref))
            if rules.rests(until, failures, now, found.interval):
                passed.append(
                    {"target": str(standing.ref), "reason": f"rests after a failure until {iso(until or now)}"}
                )
                continue
            try:
                chosen = await self._prepared(standing, memory, found)
                if isinstance(chosen, str):
                    passed.append({"target": str(standing.ref), "reason": chosen})
                    continue
                return replace(await self._improve(chosen, found), passed_over=tuple(passed))
            except (HoneyguideError, OSError) as error:
                passed.append({"target": str(standing.ref), "reason": _sentence(error)})
                if not isinstance(error, Locked):
                    await self._note_failure(standing.ref, found)
                if isinstance(error, ModelError):
                    break  # the next target would ask the same model
        if not eligible:
            return self._report("nothing", f"No target has {found.min_traces} new traces or corrections.")
        return replace(self._report("nothing", passed[0]["reason"]), passed_over=tuple(passed))

    async def _prepared(self, standing: Standing, memory: memories.Memory, found: ServiceRules) -> _Chosen | str:
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
            return _Chosen(standing, options, 0.0)
        if plan.plan.usd is None:
            return "The price of the model is unknown, so the daily ceiling on money could not be kept."
        usd_left = found.usd_per_day - memory.usd
        if usd_left <= 0 or usd_left < plan.plan.usd.low:
            return f"Today's ${found.usd_per_day:.2f} are used up, or the rest is too little for this target."
        ceiling = min(usd_left, float(plan.plan.usd.high) or usd_left)
        return _Chosen(standing, replace(options, max_usd=ceiling), ceiling)

    async def _improve(self, chosen: _Chosen, found: ServiceRules) -> TickReport:
        ref = chosen.standing.ref
        beginning = asyncio.ensure_future(self._begin(chosen, found))
        try:
            uuid = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            with contextlib.suppress(HoneyguideError):
                await self._running.cancel(await beginning)
            raise
        return await self._followed(uuid, ref, found, self._running.wait(uuid))

    async def _begin(self, chosen: _Chosen, found: ServiceRules) -> str:
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

    async def _go_on(self, uuid: str, ref: TargetRef, found: ServiceRules) -> TickReport:
        """Finish a run of the service that a crash or a stop cut short; no call is paid twice."""
        return await self._followed(uuid, ref, found, self._running.resume(uuid, origin=Origin.here(WAY)))

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
            return self._report("failed", error.message, ref, uuid)
        except Exception as error:  # noqa: BLE001 - the outermost edge of an automatic run: it reports
            await memories.change(self._core.store, lambda m: m.settle(None, None))
            await self._note_failure(ref, found)
            return self._report("failed", _sentence(error), ref, uuid)
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
            await self._note_failure(ref, found)
        report = self._report("ran", str(result.payload.get("reason") or ""), ref, uuid)
        return replace(report, result=result.outcome)

    async def _stop_when_off(self, uuid: str) -> None:
        """Stop the run as soon as somebody switches the service off."""
        while self._rules().is_on:
            await asyncio.sleep(LOOK_AT_SWITCH_EVERY)
            await self._reload()
        with contextlib.suppress(HoneyguideError):
            await self._running.cancel(uuid)

    async def _unfinished(self, memory: memories.Memory) -> tuple[str, TargetRef] | None:
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

    async def _watched(self) -> list[TargetRef]:
        """Return personas, sections, and what a person ticked besides; a ticked target that is gone is left out."""
        further = self._rules().further
        refs = await self._homes.refs()
        return [
            ref
            for ref in refs
            if ref.kind in (TargetKind.PERSONA, TargetKind.SECTION) or str(ref) in further or ref.name in further
        ]

    async def _note_failure(self, ref: TargetRef, found: ServiceRules) -> None:
        now = self._core.clock.now()
        await memories.change(self._core.store, lambda m: m.failed(str(ref), now, found.interval))

    async def _remember(self, report: TickReport) -> None:
        if report.outcome in ("off", "busy"):
            return
        with contextlib.suppress(Conflict):  # the workspace was closed meanwhile
            await memories.change(self._core.store, lambda m: setattr(m, "last_tick", report.to_json()))

    async def _reload(self) -> None:
        """Take over what another program wrote into the settings."""
        before = {key: value for key, value in self._core.settings.all().items() if key.startswith("models.")}
        await self._core.in_thread(self._core.settings.reload)
        after = {key: value for key, value in self._core.settings.all().items() if key.startswith("models.")}
        if before != after and not self._running.active():
            await self._core.renew_registry()

    def _rules(self) -> ServiceRules:
        return rules.rules_from(self._core.environ, self._core.settings.get)

    def _require_on(self) -> None:
        found = self._rules()
        if not found.is_on:
            raise PolicyRefused(found.why_off, hint="See docs/daemon.md.")

    def _alone(self) -> contextlib.AbstractAsyncContextManager[Any]:
        return held(self._core.store, DAEMON, "Another program runs the autonomous service of this workspace")

    def _report(self, outcome: str, reason: str, ref: TargetRef | None = None, uuid: str | None = None) -> TickReport:
        return TickReport(iso(self._core.clock.now()), outcome, reason, None if ref is None else str(ref), uuid)

    @staticmethod
    def _waiting(standing: Standing, memory: memories.Memory, found: ServiceRules, now: datetime) -> WaitingTarget:
        until, failures = memory.rest_of(str(standing.ref))
        is_resting = rules.rests(until, failures, now, found.interval)
        return WaitingTarget(
            target=str(standing.ref),
            last_run=standing.last_run_at,
            new=standing.new,
            eligible=standing.new >= found.min_traces and not is_resting,
            rests_until=iso(until) if is_resting and until is not None else None,
        )


def _sentence(error: Exception) -> str:
    return error.message if isinstance(error, HoneyguideError) else str(error) or type(error).__name__


def _next_tick(memory: memories.Memory, found: ServiceRules, now: datetime) -> str | None:
    if memory.last_tick is None:
        return iso(now)
    due = parse_iso(str(memory.last_tick["at"])) + timedelta(seconds=found.interval)
    return iso(max(rules.reachable(due, now, found.interval), now))

"""The autonomous service: looks now and then for a target with enough new evidence, tries to improve it, and leaves
what it finds for a person. Off by default; it never accepts and never deploys.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from honeyguide.kernel.clock import iso, parse_iso
from honeyguide.kernel.errors import Conflict, HoneyguideError, Locked, ModelError, PolicyRefused
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import DAEMON
from honeyguide.workspace import service_memory as memories
from honeyguide.workspace import service_rules as rules
from honeyguide.workspace.core import Core
from honeyguide.workspace.evidence_marks import new_evidence
from honeyguide.workspace.holding import held
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.running import Running
from honeyguide.workspace.service_rules import ServiceRules, Standing
from honeyguide.workspace.service_trying import Trying, sentence
from honeyguide.workspace.views.service import DaemonStatus, TickReport, WaitingTarget

LOOK_EVERY = 5.0
"""Seconds between two looks at clock and settings while nothing is due: a computer that slept wakes up in time."""
OnTick = Callable[[TickReport], None]


class EvolutionService:
    """One for each open workspace; the lease ``daemon`` keeps it alone among processes."""

    def __init__(self, core: Core, homes: Homes, running: Running) -> None:
        self._core = core
        self._homes = homes
        self._trying = Trying(core, running)
        self._busy = False

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
        await self._trying.reload()
        if once:
            if not self._trying.rules().is_on:
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
                if self._trying.rules().is_on:
                    async with self._alone():
                        await self._loop(on_tick, idle_while_off=True)
            await asyncio.sleep(LOOK_EVERY)
            await self._trying.reload()

    async def tick(self) -> TickReport:
        """Try one target, if one is eligible and can run. Never raises; what went wrong is in the report."""
        if self._busy:
            return self._trying.report("busy", "A tick is already in progress.")
        self._busy = True
        try:
            report = await self._tick()
        except Exception as error:  # noqa: BLE001 - the outermost edge of a tick: it reports
            report = self._trying.report("failed", f"tick failed: {sentence(error)}")
        finally:
            self._busy = False
        await self._remember(report)
        return report

    # --- asked

    async def status(self) -> DaemonStatus:
        """Say how the service stands, whoever runs it."""
        await self._trying.reload()
        found = self._trying.rules()
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
            found = self._trying.rules()
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
            await self._trying.reload()

    async def _tick(self) -> TickReport:
        await self._trying.reload()
        found = self._trying.rules()
        if not found.is_on:
            return self._trying.report("off", found.why_off)
        now = self._core.clock.now()
        memory = await memories.change(self._core.store, lambda m: m.begin_day(now))
        unfinished = await self._trying.unfinished(memory)
        if unfinished is not None:
            return await self._trying.go_on(*unfinished, found)
        if memory.calls >= found.calls_per_day:
            return self._trying.report("budget", f"Today's {found.calls_per_day} calls are used up.")
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
                chosen = await self._trying.prepared(standing, memory, found)
                if isinstance(chosen, str):
                    passed.append({"target": str(standing.ref), "reason": chosen})
                    continue
                return replace(await self._trying.improve(chosen, found), passed_over=tuple(passed))
            except (HoneyguideError, OSError) as error:
                passed.append({"target": str(standing.ref), "reason": sentence(error)})
                if not isinstance(error, Locked):
                    await self._trying.note_failure(standing.ref, found)
                if isinstance(error, ModelError):
                    break  # the next target would ask the same model
        if not eligible:
            return self._trying.report("nothing", f"No target has {found.min_traces} new traces or corrections.")
        return replace(self._trying.report("nothing", passed[0]["reason"]), passed_over=tuple(passed))

    async def _watched(self) -> list[TargetRef]:
        """Return personas, sections, and what a person ticked besides; a ticked target that is gone is left out."""
        further = self._trying.rules().further
        refs = await self._homes.refs()
        return [
            ref
            for ref in refs
            if ref.kind in (TargetKind.PERSONA, TargetKind.SECTION) or str(ref) in further or ref.name in further
        ]

    async def _remember(self, report: TickReport) -> None:
        if report.outcome in ("off", "busy"):
            return
        with contextlib.suppress(Conflict):  # the workspace was closed meanwhile
            await memories.change(self._core.store, lambda m: setattr(m, "last_tick", report.to_json()))

    def _require_on(self) -> None:
        found = self._trying.rules()
        if not found.is_on:
            raise PolicyRefused(found.why_off, hint="See docs/daemon.md.")

    def _alone(self) -> contextlib.AbstractAsyncContextManager[Any]:
        return held(self._core.store, DAEMON, "Another program runs the autonomous service of this workspace")

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


def _next_tick(memory: memories.Memory, found: ServiceRules, now: datetime) -> str | None:
    if memory.last_tick is None:
        return iso(now)
    due = parse_iso(str(memory.last_tick["at"])) + timedelta(seconds=found.interval)
    return iso(max(rules.reachable(due, now, found.interval), now))

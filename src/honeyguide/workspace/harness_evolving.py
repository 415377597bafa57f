"""Everything that changes a harness by way of a proposal, for the front ends."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.harnesses.changes.automatic import (
    AUTO,
    REFLECT,
    draft_is_due,
    lesson_key,
    lesson_proposal,
    read_lessons,
    reflection_is_due,
    reflection_request,
)
from honeyguide.harnesses.changes.drafting import DraftFailed
from honeyguide.harnesses.changes.gate import GateResult, gate
from honeyguide.harnesses.changes.proof import unproven
from honeyguide.harnesses.changes.proposal import Proposal
from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.kernel.errors import HoneyguideError
from honeyguide.llm import ModelRef
from honeyguide.workspace.harness_drafting import Evolved, EvolveOptions, HarnessDrafting
from honeyguide.workspace.harness_records import Opened, records_of

__all__ = ["EvolveOptions", "Evolved", "HarnessEvolving"]

SWITCHES = ("HONEYGUIDE_EVOLVE", "MDFLOW_EVOLVE")
"""Environment variables that switch everything automatic off at once."""
_log = logging.getLogger(__name__)


class HarnessEvolving(HarnessDrafting):
    """Drafting, reviewing, and what is drafted at the tail of a run."""

    async def after_run(self, path: Path, outcome: RunOutcome, *, agreed: bool = True) -> list[str]:
        """Draft by itself where the harness asks for it; never raises, never changes a run's result.

        Args:
            agreed: whether somebody agreed to the cost of the run. A folder of unknown origin that switches drafting
                on does not spend anybody's money by that alone: then it must be trusted.

        Returns:
            The ids of what was queued.
        """
        queued: list[str] = []
        if any(self.home.environ.get(name, "").casefold() == "off" for name in SWITCHES):
            return queued
        try:
            harness = Harness.open(path)
            evolution = harness.spec.evolution
            failed = not outcome.is_success
            if evolution.auto_propose.enabled and self._may_spend(harness, evolution.auto_propose.model, agreed):
                queued += await self._auto_draft(path, failed)
            if evolution.reflect.enabled and self._may_spend(harness, evolution.reflect.model, agreed):
                queued += await self._reflect(path, failed)
        except HoneyguideError as error:
            _log.warning("Drafting after the run did not work: %s", error.message)
        except Exception:  # noqa: BLE001 - whatever it is, the run is done and its result stands
            _log.warning("Drafting after the run did not work.", exc_info=True)
        return queued

    def _may_spend(self, harness: Harness, model: str | None, agreed: bool) -> bool:
        ref = self._mutator(harness, EvolveOptions(model=_ref(model)))
        if agreed or not self.home.registry().costs_money(ref) or self.home.trust.state(harness).is_trusted:
            return True
        _log.warning("%s would draft by itself with %s, which costs money; trust it first.", harness.spec.name, ref)
        return False

    async def _auto_draft(self, path: Path, failed: bool) -> list[str]:
        opened = await self.home.in_thread(lambda: records_of(self.home, path))
        harness = opened.harness
        queue = Queue(harness.ours)
        version = harness.version
        if not draft_is_due(harness.spec.evolution, failed, queue, opened.runs, version, self.home.clock.now()):
            return []
        named = harness.spec.evolution.auto_propose.model
        options = EvolveOptions(model=_ref(named), trigger=AUTO, confirmed=True)
        try:
            evolved = await self.evolve(path, options)
        except DraftFailed as error:
            report = self._build_report(opened, options)
            row = self._row(opened, report, Proposal(rationale="no usable draft"), GateResult(), AUTO, None, {})
            queue.put(self._refused(row, error.message))
            raise
        return [evolved.proposal_id] if evolved.is_new else []

    async def _reflect(self, path: Path, failed: bool) -> list[str]:
        opened = await self.home.in_thread(lambda: records_of(self.home, path))
        harness, spec = opened.harness, opened.harness.spec
        queue = Queue(harness.ours)
        if not reflection_is_due(spec.evolution, failed, queue, self.home.clock.now()):
            return []
        options = EvolveOptions(model=_ref(spec.evolution.reflect.model), trigger=REFLECT)
        report = self._build_report(opened, options)
        models = self._models(options)
        try:
            ref = self._mutator(harness, options)
            reply = await models.client(ref).complete(reflection_request(spec, report, ref))
        finally:
            await models.close()
        queued = [
            self.queue_lesson(opened, lesson, REFLECT)[1]
            for lesson in read_lessons(reply.text, spec.evolution.reflect.max_lessons)
        ]
        queued = [id for id in queued if id]
        if not queued:
            marker = self._row(opened, report, Proposal(rationale="no lesson"), GateResult(), REFLECT, None, {})
            queue.put(self._refused(marker, "no lesson"))
        return queued

    def queue_lesson(self, opened: Opened, entry: dict[str, Any], trigger: str) -> tuple[str, str]:
        """Queue one lesson for review; return what became of it and the proposal's id."""
        harness = opened.harness
        proposal = lesson_proposal(entry, trigger)
        judged = gate(harness.spec, harness.document.data, proposal, self._inputs(opened))
        if not judged.accepted:
            return f"refused ({judged.rejected[0].reason})", ""
        report = self._build_report(opened, EvolveOptions())
        row = self._row(opened, report, proposal, judged, trigger, unproven("lessons are not replayed"), {})
        row = replace(row, dedup_key=lesson_key(str(entry.get("content"))), evidence=None)
        stored, is_new = Queue(harness.ours).add(row)
        return ("queued" if is_new else "queued already"), stored.id


def _ref(named: str | None) -> ModelRef | None:
    """Read a model as a spec names it (``provider/model``, or a plain id of Anthropic)."""
    if not named:
        return None
    if ":" in named:
        return ModelRef.parse(named)
    provider, slash, model = named.partition("/")
    return ModelRef("anthropic" if provider == "claude" else provider, model) if slash else ModelRef("anthropic", named)

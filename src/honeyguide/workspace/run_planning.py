"""Before a run: what it would do and cost, and its first requests; nothing is called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from honeyguide.evolution.gates.length import longest_allowed_growth, units
from honeyguide.evolution.plan import Reason
from honeyguide.evolution.requests import EvolutionRequest
from honeyguide.kernel.errors import Conflict, PolicyRefused
from honeyguide.llm import ModelReply, ModelRequest, ModelRole
from honeyguide.llm.journal import redacted
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage import run_lease
from honeyguide.workspace.core import Core
from honeyguide.workspace.judging import Judging
from honeyguide.workspace.mining import Mining
from honeyguide.workspace.preparing import (
    ROLES,
    Models,
    costs_money,
    goes_in_batches,
    judge_for,
    models_for,
    plan_for,
    request_for,
)
from honeyguide.workspace.suites import Suites
from honeyguide.workspace.together import Group, Together
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.runs import PlanReport

ROOM_FOR_A_RULE = 40
"""Characters: what a short rule takes."""


class Planning:
    """Answers what a run would be."""

    def __init__(self, core: Core, together: Together, mining: Mining, suites: Suites, judging: Judging) -> None:
        self._core = core
        self._judging = judging
        self._together = together
        self._mining = mining
        self._suites = suites

    async def plan(self, name: str | TargetRef, options: RunOptions) -> PlanReport:
        """Return what a run would do and cost; calls nothing."""
        group = await self._together.group(name, options)
        home = group.lead
        models = models_for(self._core, options)
        request = await request_for(self._core, group, options)
        dataset = await self._mining.dataset(group.refs, options.seed)
        stage, of_suite = await self._suites.stage_and_reasons(home)
        reasons = (
            *await self._reasons(group, models),
            *of_suite,
            *_little_room(request),
            *await self._mining.advice(home.ref, dataset),
        )
        in_batches = goes_in_batches(self._core, options)
        plan = await self._core.in_thread(
            lambda: plan_for(self._core, request, dataset, models, reasons, in_batches=in_batches, suite=stage)
        )
        return PlanReport(
            target=str(home.ref),
            plan=plan,
            models=models.names,
            examples={
                "train": len(dataset.train),
                "validation": len(dataset.validation),
                "holdout": len(dataset.holdout),
            },
            dropped=dataset.dropped,
            costs_money=costs_money(self._core, options),
            together=tuple(str(ref) for ref in group.refs[1:]),
        )

    async def preview_requests(self, name: str | TargetRef, options: RunOptions) -> list[dict[str, Any]]:
        """Return the first requests of a run, exactly as they would leave; nothing is sent."""
        group = await self._together.group(name, options)
        models = models_for(self._core, options)
        dataset = await self._mining.dataset(group.refs, options.seed)
        examples = [*dataset.train, *dataset.validation, *dataset.holdout]
        if not examples:
            return []
        redact = self._core.outgoing_redactor().text
        judge = judge_for({role: _NoClient() for role in ROLES}, models, group.joined)
        requests = [
            judge.executor.request(group.live, None, examples[0].input),
            judge.judge.request(examples[0], "(the answer of the model above stands here)"),
        ]
        shown = []
        for request in requests:
            sent = self._core.registry.provider(request.model).preview(redacted(request, redact))
            text = json.dumps(dict(sent.body), ensure_ascii=False, indent=2)
            shown.append(
                {
                    "model": str(request.model),
                    "role": request.role.value,
                    "url": sent.url,
                    "notes": list(sent.notes),
                    "text": text,
                }
            )
        return shown

    # --- inside

    async def _reasons(self, group: Group, models: Models) -> tuple[Reason, ...]:
        found = [
            Reason("no-key", f"No key is known for {ref.provider}.")
            for ref in {ref.provider: ref for ref in models.by_role.values()}.values()
            if not await self._core.in_thread(partial(self._core.registry.has_key, ref))
        ]
        leases = [run_lease(ref.kind.value, ref.name) for ref in group.refs]
        held = await self._core.store.read(
            lambda unit: [(h := unit.leases.holder(name)) is not None and unit.leases.is_live(h) for name in leases]
        )
        for ref, is_held in zip(group.refs, held, strict=True):
            if is_held:
                words = "this target" if ref == group.lead.ref else ref.name
                found.append(Reason("locked", f"Another run works on {words}."))
        try:
            await self._judging.require_passed(models[ModelRole.JUDGE])
        except PolicyRefused as error:
            found.append(Reason("judge-exam", error.message))
        if models.grades_itself:
            found.append(Reason("grades-itself", "The model would grade its own answers.", blocks=False))
        return tuple(found)


def _little_room(request: EvolutionRequest) -> Iterator[Reason]:
    """Name the texts that are so short that the limit on growth leaves no room for a rule."""
    for text in request.single_texts:
        most = longest_allowed_growth(text.live, text.gates)
        if most is not None and most - units(text.live) < ROOM_FOR_A_RULE and request.candidate is None:
            words = (
                f"{text.target.name} may grow by {most - units(text.live)} characters only. "
                "A higher 'Longest growth' gives short texts room."
            )
            yield Reason("little-room", words, blocks=False)


class _NoClient:
    """Stands where no call may be made."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise Conflict("A preview makes no call.")

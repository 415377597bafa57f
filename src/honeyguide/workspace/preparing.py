"""From what a person asks to what the engine is asked: target, numbers, rules, models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from honeyguide.evals.examples import Dataset
from honeyguide.evals.executor import PromptExecutor
from honeyguide.evals.judge import Judge
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evolution.gates import GateOptions
from honeyguide.evolution.plan import Plan, Reason, Stage, make_plan
from honeyguide.evolution.presets import MAX_EXAMPLES, SETTINGS, Preset, SearchSettings
from honeyguide.evolution.requests import EvolutionRequest, TextRequest, Trigger
from honeyguide.evolution.schema import schema_from_json
from honeyguide.kernel.errors import InvalidInput, NoKey
from honeyguide.llm import ModelClient, ModelRef, ModelRole, grades_itself
from honeyguide.prompts.joined import Joined
from honeyguide.prompts.targets import TargetKind
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Home
from honeyguide.workspace.targets import locked_passages
from honeyguide.workspace.together import Group
from honeyguide.workspace.views.options import RunOptions

ROLES = (ModelRole.EXECUTOR, ModelRole.JUDGE, ModelRole.MUTATOR)
_SIZES: Mapping[str, Mapping[str, str]] = {
    "gepa": {
        "populationSize": "population",
        "generations": "generations",
        "microScreenSize": "micro",
        "miniEvalSize": "mini",
        "anchorEvalSize": "anchor",
    },
    "schema": {
        "populationSize": "population",
        "generations": "generations",
        "evalSize": "eval_size",
        "anchorEvalSize": "anchor",
    },
}


@dataclass(frozen=True, slots=True)
class Models:
    """The model of each role."""

    by_role: Mapping[ModelRole, ModelRef]

    def __getitem__(self, role: ModelRole) -> ModelRef:
        return self.by_role[role]

    @property
    def names(self) -> dict[str, str]:
        """Role to model."""
        return {role.value: str(ref) for role, ref in self.by_role.items()}

    @property
    def text(self) -> str:
        """All different models, comma-joined, as it is stored with the attempt."""
        return ", ".join(dict.fromkeys(str(ref) for ref in self.by_role.values()))

    @property
    def grades_itself(self) -> bool:
        """Whether the judge is the executor."""
        return grades_itself(self[ModelRole.EXECUTOR], self[ModelRole.JUDGE])


def models_for(core: Core, options: RunOptions) -> Models:
    """Return the model of each role: as asked, else as set; an executor that was asked for also stands in for both."""
    found = {role: options.models.get(role) or core.model_for(role) for role in ROLES}
    executor = options.models.get(ModelRole.EXECUTOR)
    for role in ROLES:
        if executor is not None and role not in options.models and not core.settings.get(f"models.{role.value}"):
            found[role] = executor
    return Models(found)


async def require_keys(core: Core, models: Models) -> None:
    """Raise NoKey when a model needs a key and none is known."""
    for ref in models.by_role.values():
        if not await core.in_thread(partial(core.registry.has_key, ref)):
            raise NoKey(
                f"No key is known for {ref.provider}.",
                hint=f"Set it with 'honeyguide models set-key {ref.provider}', or choose another model.",
            )


def settings_for(options: RunOptions) -> SearchSettings:
    """Return the numbers of the preset with what was asked on top. Raises InvalidInput."""
    settings = SETTINGS[Preset(options.preset)].with_sizes(
        population=options.population,
        generations=options.generations,
        schema_population=options.schema_population,
        schema_generations=options.schema_generations,
    )
    for stage, sizes in options.sizes.items():
        if stage not in _SIZES:
            raise InvalidInput(f"{stage!r} is not a stage.", hint="Known are gepa and schema.")
        changes: dict[str, int] = {}
        for name, value in sizes.items():
            if name in ("seed", "concurrency"):
                continue
            if name not in _SIZES[stage]:
                raise InvalidInput(f"{name!r} is not a size of {stage}.", hint=f"Known are {', '.join(_SIZES[stage])}.")
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_EXAMPLES:
                raise InvalidInput(f"{stage}.{name} cannot be {value!r}.", hint=f"Use 1 to {MAX_EXAMPLES}.")
            changes[_SIZES[stage][name]] = value
        if stage == "gepa":
            settings = replace(settings, instruction=replace(settings.instruction, **changes))
        else:
            settings = replace(settings, schema=replace(settings.schema, **changes))
    return settings


async def request_for(
    core: Core, group: Group, options: RunOptions, *, live: str | None = None, trigger: Trigger | None = None
) -> EvolutionRequest:
    """Return what the engine is asked. ``live`` is the text at the run's start, for a run that is resumed."""
    began = group.live if live is None else live
    texts = [
        await text_request(core, home, options, text)
        for home, text in zip(group.homes, group.texts(began), strict=True)
    ]
    own = texts[0]
    return EvolutionRequest(
        target=own.target,
        live=began,
        preset=Preset(options.preset),
        settings=settings_for(options),
        schema=None if options.schema_baseline is None else schema_from_json(dict(options.schema_baseline)),
        candidate=None if options.candidate_text is None else group.filled(options.candidate_text),
        seed=options.seed,
        min_delta=options.min_delta,
        allow_safe=options.allow_safe,
        ablate=options.ablate,
        gates=own.gates,
        locked=own.locked,
        dialect=own.dialect,
        not_variables=own.not_variables,
        carrier_checks=own.carrier_checks,
        trigger=trigger,
        concurrency=options.concurrency,
        texts=tuple(texts) if group.joined is not None else (),
    )


async def text_request(core: Core, home: Home, options: RunOptions, live: str) -> TextRequest:
    """Return the rules that one text of a run has to keep to. ``live`` is what stood there when the run began."""
    locks = await core.store.read(lambda unit: unit.targets.locks(home.ref))
    return TextRequest(
        target=home.ref,
        live=live,
        gates=gates_for(core, options, home.ref.kind),
        locked=locked_passages(locks),
        dialect=home.dialect,
        not_variables=home.not_variables,
        carrier_checks=home.carrier_checks(),
    )


def gates_for(core: Core, options: RunOptions, kind: TargetKind) -> GateOptions:
    """Return the limits of the gates for a text. Raises InvalidInput, PolicyRefused."""
    allowed = GateOptions(
        max_growth_ratio=float(core.settings.get("runs.max_growth")),
        allow_looser=bool(core.settings.get("runs.allow_looser_gates")),
        allow_memorised=options.allow_memorised,
    )
    return allowed.overridden(options.gate_options, kind)


def plan_for(
    core: Core,
    request: EvolutionRequest,
    dataset: Dataset,
    models: Models,
    reasons: tuple[Reason, ...] = (),
    *,
    in_batches: bool = False,
    suite: Stage | None = None,
) -> Plan:
    """Return what the run will take."""
    search = request.settings.searches()
    quotes = {role: core.registry.quote(models[role]) for role in ROLES}
    return make_plan(
        request.whole.structured(request.target.kind),
        request.whole.applied(request.live),
        dataset,
        search,
        request.settings,
        quotes,
        has_candidate=request.candidate is not None,
        ablates=request.ablate,
        reasons=reasons,
        proof_quotes={
            role: core.registry.quote(models[role], batch=in_batches and core.registry.takes_batches(models[role]))
            for role in ROLES
        },
        suite=suite,
    )


def judge_for(client: Mapping[ModelRole, ModelClient], models: Models, joined: Joined | None = None) -> RunningJudge:
    """Return what runs and grades texts, of the form ``joined`` where they are several."""
    return RunningJudge(
        PromptExecutor(client[ModelRole.EXECUTOR], models[ModelRole.EXECUTOR], joined=joined),
        Judge(client[ModelRole.JUDGE], models[ModelRole.JUDGE]),
    )


def costs_money(core: Core, options: RunOptions) -> bool:
    """Say whether a run with these options is paid for."""
    return any(core.registry.costs_money(ref) for ref in models_for(core, options).by_role.values())


def goes_in_batches(core: Core, options: RunOptions) -> bool:
    """Say whether the proof's calls go out in batches, where the provider takes them."""
    return bool(core.settings.get("runs.batch_verification")) if options.batch is None else options.batch


def stored_options(options: RunOptions, live: str) -> dict[str, Any]:
    """Return what is kept with the attempt, so that it can be resumed exactly."""
    return {**options.to_json(), "live": live}

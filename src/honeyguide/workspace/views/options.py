"""What a person asks of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from honeyguide.evolution.preset import Preset
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm import ModelRef, ModelRole

MAX_CONCURRENCY = 64


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of ``plan`` and ``evolve``; ``None`` leaves a number to the preset or the settings.

    Attributes:
        max_calls, max_usd: ceilings; every run has one on calls, by its plan if no other.
        min_delta: the least gain worth a proposal, as a share of 1.
        population, generations: of the instruction search; the ``schema_`` ones of the schema search.
        sizes: sample sizes by stage, in the seed's names: ``{"gepa": {"miniEvalSize": …}, "schema": {…}}``.
        candidate_text: a text to prove in place of searching one.
        allow_safe: also propose what is safe but not proven better.
        ablate: measure what each change of the found text is worth, and leave out what earns nothing.
        models: another model for a role.
        gate_options: the seed's gate options; they may only make the rules stricter unless the workspace allows more.
        schema_baseline: the present structure of answers, in the seed's JSON.
        posted_baseline: what a caller believes the live text is; a difference is said in the result.
        is_confirmed: that a person agreed to spend money.
        batch: prove in Message Batches where the provider takes them: half the price, and slow; ``None``: as set.
        together: other targets whose texts are improved in the same run, each ``NAME`` or ``KIND:NAME``.
        alone: leave out the targets that stand with this one.
        allow_memorised: let spans of training cases into the text; it stays on record in the gate's result.
    """

    preset: str = Preset.EFFICIENT.value
    seed: int = 1
    max_calls: int | None = None
    max_usd: float | None = None
    min_delta: float = 0.02
    population: int | None = None
    generations: int | None = None
    schema_population: int | None = None
    schema_generations: int | None = None
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    candidate_text: str | None = None
    concurrency: int = 4
    allow_safe: bool = False
    ablate: bool = False
    models: Mapping[ModelRole, ModelRef] = field(default_factory=dict)
    gate_options: Mapping[str, Any] = field(default_factory=dict)
    schema_baseline: Mapping[str, Any] | None = None
    posted_baseline: str | None = None
    is_confirmed: bool = False
    allow_memorised: bool = False
    batch: bool | None = None
    together: tuple[str, ...] = ()
    alone: bool = False

    def __post_init__(self) -> None:
        if self.preset not in set(Preset):
            known = ", ".join(preset.value for preset in Preset)
            raise InvalidInput(f"{self.preset!r} is not a preset.", hint=f"Use one of: {known}.")
        if not 1 <= self.concurrency <= MAX_CONCURRENCY:
            raise InvalidInput(f"Concurrency {self.concurrency} is out of bounds.", hint=f"Use 1 to {MAX_CONCURRENCY}.")
        if not -1 <= self.min_delta <= 1:
            raise InvalidInput(f"A gain of {self.min_delta} is out of bounds.", hint="Use -1 to 1; 0.02 is 2 points.")
        if self.together and self.alone:
            raise InvalidInput("A run is either alone or together with others.")
        if self.candidate_text is not None and not self.candidate_text.strip():
            raise InvalidInput("The given text is empty.", hint="Give the whole new prompt.")
        for name, value in (("calls", self.max_calls), ("money", self.max_usd)):
            if value is not None and value <= 0:
                raise InvalidInput(f"A ceiling of {value} on {name} allows nothing.", hint="Use a positive number.")

    def confirmed(self) -> RunOptions:
        """Return the same options with the person's agreement to spend money."""
        return replace(self, is_confirmed=True)

    def to_json(self) -> dict[str, Any]:
        """Return the options as they are stored with the attempt; ``from_json`` reads them back."""
        return {
            "preset": self.preset, "seed": self.seed, "max_calls": self.max_calls, "max_usd": self.max_usd,
            "min_delta": self.min_delta, "population": self.population, "generations": self.generations,
            "schema_population": self.schema_population, "schema_generations": self.schema_generations,
            "sizes": {stage: dict(sizes) for stage, sizes in self.sizes.items()},
            "candidate_text": self.candidate_text, "concurrency": self.concurrency, "allow_safe": self.allow_safe,
            "ablate": self.ablate,
            "models": {role.value: str(ref) for role, ref in self.models.items()},
            "gate_options": dict(self.gate_options),
            "schema_baseline": None if self.schema_baseline is None else dict(self.schema_baseline),
            "is_confirmed": self.is_confirmed,
            "allow_memorised": self.allow_memorised,
            "batch": self.batch,
            "together": list(self.together),
            "alone": self.alone,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunOptions:
        """Read stored options. Raises InvalidInput."""
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        known["together"] = tuple(data.get("together") or ())
        known["models"] = {ModelRole(role): ModelRef.parse(ref) for role, ref in data.get("models", {}).items()}
        return cls(**known)

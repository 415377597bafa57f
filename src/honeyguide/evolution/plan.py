"""What a run will take before it begins: calls, tokens and price, each as a range. Makes no call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.evals.examples import Dataset, Example
from honeyguide.evolution.ablation import most_ablation_calls
from honeyguide.evolution.compose import ComposedSearch
from honeyguide.evolution.instruction_search import calls_for
from honeyguide.evolution.presets import SearchSettings
from honeyguide.llm.prices import Quote
from honeyguide.llm.protocol import ModelRole, Usage
from honeyguide.prompts.targets import TargetKind

CHARACTERS_PER_TOKEN = 4
"""English prose; other scripts take more, which the upper end of the range allows for."""
FRAME_TOKENS = 600
"""What the judge's and the mutator's own instructions take."""
LEAST_HOLDOUT = 12
"""Under this many holdout examples nothing is ever called better."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a run cannot begin, or what a person should know before."""

    code: str
    message: str
    blocks: bool = True


@dataclass(frozen=True, slots=True)
class Range:
    """A lowest and a highest number."""

    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Stage:
    """One part of a run and its calls."""

    name: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will take.

    Attributes:
        usd: ``None`` when the price of a model is unknown.
    """

    stages: tuple[Stage, ...]
    tokens: Range
    usd: Range | None
    reasons: tuple[Reason, ...] = ()

    @property
    def ready(self) -> bool:
        return not any(reason.blocks for reason in self.reasons)

    @property
    def calls(self) -> Range:
        return Range(sum(stage.low for stage in self.stages), sum(stage.high for stage in self.stages))

    def to_json(self) -> dict[str, Any]:
        """Return the contract's ``plan`` document."""
        return {
            "ready": self.ready,
            "reasons": [{"code": r.code, "message": r.message} for r in self.reasons],
            "calls": self.calls.to_json(),
            "usd": None if self.usd is None else {"low": round(self.usd.low, 4), "high": round(self.usd.high, 4)},
            "tokens": self.tokens.to_json(),
            "stages": [{"name": s.name, "calls": {"low": s.low, "high": s.high}} for s in self.stages],
        }


def make_plan(
    kind: TargetKind,
    live: str,
    dataset: Dataset,
    search: ComposedSearch,
    settings: SearchSettings,
    quotes: Mapping[ModelRole, Quote],
    *,
    has_candidate: bool = False,
    ablates: bool = False,
    reasons: Sequence[Reason] = (),
    proof_quotes: Mapping[ModelRole, Quote] | None = None,
    suite: Stage | None = None,
) -> Plan:
    """Return the plan of a run.

    Args:
        quotes: what a call of each role costs; a missing role has no known price.
        search: both stages, e.g. from ``settings.searches``.
        has_candidate: whether the text is given, so that nothing is searched.
        ablates: whether the change is taken apart.
        proof_quotes: what calls of the proof cost, where that is another price.
        reasons: what the caller knows already (no model, a run under way, …).
        suite: what the target's eval suite takes, on both texts.
    """
    train, validation = development_examples(dataset)
    if has_candidate:
        measured = 2 * sum(calls_for(e) for e in validation[: settings.instruction.anchor])
        stages = [Stage("development", measured, measured)]
    elif train:
        stages = [Stage(name, *calls) for name, calls in search.calls(kind, train, validation).items()]
    else:
        stages = []
    if ablates and stages:
        stages.append(Stage("ablation", 0, most_ablation_calls(validation[: settings.instruction.anchor])))
    stages += [suite] if suite is not None else []
    proof = Stage("verification", 0, verification_calls(dataset.holdout, settings))
    low, high = (sum(s.low for s in stages), sum(s.high for s in stages))
    examples = [*train, *validation, *dataset.holdout]
    tokens_low, tokens_high, usd = _price(live, examples, low, high, quotes)
    proof_low, proof_high, proof_usd = _price(live, examples, proof.low, proof.high, proof_quotes or quotes)
    stages.append(proof)
    tokens_low, tokens_high = tokens_low + proof_low, tokens_high + proof_high
    if usd is not None:
        usd = None if proof_usd is None else Range(usd.low + proof_usd.low, usd.high + proof_usd.high)
    return Plan(
        tuple(stages), Range(tokens_low, tokens_high), usd, (*reasons, *_reasons(train, dataset, has_candidate))
    )


def development_examples(dataset: Dataset) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Return what a search may use: training examples, and validation examples that choose among finalists.

    With fewer than ``LEAST_VALIDATION`` validation examples the choice would be a throw of dice; then training examples
    decide too. The holdout is never among them.
    """
    train = dataset.train or dataset.validation
    if len(dataset.validation) >= LEAST_VALIDATION:
        return train, dataset.validation
    return train, (*dataset.validation, *dataset.train)


LEAST_VALIDATION = 8


def verification_calls(holdout: Sequence[Example], settings: SearchSettings) -> int:
    """Return the most calls a verification takes: both texts, every repeat, answer and judge."""
    measured = holdout if settings.holdout is None else holdout[: settings.holdout]
    return 2 * settings.repeats * sum(calls_for(example) for example in measured)


def _price(
    live: str, examples: Sequence[Example], low: int, high: int, quotes: Mapping[ModelRole, Quote]
) -> tuple[int, int, Range | None]:
    """Half of the calls answer, half judge; a mutation is priced like a judgement. The upper end is twice the mean."""
    n = max(len(examples), 1)
    prompt = len(live) // CHARACTERS_PER_TOKEN
    given = sum(len(e.input) for e in examples) // (n * CHARACTERS_PER_TOKEN)
    wanted = max(sum(len(e.expected) for e in examples) // (n * CHARACTERS_PER_TOKEN), 50)
    answer = Usage(prompt + given, wanted)
    judgement = Usage(FRAME_TOKENS + given + 2 * wanted, 120)
    each = [sum((u.input_tokens or 0) + (u.output_tokens or 0) for u in (answer, judgement)) / 2][0]
    prices = [
        _cost(quotes.get(role), usage) for role, usage in ((ModelRole.EXECUTOR, answer), (ModelRole.JUDGE, judgement))
    ]
    tokens_low, tokens_high = int(low * each), int(high * each * 2)
    if any(price is None for price in prices) or _cost(quotes.get(ModelRole.MUTATOR), judgement) is None:
        return tokens_low, tokens_high, None
    mean = sum(price for price in prices if price is not None) / 2
    return tokens_low, tokens_high, Range(low * mean, high * mean * 2)


def _cost(quote: Quote | None, usage: Usage) -> float | None:
    return None if quote is None else quote.cost(usage)


def _reasons(train: Sequence[Example], dataset: Dataset, has_candidate: bool) -> list[Reason]:
    found = []
    if not train and not has_candidate:
        found.append(Reason("no-examples", "There is no example of this target to search on."))
    if not dataset.holdout:
        found.append(Reason("no-holdout", "There is no unseen example to prove a change on.", blocks=has_candidate))
    elif len(dataset.holdout) < LEAST_HOLDOUT:
        found.append(
            Reason(
                "small-holdout",
                f"{len(dataset.holdout)} unseen examples: under {LEAST_HOLDOUT} nothing is ever called better.",
                blocks=False,
            )
        )
    return found

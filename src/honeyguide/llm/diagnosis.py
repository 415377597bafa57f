"""``models test``: does this model answer, and if not, why not and what helps."""

from __future__ import annotations

from dataclasses import dataclass

from rapidfuzz import process

from honeyguide.kernel.errors import HoneyguideError, ModelError
from honeyguide.llm.budget import Budget, BudgetedClient, Meter
from honeyguide.llm.failures import FailureKind, failure_of
from honeyguide.llm.protocol import Message, ModelRef, ModelReply, ModelRequest
from honeyguide.llm.registry import ModelRegistry
from honeyguide.llm.settings import FREE_PROVIDERS

TEST_TOKENS = 64
"""The longest reply to the test question; enough for a model that thinks a little first."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What came of the test.

    Attributes:
        kind: ``ok``, or the cause as ``FailureKind`` spells it: ``dns``, ``refused``, ``auth``, ``quota``, …
        sentence: what was found.
        remedy: what to do about it; empty when all is well.
        notes: what was put right on the way, e.g. in the address.
        suggestions: names of models that look like the one that was not found.
    """

    model: str
    is_ok: bool
    kind: str
    sentence: str
    remedy: str = ""
    latency_ms: int = 0
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


async def diagnose(ref: ModelRef, registry: ModelRegistry, budget: Budget | None = None) -> Diagnosis:
    """Ask the model one short question (a fraction of a cent where calls cost money) and explain what happens.

    Args:
        budget: what the call counts on; none when not given.
    """
    notes: tuple[str, ...] = ()
    try:
        if ref.provider not in FREE_PROVIDERS:
            notes = registry.settings.base_url(ref.provider, registry.environ).notes
        reply = await _asked(ref, registry, budget or Budget())
    except ModelError as error:
        kind = failure_of(error).kind
        suggestions = await _similar(ref, registry) if kind is FailureKind.MODEL_NOT_FOUND else ()
        remedy = f"Did you mean {' or '.join(suggestions)}? {error.hint}" if suggestions else error.hint
        return Diagnosis(str(ref), False, kind.value, error.message, remedy, notes=notes, suggestions=suggestions)
    except HoneyguideError as error:
        return Diagnosis(str(ref), False, error.code, error.message, error.hint, notes=notes)
    notes += registry.provider(ref).preview(_question(ref)).notes
    sentence = f"{ref} answered in {reply.latency_ms} ms."
    return Diagnosis(str(ref), True, "ok", sentence, latency_ms=reply.latency_ms, notes=notes)


async def _asked(ref: ModelRef, registry: ModelRegistry, budget: Budget) -> ModelReply:
    question, meter = _question(ref), Meter(budget, registry.quote(ref))
    try:
        return await BudgetedClient(registry.provider(ref), meter).complete(question)
    except ModelError as error:
        meter.failed(question, error)
        raise


def _question(ref: ModelRef) -> ModelRequest:
    return ModelRequest(ref, (Message("user", "Answer with the word: ready"),), max_tokens=TEST_TOKENS)


async def _similar(ref: ModelRef, registry: ModelRegistry) -> tuple[str, ...]:
    try:
        offered = [model.id for model in await registry.list_models(ref.provider)]
    except HoneyguideError:
        return ()  # the list is only a help; the diagnosis stands without it
    found = process.extract(ref.model, offered, limit=3, score_cutoff=60)
    return tuple(name for name, *_ in found)

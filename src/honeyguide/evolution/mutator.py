"""Who proposes new texts: a port, and the model that stands behind it in a real run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from honeyguide.evolution.mutation import MutationTask, mutation_request, read_new_prompt
from honeyguide.kernel.errors import ModelError
from honeyguide.llm.protocol import ModelClient, ModelRef


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new text, or why there is none."""

    text: str | None
    problem: str = ""


class Mutator(Protocol):
    """Anything that proposes a new text for a task."""

    async def propose(self, task: MutationTask, repetition: int = 0) -> Proposal:
        """Propose. A failure is a proposal without text. Raises BudgetExceeded or Interrupted."""
        ...


@dataclass(frozen=True, slots=True)
class ModelMutator:
    """Asks a model."""

    client: ModelClient
    model: ModelRef

    async def propose(self, task: MutationTask, repetition: int = 0) -> Proposal:
        try:
            reply = await self.client.complete(mutation_request(task, self.model, repetition=repetition))
        except ModelError as error:
            return Proposal(None, f"mutator-failed: {error.code}")
        return Proposal(*read_new_prompt(reply, task.current))

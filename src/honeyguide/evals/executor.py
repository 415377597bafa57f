"""Running a candidate: its text becomes the system prompt, the example's input the user's message.

Nothing is added to either, so that what is measured is what an agent would do with the deployed text.
"""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.evals.examples import Example
from honeyguide.kernel.errors import ModelError
from honeyguide.llm.protocol import Message, ModelClient, ModelRef, ModelRequest, ModelRole, StopReason
from honeyguide.prompts.joined import Joined

SCHEMA_SEPARATOR = "\n\n"
"""What stands between the candidate's text and the rendered output schema."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the candidate answered, or why there is nothing to grade.

    Attributes:
        text: the answer; empty when ``failure`` is set.
        failure: empty, or ``executor-failed: CODE`` / ``executor-truncated`` for an infrastructure failure.
        cost_usd: price of the call; ``None`` when unknown.
        replayed: whether it came from the journal and cost nothing now.
    """

    text: str
    failure: str = ""
    cost_usd: float | None = None
    replayed: bool = False


def executor_system(prompt_text: str, schema_text: str | None = None) -> str:
    """Return the system prompt: the candidate's text and, when there is one, the rendered schema after a blank line."""
    return prompt_text if not schema_text else f"{prompt_text}{SCHEMA_SEPARATOR}{schema_text}"


@dataclass(frozen=True, slots=True)
class PromptExecutor:
    """Runs candidate texts on one model.

    Attributes:
        max_tokens: the longest answer that is accepted.
        joined: the form of candidate texts that hold several texts, all of which drive the model at once.
    """

    client: ModelClient
    model: ModelRef
    max_tokens: int = 2048
    temperature: float | None = None
    joined: Joined | None = None

    def request(self, prompt_text: str, schema_text: str | None, input: str, repetition: int = 0) -> ModelRequest:
        """Return the request that ``run`` sends."""
        return ModelRequest(
            model=self.model,
            messages=(Message("user", input),),
            system=executor_system(self._applied(prompt_text), schema_text),
            max_tokens=self.max_tokens,
            role=ModelRole.EXECUTOR,
            repetition=repetition,
            temperature=self.temperature,
        )

    async def run(self, prompt_text: str, schema_text: str | None, example: Example, repetition: int = 0) -> Answer:
        """Answer ``example``. A model that cannot be reached is a failure to report, never an empty answer.

        Raises:
            BudgetExceeded, Interrupted: the run has to stop.
        """
        try:
            reply = await self.client.complete(self.request(prompt_text, schema_text, example.input, repetition))
        except ModelError as error:
            return Answer("", f"executor-failed: {error.code}")
        if not reply.text.strip() and reply.stop_reason is StopReason.MAX_TOKENS:
            return Answer("", "executor-truncated", reply.cost_usd, reply.replayed)
        return Answer(reply.text, "", reply.cost_usd, reply.replayed)

    def _applied(self, prompt_text: str) -> str:
        return prompt_text if self.joined is None else self.joined.applied(prompt_text)

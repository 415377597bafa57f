"""Every model call of a run passes here: a cancelled run makes no further call, and what was spent is counted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from honeyguide.evals.running_judge import RunningJudge
from honeyguide.kernel.errors import ModelError
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.protocol import ModelClient, ModelReply, ModelRequest


@dataclass(slots=True)
class Spend:
    """What a run used so far.

    Attributes:
        usd: US dollars of the calls made now; ``None`` once a call had no known price.
        calls: calls that were made, failed ones too.
        replayed_calls: requests that the journal answered at no cost.
    """

    calls: int = 0
    replayed_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0

    def to_json(self) -> dict[str, int | float | None]:
        """Return ``{calls, usd, input_tokens, output_tokens, replayed_calls}``."""
        return {
            "calls": self.calls,
            "usd": None if self.usd is None else round(self.usd, 6),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "replayed_calls": self.replayed_calls,
        }


@dataclass(slots=True)
class MeteredClient:
    """A model client that stops when the run is cancelled and adds what each reply cost to ``spend``."""

    inner: ModelClient
    cancel: Cancellation
    spend: Spend = field(default_factory=Spend)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Raises Interrupted, before the call, when the run was cancelled; else as the inner client does."""
        self.cancel.check()
        try:
            reply = await self.inner.complete(request)
        except ModelError:
            self.spend.calls += 1
            raise
        self._add(reply)
        return reply

    def _add(self, reply: ModelReply) -> None:
        spend = self.spend
        spend.input_tokens += reply.usage.input_tokens or 0
        spend.output_tokens += reply.usage.output_tokens or 0
        if reply.replayed:
            spend.replayed_calls += 1
            return
        spend.calls += 1
        if reply.cost_usd is None or spend.usd is None:
            spend.usd = None
        else:
            spend.usd += reply.cost_usd


def metered_judge(judge: RunningJudge, cancel: Cancellation, spend: Spend) -> RunningJudge:
    """Return ``judge`` with both of its models behind a ``MeteredClient``."""
    return replace(
        judge,
        executor=replace(judge.executor, client=MeteredClient(judge.executor.client, cancel, spend)),
        judge=replace(judge.judge, client=MeteredClient(judge.judge.client, cancel, spend)),
    )

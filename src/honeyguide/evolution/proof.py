"""The last step of a run: the holdout, opened once, for one text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from honeyguide.evals.examples import Dataset, Example
from honeyguide.evals.findings import Thresholds
from honeyguide.evals.looks import measurement_key
from honeyguide.evals.measuring import TextUnderTest
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evals.verification import VerificationOptions, VerificationRecord
from honeyguide.evals.verifying import receipt_for, verify
from honeyguide.evolution.requests import EvolutionRequest, RunPorts
from honeyguide.kernel.canonical import fingerprint, sha256_hex
from honeyguide.kernel.choice import sample
from honeyguide.llm.cancel import Cancellation


@dataclass(frozen=True, slots=True)
class Proof:
    """Measures the live text and one other on examples that no search saw."""

    request: EvolutionRequest
    ports: RunPorts
    dataset: Dataset

    async def make(
        self,
        text: str,
        development: Sequence[float],
        judge: RunningJudge,
        cancel: Cancellation,
        progress: Callable[[int, int, float], None] | None = None,
    ) -> VerificationRecord:
        """Verify ``text``; ``development`` are paired differences that the stakes are learnt on. Raises Interrupted."""
        request, examples = self.request, self.examples()
        options = VerificationOptions(
            thresholds=request.thresholds or Thresholds(min_delta=max(request.min_delta, 0.0)),
            repeats=request.settings.repeats,
            look=await self._look(text, examples),
            seed=request.seed,
            concurrency=request.concurrency if self.ports.prover is None else self.ports.prover_concurrency,
        )
        before, after = TextUnderTest(request.live), TextUnderTest(text)
        parts = {
            "dataset": self.dataset.dataset_hash,
            "gates": fingerprint(request.gate_facts),
            **self.ports.receipt_parts,
        }
        receipt = receipt_for(before, after, examples, judge, development, options, parts)
        return await verify(
            before,
            after,
            examples,
            judge,
            development,
            options,
            cancellation=cancel,
            progress=progress,
            receipt=receipt,
        )

    def examples(self) -> list[Example]:
        """Return the holdout examples that are measured: all, or as many as the settings say, by the seed."""
        most = self.request.settings.holdout
        holdout = list(self.dataset.holdout)
        return holdout if most is None or most >= len(holdout) else sample(self.request.seed, holdout, most, "holdout")

    async def _look(self, text: str, examples: Sequence[Example]) -> int:
        if self.ports.claim_look is None:
            return 1
        key = measurement_key(self.request.live_sha256, sha256_hex(text), self.request.settings.repeats)
        return await self.ports.claim_look(key, [example.id for example in examples])

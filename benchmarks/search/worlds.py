"""The simulated worlds as examples, an executor and a mutator for our engine.

They are found through ``HONEYGUIDE_BENCH_DIR`` (default: ``../shared/bench`` beside the repository). Only what an
optimiser may see is used: examples, the seed prompt, ``run`` and ``reflect``. ``truth`` is for the table alone.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.search.families import OWN, own_families

from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.evolution.execution import EvaluationJob
from honeyguide.evolution.mutation import MutationTask
from honeyguide.evolution.mutator import Proposal
from honeyguide.evolution.racing import TextParts

FOLDER = Path(os.environ.get("HONEYGUIDE_BENCH_DIR") or Path(__file__).resolve().parents[2].parent / "shared" / "bench")
FAMILIES = ("triage", "extract", "comply")
PROSE = ("triage", "comply")
"""Families whose prompts can be written as one paragraph."""
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "frozen verdicts": {"noise": {"fresh": False}},
    "quiet judge": {"noise": {"judge": 0.0}},
    "judge 8 % wrong": {"noise": {"judge": 0.08}},
    "60+60 examples": {"n_train": 60, "n_val": 60},
    "15+15 examples": {"n_train": 15, "n_val": 15},
    "weak reflector": {"noise": {"slip": 0.35, "dud": 0.4, "overspec": 0.25}},
    "one paragraph": {},
}
"""The worlds, and changes of them: noise of judge and reflector, numbers of examples."""
BREAK = "\n\x1e\n"
"""Between the parts of a text; no world uses it."""
_FENCED = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)


def simulator() -> Any | None:
    """Return the module of the worlds, or ``None`` where they are not."""
    if not (FOLDER / "sim.py").is_file():
        return None
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    sim = importlib.import_module("sim")
    if OWN[0] not in sim.FAMILIES:
        sim.FAMILIES.update(own_families(sim))
    return sim


@dataclass(slots=True)
class World:
    """One world as our engine sees it; counts calls where the model would.

    Attributes:
        latency, reflect_latency: seconds of one call.
        width: calls that the provider takes at once.
        prose: whether our engine sees the prompt as one paragraph; executor and reflector see lines all the same.
    """

    inner: Any
    latency: float = 0.0
    reflect_latency: float = 0.0
    width: int = 8
    prose: bool = False
    _slots: asyncio.Semaphore = field(init=False)
    _by_id: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.width)
        self._by_id = {example["id"]: example for example in (*self.inner.train, *self.inner.val)}

    @property
    def calls(self) -> int:
        return int(self.inner.gate.exec_calls)

    @property
    def reflections(self) -> int:
        return int(self.inner.gate.reflect_calls)

    @property
    def names(self) -> list[str]:
        return sorted(self.inner.seed_candidate)

    @property
    def seed_text(self) -> str:
        text = BREAK.join(self.inner.seed_candidate[name] for name in self.names)
        return _as_prose(text) if self.prose else text

    def examples(self, split: str) -> tuple[Example, ...]:
        """Return the examples of ``train`` or ``val``."""
        rows = self.inner.train if split == "train" else self.inner.val
        return tuple(
            Example(row["id"], row["text"], "", ExpectationRole.CHECKS, conversation=row["id"]) for row in rows
        )

    def candidate(self, text: str) -> dict[str, str]:
        return dict(zip(self.names, (_as_lines(text) if self.prose else text).split(BREAK), strict=True))

    def truth(self, text: str) -> float:
        """Return the true score; for the table only."""
        return float(self.inner.true_score(self.candidate(text)))

    def gain(self, text: str) -> float:
        """Return the true gain: 0 for the seed prompt, 1 for the oracle; for the table only."""
        return float(self.inner.norm(self.truth(text)))

    def length(self, text: str) -> float:
        """Return the length as a share of the oracle's."""
        return len(self.inner.prompt(self.candidate(text))) / len(self.inner.prompt(self.inner.oracle))

    # ---- EvaluationExecutor ----------------------------------------------------------------------------------

    def submit(self, job: EvaluationJob) -> asyncio.Future[Evaluation]:
        return asyncio.ensure_future(self._run(job))

    async def as_completed(self, futures: Iterable[asyncio.Future[Evaluation]]) -> AsyncIterator[Evaluation]:
        for future in asyncio.as_completed(list(futures)):
            yield await future

    async def cancel(self, futures: Iterable[asyncio.Future[Evaluation]]) -> None:
        waiting = list(futures)
        for future in waiting:
            future.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async def _run(self, job: EvaluationJob) -> Evaluation:
        async with self._slots:
            if self.latency:
                await asyncio.sleep(self.latency)
            result = self.inner.run(self.candidate(job.text), self._by_id[job.example.id])
        o = result.objectives
        score = JudgeScore(
            o["correctness"], o["procedure"], o["conciseness"], result.score, 1.0, result.score
        )  # fmt: skip
        verdict = Verdict(score, result.feedback, raw=json.dumps(result.tags))
        return Evaluation(job.example.id, result.output, verdict, job.repetition)

    # ---- Mutator ---------------------------------------------------------------------------------------------

    async def propose(self, task: MutationTask, repetition: int = 0) -> Proposal:
        """Ask the world's reflection model, in the words that its own optimisers use."""
        evidence = "\n\n".join(failure.feedback for failure in (*task.failures, *task.good))
        shown = _as_lines if self.prose else str
        avoid = "\n".join(f"REJECTED: {shown(line)}" for line in task.avoid)
        parts = (
            f"<current_prompt>\n{shown(task.current)}\n</current_prompt>",
            f"Evidence:\n{evidence}",
            f"{avoid}\nImprove it.\n",
        )
        prompt = "\n\n".join(parts)
        async with self._slots:
            if self.reflect_latency:
                await asyncio.sleep(self.reflect_latency)
            found = _FENCED.search(self.inner.reflect(prompt))
        if found is None or not found[1].strip():
            return Proposal(None, "malformed")
        return Proposal(_as_prose(found[1]) if self.prose else found[1])


def _as_prose(lines: str) -> str:
    """Return lines as the sentences of one paragraph."""
    turned = (re.sub(r"\. \(usually\)$", " (usually).", line.strip()) for line in lines.split("\n"))
    return " ".join(f"Mind: {line[2:]}" if line.startswith("- ") else line for line in turned if line)


def _as_lines(prose: str) -> str:
    """Return the sentences of a paragraph as lines; the reverse of ``_as_prose``."""
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z])", prose)
    turned = (re.sub(r" \(usually\)\.$", ". (usually)", sentence.strip()) for sentence in sentences)
    return "\n".join(f"- {sentence[6:]}" if sentence.startswith("Mind: ") else sentence for sentence in turned)


class Tags:
    """The worlds' judges give short labels of what failed, as noisy as their verdicts."""

    def of(self, evaluation: Evaluation) -> tuple[str, ...]:
        return tuple(json.loads(evaluation.verdict.raw))


PARTS = TextParts(lambda text: tuple(text.split(BREAK)), BREAK.join)


def world(family: str, seed: int, variant: str = "default", **options: Any) -> World:
    """Make a world. Raises KeyError for an unknown family or variant."""
    sim = simulator()
    if sim is None:
        raise FileNotFoundError(FOLDER)
    changes = dict(VARIANTS[variant])
    noise = sim.Noise(**changes.pop("noise", {}))
    inner = sim.FAMILIES[family](seed, noise=noise, gate=sim.Gate(), **changes)
    return World(inner, prose=variant == "one paragraph", **options)

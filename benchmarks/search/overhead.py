"""What the search itself costs a call, and the journal beside it: CPU time, on answers that cost next to nothing.

    python -m benchmarks.search.overhead [--calls 400,1600,6400,16000] [--runs 3]

The least of several runs is told: other programs make CPU time longer, never shorter. The machine's pace is told by
a reference in the same run: hashing a kilobyte.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.search.results import write_section

from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.evolution.execution import EvaluationJob
from honeyguide.evolution.mutation import MutationTask
from honeyguide.evolution.mutator import Proposal
from honeyguide.evolution.racing import RacingSearch, RacingSettings
from honeyguide.evolution.scoring import ScoreLedger
from honeyguide.evolution.search import InstructionTask, SearchPorts
from honeyguide.llm.journal import Journal
from honeyguide.llm.protocol import Message, ModelRef, ModelReply, ModelRequest, ModelRole, Usage
from honeyguide.prompts.targets import TargetKind, TargetRef

POINTS = 24
WRONG = 0.2
"""Share of answers that fail whatever the prompt says, so that the search has work to the end."""


@dataclass(slots=True)
class Cheap:
    """An executor and a mutator that answer at once; what they do is counted apart."""

    count: int = 0
    asked: list[tuple[str, str, int]] = field(default_factory=list)

    def submit(self, job: EvaluationJob) -> asyncio.Future[Evaluation]:
        future: asyncio.Future[Evaluation] = asyncio.get_running_loop().create_future()
        self.asked.append((job.text, job.example.id, job.repetition))
        future.set_result(self.answer(job.text, job.example.id, job.repetition))
        return future

    def answer(self, text: str, example: str, repetition: int) -> Evaluation:
        point = f"point{int(example) % POINTS}"
        self.count += 1
        lot = (self.count * 2654435761 % 2**32) / 2**32
        right = lot > (WRONG if f"Mind {point}." in text else 0.7)
        score = JudgeScore(*[float(right)] * 4, 1.0, float(right))
        said = "" if right else f"It misses {point}."
        return Evaluation(example, f"answer {self.count}", Verdict(score, said), repetition)

    async def as_completed(self, futures: Iterable[asyncio.Future[Evaluation]]) -> AsyncIterator[Evaluation]:
        for future in futures:
            yield await future

    async def cancel(self, futures: Iterable[asyncio.Future[Evaluation]]) -> None:
        for future in futures:
            future.cancel()

    async def propose(self, task: MutationTask, repetition: int = 0) -> Proposal:
        self.count += 1
        seen = [word for failure in task.failures for word in failure.feedback.split() if word.startswith("point")]
        missing = [f"- Mind {word}" for word in dict.fromkeys(seen) if f"- Mind {word}" not in task.current]
        return Proposal("\n".join([task.current, *missing[:1], f"- Think of step {self.count} too."]))


class Points:
    """Reads the one complaint that ``Cheap`` makes."""

    def of(self, evaluation: Evaluation) -> tuple[str, ...]:
        return (evaluation.verdict.feedback,) if evaluation.verdict.feedback else ()


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def engine(calls: int) -> tuple[float, Cheap]:
    """Return the CPU seconds of the search alone for so many calls, and what was asked."""
    examples = tuple(
        Example(str(i), f"A question on point{i % POINTS}", "", ExpectationRole.CHECKS, conversation=str(i))
        for i in range(60)
    )
    cheap = Cheap()
    task = InstructionTask(
        TargetRef(TargetKind.GENERIC, "overhead"), "Answer.", "Answer.", examples[:30], examples[30:], seed=1
    )  # fmt: skip
    search = RacingSearch(RacingSettings(evaluations=calls, anchor=30, dry=10**9), kinds=Points)
    spent = seconds(lambda: asyncio.run(search.search(task, SearchPorts(ScoreLedger(cheap), cheap, width=8))))
    again = Cheap()
    return spent - seconds(lambda: [again.answer(*asked) for asked in cheap.asked]), cheap


def journal(asked: Sequence[tuple[str, str, int]], folder: Path) -> float:
    """Return the CPU seconds of writing one reply for each call."""
    model = ModelRef("practice", "m")
    reply = ModelReply("It is so.", usage=Usage(900, 20), cost_usd=0.0)
    folder.mkdir(exist_ok=True)
    with Journal(folder / f"{len(asked)}.jsonl") as journal:

        def write() -> None:
            for number, (text, example, repetition) in enumerate(asked):
                question = (Message("user", f"A question {example} of {number}"),)
                request = ModelRequest(model, question, text, role=ModelRole.EXECUTOR, repetition=repetition)
                journal.record_reply(request, reply)

        return seconds(write)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, write. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.overhead")
    parser.add_argument("--calls", default="400,1600,6400,16000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-file", action="store_true", help="leave benchmarks/RESULTS.md alone")
    wanted = parser.parse_args(arguments)
    kilobyte = b"x" * 1024
    lines = ["| calls | search, µs a call | journal, µs a call | hashing a kilobyte, µs |", "|---|---|---|---|"]
    engine(200)
    with tempfile.TemporaryDirectory() as folder:
        for calls in map(int, wanted.calls.split(",")):
            measured = [engine(calls) for _ in range(wanted.runs)]
            spent, cheap = min(measured, key=lambda one: one[0])
            made = len(cheap.asked)
            reference = min(
                seconds(lambda: [hashlib.sha256(kilobyte).hexdigest() for _ in range(20_000)]) / 20_000
                for _ in range(wanted.runs)
            )
            written = min(journal(cheap.asked, Path(folder) / str(run)) for run in range(wanted.runs))
            lines.append(f"| {made} | {1e6 * spent / made:.0f} | {1e6 * written / made:.0f} | {1e6 * reference:.1f} |")
            print(lines[-1], flush=True)
    if not wanted.no_file:
        write_section("Search: CPU time of the engine and the journal", "\n".join(lines), ("honeyguide", "numpy"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

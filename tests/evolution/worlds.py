"""Small worlds for tests of the search: examples, and a model whose three answers are given as functions of text."""

from __future__ import annotations

from collections.abc import Callable

from honeyguide.evals.examples import Dataset, Example
from honeyguide.evals.executor import PromptExecutor
from honeyguide.evals.judge import Judge
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evolution.execution import LoopExecutor
from honeyguide.evolution.mutator import ModelMutator
from honeyguide.evolution.scoring import ScoreLedger
from honeyguide.evolution.search import SearchPorts
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest, ModelRole
from honeyguide.prompts.targets import TargetKind, TargetRef
from tests.fakes.evals_model import FakeModel, blocks_of, verdict

MODEL = ModelRef("fake", "rules")
TARGET = TargetRef(TargetKind.GENERIC, "greeter")
Grade = Callable[[str, str], "tuple[float, float, float, str] | str"]
"""(answer, input) -> correctness, procedure, conciseness from 0 to 10 and feedback; or the judge's reply as it is."""


def examples(count: int, prefix: str = "q") -> tuple[Example, ...]:
    return tuple(
        Example(f"{prefix}{i}", f"question {prefix}{i}", f"answer {i}", conversation=f"{prefix}{i}")
        for i in range(count)
    )


def dataset(train: int = 12, validation: int = 8, holdout: int = 14) -> Dataset:
    return Dataset(examples(train, "t"), examples(validation, "v"), examples(holdout, "h"), seed=1, sourced=train)


def model(
    grade: Grade,
    mutate: Callable[[dict[str, str]], str] = lambda blocks: "",
    answer: Callable[[str, str], str] = lambda system, question: system,
    pause: Callable[[ModelRequest], float] | None = None,
) -> FakeModel:
    """Return a model that answers with ``answer`` (by default with its own prompt), grades and proposes."""

    def reply(request: ModelRequest) -> str | ModelReply:
        blocks = blocks_of(request)
        if request.role is ModelRole.JUDGE:
            graded = grade(blocks["ACTUAL"], blocks["INPUT"])
            return graded if isinstance(graded, str) else verdict(*graded)
        if request.role is ModelRole.MUTATOR:
            return f"<new_prompt>\n{mutate(blocks)}\n</new_prompt>"
        return answer(request.system, request.messages[-1].content)

    return FakeModel(reply, pause=pause)


def running_judge(client: FakeModel) -> RunningJudge:
    return RunningJudge(PromptExecutor(client, MODEL), Judge(client, MODEL))


def ports(client: FakeModel, *, width: int = 1, **others: object) -> SearchPorts:
    ledger = ScoreLedger(LoopExecutor(running_judge(client), width))
    return SearchPorts(ledger=ledger, mutator=ModelMutator(client, MODEL), width=width, **others)  # type: ignore[arg-type]


def constant(correctness: float = 7, feedback: str = "Say more.") -> Grade:
    return lambda actual, question: (correctness, 8, 8, feedback)

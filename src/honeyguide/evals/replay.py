"""The replay lab: past inputs run again on two versions of a text, side by side, within a budget.

With a client that reads a journal, calls that are in it cost nothing, so a replay can be looked at offline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.evals.examples import Example
from honeyguide.evals.executor import Answer
from honeyguide.evals.measuring import TextUnderTest
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evals.verdicts import Verdict
from honeyguide.kernel.errors import BudgetExceeded, PolicyRefused
from honeyguide.llm.cancel import Cancellation
from honeyguide.traces.records import Trace

NOT_RUN = "not-run: budget"


@dataclass(frozen=True, slots=True)
class ReplaySubject:
    """What is run again.

    Attributes:
        recorded: what the agent answered at the time; empty when unknown.
        has_expectation: whether ``example`` says what was expected, so that the answers can be graded.
    """

    example: Example
    recorded: str = ""
    has_expectation: bool = False

    @classmethod
    def from_trace(cls, trace: Trace) -> ReplaySubject:
        """Return the subject that a trace is. Raises PolicyRefused for one that a person marked never to send."""
        if trace.facts.never_send:
            raise PolicyRefused(
                "This trace is marked never to be sent to a model.", hint="Remove the mark first if that was a mistake."
            )
        example = Example(f"trace-{trace.id}", trace.payload.input, "", conversation=trace.conversation)
        return cls(example, trace.payload.output)

    @classmethod
    def from_example(cls, example: Example, recorded: str = "") -> ReplaySubject:
        """Return the subject that an example is; its answers are graded."""
        return cls(example, recorded or example.rejected or "", has_expectation=True)


@dataclass(frozen=True, slots=True)
class Side:
    """One version's answer; ``verdict`` is ``None`` when nothing was expected or there is no answer."""

    answer: Answer
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """One input with what was recorded and what both versions answer now."""

    subject: ReplaySubject
    left: Side
    right: Side

    @property
    def is_same(self) -> bool:
        """Whether both versions answer alike, apart from outer white space."""
        both = (self.left.answer, self.right.answer)
        return not any(a.failure for a in both) and both[0].text.strip() == both[1].text.strip()

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {
            "example_id": self.subject.example.id,
            "input": self.subject.example.input,
            "recorded": self.subject.recorded,
            "left": _side_to_json(self.left),
            "right": _side_to_json(self.right),
            "same": self.is_same,
        }


async def replay(
    subjects: Sequence[ReplaySubject],
    left: TextUnderTest,
    right: TextUnderTest,
    judge: RunningJudge,
    *,
    cancellation: Cancellation | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[ReplayRow, ...]:
    """Run every subject on both versions, one after the other.

    The budget is the client's own, beneath its journal: what it refuses is marked ``not-run: budget``, and the rest
    goes on, because the journal may still have it.

    Raises:
        Interrupted: somebody asked to stop.
    """
    rows: list[ReplayRow] = []
    for number, subject in enumerate(subjects, start=1):
        if cancellation is not None:
            cancellation.check()
        rows.append(ReplayRow(subject, await _side(subject, left, judge), await _side(subject, right, judge)))
        if progress is not None:
            progress(number, len(subjects))
    return tuple(rows)


async def _side(subject: ReplaySubject, text: TextUnderTest, judge: RunningJudge) -> Side:
    try:
        answer = await judge.executor.run(text.prompt, text.schema, subject.example)
    except BudgetExceeded:
        return Side(Answer("", NOT_RUN))
    if answer.failure or not subject.has_expectation:
        return Side(answer)
    try:
        return Side(answer, await judge.verdict(subject.example, answer.text))
    except BudgetExceeded:
        return Side(answer, Verdict(None, unscored_reason=NOT_RUN))


def _side_to_json(side: Side) -> dict[str, Any]:
    verdict = side.verdict
    return {
        "answer": side.answer.text,
        "failure": side.answer.failure,
        "replayed": side.answer.replayed,
        "cost_usd": side.answer.cost_usd,
        "score": None if verdict is None else verdict.overall,
        "feedback": "" if verdict is None else verdict.feedback,
    }

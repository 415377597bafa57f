"""The suite of a target as an engine's port: a model answers every case with the text as its system prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from honeyguide import __version__
from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.evals.judge import Judge
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.llm import ModelClient, ModelRef, ModelRole
from honeyguide.prompts.joined import Joined
from honeyguide.suites import EvalCase, SuiteOutcome
from honeyguide.suites.model_subject import ModelSubject
from honeyguide.suites.proof import SuiteRecord, proved
from honeyguide.suites.runner import DeclarativeAssertions, Rubric, SuiteProgress, run_suite
from honeyguide.workspace.preparing import Models
from honeyguide.workspace.suite_places import TargetSuite

SIDES: Final = 2


@dataclass(frozen=True, slots=True)
class ModelSuite:
    """A ``suites.proof.SuiteProof``.

    Attributes:
        evidence: ids of the open problems that some case reproduces.
        client: of a role.
        joined: the form of the texts where they are several.
    """

    suite: TargetSuite
    evidence: frozenset[str]
    models: Models
    client: Callable[[ModelRole], ModelClient]
    redact: Callable[[str], str] = lambda text: text
    joined: Joined | None = None

    @property
    def calls(self) -> int:
        """As ``SuiteProof.calls``."""
        return self.suite.stage.high

    async def prove(self, live: str, text: str) -> SuiteRecord:
        """As ``SuiteProof.prove``."""
        receipt = await asyncio.to_thread(
            lambda: self.suite.receipt(self.models, __version__, baseline=live, candidate=text)
        )

        async def side(one: str, name: str) -> SuiteOutcome:
            return await self.run(one)

        planned = SIDES * self.suite.suite.plan.invocations
        return await proved(live, text, side, self.evidence, planned=planned, receipt=receipt)

    async def run(
        self,
        text: str,
        *,
        only: str | None = None,
        report: Callable[[SuiteProgress], None] = lambda progress: None,
    ) -> SuiteOutcome:
        """Run the suite on one text. Raises BudgetExceeded or Interrupted."""
        system = text if self.joined is None else self.joined.applied(text)
        subject = ModelSubject(self.client(ModelRole.EXECUTOR), self.models[ModelRole.EXECUTOR], system)
        rubric = rubric_of(self.client(ModelRole.JUDGE), self.models[ModelRole.JUDGE])
        return await run_suite(
            [case for case in self.suite.cases if only in (None, case.name)],
            subject,
            assertions=DeclarativeAssertions(rubric),
            base=self.suite.path.parent,
            seal=lambda: sha256_hex(self.suite.path.read_bytes()),
            redact=self.redact,
            report=report,
        )


def rubric_of(client: ModelClient, ref: ModelRef) -> Rubric:
    """Return a judge for rubrics."""
    judge = Judge(client, ref)

    async def graded(case: EvalCase, output: str) -> float | None:
        given = " ".join(text for text in (case.input, case.stdin, case.prompt) if text)
        example = Example(case.plan.id, given or case.name, case.rubric or "", ExpectationRole.RUBRIC)
        return (await judge.score(example, output)).overall

    return graded

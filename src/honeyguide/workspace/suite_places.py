"""Where the eval suite of a target stands, and what can be known of it without running anything.

A suite that a person attached is kept in the workspace, ``suites/{kind}/{slug}-{hash}.eval.yaml``, and moves with it. A
target in a file of its own may also have one beside that file: ``SKILL.md`` and ``SKILL.eval.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from honeyguide.evals.examples import Example
from honeyguide.evals.receipts import Receipt
from honeyguide.evolution.plan import Reason, Stage
from honeyguide.flows.suites_of_flows import FlowSuite, load_suite
from honeyguide.kernel.canonical import fingerprint, sha256_hex
from honeyguide.llm import ModelRole
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.suites import EvalCase, read_suite
from honeyguide.suites.examples import examples_of_cases
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Home
from honeyguide.workspace.preparing import Models

ENDINGS: Final = (".eval.yaml", ".eval.yml")


@dataclass(frozen=True, slots=True)
class TargetSuite:
    """The suite of one target.

    Attributes:
        cases: what is run; empty when it cannot be read.
        problem: (code, sentence) of what keeps it from being run.
    """

    path: Path
    suite: FlowSuite
    problem: tuple[str, str] | None

    @property
    def cases(self) -> tuple[EvalCase, ...]:
        """The cases, as they are run."""
        return self.suite.cases or ()

    @property
    def calls(self) -> int:
        """Model calls that one side needs at most: an answer for each trial, and a judge where a rubric is asked."""
        return sum(case.plan.repetitions * (2 if case.rubric else 1) for case in self.cases)

    @property
    def stage(self) -> Stage:
        """What both sides take, for the plan of a run."""
        return Stage("suite", 0, 2 * self.calls)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """What keeps a run from beginning."""
        return () if self.problem is None else (Reason(*self.problem),)

    @property
    def asks_judge(self) -> bool:
        """Whether some case has a rubric."""
        return any(case.rubric for case in self.cases)

    def receipt(self, models: Models, product: str, **texts: str) -> Receipt:
        """Return what a run of it rests on now; ``texts`` are hashed under their names. Blocking."""
        parts: Mapping[str, str] = {
            "suite": sha256_hex(self.path.read_bytes()),
            "cases": fingerprint([case.plan.id for case in self.cases]),
            "executor_model": str(models[ModelRole.EXECUTOR]),
            "product": product,
            **({"judge_model": str(models[ModelRole.JUDGE])} if self.asks_judge else {}),
            **{name: sha256_hex(text) for name, text in texts.items()},
        }
        return Receipt(dict(parts))


def attached_path(core: Core, ref: TargetRef) -> Path:
    """Return where a suite stands that a person attached."""
    folder = core.version_store.folder(ref.kind.value, ref.name).name
    return core.layout.root / "suites" / ref.kind.value / f"{folder}{ENDINGS[0]}"


def suite_of(core: Core, home: Home) -> TargetSuite | None:
    """Return the suite of a target, the attached one first; ``None`` when it has none. Blocking."""
    found = [attached_path(core, home.ref)]
    if home.record is not None:
        file = Path(home.record.path)
        found += [file.with_name(file.stem + ending) for ending in ENDINGS]
    path = next((one for one in found if one.is_file()), None)
    return None if path is None else looked_at(path)


def looked_at(path: Path) -> TargetSuite:
    """Look at a suite. Blocking."""
    suite = load_suite(path, repetitions=1)
    problem: tuple[str, str] | None = None
    if suite.problem is not None:
        problem = (suite.problem[0].value, suite.problem[1])
    elif suite.plan.drafts:
        problem = ("DRAFT_SUITE", f"Nobody has finished: {', '.join(suite.plan.drafts[:5])}.")
    return TargetSuite(path, suite, problem)


def checked_suite(data: bytes, name: str) -> None:
    """Raise InvalidInput, with line and column, for what is no suite."""
    read_suite(data.decode("utf-8-sig"), name)


def suite_examples(core: Core, home: Home) -> tuple[Example, ...]:
    """Return the cases of a target's suite that an answer alone decides, to learn from. Blocking."""
    suite = suite_of(core, home) if home.ref.kind not in (TargetKind.FLOW, TargetKind.HARNESS) else None
    return () if suite is None or suite.problem is not None else examples_of_cases(suite.cases, suite=str(home.ref))

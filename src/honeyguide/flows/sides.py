"""One side of a comparison: a flow's text, run by its engine for every case, in a copy of the repository."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from honeyguide.feedback.items import FailureClass
from honeyguide.flows.desk import FlowDesk, FlowView, ModelAccess
from honeyguide.flows.engines.running import Engine, EngineCall
from honeyguide.flows.engines.table import MODEL_ENGINES, PRACTICE
from honeyguide.flows.engines.watching import ProcessWatcher
from honeyguide.flows.fingerprints import flow_hash, suite_hash
from honeyguide.flows.rendering import RenderSite, fill_in, input_values, takes_input
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import HoneyguideError, InvalidInput, Unsupported, Untrusted
from honeyguide.suites.cases import EvalCase
from honeyguide.suites.code_suite import CodeSuite
from honeyguide.suites.runner import Assertions, Attempt, DeclarativeAssertions, SuiteProgress, run_suite
from honeyguide.suites.snapshots import take_snapshot
from honeyguide.suites.trials import SuiteOutcome


class FlowSubject:
    """A flow, filled in anew for each trial and given to its engine."""

    def __init__(
        self,
        view: FlowView,
        engine: Engine,
        desk: FlowDesk,
        repository: Path | None,
        first_sample: int = 0,
        watcher: ProcessWatcher | None = None,
    ) -> None:
        self._view = view
        self._engine = engine
        self._desk = desk
        self._repository = repository
        self._first_sample = first_sample
        self._watcher = watcher
        self._trials: Counter[str] = Counter()

    async def run(self, case: EvalCase, folder: Path) -> Attempt:
        """As ``Subject.run``. A flow that cannot be filled in ends like a program with exit code 1."""
        document = self._view.document
        values = input_values(document, case.input, case.stdin, case.prompt)
        site = RenderSite(
            root=self._view.place.root,
            folder=self._view.place.path.parent,
            cwd=folder,
            repository=self._repository,
            home=self._desk.person_home,
            fetch=self._desk.fetch,
            env=dict(self._desk.environ),
            watcher=self._watcher,
        )
        try:
            prompt = await asyncio.to_thread(fill_in, document, values, site)
        except Unsupported as error:
            return Attempt("", error.message, 1, failure=FailureClass.ENVIRONMENT)
        except HoneyguideError as error:
            return Attempt("", error.message, 1)
        given = next((text for text in (case.input, case.stdin, case.prompt) if text is not None), None)
        is_beside = self._engine.name == PRACTICE or not takes_input(document)
        repetition = self._first_sample + self._trials[case.name]
        self._trials[case.name] += 1
        return await self._engine.run(
            EngineCall(
                prompt=prompt,
                message=given if self._engine.name in MODEL_ENGINES and is_beside else None,
                cwd=folder,
                timeout_ms=case.timeout_ms,
                fields=document.fields,
                repetition=repetition,
            )
        )


async def run_side(
    desk: FlowDesk,
    view: FlowView,
    data: bytes,
    *,
    access: ModelAccess | None,
    scratch: Path | None = None,
    watcher: ProcessWatcher | None = None,
    only: Callable[[EvalCase], bool] = lambda case: True,
    once: bool = False,
    first_sample: int = 0,
    report: Callable[[SuiteProgress], None] = lambda progress: None,
) -> SuiteOutcome:
    """Run a flow's suite on ``data`` in a fresh copy of the repository, which is removed afterwards.

    Args:
        once: one trial a case, whatever it says, for a search.
        first_sample: the number of a case's first trial; other numbers are other samples of a model's answer.

    Raises:
        PolicyRefused: the repository cannot be copied (a link leads out, it is too large).
        Untrusted: the suite is code that nobody trusted.
        InvalidInput: there is no suite to run.
    """
    if view.suite is None or view.suite.problem is not None:
        raise InvalidInput("The flow has no suite that can be run.")
    if scratch is not None:
        await asyncio.to_thread(lambda: scratch.mkdir(parents=True, exist_ok=True, mode=0o700))
    base = Path(await asyncio.to_thread(lambda: tempfile.mkdtemp(prefix="side-", dir=scratch)))
    try:
        side = await asyncio.to_thread(_copied, desk, view, data, base / "copy")
        engine = desk.engine(side.choice.engine, side, access=access, model=side.model, watcher=watcher)
        subject = FlowSubject(side, engine, desk, view.place.repository, first_sample, watcher)
        assert side.suite is not None
        suite_file, cases = side.suite.path, side.suite.cases
        assertions: Assertions
        code: CodeSuite | None = None
        if cases is None:
            digest = suite_hash(suite_file, side.place.root)
            if not desk.trusts_code(digest):
                raise Untrusted(
                    f"{suite_file.name} is a program, and nobody has trusted it as it is now.",
                    hint="Read it, then trust it; or describe the cases in a .eval.yaml file.",
                    details={"digest": digest},
                )
            code = await CodeSuite.open(suite_file, view.suite.plan, desk.environ)
            cases, assertions = code.cases, code
        else:
            judge = desk.models.rubric(access) if desk.models is not None and access is not None else None
            assertions = DeclarativeAssertions(judge)

        def seal() -> str:
            path = side.place.path
            return fingerprint(
                [flow_hash(side.place, path.read_bytes()), suite_hash(suite_file, side.place.root), side.config.sha256]
            )

        try:
            chosen = [_once(case) if once else case for case in cases if only(case)]
            return await run_suite(
                chosen, subject, assertions=assertions, base=side.place.path.parent, scratch=base, seal=seal,
                redact=desk.redact, report=report,
            )  # fmt: skip
        finally:
            if code is not None:
                await code.close()
    finally:
        await asyncio.to_thread(lambda: shutil.rmtree(base, ignore_errors=True))


def _once(case: EvalCase) -> EvalCase:
    return replace(case, plan=replace(case.plan, repetitions=1, quorum=1))


def _copied(desk: FlowDesk, view: FlowView, data: bytes, target: Path) -> FlowView:
    take_snapshot(view.place.root, target)
    path = target / view.place.relative
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.is_symlink() or path.exists():
        path.unlink()
    path.write_bytes(data)
    side = desk.look_at(path, data, root=target)
    assert view.suite is not None
    relative = view.suite.path.relative_to(view.place.root)
    if not (target / relative).is_file():
        raise InvalidInput(f"{relative} is ignored by git, so the copy for the test lacks it.", hint="Track the suite.")
    # What decides was looked at in the person's own folder; the copy may lack configuration above it.
    return replace(side, choice=view.choice, policy=view.policy, config=view.config)

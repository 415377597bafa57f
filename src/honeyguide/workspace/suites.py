"""Eval suites of any target for the front ends: attached, looked at, run; and what they prove in a run.

Flows keep theirs beside the flow (``flows.suites_of_flows``); for every other kind a model answers the cases.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from honeyguide import __version__
from honeyguide.evolution.plan import Reason, Stage
from honeyguide.feedback import actionable
from honeyguide.flows.home import FlowHome
from honeyguide.flows.receipts import ReceiptBook, RecordedResults, as_json, verdict_of
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused, Unsupported
from honeyguide.llm import ModelClient, ModelRole
from honeyguide.prompts.joined import Joined
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.suites import SuiteOutcome
from honeyguide.suites.runner import SuiteProgress
from honeyguide.versions import write_atomically
from honeyguide.workspace.core import Core
from honeyguide.workspace.flow_desk import open_desk
from honeyguide.workspace.flow_models import FlowModels
from honeyguide.workspace.homes import Home, Homes, read_file
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.preparing import Models, models_for
from honeyguide.workspace.suite_places import TargetSuite, attached_path, checked_suite, suite_of
from honeyguide.workspace.suite_proof import ModelSuite
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.suites import SuiteView


class Suites:
    """The suites of a workspace's targets."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    # --- free

    async def attach(self, name: str | TargetRef, file: Path) -> SuiteView:
        """Keep a suite for a target in the workspace; another one that was attached is replaced.

        Raises:
            InvalidInput: it is no suite, with line and column.
            Unsupported: the target is a flow, or the suite is code.
        """
        home = await self._prompt(name)
        if file.suffix not in (".yaml", ".yml"):
            raise Unsupported("Only a suite in YAML can be attached.", hint="See docs/suites.md.")

        def work() -> None:
            data = read_file(file)
            checked_suite(data, file.name)
            path = attached_path(self._core, home.ref)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(path, data)

        await self._core.in_thread(work)
        return await self.show(home.ref)

    async def detach(self, name: str | TargetRef) -> SuiteView:
        """Remove the suite that was attached to a target. Raises NotFound."""
        home = await self._prompt(name)
        path = attached_path(self._core, home.ref)
        if not path.is_file():
            raise NotFound(f"No suite is attached to {home.ref}.", hint="One beside the target's file stays there.")
        await self._core.in_thread(path.unlink)
        return await self.show(home.ref)

    async def show(self, name: str | TargetRef, options: RunOptions | None = None) -> SuiteView:
        """Look at a target's suite and its last results; nothing is run."""
        home = await self._prompt(name)
        return await self._core.in_thread(lambda: self._view(home, models_for(self._core, options or RunOptions())))

    # --- paid

    async def evaluate(
        self,
        name: str | TargetRef,
        options: RunOptions,
        *,
        case: str | None,
        report: Callable[[SuiteProgress], None],
    ) -> SuiteOutcome:
        """Run a target's suite on the live text and keep the results with their receipt.

        Raises:
            PolicyRefused: it cannot be run, or costs money and nobody agreed.
            NotFound, InvalidInput: no suite, no such case.
        """
        home = await self._prompt(name)
        suite = await self._core.in_thread(lambda: suite_of(self._core, home))
        models = models_for(self._core, options)
        if suite is None:
            raise NotFound(f"{home.ref} has no eval suite.", hint="Attach one: honeyguide suites attach.")
        if suite.problem is not None:
            raise PolicyRefused(suite.problem[1], details={"reason_code": suite.problem[0]})
        if case is not None and case not in [one.name for one in suite.cases]:
            raise InvalidInput(f"The suite has no case {case!r}.", details={"reason_code": "FILTER_EMPTY"})
        if self._costs_money(suite, models) and not options.is_confirmed:
            view = await self.show(home.ref, options)
            raise PolicyRefused(
                "Running the suite costs money, and nobody confirmed it.", hint="Add --yes.",
                details={"plan": view.to_json()},
            )  # fmt: skip
        book, key = self._book(home.ref)
        at = iso(self._core.clock.now())
        access = FlowModels(self._core).open(self._core.layout.root / "evals" / key / at.replace(":", ""))
        run = ModelSuite(
            suite, frozenset(), models, lambda role: access.client(models[role]), self._core.redactor().text
        )
        try:
            outcome = await run.run(home.text, only=case, report=report)
        finally:
            await access.close()
        receipt = await self._core.in_thread(lambda: suite.receipt(models, __version__, baseline=home.text))
        if not outcome.inputs_changed:
            await self._core.in_thread(lambda: book.write(key, RecordedResults(receipt, outcome, at, case is None)))
        return outcome

    # --- for runs

    async def for_run(self, home: Home) -> TargetSuite | None:
        """Return the suite that takes part in a run of a target; flows have a protocol of their own."""
        if home.ref.kind in (TargetKind.FLOW, TargetKind.HARNESS):
            return None
        return await self._core.in_thread(lambda: suite_of(self._core, home))

    async def stage_and_reasons(self, home: Home) -> tuple[Stage | None, tuple[Reason, ...]]:
        """Return what the suite adds to a plan."""
        suite = await self.for_run(home)
        return (None, ()) if suite is None else (suite.stage, suite.reasons)

    async def proof(
        self,
        home: Home,
        models: Models,
        client: Callable[[ModelRole], ModelClient],
        joined: Joined | None = None,
    ) -> ModelSuite | None:
        """Return the suite as the port of a run. Raises PolicyRefused when it cannot be run."""
        suite = await self.for_run(home)
        if suite is None:
            return None
        if suite.problem is not None:
            raise PolicyRefused(suite.problem[1], details={"reason_code": suite.problem[0]})
        linked = suite.suite.plan.evidence

        def open_ids() -> frozenset[str]:
            items = open_desk(self._core, Origin.here()).feedback.read().items
            return frozenset(item.id for item in actionable(i for i in items if i.target == str(home.ref)))

        evidence = linked & await self._core.in_thread(open_ids)
        return ModelSuite(suite, evidence, models, client, self._core.redactor().text, joined)

    # --- inside

    async def _prompt(self, name: str | TargetRef) -> Home:
        home = await self._homes.home(name)
        if home.ref.kind is TargetKind.FLOW:
            raise Unsupported(
                f"{home.ref.name} is a flow: its suite stands beside it.", hint="Use 'honeyguide flow plan' and 'eval'."
            )
        if home.ref.kind is TargetKind.HARNESS:
            raise Unsupported(
                f"{home.ref.name} is a harness: its suite stands beside its folder, NAME.eval.yaml.",
                hint="Name the folder: honeyguide suites eval DIR.",
            )
        return home

    def _view(self, home: Home, models: Models) -> SuiteView:
        suite = suite_of(self._core, home)
        book, key = self._book(home.ref)
        results = book.read(key)
        current = None
        if suite is not None and suite.problem is None:
            current = suite.receipt(models, __version__, baseline=home.text).digest
        verdict = verdict_of(
            suite_exists=suite is not None,
            is_inspectable=suite is None or suite.suite.problem is None,
            has_drafts=suite is not None and bool(suite.suite.plan.drafts),
            results=results,
            current=current,
        )
        return SuiteView(
            target=str(home.ref),
            path=None if suite is None else suite.path,
            cases=() if suite is None else suite.suite.plan.cases,
            problem=None if suite is None else suite.problem,
            verdict=verdict,
            results=as_json(results),
            calls=0 if suite is None else suite.calls,
            costs_money=suite is not None and self._costs_money(suite, models),
        )

    def _costs_money(self, suite: TargetSuite, models: Models) -> bool:
        asked = [ModelRole.EXECUTOR, *([ModelRole.JUDGE] if suite.asks_judge else [])]
        return any(self._core.registry.costs_money(models[role]) for role in asked)

    def _book(self, ref: TargetRef) -> tuple[ReceiptBook, str]:
        folder = self._core.version_store.folder(ref.kind.value, ref.name).name
        return ReceiptBook(FlowHome(self._core.layout.root)), f"{ref.kind.value}--{folder}"

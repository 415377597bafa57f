"""Eval suites of any target but flows, which have their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.llm import ModelRef
    from honeyguide.prompts.targets import TargetRef
    from honeyguide.suites import SuiteOutcome
    from honeyguide.suites.proof import SuiteRecord
    from honeyguide.suites.runner import SuiteProgress
    from honeyguide.workspace.harness_suites import HarnessSuites
    from honeyguide.workspace.views.options import RunOptions
    from honeyguide.workspace.views.suites import SuiteView

    Name = str | TargetRef


def _nothing(progress: SuiteProgress) -> None:
    return None


class SuiteMethods(Parts):
    """A part of the façade."""

    async def attach_suite(self, target: Name, file: Path) -> SuiteView:
        """Keep a suite for a target in the workspace. Raises InvalidInput with line and column, Unsupported."""
        return await self._suites.attach(target, file)

    async def detach_suite(self, target: Name) -> SuiteView:
        """Remove the suite that was attached to a target. Raises NotFound."""
        return await self._suites.detach(target)

    async def suite(self, target: Name, options: RunOptions | None = None) -> SuiteView:
        """Look at a target's suite and its last results; nothing is run."""
        return await self._suites.show(target, options)

    async def eval_suite(
        self,
        target: Name,
        options: RunOptions,
        *,
        case: str | None = None,
        on_trial: Callable[[SuiteProgress], None] = _nothing,
    ) -> SuiteOutcome:
        """Run a target's suite on its live text. Raises PolicyRefused, NotFound, InvalidInput."""
        return await self._suites.evaluate(target, options, case=case, report=on_trial)

    async def harness_suite(self, folder: Path) -> SuiteView:
        """Look at the suite beside a harness folder; nothing is run. Raises NotFound, InvalidInput."""
        suites = self._harness_suites()
        return await self._core.in_thread(lambda: suites.view(folder))

    async def eval_harness(
        self,
        folder: Path,
        *,
        model: ModelRef | None = None,
        case: str | None = None,
        confirmed: bool = False,
        on_trial: Callable[[SuiteProgress], None] = _nothing,
    ) -> SuiteOutcome:
        """Run the suite of a harness folder on copies of it. Raises PolicyRefused, Untrusted, NotFound."""
        return await self._harness_suites().evaluate(
            folder, model=model, case=case, confirmed=confirmed, report=on_trial
        )

    async def prove_harness(
        self,
        folder: Path,
        proposal: str,
        *,
        model: ModelRef | None = None,
        confirmed: bool = False,
        on_trial: Callable[[SuiteProgress], None] = _nothing,
    ) -> SuiteRecord:
        """Run the suite on a harness and on a copy with a draft applied; the folder stays as it is.

        Raises:
            PolicyRefused, Untrusted, NotFound, Conflict, GateRefused.
        """
        from honeyguide.feedback import actionable

        suites = self._harness_suites()
        name = (await self.harness_suite(folder)).target
        items = (await self._feedback.list()).items
        evidence = frozenset(item.id for item in actionable(i for i in items if i.target == name))
        return await suites.prove(
            folder, proposal, evidence=evidence, model=model, confirmed=confirmed, report=on_trial
        )

    async def harness_suite_proof(self, folder: Path, proposal: str) -> Mapping[str, Any] | None:
        """Return what the suite said of a draft last, as ``prove_harness`` kept it; ``None`` when it was not asked.

        ``is_current`` says whether it speaks of the live version and of the suite as they are.
        """
        suites = self._harness_suites()
        return await self._core.in_thread(lambda: suites.proof(folder, proposal))

    def _harness_suites(self) -> HarnessSuites:
        from honeyguide.workspace.harness_home import HarnessHome
        from honeyguide.workspace.harness_suites import HarnessSuites

        return HarnessSuites(HarnessHome.of(self._core))

    @staticmethod
    def suite_schema() -> dict[str, object]:
        """Return the JSON schema of a suite, for editors."""
        from honeyguide.suites.yaml_suite import suite_json_schema

        return suite_json_schema()

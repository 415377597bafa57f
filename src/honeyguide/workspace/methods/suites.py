"""Eval suites of any target but flows, which have their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.prompts.targets import TargetRef
    from honeyguide.suites import SuiteOutcome
    from honeyguide.suites.runner import SuiteProgress
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

    @staticmethod
    def suite_schema() -> dict[str, object]:
        """Return the JSON schema of a suite, for editors."""
        from honeyguide.suites.yaml_suite import suite_json_schema

        return suite_json_schema()

"""What the page of harness folders asks of the application; its parts are imported in a thread when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.harness_evolve import EvolveWish
from honeyguide.desktop.widgets.harness.file_diffs import ComparedFile

if TYPE_CHECKING:
    from honeyguide.workspace import SuiteView
    from honeyguide.workspace.harness_views import (
        Evolved,
        EvolveOptions,
        Harnesses,
        HarnessEvolving,
        HarnessFileDiff,
        HarnessFolderRow,
        HarnessLook,
        HarnessOverview,
        HarnessPages,
        HarnessRun,
        HarnessRunning,
        HarnessVersion,
    )

_FOLDERS = "harness.folders"
_MOST_FOLDERS = 40
_PRACTICE = "practice:practice"


@dataclass(frozen=True, slots=True)
class FolderView:
    """Everything that is shown of one folder."""

    overview: HarnessOverview
    versions: Sequence[HarnessVersion]
    look: HarnessLook


@dataclass(frozen=True, slots=True)
class ProposalView:
    """One proposal with what it would change, and what the suite beside the folder said of it."""

    data: Mapping[str, Any]
    files: Sequence[ComparedFile]
    suite: SuiteView | None = None
    suite_proof: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class _Parts:
    harnesses: Harnesses
    pages: HarnessPages
    evolving: HarnessEvolving
    running: HarnessRunning


class HarnessDesk:
    """Questions and changes, one at a time for each folder by the folder's own lock."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._made: _Parts | None = None

    # --- the list of folders

    def remembered(self) -> list[Path]:
        """Return the folders opened before, newest first."""
        known = self._desk.memory.get(_FOLDERS)
        return [Path(name) for name in known if isinstance(name, str)] if isinstance(known, list) else []

    def remember(self, path: Path) -> None:
        """Put a folder at the top of the list."""
        others = [str(known) for known in self.remembered() if known != path]
        self._desk.memory.set(_FOLDERS, [str(path), *others][:_MOST_FOLDERS])

    async def forget(self, path: Path) -> bool:
        """Take a folder off the list; nothing of it is touched."""
        self._desk.memory.set(_FOLDERS, [str(known) for known in self.remembered() if known != path])
        return True

    async def folders(self) -> list[HarnessFolderRow]:
        """Return the remembered and the registered folders."""
        return await (await self._parts()).pages.folders(self.remembered())

    async def register(self, path: Path, *, registered: bool) -> bool:
        """Offer a folder to other programs (``harness mcp --registered``), or no longer; it stays on the list."""
        harnesses = (await self._parts()).harnesses
        await (harnesses.register(path) if registered else harnesses.unregister(path))
        self.remember(path)
        return True

    # --- one folder

    async def open(self, path: Path) -> FolderView:
        """Return everything about a folder."""
        parts = await self._parts()
        overview = await parts.harnesses.overview(path)
        return FolderView(overview, await parts.pages.versions(path), await parts.pages.look(path))

    async def problems(self, path: Path) -> Sequence[Mapping[str, Any]]:
        """Return what is wrong with a folder's spec."""
        found = (await (await self._parts()).harnesses.validate(path)).data.get("problems")
        return found if isinstance(found, list) else []

    async def proposal(self, path: Path, id: str) -> ProposalView:
        """Return a proposal and what it changes in each file."""
        parts = await self._parts()
        data = (await parts.evolving.proposal(path, id)).data
        files = await _compared(await parts.pages.proposal_diff(path, id))
        workspace = self._desk.workspace
        suite = await workspace.harness_suite(path)
        return ProposalView(data, files, suite, await workspace.harness_suite_proof(path, id))

    async def diff(self, path: Path, older: str, newer: str) -> Sequence[ComparedFile]:
        """Return what differs between two versions."""
        return await _compared(await (await self._parts()).pages.diff(path, older, newer))

    # --- changes

    async def make(self, values: Mapping[str, Any]) -> Path:
        """Make a new folder; its maker trusts it."""
        path = Path(values["path"])
        harnesses = (await self._parts()).harnesses
        await harnesses.init(path, values["name"], values["description"], values["prompt"], self._desk.origin)
        return path

    async def trust(self, path: Path, *, forget: bool = False) -> bool:
        """Trust what a folder holds now, or no longer."""
        await (await self._parts()).harnesses.trust(path, self._desk.origin, forget=forget)
        return True

    async def run(
        self,
        path: Path,
        text: str,
        model: str | None,
        told: Callable[[Mapping[str, Any]], None],
        is_stopped: Callable[[], str],
    ) -> HarnessRun:
        """Run a folder once; the person saw what it costs."""
        from honeyguide.workspace import ModelRef

        running = (await self._parts()).running
        ref = None if model is None else ModelRef.parse(model)
        return await running.run(path, text, model=ref, confirmed=True, on_event=told, is_stopped=is_stopped)

    async def plan(self, path: Path, wish: EvolveWish) -> Mapping[str, Any]:
        """Return what drafting would take."""
        return await (await self._parts()).evolving.plan(path, self._options(wish, confirmed=False))

    async def evolve(self, path: Path, wish: EvolveWish, told: Callable[[str], None]) -> Evolved:
        """Draft a change; the person saw the plan."""
        evolving = (await self._parts()).evolving
        return await evolving.evolve(path, self._options(wish, confirmed=True), progress=told)

    async def apply(self, path: Path, id: str, code: Sequence[str], capabilities: Sequence[str]) -> Mapping[str, Any]:
        """Apply a proposal, or the part of it that is agreed to."""
        evolving = (await self._parts()).evolving
        return (await evolving.apply(path, id, self._desk.origin, code=code, capabilities=capabilities)).data

    async def reject(self, path: Path, id: str, reason: str) -> None:
        """Reject a proposal."""
        await (await self._parts()).evolving.reject(path, id, reason, self._desk.origin)

    async def roll_back(self, path: Path, version: str) -> Mapping[str, Any]:
        """Bring an earlier version's files back."""
        return (await (await self._parts()).evolving.rollback(path, version, self._desk.origin)).data

    # --- models

    async def free_models(self) -> list[str]:
        """Return models that cost nothing, for a run in place of the folder's own."""
        from honeyguide.workspace import ModelRole

        registry = (await self._parts()).running.home.registry()
        executor = self._desk.workspace.model_for(ModelRole.EXECUTOR)
        free = [] if registry.costs_money(executor) else [str(executor)]
        return list(dict.fromkeys([*free, _PRACTICE]))

    def drafting_models(self) -> list[str]:
        """Return the model that is set up for proposing, then the practice model."""
        from honeyguide.workspace import ModelRole

        return list(dict.fromkeys([str(self._desk.workspace.model_for(ModelRole.MUTATOR)), _PRACTICE]))

    # --- inside

    def _options(self, wish: EvolveWish, *, confirmed: bool) -> EvolveOptions:
        from honeyguide.workspace import ModelRef
        from honeyguide.workspace.harness_views import EvolveOptions

        return EvolveOptions(
            model=None if wish.model is None else ModelRef.parse(wish.model),
            notes=wish.notes,
            replay=wish.replay,
            max_calls=wish.max_calls,
            max_usd=wish.max_usd,
            confirmed=confirmed,
        )

    async def _parts(self) -> _Parts:
        if self._made is None:
            self._made = await asyncio.to_thread(self._make)
        return self._made

    def _make(self) -> _Parts:
        from honeyguide.workspace.harness_views import (
            Harnesses,
            HarnessEvolving,
            HarnessHome,
            HarnessPages,
            HarnessRunning,
        )

        home = HarnessHome.of_workspace(self._desk.workspace)
        evolving = HarnessEvolving(home)
        return _Parts(Harnesses(home), HarnessPages(home), evolving, HarnessRunning(home, evolving))


async def _compared(files: Sequence[HarnessFileDiff]) -> Sequence[ComparedFile]:
    from honeyguide.workspace import diff_view

    def work() -> list[ComparedFile]:
        return [ComparedFile(file.name, diff_view(file.before, file.after).rows, file.locks) for file in files]

    return await asyncio.to_thread(work)

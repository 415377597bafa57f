"""What a person decides about a harness folder: each step asks, does, and says whether anything changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.accept import RejectDialog
from honeyguide.desktop.dialogs.files import ask_folder
from honeyguide.desktop.dialogs.harness_evolve import EvolveWish, HarnessEvolveDialog
from honeyguide.desktop.dialogs.harness_rollback import HarnessRollbackDialog
from honeyguide.desktop.dialogs.harness_run import HarnessRunDialog
from honeyguide.desktop.dialogs.harness_small import ApplyDialog, NewHarnessDialog, TrustDialog
from honeyguide.desktop.pages.harness_desk import FolderView, HarnessDesk
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.widgets.harness.proposal_parts import ProposalParts, proof_sentence


class HarnessDecisions:
    """Dialogs of the harness page and what follows from them."""

    def __init__(self, desk: Desk, tasks: TaskScope, folders: HarnessDesk) -> None:
        self._desk = desk
        self._tasks = tasks
        self._folders = folders

    async def make(self) -> Path | None:
        """Make a new folder; ``None`` when the person thought better of it."""
        parent = await ask_folder(self._desk.window, _tr("Where shall the new folder stand?"))
        if parent is None:
            return None
        dialog = NewHarnessDialog(parent, self._desk.window)
        if not await dialog.ask():
            return None
        values = dialog.values()
        made = await self._folders.make(values)
        self._desk.notify.info(_tr("Made, and trusted: you wrote it."))
        return made

    async def trust(self, view: FolderView) -> bool:
        """Trust the folder's content as it is now."""
        dialog = TrustDialog(view.look, self._desk.window)
        if not await dialog.ask():
            return False
        await self._folders.trust(Path(view.overview.path))
        self._desk.notify.info(_tr("Trusted as it is now."))
        return True

    async def run(self, view: FolderView) -> bool:
        """Run the folder as often as the person likes."""
        path = Path(view.overview.path)

        def run(text: str, model: str | None, told: Any, is_stopped: Any) -> Awaitable[Any]:
            return self._folders.run(path, text, model, told, is_stopped)

        models = await self._folders.free_models()
        dialog = HarnessRunDialog(view.look, models, run, self._tasks, self._desk.memory, self._desk.window)
        await dialog.ask()
        return True

    async def ask_draft(self, view: FolderView) -> EvolveWish | None:
        """Show the plan; return what is asked for, ``None`` for nothing."""
        path = Path(view.overview.path)
        dialog = HarnessEvolveDialog(
            view.overview.name,
            self._folders.drafting_models(),
            lambda wish: self._folders.plan(path, wish),
            self._tasks,
            self._desk.memory,
            self._desk.window,
        )
        if not await dialog.ask():
            return None
        wish = dialog.wish()
        dialog.forget_draft()
        return wish

    async def draft(self, view: FolderView, wish: EvolveWish, told: Callable[[str], None]) -> bool:
        """Draft a change; say whether one waits now."""
        evolved = await self._folders.evolve(Path(view.overview.path), wish, told)
        if not evolved.proposal_id:
            self._desk.notify.info(str(evolved.document.data.get("reason") or _tr("Nothing to evolve.")))
            return False
        said = _tr("Drafted: it waits for you.") if evolved.is_new else _tr("A draft for this waits already.")
        self._desk.notify.info(said)
        return True

    async def apply(self, view: FolderView, data: Mapping[str, Any], parts: ProposalParts) -> bool:
        """Apply a proposal, or the part of it that is ticked."""
        code, capabilities = parts.agreed("code"), parts.agreed("capability")
        dialog = ApplyDialog(
            view.overview.path,
            view.overview.version,
            parts.plain(),
            list(dict.fromkeys([*capabilities, *code])),
            parts.left(),
            proof_sentence(data.get("proof") or {}),
            self._desk.window,
        )
        if not await dialog.ask():
            return False
        done = await self._folders.apply(Path(view.overview.path), str(data["id"]), code, capabilities)
        said = _tr("Applied: {old} became {new}.")
        self._desk.notify.info(said.format(old=done["old_version_hash"], new=done["new_version_hash"]))
        return True

    async def reject(self, view: FolderView, id: str) -> bool:
        """Turn a proposal down."""
        dialog = RejectDialog(view.overview.name, "", self._desk.window)
        if not await dialog.ask():
            return False
        await self._folders.reject(Path(view.overview.path), id, dialog.reason())
        self._desk.notify.info(_tr("Rejected."))
        return True

    async def roll_back(self, view: FolderView, version: str) -> bool:
        """Bring a version back, after one look at what that changes."""
        path, live = Path(view.overview.path), view.overview.version
        files = await self._folders.diff(path, live, version)
        dialog = HarnessRollbackDialog(view.overview.name, files, (live, version), self._desk.window)
        if not await dialog.ask():
            return False
        await self._folders.roll_back(path, version)
        self._desk.notify.info(_tr("Version {version} is live again.").format(version=version))
        return True


def _tr(text: str) -> str:
    return QCoreApplication.translate("HarnessDecisions", text)

"""The past of a target's text, and the way back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.workspace.origins import Origin
from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.prompts.targets import TargetRef
    from honeyguide.workspace.views.versions import DiffView, VersionDetail, VersionList, VersionRow, WatchReport

    Name = str | TargetRef


class VersionMethods(Parts):
    """A part of the façade."""

    async def versions(self, target: Name) -> VersionList:
        """Return the versions of a target."""
        return await self._versions.list(target)

    async def version(self, target: Name, n: int) -> VersionDetail:
        """Return one version with its text."""
        return await self._versions.show(target, n)

    async def version_diff(self, target: Name, m: int, n: int) -> DiffView:
        """Compare two versions."""
        return await self._versions.diff(target, m, n)

    async def backup(self, target: Name, *, note: str | None = None, origin: Origin | None = None) -> VersionRow:
        """Store the live text as a version."""
        return await self._versions.backup(target, note=note, origin=origin or Origin.here())

    async def rollback(
        self,
        target: Name,
        *,
        to: int | None = None,
        note: str | None = None,
        origin: Origin | None = None,
        alone: bool = False,
    ) -> VersionRow:
        """Bring an earlier version back, as a new one; what went live with it goes along, unless ``alone``."""
        row = await self._versions.rollback(target, to=to, note=note, origin=origin or Origin.here(), alone=alone)
        await self._proved.after_rollback(await self._homes.resolve(target))
        return row

    async def watch(self, target: Name) -> WatchReport:
        """Say for each deployment whether it helped."""
        return await self._versions.watch(target)

"""Whether there is a newer Honeyguide: asked when a person says so, or once a day after opting in.

What asks is imported when it is first called: most people never ask.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.workspace.updates import UpdateReport


class UpdateMethods(Parts):
    """A part of the façade."""

    async def check_for_updates(self) -> UpdateReport:
        """Ask the address of the settings once. Raises InvalidInput, Unreachable, Untrusted."""
        from honeyguide.workspace.updates import check_for_updates

        return await check_for_updates(self._core.settings, clock=self._core.clock)

    async def update_news(self) -> UpdateReport | None:
        """Return a newer version that was not skipped; asks once a day, only after opting in, and quietly."""
        if not self._core.settings.get("updates.check"):
            return None
        from honeyguide.workspace.updates import check_if_due

        return await check_if_due(self._core.settings, clock=self._core.clock)

    async def skip_update(self, version: str) -> None:
        """Do not tell of this version again. Raises Unreadable when it is none."""
        from honeyguide.workspace.updates import skip_version

        await asyncio.to_thread(skip_version, version)

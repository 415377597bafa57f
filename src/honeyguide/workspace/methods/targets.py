"""Targets: list, show, add, lock; and the text that an agent loads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.kernel.errors import NotFound
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.workspace.views.targets import LockRow, TargetDetail, TargetRow

    Name = str | TargetRef


class TargetMethods(Parts):
    """A part of the façade."""

    async def resolve(self, name: Name) -> TargetRef:
        """Return the target that ``NAME`` or ``KIND:NAME`` means. Raises InvalidInput, NotFound."""
        return await self._homes.resolve(name)

    async def targets(self) -> list[TargetRow]:
        """Return every target."""
        return await self._targets.rows()

    async def target(self, name: Name) -> TargetDetail:
        """Return one target with its live text."""
        return await self._targets.detail(name)

    async def add_target(
        self, path: Path, *, kind: str | None = None, name: str | None = None, span: str | None = None,
        encoding: str | None = None,
    ) -> TargetRow:  # fmt: skip
        """Register a text that lives in its own file."""
        return await self._targets.add(path, kind=kind, name=name, span=span, encoding=encoding)

    async def remove_target(self, name: Name) -> None:
        """Forget a registered target; its file stays as it is."""
        await self._targets.remove(name)

    async def lock(self, name: Name, text: str) -> LockRow:
        """Lock a passage of a target's text."""
        return await self._targets.lock(name, text)

    async def unlock(self, name: Name, lock_id: str) -> None:
        """Remove a lock."""
        await self._targets.unlock(name, lock_id)

    async def join_targets(self, name: Name, others: Sequence[Name]) -> list[TargetRef]:
        """Let ``others`` stand with a target in every run from now on; return all that do. Raises InvalidInput."""
        return await self._together.join(name, others)

    async def part_targets(self, name: Name, others: Sequence[Name] = ()) -> list[TargetRef]:
        """Let ``others``, or all, no longer stand with a target; return those that still do. Raises InvalidInput."""
        return await self._together.part(name, others)

    async def exclude_variable(self, name: Name, spelled: str) -> tuple[str, ...]:
        """Note once that something that looks like a variable of this target is none."""
        return await self._targets.exclude_variable(name, spelled)

    async def target_names_for_api(self) -> dict[str, Any]:
        """Return personas, sections and the default schema, as the HTTP API lists them."""
        return await self._targets.for_api()

    def active_prompt(self, kind: str | TargetKind, name: str) -> str:
        """Return what an agent loads now: the deployed override, else what it ships with; live after a deploy.

        Raises:
            NotFound, InvalidInput: no such target.
        """
        if kind not in set(TargetKind):
            raise NotFound(f"{kind!r} is not a kind of target.", hint="See 'honeyguide targets list'.")
        return self._homes.live_text(TargetRef(TargetKind(kind), name))

"""Which target a trace speaks about: found by the text of its prompt and by its folder, or said by a person."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import Unit
from honeyguide.storage.records import TraceFilter
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Homes


@dataclass(frozen=True, slots=True)
class _Signs:
    """What a target is recognised by.

    Attributes:
        texts: its live text and those of its versions, redacted like stored prompts.
        folder: the folder that it governs, for an instruction file.
    """

    ref: TargetRef
    texts: tuple[str, ...]
    folder: str | None


class Linking:
    """Links traces to targets."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    async def link(self, name: str | TargetRef, wanted: TraceFilter) -> int:
        """Note that the traces that match speak about a target, as a person said; return how many are new.

        Raises:
            InvalidInput, NotFound: the target.
        """
        ref = await self._homes.resolve(name)
        return await self._core.store.write(lambda unit: unit.trace_links.link_matching(ref, wanted))

    async def unlink(self, name: str | TargetRef, ids: Sequence[int]) -> int:
        """Take traces away from a target; return how many were linked to it. Raises InvalidInput, NotFound."""
        ref = await self._homes.resolve(name)
        return await self._core.store.write(lambda unit: unit.trace_links.unlink(ref, list(dict.fromkeys(ids))))

    async def recognise(self, *only: TargetRef) -> int:
        """Link the traces whose prompt or folder shows which target was in force; return how many changed.

        A prompt that is the live text of a target, or was in a version of it, is an exact link; one that holds such a
        text among others, and a folder, are inferred.

        Args:
            only: these targets; all when none is given.
        """
        signs = [await self._signs(ref) for ref in only or await self._homes.refs()]

        def read(unit: Unit) -> list[tuple[list[str], list[str]]]:
            return [unit.trace_links.prompts_of(sign.texts) for sign in signs]

        prompts = await self._core.store.read(read)

        def write(unit: Unit) -> int:
            changed = 0
            for sign, (same, held) in zip(signs, prompts, strict=True):
                changed += unit.trace_links.link_prompts(sign.ref, same, exact=True)
                changed += unit.trace_links.link_prompts(sign.ref, held, exact=False)
                if sign.folder is not None:
                    changed += unit.trace_links.link_folder(sign.ref, sign.folder)
            return changed

        return await self._core.store.write(write)

    async def unlinked(self) -> int:
        """Return how many traces speak about no target of this workspace."""
        refs = await self._homes.refs()
        return await self._core.store.read(lambda unit: unit.traces.count(TraceFilter(linked_to_none_of=refs)))

    async def _signs(self, ref: TargetRef) -> _Signs:
        record = await self._core.store.read(lambda unit: unit.targets.get(ref.kind.value, ref.name))
        is_instruction = record is not None and ref.kind is TargetKind.INSTRUCTION_FILE
        folder = governed_folder(Path(record.path)) if record is not None and is_instruction else None
        try:
            home = await self._homes.home(ref)
        except HoneyguideError:  # a file that is gone or cannot be read has no text now
            return _Signs(ref, (), folder)
        store = self._core.version_store

        def texts() -> tuple[str, ...]:
            found = {home.text}
            for version in store.list(home.live.kind, home.live.name):
                with contextlib.suppress(HoneyguideError):  # a damaged version is named where versions are shown
                    found.add(home.text_in(store.read(home.live.kind, home.live.name, version.n)))
            redactor = self._core.redactor()
            return tuple(sorted(redactor.text(text) for text in found))

        return _Signs(ref, await self._core.in_thread(texts), folder)


def governed_folder(path: Path) -> str:
    """Return the folder that an instruction file speaks about: its own, or the one above ``.claude`` and the like."""
    parts = path.parent.parts
    hidden = next((n for n, part in enumerate(parts) if n and part.startswith(".")), len(parts))
    return str(Path(*parts[:hidden])) if parts else str(path.parent)

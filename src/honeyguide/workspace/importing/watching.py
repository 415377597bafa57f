"""Notices new and changed files of history, in a thread of its own, so that it works in any event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from watchfiles import Change, watch

from honeyguide.workspace.importing.reading import Stop

SETTLE_MS = 1000
"""A file that is being written is looked at once it was left alone for so long, or at the latest …"""
LONGEST_MS = 3000
POLL_MS = 200


async def watch_paths(paths: Sequence[Path], stop: Stop) -> AsyncGenerator[list[Path], None]:
    """Yield the files under ``paths`` that came or changed, until ``stop`` is set or the task is cancelled."""
    loop = asyncio.get_running_loop()
    changes: asyncio.Queue[list[Path] | None] = asyncio.Queue()
    ended = threading.Event()
    named = [path.expanduser().absolute() for path in paths]

    def look() -> None:
        has_folders = any(path.is_dir() for path in named)
        places = named if has_folders else [path.parent for path in named]
        try:
            for found in watch(
                *dict.fromkeys(places),
                watch_filter=lambda change, path: change is not Change.deleted and _is_wanted(Path(path), named),
                debounce=LONGEST_MS,
                step=SETTLE_MS,
                rust_timeout=POLL_MS,
                yield_on_timeout=True,
                stop_event=ended,
                raise_interrupt=False,
                recursive=has_folders,
                ignore_permission_denied=True,
            ):
                if stop.is_set() or ended.is_set():
                    break
                if found:
                    loop.call_soon_threadsafe(changes.put_nowait, sorted({Path(path) for _, path in found}))
        finally:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changes.put_nowait, None)

    thread = threading.Thread(target=look, name="honeyguide-watch", daemon=True)
    thread.start()
    try:
        while (found := await changes.get()) is not None:
            yield found
    finally:
        ended.set()


def _is_wanted(path: Path, named: Sequence[Path]) -> bool:
    return any(path == wanted or wanted in path.parents for wanted in named)

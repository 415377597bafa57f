"""Coroutines started from Qt's slots: kept while they run, cancelled with their owner, never failing unheard."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
Report = Callable[[BaseException, str], None]
DEBOUNCE_MS = 80
"""A selection that moves on within this time starts no work."""


class TaskScope:
    """Starts coroutines on the running loop and holds on to them (a loop keeps weak references only).

    A page, a dialog and the window have one each. Closing a scope closes those made from it.

    Attributes:
        name: said in reports.
    """

    def __init__(self, report: Report, name: str = "window") -> None:
        self.name = name
        self._report = report
        self._tasks: set[asyncio.Task[Any]] = set()
        self._children: list[TaskScope] = []
        self._current: dict[str, tuple[int, asyncio.Task[None]]] = {}
        self._generation = 0
        self._is_closed = False

    def child(self, name: str) -> TaskScope:
        """Return a scope that is closed together with this one."""
        made = TaskScope(self._report, name)
        self._children = [child for child in self._children if not child.is_closed]
        self._children.append(made)
        return made

    @property
    def is_closed(self) -> bool:
        """Whether nothing can be started any more."""
        return self._is_closed

    def running(self) -> list[str]:
        """Return the names of what runs here and below, for tests and reports."""
        own = [task.get_name() for task in self._tasks if not task.done()]
        return own + [name for child in self._children for name in child.running()]

    def start(self, work: Coroutine[Any, Any, T], name: str = "") -> asyncio.Task[T] | None:
        """Run ``work``; an error that leaves it is reported. Returns ``None`` when the scope is closed."""
        if self._is_closed:
            work.close()
            return None
        task = asyncio.get_running_loop().create_task(work, name=name or self.name)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    def latest(
        self,
        key: str,
        load: Callable[[], Awaitable[T]],
        show: Callable[[T], object],
        *,
        failed: Callable[[Exception], object] | None = None,
        delay_ms: int = 0,
    ) -> None:
        """Load something and show it, unless the same ``key`` is asked for again meanwhile: the newest one wins.

        Args:
            failed: told of an error of ``load`` instead of the report, when this is still the newest.
            delay_ms: rest this long before loading, so that a quick walk through a list loads nothing.
        """
        self.forget(key)
        self._generation += 1
        generation = self._generation

        async def work() -> None:
            if delay_ms:
                await asyncio.sleep(delay_ms / 1000)
            try:
                found = await load()
            except Exception as error:
                if failed is None:
                    raise
                if self._is_newest(key, generation):
                    failed(error)
                return
            if self._is_newest(key, generation):
                show(found)

        task = self.start(work(), f"{self.name}: {key}")
        if task is not None:
            self._current[key] = (generation, task)

    def forget(self, key: str) -> None:
        """Drop what was last asked for under ``key``."""
        known = self._current.pop(key, None)
        if known is not None:
            known[1].cancel()

    def close(self) -> None:
        """Cancel everything at once; ``aclose`` also waits for it."""
        self._is_closed = True
        self._current.clear()
        for child in self._children:
            child.close()
        for task in tuple(self._tasks):
            task.cancel()

    async def aclose(self, patience: float = 5.0) -> None:
        """Cancel everything and wait until it ended, at most ``patience`` seconds."""
        self.close()
        mine = asyncio.current_task()
        pending = [task for task in self._everything() if task is not mine and not task.done()]
        if pending:
            await asyncio.wait(pending, timeout=patience)

    def _everything(self) -> list[asyncio.Task[Any]]:
        return [*self._tasks, *(task for child in self._children for task in child._everything())]

    def _is_newest(self, key: str, generation: int) -> bool:
        return not self._is_closed and self._current.get(key, (0, None))[0] == generation

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._report(error, task.get_name())

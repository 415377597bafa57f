"""An event loop whose clock jumps to the next timer: waiting costs nothing, so wall time knows no load."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    waited = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout > 0:
            self.waited += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.waited


def run(main: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """Run ``main``; return its result and the seconds that it waited."""
    loop = _Loop()
    try:
        return loop.run_until_complete(main), loop.time()
    finally:
        loop.close()

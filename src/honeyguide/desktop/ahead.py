"""What the window imports in a thread, and when: first what a filled inbox needs, the rest once that stands."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from importlib import import_module

REST_S = 0.3
"""How often it is asked whether the first page has read what it shows; the rest is imported after that."""
REST_AT_MOST_S = 8.0
"""How long the rest waits for that at most."""
SETTLES_S = 0.1
TRIES = 50
_one_at_a_time = threading.Lock()


async def at_rest(is_reading: Callable[[], bool]) -> None:
    """Leave the computer to the first page until it has read what it shows, for ``REST_AT_MOST_S`` at most."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + REST_AT_MOST_S
    while loop.time() < deadline:
        await asyncio.sleep(REST_S)
        if not is_reading():
            return


def import_settled(do: Callable[[], None]) -> None:
    """Import in this thread, no other of these imports meanwhile; what another thread has half imported is waited for.

    Where two threads enter a circle of modules at two places, Python hands one of them a module that is not finished
    yet, rather than let both wait for ever. A moment later it is.
    """
    with _one_at_a_time:
        for _ in range(TRIES):
            try:
                return do()
            except ImportError as error:
                if "partially initialized" not in str(error):
                    raise
            time.sleep(SETTLES_S)
        do()


def import_first() -> None:
    """Import what opens a workspace and shows its inbox."""
    import_settled(_first)


def import_review() -> None:
    """Import what shows the chosen run."""
    import_settled(_review)


async def review_imported() -> None:
    """Let the list be painted first; then the review is imported beside the loop."""
    await asyncio.sleep(0.02)
    await asyncio.to_thread(import_review)


def import_rest() -> None:
    """Import the other pages, the dialogs, the rooms of the workspace that they ask, and what draws charts."""
    import_settled(_rest)


def _first() -> None:
    from honeyguide.workspace.loading import load_review_list

    load_review_list()
    import_module("honeyguide.desktop.commands")
    import_module("honeyguide.desktop.pages.every")
    import_module("honeyguide.desktop.pages.inbox")


def _review() -> None:
    from honeyguide.workspace.loading import load_review

    load_review()
    import_module("honeyguide.desktop.pages.review")


def _rest() -> None:
    from honeyguide.desktop.pages.every import MODULES
    from honeyguide.workspace.loading import load_everything

    for module in MODULES:
        import_module(module)
    load_everything()
    for dialog in ("new_run", "connect_model", "find_agents", "palette", "shortcuts"):
        import_module(f"honeyguide.desktop.dialogs.{dialog}")
    from honeyguide.desktop.widgets.charts.loading import load_now

    with contextlib.suppress(ImportError):  # the charts say so when they are looked at
        load_now()

"""What the window imports in a thread, and when: first what a filled inbox needs, the rest once that stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module

REST_S = 0.3
"""How often it is asked whether the first page has read what it shows; the rest is imported after that."""
REST_AT_MOST_S = 8.0
"""How long the rest waits for that at most."""


async def at_rest(is_reading: Callable[[], bool]) -> None:
    """Leave the computer to the first page until it has read what it shows, for ``REST_AT_MOST_S`` at most."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + REST_AT_MOST_S
    while loop.time() < deadline:
        await asyncio.sleep(REST_S)
        if not is_reading():
            return


def import_first() -> None:
    """Import what opens a workspace and shows its inbox."""
    from honeyguide.workspace.loading import load_review_list

    load_review_list()
    import_module("honeyguide.desktop.commands")
    import_module("honeyguide.desktop.pages.every")
    import_module("honeyguide.desktop.pages.inbox")


def import_review() -> None:
    """Import what shows the chosen run."""
    from honeyguide.workspace.loading import load_review

    load_review()
    import_module("honeyguide.desktop.pages.review")


def import_rest() -> None:
    """Import the other pages, the dialogs, and the rooms of the workspace that they ask."""
    from honeyguide.desktop.pages.every import MODULES
    from honeyguide.workspace.loading import load_everything

    for module in MODULES:
        import_module(module)
    load_everything()
    for dialog in ("new_run", "connect_model", "find_agents", "palette", "shortcuts"):
        import_module(f"honeyguide.desktop.dialogs.{dialog}")

"""All pages by name; imported in a thread once the window stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.inbox import InboxPage
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.pages.targets import TargetsPage

PAGES: dict[str, Callable[[Desk], Page]] = {
    "inbox": InboxPage,
    "targets": TargetsPage,
}


def makers(desk: Desk) -> dict[str, Callable[[], Page]]:
    """Return what makes each page, in the order of the side bar."""
    return {name: partial(page, desk) for name, page in PAGES.items()}

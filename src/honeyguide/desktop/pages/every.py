"""All pages by name; imported in a thread once the window stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.corrections import CorrectionsPage
from honeyguide.desktop.pages.feedback import FeedbackPage
from honeyguide.desktop.pages.flows import FlowsPage
from honeyguide.desktop.pages.harnesses import HarnessesPage
from honeyguide.desktop.pages.inbox import InboxPage
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.pages.settings import SettingsPage
from honeyguide.desktop.pages.targets import TargetsPage
from honeyguide.desktop.pages.traces import TracesPage

PAGES: dict[str, Callable[[Desk], Page]] = {
    "inbox": InboxPage,
    "traces": TracesPage,
    "corrections": CorrectionsPage,
    "targets": TargetsPage,
    "feedback": FeedbackPage,
    "harnesses": HarnessesPage,
    "flows": FlowsPage,
    "settings": SettingsPage,
}


def makers(desk: Desk) -> dict[str, Callable[[], Page]]:
    """Return what makes each page, in the order of the side bar."""
    return {name: partial(page, desk) for name, page in PAGES.items()}

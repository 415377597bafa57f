"""All pages by name; the module of each is imported when it is first shown, or ahead of that in a thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import cast

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.page import Page

PAGES: dict[str, str] = {
    "inbox": "inbox.InboxPage",
    "traces": "traces.TracesPage",
    "corrections": "corrections.CorrectionsPage",
    "targets": "targets.TargetsPage",
    "feedback": "feedback.FeedbackPage",
    "harnesses": "harnesses.HarnessesPage",
    "flows": "flows.FlowsPage",
    "settings": "settings.SettingsPage",
}
"""Name to module and maker, in the order of the side bar."""

MODULES = tuple(f"{__package__}.{place.partition('.')[0]}" for place in PAGES.values())


def makers(desk: Desk) -> dict[str, Callable[[], Page]]:
    """Return what makes each page, in the order of the side bar."""
    return {name: partial(_make, place, desk) for name, place in PAGES.items()}


def _make(place: str, desk: Desk) -> Page:
    module, _, maker = place.partition(".")
    return cast(Page, getattr(import_module(f"{__package__}.{module}"), maker)(desk))

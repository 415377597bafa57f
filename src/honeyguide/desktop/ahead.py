"""What the window imports in a thread, and when: first what a filled inbox needs, the rest once that stands."""

from __future__ import annotations

from importlib import import_module

REST_AFTER_S = 0.6
"""How long the first page has the computer to itself before the rest is imported."""


def import_first() -> None:
    """Import what opens a workspace and shows its inbox."""
    from honeyguide.workspace.loading import load_review_list

    load_review_list()
    import_module("honeyguide.desktop.commands")
    import_module("honeyguide.desktop.pages.every")
    import_module("honeyguide.desktop.pages.inbox")


def import_rest() -> None:
    """Import the other pages, the dialogs, and the rooms of the workspace that they ask."""
    from honeyguide.desktop.pages.every import MODULES
    from honeyguide.workspace.loading import load_everything

    for module in MODULES:
        import_module(module)
    load_everything()
    for dialog in ("new_run", "connect_model", "find_agents", "palette", "shortcuts"):
        import_module(f"honeyguide.desktop.dialogs.{dialog}")

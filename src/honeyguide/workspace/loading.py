"""Imports the façade's parts ahead of their use, in a thread of a window or a server, so that nothing stands still.

Parts are imported when they are first asked for; on a loop's thread that would be felt.
"""

from __future__ import annotations


def load_review_list() -> None:
    """Import what opens a workspace and lists its runs."""
    import honeyguide.workspace.reviewing
    import honeyguide.workspace.workspace  # noqa: F401


def load_review() -> None:
    """Import what reads one run, and says whether it may be accepted."""
    import honeyguide.workspace.receipt_state  # noqa: F401


def load_runs() -> None:
    """Import what lists, plans and starts runs, and the autonomous service."""
    import honeyguide.workspace.preparing
    import honeyguide.workspace.reviewing
    import honeyguide.workspace.service  # noqa: F401


def load_everything() -> None:
    """Import every part."""
    import honeyguide.workspace.corrections
    import honeyguide.workspace.feedback
    import honeyguide.workspace.flows
    import honeyguide.workspace.history
    import honeyguide.workspace.models
    import honeyguide.workspace.receipt_state
    import honeyguide.workspace.service
    import honeyguide.workspace.version_history  # noqa: F401

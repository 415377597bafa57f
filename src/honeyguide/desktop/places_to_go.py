"""Where the palette can go by name: targets and runs, beside the actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from honeyguide.desktop.theme.outcomes import kind_wording, state_wording
from honeyguide.desktop.theme.plain_text import one_line

if TYPE_CHECKING:
    from honeyguide.workspace import Workspace

MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class Place:
    """One thing on a page.

    Attributes:
        about: said beside the title, and searched too.
    """

    title: str
    about: str
    icon: str
    page: str
    item: str


async def places_to_go(workspace: Workspace) -> list[Place]:
    """Return every target and the newest runs."""
    from honeyguide.workspace import RunFilter

    found = []
    for target in await workspace.targets():
        kind = kind_wording(target.ref.kind.value)
        found.append(
            Place(one_line(target.title or target.ref.name), kind.words, kind.icon, "targets", str(target.ref))
        )
    for run in (await workspace.run_rows(RunFilter(limit=MOST_RUNS))).items:
        state = state_wording(run.state)
        about = f"{state.words} · {run.created_at[:10]} · {run.uuid[:8]}"
        found.append(Place(one_line(run.target_name or run.uuid), about, state.icon, "inbox", run.uuid))
    return found

"""Versions that came about together: several files changed in one step, and go back in one step.

Each such version names the others. Going back from one of them takes the others back; going forward to it again takes
along those that went back with it. A target that moved on since is never dragged along: that is refused, or left out
by a person's word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from honeyguide.versions.live import LiveFile
from honeyguide.versions.records import Version, standing_for


@dataclass(frozen=True, slots=True)
class Planned:
    """A change of one file before it is written down as a step.

    Attributes:
        before, after: the file's bytes; ``None`` for no file.
        noticed: a version to record first.
        version: the version that the change makes.
        state: of the file now, as ``Version.state``.
    """

    live: LiveFile
    before: bytes | None
    noticed: Version | None
    version: Version | None
    state: str | None
    after: bytes | None = None


@dataclass(frozen=True, slots=True)
class Tie:
    """A version of another target that came about together with one of this.

    Attributes:
        undone: whether the other goes back to what was before that version; else it goes forward to it.
    """

    kind: str
    name: str
    n: int
    undone: bool


def tied(steps: Sequence[Planned]) -> list[Planned]:
    """Return the steps with each version naming those that come about with it."""
    labels = [label(step.version) if step.version else "" for step in steps]
    found = []
    for place, step in enumerate(steps):
        others = tuple(text for other, text in enumerate(labels) if other != place and text)
        version = replace(step.version, together=others) if step.version and others else step.version
        found.append(replace(step, version=version))
    return found


def label(version: Version) -> str:
    """Return how a version is named by those that came about with it: ``KIND:NAME#N``."""
    return f"{version.kind}:{version.name}#{version.n}"


def ties_of(history: Sequence[Version], target: Version) -> tuple[Tie, ...]:
    """Return what goes along when the last version of ``history`` gives way to ``target``."""
    current = standing_for(history)
    if current.n > target.n and current.together:
        return tuple(_tie(text, undone=True) for text in current.together)
    if target.n > current.n and target.together:
        return tuple(_tie(text, undone=False) for text in target.together)
    return ()


def goal_of(tie: Tie, history: Sequence[Version]) -> Version | None:
    """Return the version of the other target that is to be live; ``None`` when its history does not reach that far."""
    wanted = tie.n - 1 if tie.undone else tie.n
    return next((version for version in history if version.n == wanted), None)


def start_of(tie: Tie, history: Sequence[Version]) -> Version | None:
    """Return the version of the other target that has to be live for it to go along."""
    wanted = tie.n if tie.undone else tie.n - 1
    return next((version for version in history if version.n == wanted), None)


def _tie(text: str, *, undone: bool) -> Tie:
    named, _, number = text.rpartition("#")
    kind, _, name = named.partition(":")
    return Tie(kind, name, int(number), undone)

"""Plain data for the window's page of harness folders."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HarnessFolderRow:
    """One folder in the list; ``problem`` says why it cannot be used now."""

    path: str
    name: str
    waiting: int
    is_registered: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class HarnessVersion:
    """One version with how it did and how it came about.

    Attributes:
        is_kept: whether its files are kept, so that one can compare it and go back to it.
        since: when it first ran, was kept or was made (ISO 8601); ``None`` when nobody knows.
        success_rate: in [0, 1]; ``None`` when no run of it ended. ``interval``: of it, 95 %.
        came_by: ``found``, ``applied`` or ``rolled back``. ``proof``: what was proven before it was applied, in words.
    """

    version: str
    is_live: bool
    is_kept: bool
    since: str | None
    runs: int
    successes: int
    incomplete_runs: int
    success_rate: float | None
    interval: tuple[float, float] | None
    cost_per_success_usd: float | None
    last_run_at: str | None
    came_by: str = "found"
    why: str = ""
    who: str = ""
    how: str = ""
    proof: str = ""
    counter: int | None = None


@dataclass(frozen=True, slots=True)
class HarnessFileDiff:
    """One file before and after; an empty side means it is not there.

    Attributes:
        locks: passages of ``before`` that no proposal may change, as (start, end) in characters.
    """

    name: str
    before: str
    after: str
    locks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class HarnessLook:
    """What running a folder and trusting it would mean.

    Attributes:
        unsupported: parts that our runner does not support, by name.
        executes_code: whether a run would execute anything of the folder.
        reason: why it is not trusted. ``files``: what trust would be given to, with bytes.
    """

    path: str
    name: str
    model: str
    costs_money: bool
    ceiling_usd: float | None
    unsupported: tuple[str, ...]
    executes_code: bool
    is_trusted: bool
    reason: str
    digest: str
    files: tuple[tuple[str, int], ...]
    can_evolve: bool

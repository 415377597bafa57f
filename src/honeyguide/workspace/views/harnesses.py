"""What front ends get to see of harness folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class HarnessDocument:
    """The answer to one question about a harness, in its public shape; ``ok`` is part of it."""

    data: Mapping[str, Any]

    @property
    def is_ok(self) -> bool:
        """Whether the answer is a good one (a valid folder, a successful run)."""
        return bool(self.data.get("ok", True))

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return dict(self.data)


@dataclass(frozen=True, slots=True)
class HarnessVersionRow:
    """One version on the timeline; ``interval`` is that of its success rate."""

    version: str
    is_live: bool
    runs: int
    successes: int
    success_rate: float
    interval: tuple[float, float] | None
    cost_per_success_usd: float | None
    first_run_at: str | None
    last_run_at: str | None
    incomplete_runs: int = 0


@dataclass(frozen=True, slots=True)
class HarnessClusterRow:
    """Failures of the live version that share a signature."""

    kind: str
    signature: str
    count: int


@dataclass(frozen=True, slots=True)
class HarnessProposalRow:
    """One proposal in the queue."""

    id: str
    status: str
    rationale: str
    created_at: str
    trigger: str
    is_stale: bool
    proof: str
    changes: int
    code_files: int
    capability_changes: int


@dataclass(frozen=True, slots=True)
class HarnessLine:
    """One line of ``harness.yaml`` with what may happen to it: ``frozen``, ``mutable`` or ``fixed``."""

    number: int
    text: str
    lock: str


@dataclass(frozen=True, slots=True)
class HarnessOverview:
    """Everything the harness page shows.

    Attributes:
        timeline: oldest version first.
        nothing: why there is nothing to evolve from; empty when there is something.
    """

    path: str
    name: str
    identity: str
    description: str
    version: str
    fingerprint: str
    evolved: int
    is_valid: bool
    is_trusted: bool
    problems: tuple[Mapping[str, Any], ...]
    timeline: tuple[HarnessVersionRow, ...]
    clusters: tuple[HarnessClusterRow, ...]
    proposals: tuple[HarnessProposalRow, ...]
    lines: tuple[HarnessLine, ...]
    headline: tuple[str, ...]
    nothing: str
    journals: Mapping[str, Any] = field(default_factory=dict)

"""What a person can say about work on a flow, and who is told of its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.flows.search_size import SearchSize

NOTICE: Final = "notice"
"""The step in which a person is told what a suite may do, before it runs for the first time."""
OnFlowEvent = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """What a person can say about a plan, an evaluation or a proposal.

    Attributes:
        engine: instead of the flow's own.
        feedback: ids of the problems to work on; empty for all open ones.
        candidates: how many proposals may be tried.
        search: the instruction search in place of the single proposal.
        is_confirmed: whether the person agreed to what it costs.
        trusts_suite: whether the person has read the code suite and trusts it as it is.
        is_automatic: whether nobody asked for this run.
    """

    engine: str | None = None
    feedback: tuple[str, ...] = ()
    candidates: int = 1
    search: SearchSize | None = None
    is_confirmed: bool = False
    trusts_suite: bool = False
    is_automatic: bool = False

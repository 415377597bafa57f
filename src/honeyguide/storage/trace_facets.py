"""How many traces a filter would leave for each value of its outcome, source and target: one pass each, no payloads."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.mapping import AnySelect
from honeyguide.storage.records import TraceFilter
from honeyguide.storage.tables import ExecutionTraceRow, TraceFactsRow, TraceTargetRow
from honeyguide.storage.trace_query import is_everything, matching_ids, narrowed

_T, _F, _L = ExecutionTraceRow, TraceFactsRow, TraceTargetRow


@dataclass(frozen=True, slots=True)
class TraceFacets:
    """Counts by value; a value that occurs nowhere is missing.

    Attributes:
        unlinked: traces that speak about no target of the workspace, when it was asked for.
    """

    outcomes: dict[str, int] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    targets: dict[TargetRef, int] = field(default_factory=dict)
    unlinked: int = 0


def facets(
    session: Session, wanted: TraceFilter, among: Select[int] | None, refs: tuple[TargetRef, ...]
) -> TraceFacets:
    """Return the counts; each facet is counted as if its own filter were off.

    Args:
        among: ids to which everything is restricted, e.g. the hits of a search.
        refs: the targets of the workspace, for the count of traces that speak about none of them.
    """
    return TraceFacets(
        outcomes=_grouped(
            session, select(_T.outcome, func.count(_T.id)), _T.outcome, replace(wanted, outcomes=()), among
        ),
        sources=_sources(session, replace(wanted, source=None), among),
        targets=_targets(session, replace(wanted, target=None, linked_to_none_of=()), among),
        unlinked=_unlinked(session, replace(wanted, target=None, linked_to_none_of=refs), among),
    )


def _grouped(
    session: Session, statement: AnySelect, by: Any, wanted: TraceFilter, among: Select[int] | None
) -> dict[str, int]:
    statement = narrowed(statement, wanted, facts_joined=False)
    if among is not None:
        statement = statement.where(_T.id.in_(among))
    return {str(value): count for value, count in session.execute(statement.group_by(by))}


def _sources(session: Session, wanted: TraceFilter, among: Select[int] | None) -> dict[str, int]:
    statement: AnySelect = select(_F.source, func.count(_F.trace_id))
    if not is_everything(wanted):
        statement = statement.where(_F.trace_id.in_(matching_ids(wanted)))
    if among is not None:
        statement = statement.where(_F.trace_id.in_(among))
    return {str(source): count for source, count in session.execute(statement.group_by(_F.source))}


def _targets(session: Session, wanted: TraceFilter, among: Select[int] | None) -> dict[TargetRef, int]:
    statement: AnySelect = select(_L.target_kind, _L.target_name, func.count(_L.trace_id.distinct()))
    if not is_everything(wanted):
        statement = statement.where(_L.trace_id.in_(matching_ids(wanted)))
    if among is not None:
        statement = statement.where(_L.trace_id.in_(among))
    statement = statement.group_by(_L.target_kind, _L.target_name)
    return {TargetRef(TargetKind(kind), name): count for kind, name, count in session.execute(statement)}


def _unlinked(session: Session, wanted: TraceFilter, among: Select[int] | None) -> int:
    statement = narrowed(select(func.count(_T.id)), wanted, facts_joined=False)
    if among is not None:
        statement = statement.where(_T.id.in_(among))
    return session.scalar(statement) or 0

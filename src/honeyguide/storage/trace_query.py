"""Which traces: a filter as SQL, in an order that an index gives."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, case, exists, func, select, tuple_

from honeyguide.storage.mapping import AnySelect
from honeyguide.storage.records import TraceFilter, TraceRow
from honeyguide.storage.tables import ExecutionTraceRow, TraceFactsRow, TraceTargetRow
from honeyguide.storage.text import moment
from honeyguide.traces.records import REFERENCE, TraceOutcome

_T, _F, _L = ExecutionTraceRow, TraceFactsRow, TraceTargetRow


def matching_ids(wanted: TraceFilter) -> Select[int]:
    """Return a select of the ids of the traces that match."""
    statement = select(_T.id)
    conditions = _conditions(wanted)
    if _needs_facts(wanted):
        statement = statement.join(_F, _F.trace_id == _T.id)
    return statement.where(*conditions)


def is_everything(wanted: TraceFilter) -> bool:
    """Say whether the filter lets every trace through."""
    return wanted == TraceFilter()


def narrowed(statement: AnySelect, wanted: TraceFilter, *, facts_joined: bool) -> AnySelect:
    """Add the filter to a select over ``execution_traces``."""
    if not facts_joined and _needs_facts(wanted):
        statement = statement.join(_F, _F.trace_id == _T.id)
    return statement.where(*_conditions(wanted))


def newest_first(statement: AnySelect) -> AnySelect:
    """Order by time, then by id, newest first."""
    return statement.order_by(_T.created_at.desc(), _T.id.desc())


def select_rows() -> AnySelect:
    """Return a select whose columns are the fields of ``TraceRow``."""
    cost = case((_F.cost_known, _T.cost_usd), else_=None)
    duration = case((_F.duration_known, _T.duration_ms), else_=None)
    special = {"cost_usd": cost, "duration_ms": duration}
    of_facts = {
        "outcome_detail", "source", "conversation", "turn", "project", "preview", "tool_calls", "never_send"
    }  # fmt: skip
    names = TraceRow.__dataclass_fields__
    chosen = [special.get(name, getattr(_F if name in of_facts else _T, name)) for name in names]
    return select(*chosen).join(_F, _F.trace_id == _T.id)


def _needs_facts(wanted: TraceFilter) -> bool:
    named = wanted.conversation is not None or wanted.source is not None or wanted.project is not None
    return named or wanted.sendable or wanted.unsaid


def _conditions(wanted: TraceFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    equal: list[tuple[Any, object | None]] = [
        (_T.session_id, wanted.session_id),
        (_T.persona_id, wanted.persona_id),
        (_T.workspace_id, wanted.workspace_id),
        (_T.task_shape, wanted.task_shape),
        (_T.model, wanted.model),
        (_F.conversation, wanted.conversation),
        (_F.source, wanted.source),
        (_F.project, wanted.project),
    ]
    conditions += [column == value for column, value in equal if value is not None]
    if wanted.ids is not None:
        conditions.append(_T.id.in_(list(wanted.ids)))
    if wanted.after_id is not None:
        conditions.append(_T.id > wanted.after_id)
    if wanted.outcomes:
        conditions.append(_T.outcome.in_([outcome.value for outcome in wanted.outcomes]))
    if wanted.since is not None:
        conditions.append(_T.created_at >= moment(wanted.since))
    if wanted.until is not None:
        conditions.append(_T.created_at < moment(wanted.until))
    if wanted.sendable:
        conditions.append(_F.never_send.is_(False))
    if wanted.unsaid:
        conditions += [
            _T.outcome == TraceOutcome.PENDING.value,
            _F.outcome_evidence == "",
            func.coalesce(_F.outcome_detail, "") != REFERENCE,
        ]
    if wanted.target is not None:
        conditions.append(
            exists().where(
                _L.trace_id == _T.id,
                _L.target_kind == wanted.target.kind.value,
                _L.target_name == wanted.target.name,
            )
        )
    if wanted.linked_to_none_of:
        names = [(ref.kind.value, ref.name) for ref in wanted.linked_to_none_of]
        linked = exists().where(_L.trace_id == _T.id, tuple_(_L.target_kind, _L.target_name).in_(names))
        conditions.append(~linked)
    return conditions

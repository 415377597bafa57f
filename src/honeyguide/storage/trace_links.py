"""Which traces speak about which targets, asked and set for many traces at once."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, literal, or_, select

from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.dialect import insert_on_conflict
from honeyguide.storage.records import TraceLink
from honeyguide.storage.tables import ExecutionTraceRow, TraceFactsRow, TraceTargetRow
from honeyguide.storage.work import Work

PATH = "path"
"""``TraceLink.how`` of a link that follows from the folder that a trace worked in."""
_L = TraceTargetRow


class TraceLinksRepository:
    """Links in bulk; ``TracesRepository.link`` sets single ones."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def of(self, trace_ids: Sequence[int]) -> dict[int, tuple[TraceLink, ...]]:
        """Return the links of traces by id: exact ones first, then by kind and name."""
        found: dict[int, list[TraceLink]] = {}
        for start in range(0, len(trace_ids), 500):
            statement = (
                select(_L.trace_id, _L.target_kind, _L.target_name, _L.how, _L.exact)
                .where(_L.trace_id.in_(trace_ids[start : start + 500]))
                .order_by(_L.trace_id, _L.exact.desc(), _L.target_kind, _L.target_name)
            )
            for trace_id, kind, name, how, exact in self._session.execute(statement):
                found.setdefault(trace_id, []).append(TraceLink(TargetRef(TargetKind(kind), name), how, exact))
        return {trace_id: tuple(links) for trace_id, links in found.items()}

    def named(self, name: str) -> tuple[TargetRef, ...]:
        """Return the targets called ``name`` that some trace speaks about, whether or not they are registered."""
        statement = select(_L.target_kind).where(_L.target_name == name).distinct().order_by(_L.target_kind)
        return tuple(TargetRef(TargetKind(kind), name) for kind in self._session.scalars(statement))

    def counts(self, kinds: Sequence[TargetKind]) -> dict[TargetRef, int]:
        """Return how many traces speak about each target of these kinds."""
        statement = (
            select(_L.target_kind, _L.target_name, func.count())
            .where(_L.target_kind.in_([kind.value for kind in kinds]))
            .group_by(_L.target_kind, _L.target_name)
        )
        return {TargetRef(TargetKind(kind), name): count for kind, name, count in self._session.execute(statement)}

    def link_folder(self, ref: TargetRef, folder: str) -> int:
        """Link every trace that worked in ``folder`` or below it, as inferred; links that stand stay.

        Returns how many are new. ``folder`` is compared as the source wrote it, with either kind of separator.
        """
        rows = select(
            TraceFactsRow.trace_id,
            literal(ref.kind.value),
            literal(ref.name),
            literal(PATH),
            literal(False),
            ExecutionTraceRow.created_at,
        ).join(ExecutionTraceRow, ExecutionTraceRow.id == TraceFactsRow.trace_id)
        names = ["trace_id", "target_kind", "target_name", "how", "exact", "created_at"]
        statement = insert_on_conflict(_L).from_select(names, rows.where(_inside(folder))).on_conflict_do_nothing()
        changed = self._work.change(statement)
        if changed > 0:
            self._work.event("traces:linked", str(ref), links=changed)
        return max(changed, 0)


def _inside(folder: str) -> ColumnElement[bool]:
    project = TraceFactsRow.project
    bare = folder.rstrip("/\\") or folder
    below = (project.startswith(bare + separator, autoescape=True) for separator in "/\\")
    return or_(project == bare, *below)

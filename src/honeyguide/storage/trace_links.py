"""Which traces speak about which targets, asked and set for many traces at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, Select, delete, exists, func, literal, or_, select

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.dialect import insert_on_conflict
from honeyguide.storage.records import TraceFilter, TraceLink
from honeyguide.storage.tables import ExecutionTraceRow, PromptInForceRow, PromptTextRow, TraceFactsRow, TraceTargetRow
from honeyguide.storage.trace_query import matching_ids
from honeyguide.storage.work import Work

PATH, TEXT, PERSON = "path", "text", "person"
"""``TraceLink.how`` of a link that follows from the folder that a trace worked in, from the text of its prompt, and of
one that a person made."""
LEAST_CONTAINED = 80
"""Characters a target's text has at least, to be recognised inside a longer prompt."""
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
        return self._link(ref, select(TraceFactsRow.trace_id).where(_inside(folder)), PATH, exact=False)

    def link_matching(self, ref: TargetRef, wanted: TraceFilter) -> int:
        """Link every trace that matches, as a person said; return how many were not linked so before."""
        ids = wanted.ids
        parts = [wanted] if ids is None else [replace(wanted, ids=ids[n : n + 500]) for n in range(0, len(ids), 500)]
        return sum(self._link(ref, matching_ids(part), PERSON, exact=True) for part in parts)

    def prompts_of(self, texts: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the hashes of stored prompts that are one of these texts, and of those that hold one.

        Args:
            texts: redacted as stored prompts are; blanks around them do not matter.
        """
        spelled = {form for text in texts if text.strip() for form in (text, text.strip(), text.rstrip("\r\n"))}
        same = sorted(sha256_hex(form) for form in spelled)
        parts = sorted({text.strip() for text in texts if len(text.strip()) >= LEAST_CONTAINED})
        held: set[str] = set()
        for part in parts:
            holds = func.instr(PromptTextRow.text, part) > 0
            held.update(self._session.scalars(select(PromptTextRow.sha256).where(holds)))
        return same, sorted(held.difference(same))

    def link_prompts(self, ref: TargetRef, hashes: Sequence[str], *, exact: bool) -> int:
        """Link the traces in which a prompt of these hashes was in force; return how many changed."""
        parts = (hashes[n : n + 500] for n in range(0, len(hashes), 500))
        in_force = select(PromptInForceRow.trace_id)
        return sum(
            self._link(ref, in_force.where(PromptInForceRow.sha256.in_(part)), TEXT, exact=exact) for part in parts
        )

    def unlink(self, ref: TargetRef, trace_ids: Sequence[int]) -> int:
        """Take links away; return how many there were. What a source says itself comes back with its next import."""
        gone = 0
        for start in range(0, len(trace_ids), 500):
            part = _L.trace_id.in_(trace_ids[start : start + 500])
            named = (_L.target_kind == ref.kind.value, _L.target_name == ref.name)
            gone += max(self._work.change(delete(_L).where(part, *named)), 0)
        if gone:
            self._work.event("traces:linked", str(ref), links=-gone)
        return gone

    def _link(self, ref: TargetRef, trace_ids: Select[int], how: str, *, exact: bool) -> int:
        """Link traces; a link that is as sure already stays as it is."""
        found = trace_ids.subquery()
        known = exists().where(
            _L.trace_id == ExecutionTraceRow.id,
            _L.target_kind == ref.kind.value,
            _L.target_name == ref.name,
            *(() if not exact else (_L.exact.is_(True),)),
        )
        rows = select(
            ExecutionTraceRow.id,
            literal(ref.kind.value),
            literal(ref.name),
            literal(how),
            literal(exact),
            ExecutionTraceRow.created_at,
        ).where(ExecutionTraceRow.id.in_(select(found)), ~known)
        names = ["trace_id", "target_kind", "target_name", "how", "exact", "created_at"]
        statement = insert_on_conflict(_L).from_select(names, rows)
        surer = {"how": how, "exact": exact}
        keys = ["trace_id", "target_kind", "target_name"]
        changed = self._work.change(statement.on_conflict_do_update(index_elements=keys, set_=surer))
        if changed > 0:
            self._work.event("traces:linked", str(ref), links=changed)
        return max(changed, 0)


def _inside(folder: str) -> ColumnElement[bool]:
    project = TraceFactsRow.project
    bare = folder.rstrip("/\\") or folder
    below = (project.startswith(bare + separator, autoescape=True) for separator in "/\\")
    return or_(project == bare, *below)

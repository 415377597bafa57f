"""Conversations, and the texts of prompts that were in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import func, select

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import NotFound
from honeyguide.storage.mapping import AnySelect, columns, fetch, fetch_one
from honeyguide.storage.records import ConversationRecord
from honeyguide.storage.tables import ConversationRow, PromptTextRow, TraceFactsRow
from honeyguide.storage.text import moment, storable
from honeyguide.storage.work import Work
from honeyguide.traces.records import Trace


class ConversationsRepository:
    """Conversations appear with their first trace and go with their last."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def see(self, traces: Iterable[Trace]) -> None:
        """Make the conversations of ``traces`` known, and widen their time span."""
        spans: dict[str, tuple[str, str, Trace]] = {}
        for trace in traces:
            key, at = storable(trace.conversation), trace.created_at
            first, last, some = spans.get(key, (at, at, trace))
            spans[key] = (min(first, at), max(last, at), some)
        known = self._rows(spans)
        for key, (first, last, trace) in spans.items():
            row = known.get(key)
            if row is None:
                facts = trace.facts
                self._work.session.add(
                    ConversationRow(key=key, source=facts.source, project=facts.project, first_at=first, last_at=last)
                )
            else:
                row.first_at, row.last_at = min(row.first_at, first), max(row.last_at, last)
        self._work.session.flush()

    def describe(self, key: str, *, title: str | None = None, parent: str | None = None) -> None:
        """Set what a source says about a conversation; ``None`` leaves it. Raises NotFound."""
        row = self._row(key)
        row.title = title if title is not None else row.title
        row.parent = parent if parent is not None else row.parent
        self._work.session.flush()

    def mark_archived(self, key: str, at: str | None = None) -> None:
        """Note that a compressed copy is kept. Raises NotFound."""
        self._row(key).archived_at = moment(at) if at else self._work.now()
        self._work.session.flush()
        self._work.event("conversation:archived", key)

    def get(self, key: str) -> ConversationRecord | None:
        """Return one conversation."""
        return fetch_one(self._work.session, self._select().where(ConversationRow.key == key), ConversationRecord)

    def list(
        self, *, source: str | None = None, project: str | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[ConversationRecord, ...]:
        """Return conversations, the one with the newest trace first."""
        statement = self._select()
        if source is not None:
            statement = statement.where(ConversationRow.source == source)
        if project is not None:
            statement = statement.where(ConversationRow.project == project)
        order = (ConversationRow.last_at.desc(), ConversationRow.key)
        return tuple(
            fetch(self._work.session, statement.order_by(*order).limit(limit).offset(offset), ConversationRecord)
        )

    def count(self) -> int:
        """Return how many conversations there are."""
        return self._work.session.scalar(select(func.count(ConversationRow.key))) or 0

    def keep_prompt_texts(self, texts: Iterable[tuple[str, str, str]]) -> None:
        """Keep prompt texts, given as (kind, name, text), by their hash."""
        for kind, name, body in texts:
            digest = sha256_hex(body)
            if self._work.session.get(PromptTextRow, digest) is None:
                self._work.session.add(PromptTextRow(sha256=digest, kind=kind, name=name, text=body))
        self._work.session.flush()

    def prompt_text(self, sha256: str) -> str | None:
        """Return the text of a prompt by its hash."""
        return self._work.session.scalar(select(PromptTextRow.text).where(PromptTextRow.sha256 == sha256))

    def _select(self) -> AnySelect:
        count = (
            select(func.count(TraceFactsRow.trace_id))
            .where(TraceFactsRow.conversation == ConversationRow.key)
            .scalar_subquery()
        )
        return select(*columns(ConversationRow, ConversationRecord, traces=count))

    def _rows(self, keys: Mapping[str, object]) -> dict[str, ConversationRow]:
        wanted = list(keys)
        found: dict[str, ConversationRow] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            for row in self._work.session.scalars(select(ConversationRow).where(ConversationRow.key.in_(part))):
                found[row.key] = row
        return found

    def _row(self, key: str) -> ConversationRow:
        row = self._work.session.get(ConversationRow, key)
        if row is None:
            raise NotFound(f"There is no conversation {key!r}.")
        return row

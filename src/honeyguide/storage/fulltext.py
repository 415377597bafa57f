"""Full-text search as a port, and SQLite's FTS5 behind it.

Languages that do not put spaces between words (Chinese, Japanese, Thai, …) are indexed character by character
and searched as phrases, so that any part of a sentence is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Select, column, func, literal_column, select, table, text
from sqlalchemy.orm import Session

from honeyguide.storage.text import storable

TEXT_CAP = 100_000
"""Characters of each field that are searchable."""
MERGE_PAGES = 2000
"""Index pages that are merged in one transaction while the index is rewritten."""
RANKED = 1000
"""How many of the newest matches are ordered by rank; with more, the newest come first."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_UNSPACED_CHAR = re.compile(f"([{_UNSPACED}])")
_QUOTED_OR_WORD = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"\w+")
_TABLE = table("trace_words", column("rowid"), column("trace_words"), column("rank"))


@dataclass(frozen=True, slots=True)
class SearchText:
    """What of one trace is searchable."""

    trace_id: int
    input: str
    output: str
    feedback: str
    tools: str


@dataclass(frozen=True, slots=True)
class Matches:
    """Ids of matching traces, best first, and how many match in all."""

    ids: tuple[int, ...]
    total: int


class FullTextIndex(Protocol):
    """What storage asks of a full-text search, whatever the database."""

    def add(self, session: Session, texts: Iterable[SearchText]) -> None:
        """Index texts of new traces."""
        ...

    def put(self, session: Session, texts: Sequence[SearchText]) -> None:
        """Index texts, replacing what was indexed for the same traces."""
        ...

    def remove(self, session: Session, trace_ids: Sequence[int]) -> None:
        """Take traces out."""
        ...

    def search(self, session: Session, words: str, *, among: Select[int] | None, limit: int, offset: int) -> Matches:
        """Find all of ``words`` (a quoted part is a phrase, the last word may be a beginning)."""
        ...

    def matching(self, words: str) -> Select[int] | None:
        """Return a select of the ids of the traces that hold all of ``words``; ``None`` when nothing is looked for."""
        ...

    def rewrite(self, session: Session, *, first: bool) -> bool:
        """Do a part of rewriting the index, so that in the end nothing of a removed text stays in it.

        Each part is short enough for a transaction of its own. Returns whether more is to be done.
        """
        ...

    def check(self, session: Session) -> None:
        """Compare the index with its texts; a damaged one raises the database's own error."""
        ...


class Fts5Index:
    """The table ``trace_words``."""

    def add(self, session: Session, texts: Iterable[SearchText]) -> None:
        rows: list[dict[str, Any]] = [
            {
                "id": item.trace_id,
                "input": _indexable(item.input),
                "output": _indexable(item.output),
                "feedback": _indexable(item.feedback),
                "tools": _indexable(item.tools),
            }
            for item in texts
        ]
        if not rows:
            return
        session.execute(
            text(
                "INSERT INTO trace_words (rowid, input, output, feedback, tools) "
                "VALUES (:id, :input, :output, :feedback, :tools)"
            ),
            rows,
        )

    def put(self, session: Session, texts: Sequence[SearchText]) -> None:
        self.remove(session, [item.trace_id for item in texts])
        self.add(session, texts)

    def remove(self, session: Session, trace_ids: Sequence[int]) -> None:
        if trace_ids:
            session.execute(text("DELETE FROM trace_words WHERE rowid = :id"), [{"id": i} for i in trace_ids])

    def search(self, session: Session, words: str, *, among: Select[int] | None, limit: int, offset: int) -> Matches:
        matching = self.matching(words)
        if matching is None:
            return Matches((), 0)
        if among is not None:
            # The plus keeps SQLite from asking the index once for each id of the filter.
            matching = matching.where(literal_column("+trace_words.rowid").in_(among))
        total = session.scalar(select(func.count()).select_from(matching.subquery())) or 0
        newest = _TABLE.c.rowid.desc()
        order = (_TABLE.c.rank, newest) if total <= RANKED else (newest,)
        return Matches(tuple(session.scalars(matching.order_by(*order).limit(limit).offset(offset))), total)

    def matching(self, words: str) -> Select[int] | None:
        query = fts5_query(words)
        return select(_TABLE.c.rowid).where(_TABLE.c.trace_words.op("MATCH")(query)) if query else None

    def rewrite(self, session: Session, *, first: bool) -> bool:
        """Merge a part of the index (FTS5 "merge", which a negative number makes cover all of it)."""
        changes = text("SELECT total_changes()")
        before = session.scalar(changes) or 0
        merge = text("INSERT INTO trace_words (trace_words, rank) VALUES ('merge', :pages)")
        session.execute(merge, {"pages": -MERGE_PAGES if first else MERGE_PAGES})
        return (session.scalar(changes) or 0) - before >= 2

    def check(self, session: Session) -> None:
        session.execute(text("INSERT INTO trace_words (trace_words) VALUES ('integrity-check')"))


def fts5_query(words: str) -> str:
    """Return what a person typed as an FTS5 query; ``""`` when nothing in it can be searched.

    Every word must occur. ``"two words"`` is a phrase. The last word also finds words that begin with it
    (from two characters), unless a space or quote ends it.
    """
    parts: list[str] = []
    typed = storable(words)
    for found in _QUOTED_OR_WORD.finditer(typed):
        phrase, word = found[1], found[2]
        tokens = _WORD.findall(_spaced(phrase if word is None else word))
        if not tokens:
            continue
        unfinished = word is not None and found.end() == len(typed) and len(tokens[-1]) >= 2
        parts.append('"' + " ".join(tokens) + '"' + ("*" if unfinished else ""))
    return " ".join(parts)


def excerpt(texts: Sequence[str], words: str, width: int = 160) -> str:
    """Return the first place in ``texts`` where one of ``words`` stands, with the words around it, on one line."""
    wanted = [w.casefold() for w in _WORD.findall(words)]
    for body in texts:
        folded = body.casefold() if len(body.casefold()) == len(body) else body.lower()
        places = [place for place in (folded.find(word) for word in wanted) if place >= 0]
        if places:
            start = max(min(places) - width // 3, 0)
            piece = " ".join(body[start : start + width].split())
            return ("…" if start else "") + piece + ("…" if start + width < len(body) else "")
    return " ".join(texts[0][:width].split()) if texts else ""


def _indexable(body: str) -> str:
    return _spaced(storable(body[:TEXT_CAP]))


def _spaced(body: str) -> str:
    return body if body.isascii() else _UNSPACED_CHAR.sub(r" \1 ", body)

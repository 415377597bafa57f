"""The figures of one import: what its files hold, nothing counted twice, and each file's share of it.

The shares are kept with the files, so that an unchanged file, which is not read again, is counted like a read one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from honeyguide.storage.records import ImportCounts, ImportedFile
from honeyguide.traces.conversations import Tally, sum_tokens
from honeyguide.traces.preparing import Prepared
from honeyguide.traces.records import TokenCounts
from honeyguide.workspace.views.traces import ImportedFileRow, ImportReport, tokens_to_json

_COUNTED = ("conversations", "human_prompts", "replies", "tool_calls", "corrections")


@dataclass(slots=True)
class Share:
    """What one file adds to the figures."""

    conversations: int = 0
    human_prompts: int = 0
    replies: int = 0
    tool_calls: int = 0
    corrections: int = 0
    tokens: TokenCounts = field(default_factory=TokenCounts)
    redactions: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return what is remembered of the file."""
        counted = {name: getattr(self, name) for name in _COUNTED}
        return {**counted, "tokens": tokens_to_json(self.tokens), "redactions": dict(self.redactions)}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Share:
        """Read what was remembered; what is missing counts nothing."""
        counted = {name: data.get(name, 0) for name in _COUNTED}
        return cls(**counted, tokens=TokenCounts(**data.get("tokens", {})), redactions=data.get("redactions", {}))


class ImportTally:
    """Adds up one import. Not safe from several threads at once."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._shares: dict[Path, Share] = {}
        self._suggestions: set[tuple[object, ...]] = set()
        self._rows: dict[Path, ImportedFileRow] = {}
        self._counts = ImportCounts()

    def count(self, counts: ImportCounts) -> None:
        """Add what the store did."""
        self._counts = self._counts.plus(replace(counts, ids=()))

    def add(self, path: Path, conversations: Iterable[Prepared]) -> None:
        """Count what a file holds."""
        share = self._shares.setdefault(path, Share())
        batch = list(conversations)
        conversations_before, before, tokens = self._tally.conversations, self._tally.counts, self._tally.tokens
        known = len(self._suggestions)
        for prepared in batch:
            self._tally.add(prepared.outline)
            self._suggestions.update(
                (prepared.outline.source, s.trace_key, s.detector, s.place, s.start, s.end)
                for s in prepared.suggestions
            )
        after = self._tally.counts
        share.conversations += self._tally.conversations - conversations_before
        share.human_prompts += after.human_prompts - before.human_prompts
        share.replies += after.replies - before.replies
        share.tool_calls += after.tool_calls - before.tool_calls
        share.corrections += len(self._suggestions) - known
        said = sum_tokens(prepared.outline.tokens for prepared in batch)
        share.tokens = sum_tokens((share.tokens, _growth(said, tokens, self._tally.tokens)))

    def end(self, path: Path, row: ImportedFileRow, redactions: Mapping[str, int]) -> Share:
        """Note that a file was read; return its share."""
        share = self._shares.setdefault(path, Share())
        share.redactions = dict(redactions)
        self._rows[path] = row
        return share

    def skip(self, path: Path, known: ImportedFile) -> None:
        """Count an unchanged file by what is remembered of it."""
        self._shares[path] = Share.read(known.summary)
        self._counts = self._counts.plus(ImportCounts(known=known.traces))
        self._rows[path] = ImportedFileRow(str(path), known.source, known.traces, tuple(known.health), unchanged=True)

    def report(self, order: Iterable[Path]) -> ImportReport:
        """Return the figures so far; ``order`` is that of the files."""
        shares = list(self._shares.values())
        redactions: Counter[str] = Counter()
        for share in shares:
            redactions.update(share.redactions)
        counted = {name: sum(getattr(share, name) for share in shares) for name in _COUNTED}
        return ImportReport(
            imported=self._counts.imported,
            known=self._counts.known,
            updated=self._counts.updated,
            forgotten=self._counts.forgotten,
            **counted,
            tokens=sum_tokens(share.tokens for share in shares),
            files=tuple(self._rows[path] for path in order if path in self._rows),
            redactions=dict(redactions),
        )


def _growth(said: TokenCounts, before: TokenCounts, now: TokenCounts) -> TokenCounts:
    """Return what came to the sum; a part that nobody of this batch said stays unknown."""

    def rest(own: int | None, old: int | None, new: int | None) -> int | None:
        return None if own is None or new is None else new - (old or 0)

    return TokenCounts(
        rest(said.input, before.input, now.input),
        rest(said.output, before.output, now.output),
        rest(said.cache_read, before.cache_read, now.cache_read),
        rest(said.cache_write, before.cache_write, now.cache_write),
    )

"""Versions and differences as they are listed and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from honeyguide.prompts.joined import Joined
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.versions.diff import Comparison, Hunk, Row, compare, hunks_of, rows_of, summarise


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of a target.

    Attributes:
        together: versions of other targets that came about in the same step, each ``KIND:NAME#N``.
    """

    n: int
    sha256: str
    created_at: str
    origin: str
    run_uuid: str | None
    note: str
    current: bool
    who: str = ""
    how: str = ""
    removed: bool = False
    restored_from: int | None = None
    together: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "n": self.n, "sha256": self.sha256, "created_at": self.created_at, "origin": self.origin,
            "run_uuid": self.run_uuid, "note": self.note, "current": self.current, "who": self.who, "how": self.how,
            "removed": self.removed, "restored_from": self.restored_from, "together": list(self.together),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class VersionList:
    """All versions of a target, oldest first.

    Attributes:
        path: its file.
        edited_outside: whether the live file is none of them.
        bak: the ``.bak`` file beside it, if there is one.
    """

    target: str
    path: str
    versions: tuple[VersionRow, ...]
    edited_outside: bool = False
    bak: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "target": self.target, "path": self.path, "versions": [row.to_json() for row in self.versions],
            "edited_outside": self.edited_outside, "bak": self.bak, "total": len(self.versions),
        }  # fmt: skip


def going_along(listed: VersionList, n: int) -> tuple[str, ...]:
    """Return the names of the targets that go along when version ``n`` comes back, as far as the versions say."""
    by_n = {row.n: row for row in listed.versions}
    standing = next((row for row in listed.versions if row.current), None)
    while standing is not None and standing.restored_from is not None and standing.restored_from in by_n:
        standing = by_n[standing.restored_from]
    if standing is None or n not in by_n:
        return ()
    tied = standing.together if standing.n > n else by_n[n].together if n > standing.n else ()
    return tuple(text.rpartition("#")[0].partition(":")[2] for text in tied)


@dataclass(frozen=True, slots=True)
class VersionDetail:
    """One version with its text."""

    row: VersionRow
    target: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {**self.row.to_json(), "target": self.target, "text": self.text}


@dataclass(frozen=True, slots=True)
class DiffView:
    """Two texts, the numbered changes between them, the rows of a diff viewer, and one sentence.

    Attributes:
        growth: change of length as a share of the old length.
        texts: the same of each text, where several belong together; empty for a single one.
        worth: number of a change to what it was worth on development cases, where that was measured.
        memorised: pieces of ``after`` that come from cases which the search saw: kind, text, start, end.
    """

    before: str
    after: str
    hunks: tuple[Hunk, ...]
    rows: tuple[Row, ...]
    summary: str
    growth: float
    locks: tuple[tuple[int, int], ...] = field(default=())
    worth: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    texts: tuple[TextDiff, ...] = ()
    memorised: tuple[Mapping[str, Any], ...] = ()

    def with_texts(self, wordings: Mapping[str, str]) -> str:
        """Return the whole proposed text with other wordings of some of its ``texts``, by target."""
        return self._joined.join([wordings.get(text.target, text.view.after) for text in self.texts])

    def wordings(self, whole: str) -> dict[str, str]:
        """Return what ``whole`` says for each of ``texts``, by target. Raises InvalidInput."""
        return dict(zip([text.target for text in self.texts], self._joined.split(whole), strict=True))

    def places_in(self, whole: str) -> dict[str, int]:
        """Return where in ``whole`` each of ``texts`` begins, by target. Raises InvalidInput."""
        return dict(zip([text.target for text in self.texts], self._joined.begins(whole), strict=True))

    @property
    def _joined(self) -> Joined:
        split = [text.target.partition(":") for text in self.texts]
        return Joined(tuple(TargetRef(TargetKind(kind), name) for kind, _, name in split))

    @property
    def idle(self) -> tuple[int, ...]:
        """The numbers of the changes that earned nothing, as far as it was measured."""
        return tuple(number for number, worth in self.worth.items() if not worth["earns"])

    def to_json(self) -> dict[str, Any]:
        """Return the public shape; a change that was measured says its ``gain`` and whether it ``earns`` it."""
        hunks = []
        for hunk in self.hunks:
            worth = self.worth.get(hunk.n)
            measured = {} if worth is None else {"gain": worth["gain"], "earns": worth["earns"]}
            hunks.append({**hunk.to_json(), **measured})
        return {
            "before": self.before, "after": self.after, "hunks": hunks,
            "summary": self.summary,
            **({"memorised": [dict(span) for span in self.memorised]} if self.memorised else {}),
            **({"texts": [text.to_json() for text in self.texts]} if self.texts else {}),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextDiff:
    """One of several texts of a proposal.

    Attributes:
        target: ``KIND:NAME``.
        first: how many changes stand before its first one: its change ``n`` has the number ``first + n`` in the whole.
    """

    target: str
    first: int
    view: DiffView

    @property
    def name(self) -> str:
        """The name of the target."""
        return self.target.partition(":")[2]

    def to_json(self) -> dict[str, Any]:
        """Return ``{target, before, after, hunks, summary}``, the hunks numbered as in the whole."""
        data = self.view.to_json()
        return {"target": self.target, **data, "hunks": [{**h, "n": h["n"] + self.first} for h in data["hunks"]]}


def diff_view(before: str, after: str) -> DiffView:
    """Compare two texts (milliseconds for a prompt; use a worker thread)."""
    return view_of(compare(before, after), before, after)


def view_of(comparison: Comparison, before: str, after: str) -> DiffView:
    """Return a comparison of two texts as it is shown."""
    summary = summarise(comparison)
    return DiffView(before, after, hunks_of(comparison), tuple(rows_of(comparison)), summary.sentence(), summary.growth)


@dataclass(frozen=True, slots=True)
class WatchedRow:
    """What people did before and after one deployment.

    Attributes:
        verdict: in words.
        change, interval: of the correction rate, after minus before; negative is better.
    """

    n: int
    verdict: str
    suggests_rollback: bool
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class WatchReport:
    """Whether each deployment helped; a rollback is suggested, never done."""

    target: str
    deployments: tuple[WatchedRow, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {"target": self.target, "deployments": [row.details for row in self.deployments]}

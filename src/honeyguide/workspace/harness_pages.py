"""What a window shows of harness folders beyond the overview: a list of them, how each version came about, what
differs between any two, and what running or trusting a folder would mean. Nothing here changes a folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from honeyguide.harnesses.changes.files import code_diff, spec_diff
from honeyguide.harnesses.changes.proposal import SpecChange
from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.changes.snapshots import Snapshot, Snapshots
from honeyguide.harnesses.evidence.labels import outcomes_of
from honeyguide.harnesses.evidence.statistics import statistics, timeline
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.support import model_ref, unsupported_parts
from honeyguide.harnesses.spec.reading import FILE_NAME, parse_document
from honeyguide.harnesses.spec.references import BuiltinGuardrail
from honeyguide.harnesses.trust import executes_code
from honeyguide.kernel.errors import HoneyguideError, InvalidInput, NotFound, Unreadable
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_overview import lines_of
from honeyguide.workspace.harness_records import Opened, known_proposal, records_of
from honeyguide.workspace.views.harness_pages import (
    HarnessFileDiff,
    HarnessFolderRow,
    HarnessLook,
    HarnessVersion,
)

_MOST_SHOWN_BYTES = 2_000_000


class HarnessPages:
    """Reads for the window; executes nothing and asks no model."""

    def __init__(self, home: HarnessHome) -> None:
        self.home = home

    async def folders(self, paths: Iterable[Path]) -> list[HarnessFolderRow]:
        """Return these folders and the registered ones, each once; what cannot be opened says why."""
        wanted = list(paths)

        def work() -> list[HarnessFolderRow]:
            registered = {entry.path for entry in self.home.registered.entries()}
            every = dict.fromkeys([*(path.absolute() for path in wanted), *sorted(registered)])
            return [self._folder(path, path in registered) for path in every]

        return await self.home.in_thread(work)

    async def versions(self, path: Path) -> list[HarnessVersion]:
        """Return every known version, oldest first: those that ran, that were kept, or that a change led to."""

        def work() -> list[HarnessVersion]:
            return _versions(records_of(self.home, path))

        return await self.home.in_thread(work)

    async def diff(self, path: Path, older: str, newer: str) -> list[HarnessFileDiff]:
        """Return the files that differ between two kept versions, ``harness.yaml`` first.

        Raises:
            NotFound: no state of one of them is kept.
            Unreadable: a kept file is gone, or is no text.
        """

        def work() -> list[HarnessFileDiff]:
            harness = Harness.open(path)
            before, after = (_files(harness, version) for version in (older, newer))
            names = sorted({*before, *after}, key=lambda name: (name != FILE_NAME, name))
            return [
                _file_diff(harness, name, before.get(name, ""), after.get(name, ""))
                for name in names
                if before.get(name) != after.get(name)
            ]

        return await self.home.in_thread(work)

    async def proposal_diff(self, path: Path, id: str) -> list[HarnessFileDiff]:
        """Return what a proposal would change in each file, or did; nothing where that cannot be said any more.

        Raises:
            NotFound: there is no such proposal.
        """
        harness = await self.home.in_thread(lambda: Harness.open(path))
        row = await self.home.in_thread(lambda: known_proposal(harness, id, self.home.environ))
        result = row.apply_result or {}
        if row.status == "applied" and result.get("old_version_hash"):
            with suppress(NotFound, Unreadable):
                return await self.diff(path, str(result["old_version_hash"]), str(result["new_version_hash"]))
            return []

        def work() -> list[HarnessFileDiff]:
            found = []
            accepted = [SpecChange.model_validate(change) for change in row.gate.get("accepted") or []]
            if row.remaining:
                accepted = [change for change in accepted if change.path in row.remaining]
            with suppress(InvalidInput):
                if accepted:
                    made = spec_diff(harness, accepted)
                    found.append(_file_diff(harness, FILE_NAME, made["before"], made["after"]))
            for change in row.gate.get("code_changes") or []:
                if not row.remaining or change["file"] in row.remaining:
                    made = code_diff(harness, change["file"], change["source"])
                    found.append(HarnessFileDiff(change["file"], made["before"], made["after"]))
            return found

        return await self.home.in_thread(work)

    async def look(self, path: Path) -> HarnessLook:
        """Say what running the folder and trusting it would mean."""

        def work() -> HarnessLook:
            harness = Harness.open(path)
            spec, state = harness.spec, self.home.trust.state(harness)
            ref = model_ref(spec)
            files = [FILE_NAME, *(name for name, _ in harness.fingerprints.files)]
            caps = [
                float(g.parameters["value"])
                for g in spec.guardrails
                if isinstance(g, BuiltinGuardrail) and g.builtin == "max_cost_usd"
            ]
            return HarnessLook(
                path=str(harness.root),
                name=spec.name,
                model=str(ref),
                costs_money=self.home.registry().costs_money(ref),
                ceiling_usd=min(caps) if caps else None,
                unsupported=tuple(unsupported_parts(spec)),
                executes_code=executes_code(harness),
                is_trusted=state.is_trusted,
                reason=state.reason,
                digest=state.digest,
                files=tuple((name, _size(harness.root / name)) for name in dict.fromkeys(files)),
                can_evolve=spec.evolution.enabled,
            )

        return await self.home.in_thread(work)

    def _folder(self, path: Path, is_registered: bool) -> HarnessFolderRow:
        try:
            harness = Harness.open(path)
            waiting = len(Queue(harness.ours).all("pending"))
            return HarnessFolderRow(str(path), harness.spec.name, waiting, is_registered)
        except HoneyguideError as error:
            return HarnessFolderRow(str(path), path.name, 0, is_registered, error.message)


def _versions(opened: Opened) -> list[HarnessVersion]:
    harness = opened.harness
    live = harness.version
    rows = timeline(
        statistics(opened.runs, harness.identity, harness.spec.name, outcomes_of(opened.labels))["versions"]
    )
    ran = {str(row["version"]): row for row in rows}
    snapshots: dict[str, Snapshot] = {kept.version: kept for kept in Snapshots(harness.ours).all()}
    changes: dict[str, Mapping[str, Any]] = {}
    for change in reversed(Queue(harness.ours).evolutions()):
        changes[str(change.get("new_version_hash"))] = change
    known = {live: "", **{version: str(row["first_run_at"] or "") for version, row in ran.items()}}
    for version, kept in snapshots.items():
        known[version] = min(filter(None, (known.get(version, ""), kept.created_at)), default="")
    for version, change in changes.items():
        known.setdefault(version, str(change.get("created_at") or ""))
    order = sorted(known, key=lambda version: (not known[version], known[version]))
    return [_version(v, v == live, known[v], ran.get(v), changes.get(v), v in snapshots) for v in order]


def _version(
    version: str, is_live: bool, since: str, row: Mapping[str, Any] | None, change: Mapping[str, Any] | None,
    is_kept: bool,
) -> HarnessVersion:  # fmt: skip
    change = change or {}
    by = change.get("decided_by") or {}
    interval = row["success_rate_ci"] if row else None
    made = change.get("changes") or {}
    return HarnessVersion(
        version=version,
        is_live=is_live,
        is_kept=is_kept,
        since=since or None,
        runs=row["runs"] if row else 0,
        successes=row["successes"] if row else 0,
        incomplete_runs=row["incomplete_runs"] if row else 0,
        success_rate=row["success_rate"] if row and row["runs"] > row["incomplete_runs"] else None,
        interval=None if interval is None else (interval[0], interval[1]),
        cost_per_success_usd=row["cost_per_success_usd"] if row else None,
        last_run_at=row["last_run_at"] if row else None,
        came_by=("rolled back" if made.get("revert_of") else "applied") if change else "found",
        why=str(change.get("rationale") or ""),
        who=str(by.get("who") or ""),
        how=str(by.get("how") or ""),
        proof=str((change.get("proof") or {}).get("label") or ""),
        counter=change.get("counter"),
    )


def _file_diff(harness: Harness, name: str, before: str, after: str) -> HarnessFileDiff:
    return HarnessFileDiff(name, before, after, _locks(harness, before) if name == FILE_NAME else ())


def _locks(harness: Harness, text: str) -> tuple[tuple[int, int], ...]:
    """Return the passages of a spec that are frozen now, whole lines joined; none of a text that is no YAML."""
    try:
        lines = lines_of(parse_document(text), harness.spec.evolution)
    except InvalidInput:
        return ()
    spans: list[tuple[int, int]] = []
    at = 0
    for line, whole in zip(lines, text.splitlines(keepends=True), strict=True):
        if line.lock == "frozen" and line.text.strip():
            start = spans.pop()[0] if spans and spans[-1][1] == at else at
            spans.append((start, at + len(whole)))
        at += len(whole)
    return tuple(spans)


def _files(harness: Harness, version: str) -> dict[str, str]:
    snapshots = Snapshots(harness.ours)
    if version == harness.version:
        names = [FILE_NAME, *(name for name, _ in harness.fingerprints.files)]
        found = {name: (harness.root / name).read_bytes() for name in names if (harness.root / name).is_file()}
    else:
        kept = snapshots.newest_of(version)
        found = {name: snapshots.bytes_of(sha) for name, sha in kept.files.items()}
    return {name: _text(name, data) for name, data in found.items()}


def _text(name: str, data: bytes) -> str:
    if len(data) > _MOST_SHOWN_BYTES:
        raise Unreadable(f"{name} is too large to be compared here.", hint="Compare it with git.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{name} is no UTF-8 text.", hint="Compare it with git.") from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

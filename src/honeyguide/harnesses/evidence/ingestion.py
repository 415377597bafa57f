"""Ingests a folder's journals: each run once whatever the number and order of copies, unchanged files not read again.

What cannot be used is named and left out; the rest is kept. The index is a file of its own that may be lost at any
time: it is rebuilt from the journals.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.runs import RunSummary, summarise
from honeyguide.kernel.errors import HoneyguideError, Unwritable
from honeyguide.traces import health
from honeyguide.traces.health import HealthReport
from honeyguide.traces.readers.hiveloom import read_journal
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.versions import write_atomically

INDEX_FORMAT: Final = 1
INDEX_NAME: Final = "index.jsonl"
_WHOLE_FILE: Final = (health.NOT_UTF8, health.BROKEN_JSON, health.NUL_BYTES, health.NOT_AN_OBJECT)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JournalFile:
    """One journal file as it was last read.

    Attributes:
        path: relative to the folder of journals, with ``/``.
        size, mtime_ns: what tells that it is unchanged.
        chain: ``intact``, ``unchained`` or ``broken``; ``chain_reason`` says where.
        quarantined: run id (or ``*`` for the whole file) to the reason why it is left out.
        health: lines that could not be used.
        runs: the others.
    """

    path: str
    size: int
    mtime_ns: int
    chain: str = "intact"
    chain_reason: str = ""
    quarantined: Mapping[str, str] = field(default_factory=dict)
    health: Sequence[Mapping[str, Any]] = ()
    runs: tuple[RunSummary, ...] = ()

    def to_line(self) -> str:
        """Return the file as one line of the index."""
        return json.dumps(
            {
                "path": self.path, "size": self.size, "mtime_ns": self.mtime_ns, "chain": self.chain,
                "chain_reason": self.chain_reason, "quarantined": dict(self.quarantined), "health": list(self.health),
                "runs": [run.to_row() for run in self.runs],
            },
            separators=(",", ":"),
        )  # fmt: skip

    @classmethod
    def from_line(cls, line: str) -> JournalFile:
        """Read what ``to_line`` wrote. Raises ValueError, TypeError, KeyError."""
        data = json.loads(line)
        data["runs"] = tuple(RunSummary.from_row(row) for row in data["runs"])
        return cls(**data)


@dataclass(frozen=True, slots=True)
class Ingested:
    """Every run of a folder, each once, oldest start first.

    Attributes:
        files: the journal files, by path.
        read: how many of them had to be read now.
        copies: run ids that stood in more than one file.
    """

    runs: tuple[RunSummary, ...]
    files: tuple[JournalFile, ...]
    read: int
    copies: tuple[str, ...] = ()

    def of(self, key: str) -> tuple[RunSummary, ...]:
        """Return the runs that are kept under ``key``."""
        return tuple(run for run in self.runs if run.key == key)

    def to_json(self) -> dict[str, Any]:
        """Return what was found, file by file where something is wrong."""
        return {
            "files": len(self.files),
            "read": self.read,
            "runs": len(self.runs),
            "copies": list(self.copies),
            "chains": {state: sum(f.chain == state for f in self.files) for state in ("intact", "unchained", "broken")},
            "broken_chains": [{"file": f.path, "reason": f.chain_reason} for f in self.files if f.chain == "broken"],
            "quarantined": [
                {"file": f.path, "run_id": None if run == "*" else run, "reason": reason}
                for f in self.files
                for run, reason in f.quarantined.items()
            ],
            "damaged": [{"file": f.path, "health": list(f.health)} for f in self.files if f.health],
        }


def ingest(
    trace_dir: Path,
    index: Path | None = None,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Ingested:
    """Ingest every ``*.jsonl`` below ``trace_dir``.

    Args:
        index: where what was read is remembered; ``None`` reads everything. A folder that cannot be written is no
            error: then nothing is remembered.
        progress: called with files done and files in all.

    Raises:
        Interrupted: cancelled; what was read is remembered.
    """
    known = _load(index)
    found = list(_journals(trace_dir))
    files: list[JournalFile] = []
    read = 0
    try:
        for done, (name, path, size, mtime) in enumerate(found):
            before = known.get(name)
            if before is not None and (before.size, before.mtime_ns) == (size, mtime):
                files.append(before)
            else:
                files.append(read_file(Path(path), name, size, mtime, is_cancelled))
                read += 1
            progress(done + 1, len(found))
    finally:
        if index is not None and (read or len(known) != len(files)):
            done_now = {file.path for file in files}
            rest = [known[name] for name, *_ in found if name in known and name not in done_now]
            _save(index, [*files, *rest])
    runs, copies = _merged(files)
    return Ingested(runs, tuple(files), read, copies)


def read_file(
    path: Path, name: str, size: int, mtime_ns: int, is_cancelled: Callable[[], bool] = lambda: False
) -> JournalFile:
    """Read one journal file; whatever is wrong with it is said in the result, never raised."""
    report = HealthReport()
    context = ReadContext(name=name, health=report, is_cancelled=is_cancelled)
    try:
        with path.open("rb") as stream:
            journal = read_journal(stream, context)
    except (OSError, HoneyguideError) as error:
        if getattr(error, "code", "") == "interrupted":
            raise
        said = error.strerror if isinstance(error, OSError) else str(error)
        return JournalFile(name, size, mtime_ns, "broken", "", {"*": f"the file cannot be read: {said}"})
    chain = "broken" if not journal.chain.ok else "intact" if journal.chain.chained else "unchained"
    quarantined = dict(journal.set_aside)
    runs: list[RunSummary] = []
    for run_id, run in journal.runs.items():
        try:
            runs.append(summarise(run, trace=name, chain=chain))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            quarantined[run_id] = f"its events cannot be understood: {type(error).__name__}"
    problems = [p for p in report.to_json() if p["problem"] not in (health.BROKEN_CHAIN, health.BLANK_LINE)]
    if not runs and not quarantined and any(report.count(problem) for problem in _WHOLE_FILE):
        quarantined["*"] = "no line of it is a journal event"
    return JournalFile(
        name,
        size,
        mtime_ns,
        chain,
        "" if journal.chain.ok else journal.chain.reason,
        quarantined,
        problems,
        tuple(runs),
    )


def _journals(trace_dir: Path) -> Iterator[tuple[str, str, int, int]]:
    """Yield (relative name, path, size, mtime) of every journal, in the order of names; links are not followed."""
    base = len(str(trace_dir)) + 1
    pending = [str(trace_dir)]
    found: list[tuple[str, str, int, int]] = []
    while pending:
        folder = pending.pop()
        try:
            entries = list(os.scandir(folder))
        except FileNotFoundError:
            continue
        except OSError as error:
            _log.warning("The folder %s cannot be read: %s.", Path(folder).name, error.strerror)
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.name.endswith(".jsonl") and entry.is_file(follow_symlinks=False):
                stat = entry.stat(follow_symlinks=False)
                name = entry.path[base:].replace(os.sep, "/")
                found.append((name, entry.path, stat.st_size, stat.st_mtime_ns))
    yield from sorted(found)


def _merged(files: Sequence[JournalFile]) -> tuple[tuple[RunSummary, ...], tuple[str, ...]]:
    """Return each run once, in the most complete copy; of equals the one in the first file by name."""
    best: dict[tuple[str, str], RunSummary] = {}
    copies: list[str] = []
    for file in files:
        for run in file.runs:
            other = best.get((run.key, run.run_id))
            if other is None:
                best[run.key, run.run_id] = run
                continue
            copies.append(run.run_id)
            if _worth(run) > _worth(other):
                best[run.key, run.run_id] = run
    ordered = sorted(best.values(), key=lambda run: (run.started_at or run.finished_at or "", run.run_id))
    return tuple(ordered), tuple(dict.fromkeys(copies))


def _worth(run: RunSummary) -> tuple[bool, bool, int]:
    finished, events = run.completeness
    return finished, run.chain != "broken", events


def _load(index: Path | None) -> dict[str, JournalFile]:
    if index is None:
        return {}
    try:
        with index.open("r", encoding="ascii") as stream:
            head = json.loads(stream.readline() or "{}")
            if head != {"honeyguide-journal-index": INDEX_FORMAT}:
                return {}
            files = [JournalFile.from_line(line) for line in stream]
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError) as error:
        _log.warning("The journal index is not usable and is rebuilt: %s.", type(error).__name__)
        return {}
    return {file.path: file for file in files}


def _save(index: Path, files: Sequence[JournalFile]) -> None:
    lines = [json.dumps({"honeyguide-journal-index": INDEX_FORMAT}), *(file.to_line() for file in files)]
    try:
        write_atomically(index, ("\n".join(lines) + "\n").encode("ascii"))
    except Unwritable as error:
        _log.info("The journal index is not kept: %s", error.message)

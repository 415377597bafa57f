"""One import from its paths to its report; blocking, for a worker thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from honeyguide import __version__
from honeyguide.kernel.errors import HoneyguideError, Interrupted, NotFound, Unreadable
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage import Store, Unit
from honeyguide.storage.records import ImportCounts, ImportedFile, TraceFilter
from honeyguide.traces.conversations import Conversation
from honeyguide.traces.correction_precision import DetectorPrecision, switched_off
from honeyguide.traces.preparing import Batch, BytesRead, FileEnd, Message, Rules, prepare_conversations
from honeyguide.traces.readers.detect import UNREADABLE, ReadOptions
from honeyguide.traces.redaction import Redactor
from honeyguide.workspace.importing.files import Fingerprint, Input, inputs
from honeyguide.workspace.importing.reading import Stop, read_files
from honeyguide.workspace.importing.storing import store_conversations
from honeyguide.workspace.importing.tally import ImportTally
from honeyguide.workspace.views.traces import ImportedFileRow, ImportReport

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and the file at hand."""
BREATH_SECONDS = 0.005
"""Pause after a transaction, in which a recorder of another process gets the write lock."""
FULL_TRACES = 200
FULL_FILES = 200
FULL_BATCHES = 4
FULL_SECONDS = 0.5
"""What waits is stored in one transaction once it is so much, or so old: small files share one, big ones fill some."""


@dataclass(slots=True)
class _Waiting:
    """What is read and not stored yet."""

    batches: list[tuple[Path, Batch]] = field(default_factory=list)
    ends: list[tuple[Path, FileEnd]] = field(default_factory=list)
    traces: int = 0
    since: float = field(default_factory=time.monotonic)

    @property
    def is_full(self) -> bool:
        """Whether it is to be stored now."""
        return (
            self.traces >= FULL_TRACES
            or len(self.ends) >= FULL_FILES
            or len(self.batches) >= FULL_BATCHES + len(self.ends)
            or time.monotonic() - self.since >= FULL_SECONDS
        )


@dataclass(slots=True)
class ImportRun:
    """One import.

    Attributes:
        store: where everything goes.
        rules: how files are read and redacted; ``with_rules`` makes them.
        stop: asked all the time; set, the import ends within two seconds with whole conversations.
        progress: told in any thread.
        processes: how many readers to spawn; by size when ``None``.
        target: what everything that is read speaks about, as the person says who imports it.
    """

    store: Store
    rules: Rules
    stop: Stop = field(default_factory=threading.Event)
    progress: Progress = lambda done, total, path: None
    processes: int | None = None
    target: TargetRef | None = None
    _tally: ImportTally = field(default_factory=ImportTally)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _prints: dict[Path, Fingerprint] = field(default_factory=dict)
    _sizes: dict[Path, int] = field(default_factory=dict)
    _read: set[Path] = field(default_factory=set)
    _done: int = 0
    _total: int = 0
    _shown: int = 0
    _waiting: _Waiting = field(default_factory=_Waiting)
    _anew: set[Path] = field(default_factory=set)
    _errors: list[HoneyguideError] = field(default_factory=list)
    _failed: int = 0

    def files(self, paths: Sequence[Path]) -> ImportReport:
        """Import files and folders; what cannot be read is named, the rest is imported.

        Raises:
            NotFound, Unreadable, Unsupported: files were named and not one of them could be read.
            InvalidInput: a mapping without a table.
            Interrupted: ``stop`` was set; whole conversations that were read stay.
        """
        ReadOptions(source=self.rules.source, mapping=self.rules.mapping).check()
        found = inputs(_existing(paths))
        self._sizes = {entry.path: entry.size for entry in found}
        self._total = sum(self._sizes.values())
        known = self.store.read_now(lambda unit: unit.imported_files.all())
        todo = [entry.path for entry in found if self._is_to_read(entry, known)]
        self._tell(Path())
        read_files(
            todo, sum(self._sizes[path] for path in todo), self.rules, self._take, self.stop, processes=self.processes
        )
        self._flush()
        report = self._tally.report(entry.path for entry in found)
        if self.stop.is_set() and any(path not in self._read for path in todo):
            raise Interrupted(
                "The import was cancelled.",
                hint="What was imported so far is complete and stays.",
                details={"imported": report.imported, "updated": report.updated},
            )
        if found and self._failed == len(found) and all(entry.is_named for entry in found):
            raise self._errors[0]
        return report

    def conversations(self, conversations: Iterable[Conversation], name: str) -> ImportReport:
        """Import conversations that are at hand; ``name`` stands for the file in the report."""
        prepare_conversations(conversations, self.rules, name, lambda message: self._take(Path(name), message))
        self._flush()
        return self._tally.report([Path(name)])

    # --- inside

    def _is_to_read(self, entry: Input, known: Mapping[str, ImportedFile]) -> bool:
        reason = entry.reason
        if not reason:
            try:
                now = Fingerprint.of(entry.path)
            except OSError as error:
                reason = f"{entry.path} cannot be read: {(error.strerror or str(error)).lower()}."
        if reason:
            self._fail(entry.path, Unreadable(reason, hint="Check that it exists and may be read."))
            self._note_read(entry.path)
            return False
        before = known.get(self._name(entry.path))
        if before is not None and now.may_be(before) and before.summary.get("how") == self._how():
            self._tally.skip(entry.path, before)
            self._note_read(entry.path)
            return False
        self._prints[entry.path] = now
        if before is not None and before.summary.get("how", {}).get("personal") != self.rules.personal:
            self._anew.add(entry.path)
        return True

    def _take(self, path: Path, message: Message) -> None:
        """Deal with a message about a file. Called in any thread."""
        if isinstance(message, BytesRead):
            self._tell(path, message.count)
            return
        with self._lock:
            if isinstance(message, Batch):
                self._waiting.batches.append((path, message))
                self._waiting.traces += sum(len(c.traces) for c in message.conversations)
            elif not message.was_cancelled:
                self._waiting.ends.append((path, message))
                self._note_read(path)
            if self._waiting.is_full:
                self._store()
        self._tell(path)

    def _flush(self) -> None:
        with self._lock:
            self._store()

    def _store(self) -> None:
        """Count and store what waits, in one transaction."""
        waiting, self._waiting = self._waiting, _Waiting()
        for path, batch in waiting.batches:
            self._tally.add(path, batch.conversations)
        records = [record for path, end in waiting.ends if (record := self._ended(path, end)) is not None]
        fresh = [c for path, batch in waiting.batches if path not in self._anew for c in batch.conversations]
        anew = [c for path, batch in waiting.batches if path in self._anew for c in batch.conversations]

        def write(unit: Unit) -> ImportCounts:
            counts = store_conversations(unit, fresh) if fresh else ImportCounts()
            if anew:
                counts = counts.plus(store_conversations(unit, anew, replace_known=True))
            if self.target is not None:
                unit.trace_links.link_matching(self.target, TraceFilter(ids=[n for n in counts.ids if n]))
            for record in records:
                unit.imported_files.put(record)
            return counts

        if fresh or anew or records:
            self._tally.count(self.store.write_now(write))
            time.sleep(BREATH_SECONDS)

    def _ended(self, path: Path, end: FileEnd) -> ImportedFile | None:
        """Count a file that was read; return what is to be remembered of it."""
        report = end.report
        health = Redactor(self.rules.key, personal=False).value(report.health.to_json())
        row = ImportedFileRow(str(path), report.source, report.traces, tuple(health), report.message)
        share = self._tally.end(path, row, end.redactions)
        if report.message:
            self._failed += 1
            self._errors.append(end.error or Unreadable(report.message))
            return None
        if path not in self._prints:
            return None
        summary = {**share.to_json(), "how": self._how()}
        return self._prints[path].record(self._name(path), report.source or "", report.traces, health, summary)

    def _note_read(self, path: Path) -> None:
        self._read.add(path)
        self._done += self._sizes.get(path, 0)

    def _fail(self, path: Path, error: HoneyguideError) -> None:
        health = ({"problem": UNREADABLE, "lines": [], "count": 1},)
        self._tally.end(path, ImportedFileRow(str(path), None, 0, health, error.message), {})
        self._errors.append(error)
        self._failed += 1

    def _tell(self, path: Path, within: int = 0) -> None:
        self._shown = max(self._shown, min(self._done + within, self._total))
        self.progress(self._shown, self._total, str(path) if path.name else "")

    def _how(self) -> dict[str, Any]:
        """What besides its bytes decides what is read from a file."""
        return {
            "version": __version__,
            "personal": self.rules.personal,
            "source": self.rules.source,
            "mapping": dict(self.rules.mapping),
            "encoding": self.rules.encoding,
            **({} if self.target is None else {"target": str(self.target)}),
        }

    def _name(self, path: Path) -> str:
        """The path as it is remembered: a secret in it is not."""
        return Redactor(self.rules.key, personal=False).text(str(path.absolute()))


def with_rules(unit: Unit, rules: Rules) -> Rules:
    """Return the rules with the detectors that a person's verdicts switched off."""
    records = [DetectorPrecision(d.detector, d.confirmed, d.dismissed) for d in unit.corrections.detectors()]
    return replace(rules, switched_off=switched_off(records))


def _existing(paths: Sequence[Path]) -> list[Path]:
    expanded = [path.expanduser().absolute() for path in paths]
    if expanded and not any(path.exists() or path.is_symlink() for path in expanded):
        raise NotFound(f"{expanded[0]} does not exist.", hint="Name a file or folder that holds history.")
    return expanded

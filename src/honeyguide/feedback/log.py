"""The private, append-only file of reported problems. Lines are only ever added, until a person forgets one."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.feedback.items import FailureClass, FeedbackDraft, FeedbackItem, FeedbackState, checked_message
from honeyguide.feedback.reading import LogContents, event_of, lines_without, read_log
from honeyguide.kernel.clock import Clock, iso
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound, Unreadable
from honeyguide.kernel.ids import IdFactory
from honeyguide.versions.atomic import write_atomically
from honeyguide.versions.disk import LocalDisk, writing

LOCK_SECONDS = 10.0
_BINARY: int = getattr(os, "O_BINARY", 0)


def new_feedback_id() -> str:
    """Return ``fb_`` and 32 hex digits."""
    return f"fb_{uuid.uuid4().hex}"


class FeedbackLog:
    """The problems of one workspace, safe for several threads and processes at once.

    What is stored went through ``redact`` first. Files are for the owner only (folder 0700, file 0600).
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        new_id: IdFactory = new_feedback_id,
        redact: Callable[[str], str] = lambda text: text,
    ) -> None:
        self.path = path
        self._clock = clock
        self._new_id = new_id
        self._redact = redact
        self._disk = LocalDisk()

    def read(self) -> LogContents:
        """Return all problems, oldest first, and the lines that could not be read. Raises Unreadable."""
        return read_log(self._bytes())

    def get(self, feedback_id: str) -> FeedbackItem:
        """Return one problem. Raises NotFound."""
        item = self.read().get(feedback_id)
        if item is None:
            raise NotFound(f"There is no feedback {feedback_id!r}.", hint="See 'honeyguide feedback list'.")
        return item

    def add(self, draft: FeedbackDraft) -> FeedbackItem:
        """Store a problem. Raises InvalidInput for an empty or too long message."""
        message = checked_message(draft.message)
        now = iso(self._clock.now())
        item = FeedbackItem(
            id=self._new_id(),
            kind=draft.kind,
            name=draft.name,
            message=self._redact(message),
            created_at=now,
            changed_at=now,
            path=draft.path,
            text_sha256=draft.text_sha256,
            type=draft.type,
            confidence=draft.confidence,
            expected=self._redacted(draft.expected),
            actual=self._redacted(draft.actual),
            trace_id=draft.trace_id,
            failure_class=draft.failure_class,
            run_id=draft.run_id,
            input_hash=draft.input_hash,
            output_ref=draft.output_ref,
        )
        return self.keep(item)

    def keep(self, item: FeedbackItem) -> FeedbackItem:
        """Append a problem that has its id already, such as an imported one. Raises Conflict when it is known."""
        with self._locked():
            if self.read().get(item.id) is not None:
                raise Conflict(f"There is already feedback {item.id}.")
            self._append({"kind": "evidence", "event": event_of(item)})
            for name, value in (("case", item.case), ("into", item.merged_into)):
                if value is not None:
                    kind = "link" if name == "case" else "merge"
                    self._append({"kind": kind, "id": item.id, name: value, "timestamp": item.changed_at})
        return item

    def move(self, feedback_id: str, state: FeedbackState, *, run_id: str | None = None) -> FeedbackItem:
        """Put a problem into another state. Raises NotFound, Conflict."""
        with self._locked():
            now = iso(self._clock.now())
            item = self.get(feedback_id)
            moved = item.moved(state, now, run_id=run_id)
            if moved.state is not item.state or moved.run_id != item.run_id:
                record = {"kind": "status", "id": item.id, "status": state.value, "timestamp": now}
                self._append(record | ({"runId": run_id} if run_id is not None else {}))
            return moved

    def link(self, feedback_id: str, case: str) -> FeedbackItem:
        """Note which case reproduces a problem. Raises NotFound."""
        with self._locked():
            item = self.get(feedback_id)
            now = iso(self._clock.now())
            self._append({"kind": "link", "id": item.id, "case": case, "timestamp": now})
            return replace(item, case=case, changed_at=now)

    def classify(self, feedback_id: str, failure: FailureClass) -> FeedbackItem:
        """Note why a run failed, as a person sees it. Raises NotFound, Conflict."""
        with self._locked():
            now = iso(self._clock.now())
            item = self.get(feedback_id).classified(failure, now)
            self._append({"kind": "classify", "id": item.id, "failureClass": failure.value, "timestamp": now})
            return item

    def merge(self, feedback_id: str, into: str) -> FeedbackItem:
        """Say that a problem is the same as another one; it stays readable and begins no work of its own.

        Raises:
            NotFound: one of both is unknown.
            InvalidInput: they are the same, of different targets, or the other one is merged itself.
        """
        with self._locked():
            item, other = self.get(feedback_id), self.get(into)
            if item.id == other.id or item.target != other.target or other.merged_into is not None:
                raise InvalidInput(
                    f"{feedback_id} cannot be merged into {into}.", hint="Choose one of the same target."
                )
            now = iso(self._clock.now())
            self._append({"kind": "merge", "id": item.id, "into": other.id, "timestamp": now})
            return replace(item, merged_into=other.id, changed_at=now)

    def forget(self, feedback_id: str) -> FeedbackItem:
        """Remove a problem and its history from the file for good. Raises NotFound."""
        with self._locked():
            item = self.get(feedback_id)
            kept = b"".join(line + b"\n" for line in lines_without(self._bytes(), feedback_id))
            write_atomically(self.path, kept)
            return item

    def _bytes(self) -> bytes:
        return self._disk.read(self.path) or b""

    def _redacted(self, text: str | None) -> str | None:
        return None if text is None else self._redact(text)

    def _append(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        with writing(self.path):
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                if size and _last_byte(descriptor, size) != b"\n":
                    line = b"\n" + line  # a power cut left half a line: the new one begins its own
                written = os.write(descriptor, line)
                if written != len(line):
                    raise Unreadable(f"{self.path} took only a part of a line.", hint="Free some space.")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with writing(self.path.parent):
            self._disk.make_folder(self.path.parent)
        owner: dict[str, object] = {"pid": os.getpid(), "purpose": "the feedback log"}
        with self._disk.exclusive(self.path.with_name(f".{self.path.name}.lock"), owner, LOCK_SECONDS):
            yield


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)

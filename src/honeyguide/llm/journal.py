"""The append-only record of one run's model calls: a call already made is replayed, never paid twice.

One JSON object a line. An entry is written, and handed to the operating system, before anybody uses the reply
it holds, so a killed process loses at most the calls that were under way; ``sync`` (at stage ends) makes it safe
against a power cut too. Entries are found by request hash: their order means nothing. No absolute path is inside.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from honeyguide.kernel.clock import Clock, SystemClock, iso
from honeyguide.kernel.errors import Conflict, HoneyguideError, Interrupted, Locked, ModelError, NotFound, Unreadable
from honeyguide.llm.failures import failure_of
from honeyguide.llm.journal_entries import (
    JournalEntry,
    JournalTotals,
    failure_entry,
    parse_entry,
    reply_entry,
    to_line,
)
from honeyguide.llm.protocol import Message, ModelClient, ModelReply, ModelRequest

_log = logging.getLogger(__name__)


class Journal:
    """One run's journal file; whoever has it open is the only one, until closed or killed.

    Attributes:
        damaged_lines: numbers of the lines that could not be read; their calls count as never made.
        torn_bytes: length of a half-written last line that was cut off on opening.
        replayed_calls: calls answered without a provider since it was opened.
    """

    def __init__(self, path: Path, *, clock: Clock | None = None) -> None:
        """Open or create the file and index what it holds. Raises Unreadable, or Locked when it is open elsewhere."""
        self.path = path
        self.damaged_lines: list[int] = []
        self.torn_bytes = 0
        self.in_flight: dict[str, asyncio.Future[ModelReply | BaseException]] = {}
        self._clock = clock or SystemClock()
        self._index: dict[bytes, tuple[int, int]] = {}
        self._unasked: set[bytes] = set()
        self._batches: dict[str, set[str]] = {}
        self.replayed_calls = 0
        self._totals = JournalTotals()
        self._lock = FileLock(f"{path}.lock", timeout=0, mode=0o600, thread_local=False)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise Locked(
                "Somebody else is working on this run.", hint="Wait until it has ended, or stop it."
            ) from error
        except OSError as error:
            raise Unreadable(f"The journal {path.name} cannot be opened: {error.strerror}.") from error
        try:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
            self._descriptor: int | None = os.open(path, flags, 0o600)
        except OSError as error:
            self._lock.release()
            raise Unreadable(f"The journal {path.name} cannot be opened: {error.strerror}.") from error
        self._end = self._load(self._descriptor)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        """How many replies it holds."""
        return len(self._index)

    def __contains__(self, request_hash: str) -> bool:
        return bytes.fromhex(request_hash) in self._index

    @property
    def totals(self) -> JournalTotals:
        """What was paid for so far, failed attempts included; for the budget of a resumed run."""
        return self._totals

    @property
    def unasked(self) -> int:
        """How many replies of earlier starts nobody has asked for since it was opened."""
        return len(self._unasked)

    def find(self, request_hash: str) -> ModelReply | None:
        """Return the reply to this request as a replay that costs nothing now, or ``None``."""
        key = bytes.fromhex(request_hash)
        place = self._index.get(key)
        if place is None:
            return None
        self._unasked.discard(key)
        entry = parse_entry(self._read(*place))
        return replace(entry.to_reply(), replayed=True, cost_usd=0.0, cost_is_reported=False)

    def record_reply(self, request: ModelRequest, reply: ModelReply, request_hash: str | None = None) -> None:
        """Write one paid reply. Raises Conflict when the disk does not take it; the file stays whole.

        Args:
            request_hash: the request's hash, where it is known already.
        """
        entry = reply_entry(request, reply, iso(self._clock.now()), request_hash or request.request_hash)
        self._index[bytes.fromhex(entry.request_hash)] = self._append(to_line(entry))
        self._count(entry)

    def record_failure(
        self, request: ModelRequest, error: ModelError, *, maybe_usd: float | None = 0.0, maybe_tokens: int = 0
    ) -> None:
        """Write one attempt that brought no reply; it counts for the budget and is never replayed.

        Args:
            maybe_usd, maybe_tokens: the worst case of what it may have cost all the same.
        """
        kind = failure_of(error).kind.value
        entry = failure_entry(request, kind, error.message, iso(self._clock.now()), maybe_usd, maybe_tokens)
        self._append(to_line(entry))
        self._count(entry)

    def record_batch(self, batch_id: str, request_hashes: Sequence[str]) -> None:
        """Write that these requests were handed in as one batch, so that a resumed run waits for it again."""
        self._append(to_line(JournalEntry(kind="batch", batch_id=batch_id, batch_hashes=tuple(request_hashes))))
        self._batches[batch_id] = set(request_hashes)

    def open_batches(self) -> dict[str, tuple[str, ...]]:
        """Return the batches with those of their requests that have neither a reply nor a failure here yet."""
        return {name: tuple(sorted(hashes)) for name, hashes in self._batches.items() if hashes}

    def entries(self) -> Iterator[JournalEntry]:
        """Yield everything in it, oldest first."""
        return read_entries(self.path)

    def sync(self) -> None:
        """Wait until everything is on the disk (milliseconds; call it from a worker thread at stage ends)."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Sync and close; closing twice is harmless."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None
            self._lock.release()

    def _load(self, descriptor: int) -> int:
        position = 0
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    self.torn_bytes = len(line)
                    break
                self._take(number, line, position)
                position += len(line)
        if self.torn_bytes:
            _log.warning(
                "The journal %s ended in a half-written line; %d bytes cut off.", self.path.name, self.torn_bytes
            )
            os.ftruncate(descriptor, position)
        if self.damaged_lines:
            _log.warning("The journal %s has unreadable lines: %s.", self.path.name, self.damaged_lines)
        return position

    def _take(self, number: int, line: bytes, position: int) -> None:
        try:
            entry = parse_entry(line)
        except ValueError:
            self.damaged_lines.append(number)
            return
        if entry.kind == "reply":
            key = bytes.fromhex(entry.request_hash)
            self._index[key] = (position, len(line))
            self._unasked.add(key)
        elif entry.kind == "batch":
            self._batches[entry.batch_id] = set(entry.batch_hashes)
        self._count(entry)

    def _count(self, entry: JournalEntry) -> None:
        self._totals = self._totals.plus(entry)
        for hashes in self._batches.values():
            hashes.discard(entry.request_hash)

    def _append(self, line: bytes) -> tuple[int, int]:
        descriptor = self._open_descriptor()
        os.lseek(descriptor, self._end, os.SEEK_SET)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except OSError as error:
            os.ftruncate(descriptor, self._end)
            raise Conflict(
                f"The journal {self.path.name} cannot be written: {error.strerror}.",
                hint="Free some space and resume the run.",
            ) from error
        place = (self._end, len(line))
        self._end += len(line)
        return place

    def _read(self, position: int, length: int) -> bytes:
        descriptor = self._open_descriptor()
        os.lseek(descriptor, position, os.SEEK_SET)
        parts = bytearray()
        while len(parts) < length:
            part = os.read(descriptor, length - len(parts))
            if not part:
                raise Unreadable(f"The journal {self.path.name} became shorter while it was in use.")
            parts += part
        return bytes(parts)

    def _open_descriptor(self) -> int:
        if self._descriptor is None:
            raise Conflict(f"The journal {self.path.name} is closed.")
        return self._descriptor


def read_entries(path: Path) -> Iterator[JournalEntry]:
    """Yield the readable entries of a journal that another process may be writing; changes nothing."""
    try:
        with path.open("rb") as stream:
            for line in stream:
                if line.endswith(b"\n"):
                    try:
                        yield parse_entry(line)
                    except ValueError:
                        yield JournalEntry(kind="damaged")
    except FileNotFoundError as error:
        raise NotFound(f"There is no journal {path.name}.") from error
    except OSError as error:
        raise Unreadable(f"The journal {path.name} cannot be read: {error.strerror}.") from error


class JournaledClient:
    """Answers from the journal what it holds, and writes down every new reply before handing it on.

    Requests are redacted before they are hashed and sent, replies before they are written and used.
    """

    def __init__(self, inner: ModelClient, journal: Journal, redact: Callable[[str], str] = lambda text: text) -> None:
        self._inner = inner
        self._journal = journal
        self._redact = redact

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``; two tasks that ask the same thing at once pay once."""
        asked = redacted(request, self._redact)
        key = asked.request_hash
        while True:
            if (known := self._journal.find(key)) is not None:
                self._journal.replayed_calls += 1
                return known
            other = self._journal.in_flight.get(key)
            if other is None:
                return await self._ask(asked, key)
            outcome = await asyncio.shield(other)
            if isinstance(outcome, ModelReply):
                self._journal.replayed_calls += 1
                return replace(outcome, replayed=True, cost_usd=0.0, cost_is_reported=False)
            if isinstance(outcome, HoneyguideError) and not isinstance(outcome, Interrupted):
                raise outcome

    async def _ask(self, asked: ModelRequest, key: str) -> ModelReply:
        mine: asyncio.Future[ModelReply | BaseException] = asyncio.get_running_loop().create_future()
        self._journal.in_flight[key] = mine
        try:
            reply = await self._inner.complete(asked)
            calls = tuple(call.redacted(self._redact) for call in reply.tool_calls)
            reply = replace(reply, text=self._redact(reply.text), tool_calls=calls)
            self._journal.record_reply(asked, reply, key)
        except BaseException as error:
            mine.set_result(error)
            raise
        else:
            mine.set_result(reply)
            return reply
        finally:
            del self._journal.in_flight[key]


def redacted(request: ModelRequest, redact: Callable[[str], str]) -> ModelRequest:
    """Return the request as it will be hashed, sent and kept."""
    return replace(
        request,
        system=redact(request.system),
        messages=tuple(_redacted_message(message, redact) for message in request.messages),
    )


def _redacted_message(message: Message, redact: Callable[[str], str]) -> Message:
    return replace(
        message,
        content=redact(message.content),
        tool_calls=tuple(call.redacted(redact) for call in message.tool_calls),
        tool_results=tuple(replace(r, content=redact(r.content)) for r in message.tool_results),
    )

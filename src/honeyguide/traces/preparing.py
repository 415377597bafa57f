"""From a file of history to what is stored of it: read, redacted, searched for corrections, in finished batches.

Everything here is plain data and module-level functions, so that it runs in this process as well as in a spawned one
(``serve``), which writes nothing and may be ended at any moment.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

from honeyguide.kernel.errors import HoneyguideError, Interrupted, Unsupported
from honeyguide.traces.conversations import Conversation, PromptText
from honeyguide.traces.corrections import Suggestion, find_corrections
from honeyguide.traces.readers.detect import AUTO, UNKNOWN_FORMAT, UNREADABLE, FileReport, ReadOptions, read_path
from honeyguide.traces.records import Trace
from honeyguide.traces.redaction import Redactor
from honeyguide.traces.redaction_records import redact_conversation

BATCH_TRACES = 200
"""A batch is handed on once it holds so many traces."""
BATCH_CHARACTERS = 4_000_000
"""… or so much text."""
PROGRESS_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Rules:
    """How everything of one import is prepared.

    Attributes:
        key: the workspace's key for placeholders.
        personal: whether personal data are replaced too.
        switched_off: detectors of corrections that stay silent.
        source: the reader's name, or ``auto``.
        mapping: column to field, for tables.
        encoding: the code page of files that are not UTF-8, as a person named it.
    """

    key: bytes = field(repr=False)
    personal: bool = True
    switched_off: frozenset[str] = frozenset()
    source: str = AUTO
    mapping: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """One conversation, ready to be stored whole.

    Attributes:
        outline: the conversation without its texts, for counting; its turns and traces keep their keys.
        traces: redacted.
        suggestions: where a person was not satisfied.
        prompts: texts of prompts that the source holds, redacted.
    """

    outline: Conversation
    traces: tuple[Trace, ...]
    suggestions: tuple[Suggestion, ...] = ()
    prompts: tuple[PromptText, ...] = ()


@dataclass(frozen=True, slots=True)
class BytesRead:
    """How far the present file is read."""

    count: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole conversations of the present file."""

    conversations: tuple[Prepared, ...]


@dataclass(frozen=True, slots=True)
class FileEnd:
    """The present file is done.

    Attributes:
        report: what was found in it; its ``message`` says why it could not be read, if so.
        redactions: kind of secret to count.
        error: the error of a file that could not be read at all.
        was_cancelled: the reading was stopped; what was handed on is whole.
    """

    report: FileReport
    redactions: Mapping[str, int]
    error: HoneyguideError | None = None
    was_cancelled: bool = False


Message = BytesRead | Batch | FileEnd
Send = Callable[[Message], None]


def prepare_file(path: Path, rules: Rules, send: Send, is_cancelled: Callable[[], bool] = lambda: False) -> None:
    """Read one file and ``send`` its batches and at last its ``FileEnd``. Raises nothing but what ``send`` raises."""
    report = FileReport(path)
    redactor = Redactor(rules.key, rules.personal)
    sender = _Sender(send)
    options = ReadOptions(
        source=rules.source,
        mapping=rules.mapping,
        encoding=rules.encoding,
        progress=sender.progress,
        is_cancelled=is_cancelled,
    )
    error: HoneyguideError | None = None
    was_cancelled = False
    try:
        for conversation in read_path(path, options=options, report=report):
            sender.add(prepare(conversation, redactor, rules.switched_off))
    except Interrupted:
        was_cancelled = True
    except HoneyguideError as found:
        error = found
        report.health.note(UNKNOWN_FORMAT if isinstance(found, Unsupported) else UNREADABLE)
        report.message = f"{found.message} {found.hint}".strip()
    except _SendFailed as failed:
        raise failed.reason from None
    except Exception as unforeseen:  # noqa: BLE001 - the outermost edge of one file: it is named, the others are read
        report.health.note(UNREADABLE)
        report.message = f"{path} could not be read: its reader failed ({type(unforeseen).__name__})."
    sender.flush()
    send(FileEnd(report, redactor.counts, error, was_cancelled))


def prepare_conversations(conversations: Iterable[Conversation], rules: Rules, name: str, send: Send) -> None:
    """The same for conversations that are at hand already; ``name`` stands for the file."""
    report = FileReport(Path(name))
    redactor = Redactor(rules.key, rules.personal)
    sender = _Sender(send)
    sources: dict[str, None] = {}
    for conversation in conversations:
        sources.setdefault(conversation.source)
        report.traces += len(conversation.traces)
        sender.add(prepare(conversation, redactor, rules.switched_off))
    report.source = ", ".join(sources) or None
    sender.flush()
    send(FileEnd(report, redactor.counts))


def prepare(conversation: Conversation, redactor: Redactor, switched_off: Collection[str] = ()) -> Prepared:
    """Return a conversation without secrets and with the corrections found in it."""
    clean = redact_conversation(conversation, redactor)
    outline = replace(
        clean,
        traces=tuple(_outline(trace) for trace in clean.traces),
        turns=tuple(replace(turn, text="") for turn in clean.turns),
        signals=(),
        prompts=(),
    )
    return Prepared(outline, clean.traces, find_corrections(clean, switched_off=switched_off), clean.prompts)


def serve(connection: Connection, rules: Rules) -> None:
    """The life of a spawned reader: a path comes in, its messages go out; ends when the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group; the parent decides
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            prepare_file(Path(connection.recv()), rules, connection.send)


class _SendFailed(Exception):
    """What ``send`` raised, told apart from what a reader raises."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__()
        self.reason = reason


class _Sender:
    """Gathers conversations into batches."""

    def __init__(self, send: Send) -> None:
        self._forward = send
        self._waiting: list[Prepared] = []
        self._traces = 0
        self._characters = 0
        self._told_at = 0.0

    def progress(self, count: int) -> None:
        """Say how many bytes are read, not too often."""
        now = time.monotonic()
        if now - self._told_at >= PROGRESS_SECONDS:
            self._told_at = now
            self._send(BytesRead(count))

    def add(self, prepared: Prepared) -> None:
        """Keep a conversation for the present batch, and send that when it is large enough."""
        self._waiting.append(prepared)
        self._traces += len(prepared.traces)
        self._characters += sum(len(t.payload.input) + len(t.payload.output) for t in prepared.traces)
        if self._traces >= BATCH_TRACES or self._characters >= BATCH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Send what waits."""
        if self._waiting:
            batch = Batch(tuple(self._waiting))
            self._waiting, self._traces, self._characters = [], 0, 0
            self._send(batch)

    def _send(self, message: Message) -> None:
        try:
            self._forward(message)
        except BaseException as reason:
            raise _SendFailed(reason) from reason


def _outline(trace: Trace) -> Trace:
    """Keep of a trace what is counted: its keys, its tokens, and how many tools it called."""
    calls = tuple(replace(call, args=None, result=None) for call in trace.payload.tool_calls)
    payload = replace(
        trace.payload, input="", output="", reasoning=(), tool_calls=calls, artifacts=(), tags=(),
        correction_feedback=None, harness=None,
    )  # fmt: skip
    return replace(trace, payload=payload)

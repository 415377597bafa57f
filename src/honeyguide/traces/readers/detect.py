"""From a file on disk, or an open stream, to the conversations in it: opens, recognises by content, reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from honeyguide.kernel.errors import InvalidInput, Unreadable, Unsupported
from honeyguide.traces.conversations import Conversation, Tally
from honeyguide.traces.health import HealthReport
from honeyguide.traces.readers import recognise, source, sources
from honeyguide.traces.readers._documents import look
from honeyguide.traces.readers._rows import header_of
from honeyguide.traces.readers.opening import Found, Part, Unopenable, files_under, open_parts
from honeyguide.traces.readers.promptfoo import JUDGE_TOKENS
from honeyguide.traces.readers.protocol import HEAD_BYTES, LINE_LIMIT, ReadContext, Source

AUTO = "auto"

UNREADABLE = "unreadable"
UNKNOWN_FORMAT = "unknown-format"
"""Problems of a whole file, noted in its report."""

_SEARCH_UP = 4
"""Folders above a Codex session in which its parent may lie (``sessions/YYYY/MM/DD``)."""


def _nothing(_: int) -> None:
    return None


def _never() -> bool:
    return False


@dataclass(slots=True)
class FileReport:
    """What was found in one file, complete once its last conversation was taken.

    Attributes:
        path: the file.
        source: the reader's name; ``None`` when no reader knows the file. An archive may hold several, comma separated.
        traces: executions read.
        health: what could not be used.
        message: the sentence that says why nothing could be read, and its hint.
    """

    path: Path
    source: str | None = None
    traces: int = 0
    health: HealthReport = field(default_factory=HealthReport)
    message: str = ""

    def to_json(self) -> dict[str, object]:
        """Return one entry of ``files`` in ``traces import --json``."""
        data: dict[str, object] = {
            "path": str(self.path),
            "source": self.source,
            "traces": self.traces,
            "health": self.health.to_json(),
        }
        if self.message:
            data["message"] = self.message
        return data


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are to be read; plain data (but for the callables), so that it can cross to another process.

    Attributes:
        source: the name of a reader, or ``auto``.
        mapping: column to field, for tables.
        encoding: the code page of files that are not UTF-8, as a person named it.
        line_limit: bytes of a line that are kept.
        progress: called with the bytes of the current file consumed so far.
        is_cancelled: asked at least once a second.
    """

    source: str = AUTO
    mapping: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    line_limit: int = LINE_LIMIT
    progress: Callable[[int], None] = _nothing
    is_cancelled: Callable[[], bool] = _never

    def check(self) -> None:
        """Raise Unsupported for a source that does not exist, InvalidInput for a mapping without a table."""
        if self.source != AUTO:
            source(self.source)
        if self.mapping and self.source not in (AUTO, "table"):
            raise InvalidInput(f"A column mapping means nothing to {self.source}.", hint="Use it with --source table.")


def choose(head: bytes, name: str, wanted: str = AUTO, mapping: Mapping[str, str] | None = None) -> Source | None:
    """Return the reader for a file that begins with ``head``: the wanted one, else the surest, else ``None``.

    A column mapping says that the file is a table, whatever its columns are called.
    """
    if wanted != AUTO:
        return source(wanted)
    found = recognise(head, name)
    if mapping and (found is None or found.name != "table"):
        return sources()["table"]
    return found


def read_path(
    path: Path | str,
    source: str = AUTO,
    mapping: Mapping[str, str] | None = None,
    *,
    options: ReadOptions | None = None,
    report: FileReport | None = None,
) -> Iterator[Conversation]:
    """Yield the conversations of one file (also gzip, ZIP, tar); ``report`` is filled in on the way.

    Raises:
        Unreadable: the file cannot be opened or read in this format.
        Unsupported: no reader knows it, or there is no such source.
        Interrupted: cancelled.
    """
    where = Path(path)
    chosen = options or ReadOptions(source=source, mapping=mapping or {})
    chosen.check()
    told = report if report is not None else FileReport(where)
    known = False
    unknown: list[str] = []
    columns: list[str] = []
    for part in open_parts(where):
        head = part.stream.read(HEAD_BYTES)
        part.stream.seek(0)
        if not head.strip(b"\x00\r\n\t "):
            known = True
            continue
        reader = choose(head, part.name, chosen.source, chosen.mapping)
        if reader is None:
            unknown.append(part.name)
            columns = columns or header_of(look(head).text)
            continue
        known = True
        names = told.source.split(", ") if told.source else []
        told.source = ", ".join([*names, reader.name] if reader.name not in names else names)
        yield from _read(reader, part, where, chosen, told)
    if not known:
        raise Unsupported(f"No reader recognises {where.name}.", hint=_remedy(columns))
    for name in unknown:
        told.health.note(UNKNOWN_FORMAT, example=name)


def _remedy(columns: Sequence[str]) -> str:
    """Return what to do about a file that no reader knows; one that looks like a table is asked about its columns."""
    if len(columns) < 2:
        return f"Name the source ({', '.join(sources())}); for a table: --source table --map COLUMN=input."
    first, second = (column.strip() for column in columns[:2])
    named = ", ".join(column.strip() for column in columns[:12])
    return (
        f"It looks like a table with these columns: {named}. "
        f'Say what they hold, e.g. --map "{first}=input" --map "{second}=output".'
    )


def read_tree(
    path: Path | str, options: ReadOptions | None = None, reports: Callable[[FileReport], None] | None = None
) -> Iterator[Conversation]:
    """Yield the conversations of a file or of all files below a folder; ``reports`` gets a report for each file.

    What cannot be read is named in its report, and the rest is read. In a folder a file that no reader knows is
    passed over with a report; a file that was named itself raises.

    Raises:
        Unreadable, Unsupported: ``path`` itself is a file that cannot be read.
        Interrupted: cancelled.
    """
    root = Path(path)
    chosen = options or ReadOptions()
    chosen.check()
    single = not root.is_dir()
    for found in files_under(root):
        report = FileReport(found.path)
        if isinstance(found, Unopenable):
            if single:
                raise Unreadable(f"{found.path} cannot be read: {found.reason}.", hint="Check that it exists.")
            report.health.note(UNREADABLE)
            report.message = f"{found.path} cannot be read: {found.reason}."
        else:
            try:
                yield from read_path(found.path, options=chosen, report=report)
            except (Unreadable, Unsupported) as error:
                if single:
                    raise
                report.health.note(UNREADABLE if isinstance(error, Unreadable) else UNKNOWN_FORMAT)
                report.message = f"{error.message} {error.hint}".strip()
        if reports is not None:
            reports(report)


def import_counts(conversations: Iterable[Conversation]) -> dict[str, Any]:
    """Return the counts of ``traces import --json``: nothing is counted twice, whatever order the files came in.

    ``judge_tokens`` are the tokens that grading took in the source's own evaluations; they are not in ``tokens``.
    """
    tally = Tally()
    judge = 0
    traces: set[tuple[str, str]] = set()
    for conversation in conversations:
        tally.add(conversation)
        for trace in conversation.traces:
            key = (trace.facts.source, trace.facts.source_key)
            if key not in traces:
                traces.add(key)
                judge += sum(
                    int(t.removeprefix(JUDGE_TOKENS)) for t in trace.payload.tags if t.startswith(JUDGE_TOKENS)
                )
    tokens = tally.tokens
    counts: dict[str, Any] = {
        "traces": len(traces),
        "conversations": tally.conversations,
        "human_prompts": tally.human_prompts,
        "replies": tally.replies,
        "tool_calls": tally.tool_calls,
        "tokens": {
            "input": tokens.input,
            "output": tokens.output,
            "cache_read": tokens.cache_read,
            "cache_write": tokens.cache_write,
        },
    }
    if judge:
        counts["judge_tokens"] = judge
    return counts


def _read(reader: Source, part: Part, path: Path, options: ReadOptions, report: FileReport) -> Iterator[Conversation]:
    context = ReadContext(
        name=part.name,
        health=report.health,
        progress=options.progress,
        is_cancelled=options.is_cancelled,
        encoding=options.encoding,
        mapping=options.mapping,
        line_limit=options.line_limit,
        related=lambda session: _related(path, session),
    )
    for conversation in reader.read(part.stream, context):
        report.traces += len(conversation.traces)
        yield conversation


def _related(path: Path, session: str) -> BinaryIO | None:
    """Open the session called ``session`` that lies near ``path``: Codex writes its id into the file's name."""
    if not session or any(sign in session for sign in "/\\*?[]"):
        return None
    folder = path.parent
    for _ in range(_SEARCH_UP):
        for found in sorted(folder.glob(f"*{session}.jsonl")) or sorted(folder.glob(f"*/**/*{session}.jsonl"))[:1]:
            if found != path:
                with suppress(OSError):
                    return cast("BinaryIO", found.open("rb"))
        if folder.name in ("sessions", "archived_sessions") or folder.parent == folder or folder == Path.home():
            break
        folder = folder.parent
    return None


__all__ = [
    "AUTO",
    "FileReport",
    "Found",
    "ReadOptions",
    "choose",
    "import_counts",
    "read_path",
    "read_tree",
]

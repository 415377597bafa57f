"""Rows of tables as ``{column: value}``, whatever file they stand in: CSV, TSV, JSON, JSON Lines, XLSX."""

from __future__ import annotations

import csv
import io
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, BinaryIO

from honeyguide.kernel.errors import Unreadable
from honeyguide.traces import health
from honeyguide.traces.lines import iter_lines, storable
from honeyguide.traces.readers._documents import items, look
from honeyguide.traces.readers.opening import checked_zip
from honeyguide.traces.readers.protocol import HEAD_BYTES, ReadContext

DELIMITERS = ("\t", ",", ";", "|")
MAX_COLUMNS = 2_000
FIELD_LIMIT = 16 * 1024 * 1024
"""Characters of one CSV field."""

ROW_LISTS = ("rows", "data", "records", "items", "examples", "results")
"""Names under which a JSON document may hold its rows."""

_HEADER_ROWS = 20
_OLE = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class Row:
    """One row; ``line`` is the line or row number from 1 (of a JSON document, ``None``)."""

    values: dict[str, Any]
    line: int | None


@dataclass(slots=True)
class Table:
    """The columns, and the rows as an iterator that can be walked once."""

    columns: list[str]
    rows: Iterator[Row]
    kind: str


def open_table(stream: BinaryIO, context: ReadContext) -> Table:
    """Return the table in a file. Raises Unreadable, Interrupted."""
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    if head.startswith(_OLE):
        raise Unreadable(
            f"{context.name or 'The file'} is an old Excel file or protected by a password.",
            hint="Open it and save it as .xlsx or .csv without a password.",
        )
    if head.startswith(b"PK\x03\x04"):
        return _spreadsheet(stream, context)
    if look(head).text.lstrip().startswith(("{", "[")) and look(head).values:
        return _json_table(stream, context)
    return _delimited(stream, head, context)


def delimiter_of(text: str) -> str | None:
    """Return the sign that splits the lines of ``text`` most evenly, or ``None`` when none splits the first."""
    best: tuple[float, str] | None = None
    for sign in DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(text), delimiter=sign) if row][:50]
        except csv.Error:
            continue
        if not widths or widths[0] < 2:
            continue
        even = sum(1 for width in widths if width == widths[0]) / len(widths)
        score = even + min(widths[0], 10) / 100
        if best is None or score > best[0]:
            best = (score, sign)
    return best[1] if best is not None and best[0] >= 0.5 else None


def header_of(text: str) -> list[str]:
    """Return the headers of delimited text whose second line has as many fields as the first; else none."""
    sample = "\n".join(text.splitlines()[:50])
    sign = delimiter_of(sample)
    if sign is None:
        return []
    rows = [row for row in csv.reader(io.StringIO(sample), delimiter=sign) if row]
    return rows[0] if len(rows) > 1 and len(rows[1]) == len(rows[0]) else []


def _json_table(stream: BinaryIO, context: ReadContext) -> Table:
    entries = items(stream, context, inside=ROW_LISTS)
    first: list[Row] = []
    columns: dict[str, None] = {}
    for item in entries:
        first.append(Row(_flat(item.data), item.line))
        columns.update(dict.fromkeys(first[-1].values))
        if len(first) >= 200 or len(columns) > MAX_COLUMNS:
            break

    def rows() -> Iterator[Row]:
        yield from first
        for item in entries:
            yield Row(_flat(item.data), item.line)

    return Table(list(columns)[:MAX_COLUMNS], rows(), "json")


def _flat(data: dict[str, Any], prefix: str = "", depth: int = 2) -> dict[str, Any]:
    """Return nested objects as ``outer.inner``, two levels deep."""
    flat: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict) and value and depth > 0:
            flat.update(_flat(value, f"{prefix}{name}.", depth - 1))
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _delimited(stream: BinaryIO, head: bytes, context: ReadContext) -> Table:
    """Read CSV; quoted fields may hold line ends. Lines are those of the file, not of the table."""
    sample = "\n".join(look(head).text.splitlines()[:200])
    delimiter = delimiter_of(sample) or ("\t" if context.name.lower().endswith(".tsv") else ",")
    csv.field_size_limit(FIELD_LIMIT)
    reader = csv.reader(_text_lines(stream, context), delimiter=delimiter)
    header = next(_records(reader, context), None)
    columns = _unique(header or [])

    def rows() -> Iterator[Row]:
        for record in _records(reader, context):
            line = reader.line_num
            if len(record) > len(columns):
                context.health.note(health.MALFORMED, line, example="more fields than columns")
            elif len(record) < len(columns):
                context.health.note(health.MALFORMED, line, example="fewer fields than columns")
            yield Row(dict(zip(columns, record, strict=False)), line)

    return Table(columns, rows(), "csv" if delimiter != "\t" else "tsv")


def _records(reader: Any, context: ReadContext) -> Iterator[list[str]]:
    while True:
        context.check_cancelled()
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            context.health.note(health.MALFORMED, reader.line_num, example=str(error))
            continue
        if any(field.strip() for field in record):
            yield record


def _text_lines(stream: BinaryIO, context: ReadContext) -> Iterator[str]:
    """Yield decoded lines with their ends. Legacy code pages are asked for, never guessed."""
    quiet = ReadContext(
        name=context.name,
        progress=context.progress,
        is_cancelled=context.is_cancelled,
        encoding=context.encoding,
        line_limit=FIELD_LIMIT,
    )
    at = 0
    for line in iter_lines(stream, quiet):
        for _ in range(line.number - at - 1):
            yield "\n"
        at = line.number
        try:
            text = line.raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unreadable(
                f"{context.name or 'The table'} is not written in UTF-8 (line {line.number}).",
                hint="Say which code page it has (for example cp1252), or save it as UTF-8.",
            ) from error
        if "\x00" in text:
            context.health.note(health.NUL_BYTES, line.number)
            text = text.replace("\x00", "")
        yield text + "\n"
    context.health.merge(_without_blanks(quiet.health))


def _without_blanks(report: health.HealthReport) -> health.HealthReport:
    kept = health.HealthReport()
    for problem in report:
        if problem.name != health.BLANK_LINE:
            kept.note(problem.name, count=problem.count - len(problem.lines))
            for line in problem.lines:
                kept.note(problem.name, line)
    return kept


def _spreadsheet(stream: BinaryIO, context: ReadContext) -> Table:
    # Heavy, and only spreadsheets need it.
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    checked_zip(stream, context.name)
    stream.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and validations, which are not read
            book = load_workbook(stream, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError) as error:
        raise Unreadable(
            f"{context.name or 'The file'} is no readable spreadsheet: {error}.", hint="Save it as .xlsx or .csv again."
        ) from error
    for sheet in book.worksheets:
        lines = enumerate(sheet.iter_rows(values_only=True), start=1)
        ahead: list[tuple[int, Sequence[Any]]] = []
        for number, cells in lines:
            ahead.append((number, cells))
            if len(ahead) >= _HEADER_ROWS:
                break
        start = _header_place([cells for _, cells in ahead])
        if start is None:
            continue
        columns = _unique(["" if cell is None else str(cell) for cell in ahead[start][1]])

        def rows(
            columns: list[str] = columns,
            rest: list[tuple[int, Sequence[Any]]] = ahead[start + 1 :],
            lines: Iterator[tuple[int, Sequence[Any]]] = lines,
        ) -> Iterator[Row]:
            for chunk in (iter(rest), lines):
                for number, cells in chunk:
                    context.check_cancelled()
                    values = {c: _cell(v) for c, v in zip(columns, cells, strict=False) if c}
                    if any(value not in (None, "") for value in values.values()):
                        yield Row(values, number)

        return Table([column for column in columns if column], rows(), "xlsx")
    raise Unreadable(f"{context.name or 'The spreadsheet'} holds no table: no sheet has a row of headers.")


def _header_place(rows: list[Sequence[Any]]) -> int | None:
    """The header is the first row in which at least two cells are text, or the first with any text at all."""
    for wanted in (2, 1):
        for place, cells in enumerate(rows):
            if sum(1 for cell in cells if isinstance(cell, str) and cell.strip()) >= wanted:
                return place
    return None


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return storable(value) if isinstance(value, str) else value


def _unique(header: Sequence[str]) -> list[str]:
    """Return the headers, stripped, with a number behind repeated ones; nameless columns get their place as name."""
    seen: Counter[str] = Counter()
    named: list[str] = []
    for place, raw in enumerate(header[:MAX_COLUMNS], start=1):
        name = raw.strip().lstrip("\ufeff") or f"column {place}"
        seen[name] += 1
        named.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return named

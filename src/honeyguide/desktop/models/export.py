"""Rows of a table as CSV, JSON or Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from honeyguide.desktop.theme.plain_text import visible


class Format(StrEnum):
    """What rows can be written as."""

    CSV = "csv"
    JSON = "json"
    MARKDOWN = "md"


def export_rows(titles: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]], form: Format) -> str:
    """Return ``rows`` as text.

    Args:
        titles: id and title of every column; CSV and Markdown are headed by titles, JSON by ids.
        rows: raw values (numbers as numbers, ``None`` for unknown), one sequence a row.
    """
    if form is Format.JSON:
        named = [dict(zip((i for i, _ in titles), row, strict=True)) for row in rows]
        return json.dumps(named, ensure_ascii=False, indent=2, default=str) + "\n"
    if form is Format.CSV:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow([title for _, title in titles])
        writer.writerows([_csv_value(value) for value in row] for row in rows)
        return out.getvalue()
    lines = [[title for _, title in titles], ["---"] * len(titles), *([_md_value(v) for v in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _csv_value(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets an apostrophe before it (CWE-1236)."""
    if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"}:
        return f"'{value}"
    return "" if value is None else value


def _md_value(value: object) -> str:
    text = "" if value is None else str(value)
    return " ".join(visible(text).split()).replace("\\", "\\\\").replace("|", "\\|")

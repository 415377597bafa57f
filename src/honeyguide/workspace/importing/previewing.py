"""What a table holds before it is imported: its columns, what each is taken for, its first rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from honeyguide.kernel.errors import Unreadable
from honeyguide.traces.readers import recognise
from honeyguide.traces.readers.opening import open_parts
from honeyguide.traces.readers.protocol import HEAD_BYTES, ReadContext
from honeyguide.traces.readers.table import FIELDS, SOURCE, names_outright, preview
from honeyguide.workspace.views.traces import TablePreviewView


def preview_table(path: Path, mapping: Mapping[str, str] | None, encoding: str | None) -> TablePreviewView:
    """Look at a file as a table (blocking); of an archive, at the first part.

    Raises:
        Unreadable: it cannot be opened, or holds no table.
        InvalidInput: the mapping names a column or a field that does not exist.
    """
    for part in open_parts(path):
        found = preview(part.stream, ReadContext(name=part.name, encoding=encoding, mapping=dict(mapping or {})))
        return TablePreviewView(found.kind, found.columns, found.mapping, dict(FIELDS), found.rows)
    raise Unreadable(f"{path.name} is empty.", hint="Choose another file.")


def table_doubt(path: Path) -> Literal["", "columns", "target"]:
    """Return what a person should say before a file is imported as a table (blocking); empty for what is no table.

    ``columns``: what holds the question and the answer is only guessed from part of a header. ``target``: the columns
    are clear, but none names the prompt in force.

    Raises:
        Unreadable: it cannot be opened.
    """
    for part in open_parts(path):
        head = part.stream.read(HEAD_BYTES)
        part.stream.seek(0)
        if recognise(head, part.name) is not SOURCE:
            return ""
        found = preview(part.stream, ReadContext(name=part.name), rows=1)
        if not names_outright(found.columns):
            return "columns"
        return "" if {"prompt_name", "system"} & set(found.mapping.values()) else "target"
    return ""

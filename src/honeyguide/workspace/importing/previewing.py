"""What a table holds before it is imported: its columns, what each is taken for, its first rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from honeyguide.kernel.errors import Unreadable
from honeyguide.traces.readers.opening import open_parts
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.readers.table import FIELDS, preview
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

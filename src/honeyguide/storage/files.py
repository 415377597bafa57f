"""Files that were read, so that an unchanged one is skipped."""

from __future__ import annotations

from sqlalchemy import delete

from honeyguide.storage.mapping import fetch, fetch_one, select_record, values
from honeyguide.storage.records import ImportedFile
from honeyguide.storage.tables import ImportedFileRow
from honeyguide.storage.work import Work


class ImportedFilesRepository:
    """One row a file, by its path."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def get(self, path: str) -> ImportedFile | None:
        """Return what is known of ``path``."""
        statement = select_record(ImportedFileRow, ImportedFile).where(ImportedFileRow.path == path)
        return fetch_one(self._work.session, statement, ImportedFile)

    def all(self) -> dict[str, ImportedFile]:
        """Return every file by its path; one query for a whole import."""
        return {
            file.path: file
            for file in fetch(self._work.session, select_record(ImportedFileRow, ImportedFile), ImportedFile)
        }

    def put(self, file: ImportedFile) -> None:
        """Add or replace a file; ``imported_at`` is set here."""
        row = values(file) | {"imported_at": self._work.now()}
        self._work.session.merge(ImportedFileRow(**row))
        self._work.event("file:imported", traces=file.traces, source=file.source)

    def remove(self, path: str) -> bool:
        """Forget that a file was read; returns whether it was known."""
        statement = delete(ImportedFileRow).where(ImportedFileRow.path == path)
        return self._work.change(statement) == 1

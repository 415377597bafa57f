"""Frozen datasets, by their hash."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert, select

from honeyguide.evals.examples import CheckSpec, Dataset, Drop, Example, ExpectationRole
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import NotFound
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage.mapping import fetch, fetch_one, select_record
from honeyguide.storage.records import DatasetRecord
from honeyguide.storage.tables import DatasetRow, ExampleRow
from honeyguide.storage.work import Work

SPLITS = ("train", "validation", "holdout")


def holdout_hash(dataset: Dataset) -> str:
    """Return the hash of the sealed part alone."""
    return fingerprint([example.content() for example in dataset.holdout])


class DatasetsRepository:
    """Stores each dataset once."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def save(self, dataset: Dataset, ref: TargetRef | None = None) -> DatasetRecord:
        """Store a dataset; one with this hash is left as it is. Of dropped rows only the counts are kept."""
        digest = dataset.dataset_hash
        known = self.get(digest)
        if known is not None:
            return known
        self._session.execute(
            insert(DatasetRow).values(
                dataset_hash=digest,
                holdout_hash=holdout_hash(dataset),
                target_kind=ref.kind.value if ref else None,
                target_name=ref.name if ref else None,
                seed=dataset.seed,
                sourced=dataset.sourced,
                dropped=dataset.dropped,
                created_at=self._work.now(),
            )
        )
        rows = [
            _row(example, digest, split, position)
            for split in SPLITS
            for position, example in enumerate(getattr(dataset, split))
        ]
        if rows:
            self._session.execute(insert(ExampleRow), rows)
        self._work.event("dataset:stored", digest, examples=len(dataset))
        return self.require(digest)

    def get(self, dataset_hash: str) -> DatasetRecord | None:
        """Return what is known of a dataset, without its examples."""
        statement = select_record(DatasetRow, DatasetRecord).where(DatasetRow.dataset_hash == dataset_hash)
        return fetch_one(self._session, statement, DatasetRecord)

    def require(self, dataset_hash: str) -> DatasetRecord:
        """Return what is known of a dataset. Raises NotFound."""
        record = self.get(dataset_hash)
        if record is None:
            raise NotFound(f"There is no dataset {dataset_hash[:12]}.")
        return record

    def load(self, dataset_hash: str) -> Dataset:
        """Return a dataset with its examples; those of deleted traces are missing (see ``DatasetRecord.removed``).

        Of dropped rows the reasons come back with their counts, the texts do not.

        Raises:
            NotFound: there is none.
        """
        record = self.require(dataset_hash)
        parts: dict[str, list[Example]] = {split: [] for split in SPLITS}
        statement = select(ExampleRow).where(ExampleRow.dataset_hash == dataset_hash).order_by(ExampleRow.position)
        for row in self._session.scalars(statement):
            parts[row.split].append(_example(row))
        train, validation, holdout = (tuple(parts[split]) for split in SPLITS)
        drops = tuple(Drop(reason, "") for reason, count in sorted(record.dropped.items()) for _ in range(int(count)))
        return Dataset(train, validation, holdout, seed=record.seed, sourced=record.sourced, drops=drops)

    def list(self, ref: TargetRef | None = None, *, limit: int = 100) -> tuple[DatasetRecord, ...]:
        """Return datasets, newest first."""
        statement = select_record(DatasetRow, DatasetRecord).order_by(
            DatasetRow.created_at.desc(), DatasetRow.dataset_hash
        )
        if ref is not None:
            statement = statement.where(DatasetRow.target_kind == ref.kind.value, DatasetRow.target_name == ref.name)
        return tuple(fetch(self._session, statement.limit(limit), DatasetRecord))


def _row(example: Example, dataset_hash: str, split: str, position: int) -> dict[str, Any]:
    trace_id = example.metadata.get("traceId")
    return {
        "dataset_hash": dataset_hash,
        "split": split,
        "position": position,
        "example_id": example.id,
        "trace_id": trace_id if isinstance(trace_id, int) else None,
        "conversation": example.conversation,
        "input": example.input,
        "expected": example.expected,
        "role": example.role.value,
        "rejected": example.rejected,
        "checks": [{"kind": c.kind, "value": c.value, "name": c.name} for c in example.checks],
        "details": dict(example.metadata),
    }


def _example(row: ExampleRow) -> Example:
    return Example(
        id=row.example_id,
        input=row.input,
        expected=row.expected,
        role=ExpectationRole(row.role),
        rejected=row.rejected,
        checks=tuple(CheckSpec(c["kind"], c["value"], c["name"]) for c in row.checks),
        conversation=row.conversation,
        metadata=row.details,
    )

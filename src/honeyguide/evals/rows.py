"""Datasets as files: one JSON object a line, ``{"input", "expected_output", "metadata"}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.evals.datasets import make_example, rubric_from_correction
from honeyguide.evals.examples import CheckSpec, Dataset, Example, ExpectationRole

_OURS: Final = ("role", "split", "conversation", "rejected", "checks", "exampleId")
"""Metadata keys that say what stands in fields of their own in an ``Example``."""


def to_rows(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Give every example as a row, train first.

    A correction stands in ``expected_output`` as the person wrote it; ``metadata.role`` is then ``rubric`` and
    ``metadata.rejected`` the answer that was wrong.
    """
    for split in ("train", "validation", "holdout"):
        for example in getattr(dataset, split):
            yield to_row(example, split)


def to_row(example: Example, split: str | None = None) -> dict[str, Any]:
    """Return one example as a row."""
    metadata: dict[str, Any] = {k: v for k, v in example.metadata.items() if k != "correction"}
    metadata |= {"role": example.role.value, "exampleId": example.id}
    if split is not None:
        metadata["split"] = split
    if example.conversation:
        metadata["conversation"] = example.conversation
    if example.rejected is not None:
        metadata["rejected"] = example.rejected
    if example.checks:
        metadata["checks"] = [{"kind": c.kind, "value": c.value, "name": c.name} for c in example.checks]
    expected = example.metadata.get("correction", example.expected)
    return {"input": example.input, "expected_output": expected, "metadata": metadata}


def write_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the rows as JSON Lines, each line ended."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


@dataclass(frozen=True, slots=True)
class RowsRead:
    """What a file held.

    Attributes:
        skipped: line number (from 1) -> why the line is no example. Blank lines are not mentioned.
    """

    examples: tuple[Example, ...]
    skipped: Mapping[int, str]


def read_jsonl(text: str) -> RowsRead:
    """Read rows; a line that is no example is skipped and reported, the others are used."""
    examples: list[Example] = []
    skipped: dict[int, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), start=1):
        if not line.strip():
            continue
        made = _read_line(line)
        if isinstance(made, Example):
            examples.append(made)
        else:
            skipped[number] = made
    return RowsRead(tuple(examples), skipped)


def from_row(row: Mapping[str, Any]) -> Example:
    """Return the example of a row that is known to be complete."""
    metadata: dict[str, Any] = dict(row["metadata"])
    named = metadata.get("role")
    role = ExpectationRole(named) if named in set(ExpectationRole) else ExpectationRole.REFERENCE
    rejected = metadata.get("rejected")
    rest = {k: v for k, v in metadata.items() if k not in _OURS}
    expected = row["expected_output"]
    if role is ExpectationRole.RUBRIC and metadata.get("source") == "correction":
        rest["correction"] = expected
        expected = rubric_from_correction(expected)
    example = make_example(
        row["input"],
        expected,
        role=role,
        rejected=rejected if isinstance(rejected, str) else None,
        conversation=str(metadata.get("conversation") or ""),
        metadata=rest,
    )
    checks = tuple(_checks(metadata.get("checks")))
    known = metadata.get("exampleId")
    return Example(
        known if isinstance(known, str) and known else example.id,
        example.input,
        example.expected,
        example.role,
        example.rejected,
        checks,
        example.conversation,
        example.metadata,
    )


def _read_line(line: str) -> Example | str:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(row, dict):
        return "not an object"
    for key in ("input", "expected_output"):
        if not isinstance(row.get(key), str):
            return f"no {key}"
    if not isinstance(row.get("metadata"), dict):
        return "no metadata"
    return from_row(row)


def _checks(value: Any) -> Iterator[CheckSpec]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict) and isinstance(item.get("kind"), str):
                yield CheckSpec(item["kind"], item.get("value"), str(item.get("name") or ""))

"""The files of a run that can be read without the app: receipt, evidence, decisions; and the index of its journal."""

from __future__ import annotations

import json
from collections.abc import Iterable

from honeyguide.evals.verification import VerificationRecord
from honeyguide.evolution.requests import OrchestratorResult
from honeyguide.llm import JournalEntry, ModelRef, read_entries
from honeyguide.storage.records import CallRecord
from honeyguide.versions import write_atomically
from honeyguide.workspace.core import Core
from honeyguide.workspace.layout import Layout

CALLS_A_BATCH = 500


def write_result_files(layout: Layout, uuid: str, result: OrchestratorResult) -> None:
    """Write ``decisions.jsonl``, ``evidence.json`` and ``receipt.json`` into the run's folder. Raises Unwritable."""
    folder = layout.run(uuid)
    write_atomically(folder / "decisions.jsonl", result.decisions.to_text().encode())
    if result.verification is not None:
        write_evidence(layout, uuid, result.verification)


def write_evidence(layout: Layout, uuid: str, record: VerificationRecord) -> None:
    """Write ``evidence.json`` and ``receipt.json`` into the run's folder. Raises Unwritable."""
    folder = layout.run(uuid)
    pairs = [pair.to_json() for pair in record.pairs]
    write_atomically(folder / "evidence.json", _json({"verification": record.verification.to_json(), "pairs": pairs}))
    if record.verification.receipt is not None:
        write_atomically(folder / "receipt.json", _json(record.verification.receipt.to_json()))


async def index_calls(core: Core, uuid: str) -> None:
    """Bring the database's index of a run's journal up to date, in batches."""
    path = core.layout.journal(uuid)
    known = await core.store.read(lambda unit: unit.calls.last_seq(uuid))
    records = await core.in_thread(lambda: [r for r in call_records(uuid, read_entries(path)) if r.seq > known])
    for start in range(0, len(records), CALLS_A_BATCH):
        batch = records[start : start + CALLS_A_BATCH]
        await core.store.write(lambda unit, batch=batch: unit.calls.index(batch))  # type: ignore[misc]


def call_records(uuid: str, entries: Iterable[JournalEntry]) -> list[CallRecord]:
    """Return the index rows of a journal's calls, in its order."""
    found = []
    for seq, entry in enumerate(entries):
        if entry.kind not in ("reply", "failed"):
            continue
        ref = ModelRef.parse(entry.model)
        found.append(
            CallRecord(
                journal=uuid,
                seq=seq,
                request_hash=entry.request_hash,
                provider=ref.provider,
                model=ref.model,
                role=entry.role,
                status="ok" if entry.kind == "reply" else entry.failure,
                at=entry.at,
                latency_ms=entry.latency_ms,
                input_tokens=entry.usage.input_tokens,
                output_tokens=entry.usage.output_tokens,
                cache_read_tokens=entry.usage.cache_read_tokens,
                cache_write_tokens=entry.usage.cache_write_tokens,
                cost_usd=entry.cost_usd,
                cost_is_reported=entry.cost_is_reported,
            )
        )
    return found


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()

"""Runs as a reviewer looks at them: lists, details, differences, evidence, candidates, journal, counts."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from honeyguide.kernel.errors import HoneyguideError, InvalidInput, NotFound
from honeyguide.llm import ModelRole
from honeyguide.storage import clamped_limit
from honeyguide.storage.records import AttemptFilter, AttemptRecord, RunRecord, RunStatus
from honeyguide.storage.records import RunFilter as StoredFilter
from honeyguide.storage.records import RunKey as RunKey
from honeyguide.storage.run_sink import BASELINE, CANDIDATE
from honeyguide.versions.diff import compare as compare_texts
from honeyguide.versions.diff import summarise
from honeyguide.workspace.suite_records import shown_suite
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.pages import Page
from honeyguide.workspace.views.reviews import (
    CallRow,
    CandidateRow,
    EvidenceRow,
    TryResult,
    evidence_row,
)
from honeyguide.workspace.views.runs import (
    AttemptRow,
    RunDetail,
    RunFilter,
    RunPage,
    RunTableRow,
    StatusReport,
    words_for,
)
from honeyguide.workspace.views.versions import DiffView

if TYPE_CHECKING:
    from honeyguide.workspace.core import Core
    from honeyguide.workspace.homes import Homes

FIVE_STATES = frozenset(status.value for status in RunStatus)
CHANGES_KEPT = 5000
"""How many one-sentence summaries of proposals are kept in memory."""
SHOWN_CHARACTERS = 20_000
"""How much of a request or a reply the journal list shows."""


class Reviewing:
    """Answers every question about runs; changes nothing."""

    def __init__(self, core: Core, homes: Callable[[], Homes]) -> None:
        self._core = core
        self._homes = homes
        self._changes: dict[str, str] = {}

    async def page(self, wanted: RunFilter, *, with_runs: bool = True) -> RunPage:
        """Return the public runs, and the attempts that made none beside them."""
        states = [state for state in wanted.status if state not in FIVE_STATES]
        public = [state for state in wanted.status if state in FIVE_STATES]
        only_attempts = bool(states) and not public
        stored = StoredFilter(
            tuple(RunStatus(state) for state in public),
            wanted.kind,
            wanted.name,
            wanted.since,
            wanted.limit,
            wanted.offset,
        )
        others = AttemptFilter(states or _NO_RUN_STATES, wanted.kind, wanted.name, wanted.since, wanted.text)
        limit = clamped_limit(wanted.limit)

        def read(unit: Any) -> tuple[Sequence[RunRecord], Sequence[AttemptRecord], int]:
            runs = () if only_attempts or not with_runs else unit.runs.list(stored)
            attempts = () if public and not states else unit.attempts.list(others, limit=limit, offset=wanted.offset)
            total = (0 if only_attempts else unit.runs.count(stored)) + (
                0 if public and not states else unit.attempts.count(others)
            )
            return runs, attempts, total

        runs, attempts, total = await self._core.store.read(read)
        return RunPage(tuple(runs), tuple(AttemptRow(a) for a in attempts), total)

    async def rows(self, wanted: RunFilter) -> Page[RunTableRow]:
        """Return one screen of the run table, newest first."""
        known = AttemptFilter(wanted.status, wanted.kind, wanted.name, wanted.since, wanted.text)
        limit = clamped_limit(wanted.limit)
        records, total = await self._core.store.read(
            lambda unit: (unit.attempts.list(known, limit=limit, offset=wanted.offset), unit.attempts.count(known))
        )
        return Page(tuple(await self._table_rows(records)), total)

    async def many(self, uuids: Sequence[str]) -> dict[str, RunTableRow]:
        """Return the rows with these ids."""
        found = await self._core.store.read(lambda unit: unit.attempts.many(uuids))
        return dict(zip(found, await self._table_rows(list(found.values())), strict=True))

    async def keys(self, *, after: RunKey | None = None, limit: int = 5000) -> tuple[RunKey, ...]:
        """Return a chunk of the thin index of the whole run table, newest first."""
        return await self._core.store.read(lambda unit: unit.attempts.keys(after=after, limit=limit))

    async def detail(self, uuid: str) -> RunDetail:
        """Return one run or attempt with its proof. Raises NotFound."""

        def read(unit: Any) -> tuple[Any, ...]:
            attempt = unit.attempts.get(uuid)
            run = unit.runs.get(uuid)
            if attempt is None and run is None:
                raise NotFound("Run not found", hint="See 'honeyguide runs list'.")
            if attempt is None:
                attempt = AttemptRecord(uuid, run.target_kind, run.target_name, state="proposed", run_status=run.status)
            return (
                attempt, run, unit.verifications.get(uuid), unit.candidates.of(uuid),
                unit.decisions.list(subject_kind="run", subject=uuid),
            )  # fmt: skip

        attempt, run, verification, candidates, decisions = await self._core.store.read(read)
        proof = None if verification is None else dict(verification.details)
        return RunDetail(
            attempt=attempt,
            run=run,
            verification=proof,
            lineage=tuple(_lineage(candidates, run)),
            receipt=None if proof is None else await self._receipt_state(attempt, run, proof),
            decisions=tuple(
                {"at": d.at, "decision": d.decision, "way": d.way, "user": d.os_user, "note": d.note} for d in decisions
            ),
            suite=await shown_suite(self._core, self._homes, attempt, run),
            texts=await self._texts(attempt, run),
        )

    async def _texts(self, attempt: AttemptRecord, run: RunRecord | None) -> tuple[Mapping[str, Any], ...]:
        if run is None or not attempt.options.get("together"):
            return ()
        from honeyguide.workspace.run_texts import shown_texts

        return await shown_texts(self._core, self._homes(), run)

    async def diff(self, uuid: str) -> DiffView:
        """Return what the proposal changes. Raises NotFound."""
        run = await self._core.store.read(lambda unit: unit.runs.get(uuid))
        if run is None:
            await self._core.store.read(lambda unit: unit.attempts.require(uuid))
            raise NotFound(f"Run {uuid} made no proposal.", hint="There is nothing to compare.")
        from honeyguide.workspace.run_texts import diff_of

        return await diff_of(self._core, run, _worth(run))

    async def evidence(self, uuid: str) -> list[EvidenceRow]:
        """Return every holdout case, those that changed most first."""
        await self._core.store.read(lambda unit: unit.attempts.require(uuid))
        stored = await self._core.store.read(lambda unit: unit.evaluations.evidence(uuid, BASELINE, CANDIDATE))
        rows = [evidence_row(row) for row in stored]
        return sorted(rows, key=lambda row: -abs(row.change or 0.0))

    async def candidates(self, uuid: str) -> list[CandidateRow]:
        """Return the candidates of a run in the order they were made."""
        records = await self._core.store.read(lambda unit: unit.candidates.of(uuid))
        return [
            CandidateRow(
                c.stage, c.candidate_id, c.parent_id, c.strategy, c.generation, c.text, c.scores, c.complexity,
                c.on_front, c.is_finalist, tuple(c.gate_results),
            )
            for c in records
        ]  # fmt: skip

    async def journal(self, uuid: str, *, limit: int = 100, offset: int = 0) -> Page[CallRow]:
        """Return a page of a run's model calls with their texts (redacted when they were made)."""
        path = self._core.layout.journal(uuid)

        def read() -> tuple[list[CallRow], int]:
            from honeyguide.llm import read_entries

            entries = [e for e in read_entries(path) if e.kind in ("reply", "failed")] if path.is_file() else []
            shown = itertools.islice(enumerate(entries), offset, offset + limit)
            return [_call_row(number, entry) for number, entry in shown], len(entries)

        rows, total = await self._core.in_thread(read)
        return Page(tuple(rows), total)

    async def status(self, *, kind: str | None, name: str | None, since: str | None) -> StatusReport:
        """Count runs and attempts by state."""
        stored = StoredFilter((), kind, name, since)
        others = AttemptFilter((), kind, name, since)
        counts, attempts = await self._core.store.read(
            lambda unit: (unit.runs.status_counts(stored), unit.attempts.state_counts(others))
        )
        return StatusReport({status.value: n for status, n in counts.items()}, attempts)

    async def try_prompt(self, uuid: str, text: str) -> TryResult:
        """Answer one input with the live text and with the proposed one; paid like any call. Raises NotFound, …"""
        from honeyguide.llm import Message, ModelReply, ModelRequest, RunModels
        from honeyguide.workspace.preparing import models_for
        from honeyguide.workspace.run_texts import applied_texts

        run = await self._core.store.read(lambda unit: unit.runs.require(uuid))
        attempt = await self._core.store.read(lambda unit: unit.attempts.get(uuid))
        if not text.strip():
            raise InvalidInput("There is nothing to try.", hint="Type an input.")
        options = RunOptions.from_json(attempt.options) if attempt is not None else RunOptions()
        model = models_for(self._core, options)[ModelRole.EXECUTOR]
        path = self._core.layout.run(uuid) / "tries.jsonl"
        await self._core.in_thread(lambda: path.parent.mkdir(mode=0o700, parents=True, exist_ok=True))
        models = await self._core.in_thread(
            lambda: RunModels.open(
                self._core.registry, path, shared=self._core.ledgers(), redact=self._core.outgoing_redactor().text
            )
        )
        try:
            client = models.client(model)
            replies: list[ModelReply] = [
                await client.complete(ModelRequest(model, (Message("user", text),), system=prompt, max_tokens=2048))
                for prompt in applied_texts(run)
            ]
            costs = [0.0 if reply.replayed else reply.cost_usd for reply in replies]
        finally:
            await models.close()
        known = [cost for cost in costs if cost is not None]
        return TryResult(
            replies[0].text, replies[1].text, sum(not reply.replayed for reply in replies),
            sum(known) if len(known) == len(costs) else None,
        )  # fmt: skip

    # --- inside

    async def _table_rows(self, records: Sequence[AttemptRecord]) -> list[RunTableRow]:
        """Return the rows; what a proposal changes is said in a sentence that is made once for each."""
        unknown = [r.uuid for r in records if r.run_status is not None and r.uuid not in self._changes]
        if unknown:
            runs = await self._core.store.read(lambda unit: [unit.runs.get(uuid) for uuid in unknown])
            made = await self._core.in_thread(
                lambda: {run.run_uuid: _change_of(run) for run in runs if run is not None}
            )
            self._changes.update(made)
            while len(self._changes) > CHANGES_KEPT:
                self._changes.pop(next(iter(self._changes)))
        return [self._table_row(record) for record in records]

    def _table_row(self, record: AttemptRecord) -> RunTableRow:
        progress = record.progress
        done, planned = progress.get("done"), progress.get("planned")
        share = min(done / planned, 1.0) if isinstance(done, int) and isinstance(planned, int) and planned else None
        interval = None
        if record.interval_low is not None and record.interval_high is not None:
            interval = (record.interval_low, record.interval_high)
        return RunTableRow(
            uuid=record.uuid,
            state=record.shown_state,
            target_kind=record.target_kind,
            target_name=record.target_name or "",
            finding=record.finding,
            words=words_for(record),
            change=self._changes.get(record.uuid) or record.reason or "",
            delta=record.delta,
            interval=interval,
            gate_verdict=record.gate_verdict,
            failed_gate=record.failed_gate,
            cost_usd=record.cost_usd,
            calls=record.calls,
            created_at=record.started_at,
            progress=share if record.state == "running" else None,
            message=str(progress.get("message", "")),
            model=record.model,
            needs_note=record.needs_note,
            can_accept=record.can_accept,
        )

    async def _receipt_state(
        self, attempt: AttemptRecord, run: RunRecord | None, proof: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Recompute what of a receipt can have changed since, and say what did."""
        if not proof.get("receipt"):
            return None

        known = attempt.dataset_hash

        def read(unit: Any) -> Any:
            return unit.datasets.load(known) if known is not None and unit.datasets.get(known) is not None else None

        dataset = await self._core.store.read(read)

        def work() -> list[str]:
            from honeyguide.workspace.receipt_state import stale_parts  # with the judge and the gates: in a thread

            return stale_parts(self._core, attempt, run, dataset, proof)

        reasons = await self._core.in_thread(work)
        if run is not None and run.status == "proposed":
            from honeyguide.workspace.run_texts import texts_of_run

            try:
                for ref, baseline, _ in texts_of_run(run):
                    home = await self._homes().home(ref)
                    if home.text != baseline:
                        named = "The live text" if ref.name == run.target_name else f"The live text of {ref.name}"
                        reasons.append(f"{named} is no longer the one that was measured.")
            except HoneyguideError as error:
                reasons.append(error.message)
        return {"stale": bool(reasons), "reasons": reasons}


_NO_RUN_STATES = (
    "running", "skipped-trigger", "skipped-gates", "skipped-delta", "aborted", "inconclusive", "interrupted", "failed",
)  # fmt: skip


def _worth(run: RunRecord) -> dict[int, Mapping[str, Any]]:
    """Return what each change of a proposal was worth, where the run took it apart."""
    artifacts = json.loads(run.artifacts_json) if run.artifacts_json else {}
    return {int(hunk["hunk"]): hunk for hunk in (artifacts.get("ablation") or {}).get("hunks", ())}


def _change_of(run: RunRecord) -> str:
    if '"texts"' in (run.artifacts_json or ""):  # several texts bring the engine with them, a single one does not
        from honeyguide.workspace.run_texts import comparison_of

        return summarise(comparison_of(run)).sentence()
    return summarise(compare_texts(run.baseline_text, run.winner_text)).sentence()


def _lineage(candidates: Sequence[Any], run: RunRecord | None) -> list[dict[str, Any]]:
    """Return the proposed text's ancestors, the first ancestor first; empty when it was not searched."""
    by_id = {(c.stage, c.candidate_id): c for c in candidates}
    winner = next(
        (
            c
            for c in candidates
            if c.stage == "instruction" and run is not None and c.is_finalist and run.winner_text.startswith(c.text)
        ),
        None,
    )
    chain: list[dict[str, Any]] = []
    seen: set[str] = set()
    while winner is not None and winner.candidate_id not in seen:
        seen.add(winner.candidate_id)
        chain.append(
            {
                "id": winner.candidate_id, "parent": winner.parent_id, "strategy": winner.strategy,
                "generation": winner.generation, "scores": dict(winner.scores), "chars": len(winner.text),
            }
        )  # fmt: skip
        winner = by_id.get((winner.stage, winner.parent_id)) if winner.parent_id else None
    return chain[::-1]


def _call_row(number: int, entry: Any) -> CallRow:
    request = entry.request
    system = str(request.get("system", ""))
    messages = "\n\n".join(
        str(m.get("content", m)) if isinstance(m, dict) else str(m) for m in request.get("messages", ())
    )
    return CallRow(
        n=number,
        role=entry.role,
        model=entry.model,
        status="ok" if entry.kind == "reply" else entry.failure,
        at=entry.at,
        input_tokens=entry.usage.input_tokens,
        output_tokens=entry.usage.output_tokens,
        cost_usd=entry.cost_usd,
        cost_is_reported=entry.cost_is_reported,
        latency_ms=entry.latency_ms,
        request=f"{system}\n\n{messages}".strip()[:SHOWN_CHARACTERS],
        reply=(entry.text or entry.message)[:SHOWN_CHARACTERS],
    )

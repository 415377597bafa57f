"""The workspace's rows as the models of the window hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.models.calls import CallRow
from honeyguide.desktop.models.candidates import Candidate
from honeyguide.desktop.models.evidence import EvidenceRow
from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.models.targets import TargetLine
from honeyguide.desktop.models.traces import TraceRow
from honeyguide.desktop.models.versions import VersionRow
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme.outcomes import gate_words, stage_words
from honeyguide.desktop.widgets.gate_list import GateRow
from honeyguide.kernel.clock import parse_iso

if TYPE_CHECKING:
    from honeyguide import workspace as views

PARAGRAPH = "\n\n"


def moment(text: str | None) -> datetime | None:
    """Return a stored moment; ``None`` for none."""
    return parse_iso(text) if text else None


def run_row(row: views.RunTableRow) -> RunRow:
    """Return a line of the run table."""
    return RunRow(
        uuid=row.uuid,
        state=row.state,
        kind=row.target_kind,
        name=row.target_name,
        created_at=parse_iso(row.created_at),
        outcome=row.finding,
        change=spoken(row.change),
        delta=row.delta,
        interval=row.interval,
        gates=row.gate_verdict or "",
        failed_gate=row.failed_gate or "",
        cost_usd=row.cost_usd,
        calls=row.calls,
        progress=row.progress,
        phase=_sentence(row.message) if row.state == "running" else "",
        model=models_words(row.model),
    )


def run_key(key: Any) -> RunRow:
    """Return a line of which only the index is known."""
    return RunRow(
        uuid=key.uuid,
        state=key.shown_state,
        kind=key.target_kind,
        name=key.target_name or "",
        created_at=parse_iso(key.started_at),
        outcome=key.finding,
        delta=key.delta,
        cost_usd=key.cost_usd,
        partial=True,
    )


def progressed(row: RunRow, data: Mapping[str, Any]) -> RunRow:
    """Return a running line with what a progress event says; data that says nothing of it changes nothing."""
    detail = data.get("detail") or {}
    done, planned = detail.get("done"), detail.get("planned")
    progress = row.progress
    if isinstance(done, int) and isinstance(planned, int) and planned > 0:
        progress = min(done / planned, 1.0)
    calls, usd = detail.get("calls"), detail.get("usd")
    return replace(
        row,
        progress=progress,
        phase=stage_words(detail) or _sentence(str(data.get("message") or "")) or row.phase,
        calls=calls if isinstance(calls, int) else row.calls,
        cost_usd=float(usd) if isinstance(usd, int | float) else row.cost_usd,
    )


def _sentence(message: str) -> str:
    """Return a message of a run in words; a search names some steps by code (``mutate``), which says nothing."""
    return spoken(message) if " " in message.strip() else ""


def models_words(models: str | None) -> str:
    """Return the models of a run in words: each once, the practice model by its name."""
    names = dict.fromkeys(part.strip() for part in (models or "").split(",") if part.strip())
    return ", ".join("practice" if name.startswith("practice:") else name for name in names)


def evidence_row(row: views.EvidenceRow) -> EvidenceRow:
    """Return one unseen case."""
    return EvidenceRow(
        example_id=row.example_id,
        input=row.input,
        expected=row.expected,
        role=row.role,
        before=row.before,
        after=row.after,
        score_before=row.score_before,
        score_after=row.score_after,
        verdict=row.verdict,
        judge_before=row.words_before,
        judge_after=row.words_after,
        trace_id=row.trace_id,
    )


def candidates(rows: Iterable[views.CandidateRow], lineage: Sequence[Mapping[str, Any]]) -> list[Candidate]:
    """Return the candidates of a run; those of the two stages share names, so the stage is part of the id."""
    rows = list(rows)
    winner = lineage[-1]["id"] if lineage else None
    compared = {stage: _compared_on(stage, rows, winner) for stage in ("schema", "instruction")}
    found: list[Candidate] = []
    for number, row in enumerate(rows):
        prefix = "s:" if row.stage == "schema" else ""
        failed = next((gate for gate in row.gates if gate.get("verdict") == "fail"), None)
        is_comparable = _cases(row) == compared.get(row.stage)
        scores = {str(k): float(v) for k, v in row.scores.items() if k != "n" and isinstance(v, int | float)}
        found.append(
            Candidate(
                id=prefix + row.id,
                parent=prefix + row.parent if row.parent else None,
                strategy=row.strategy or "",
                generation=row.generation,
                scores=scores,
                complexity=row.complexity,
                chars=row.chars,
                text=row.text,
                on_front=row.on_front and is_comparable,
                is_winner=row.id == winner and row.stage != "schema",
                is_baseline=row.parent is None,
                refused=f"{gate_words(str(failed['gate']))}: {spoken(str(failed.get('reason', '')))}" if failed else "",
                calls=number,
                stage=row.stage,
                is_comparable=is_comparable,
            )
        )
    return found


def _cases(row: views.CandidateRow) -> str | None:
    """Return what stands for the cases a candidate was measured on; older runs kept only how many they were."""
    count = row.scores.get("n")
    return str(row.scores.get("cases") or f"{count} cases") if count else None


def _compared_on(stage: str, rows: Sequence[views.CandidateRow], winner: str | None) -> str | None:
    """Return the cases on which a stage's candidates are compared: the winner's, else the live text's."""
    measured = [row for row in rows if row.stage == stage and _cases(row) is not None]
    first = sorted(measured, key=lambda row: (row.id != winner, row.parent is not None))
    return _cases(first[0]) if first else None


def gate_rows(gates: Iterable[Mapping[str, Any]], group: str = "") -> list[GateRow]:
    """Return checks as they are listed."""
    rows = []
    for gate in gates:
        where = gate.get("where") or (gate.get("detail") or {}).get("where")
        place = (int(where[0]), int(where[1])) if isinstance(where, list | tuple) and len(where) == 2 else None
        verdict = {"passed": "pass", "failed": "fail"}.get(str(gate.get("verdict")), str(gate.get("verdict")))
        rows.append(GateRow(str(gate.get("gate", "")), verdict, gate_reason(gate), place, group))
    return rows


def gate_reason(gate: Mapping[str, Any]) -> str:
    """Return what a check said, of several texts each by its name, in the language of the window."""
    texts: Mapping[str, Mapping[str, Any]] = (gate.get("detail") or {}).get("texts") or {}
    failed = {name: said for name, said in texts.items() if said.get("verdict") == "fail"}
    told = failed or texts
    reasons = {str(said.get("reason", "")) for said in told.values()}
    if not told or (len(reasons) == 1 and not failed):
        return spoken(str(gate.get("reason", "")))
    return " ".join(f"{name.partition(':')[2]}: {spoken(str(said.get('reason', '')))}" for name, said in told.items())


def call_row(row: views.CallRow) -> CallRow:
    """Return one model call."""
    status = row.status if row.status in ("ok", "replayed") else "failed"
    return CallRow(
        n=row.n + 1,
        at=moment(row.at),
        purpose=f"{role_words(row.role)}: {row.request.rpartition(PARAGRAPH)[2][:300]}",
        model=models_words(row.model),
        status=status,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        usd=row.cost_usd,
        seconds=None if row.latency_ms is None else row.latency_ms / 1000,
        error="" if status != "failed" else f"{row.status}: {row.reply[:300]}",
    )


def role_words(role: str) -> str:
    """Return what a call was for, in words; an unknown role as it is."""
    translate = QCoreApplication.translate
    return {
        "executor": translate("Roles", "Answer"),
        "judge": translate("Roles", "Grade"),
        "mutator": translate("Roles", "Propose"),
        "maintainer": translate("Roles", "Maintain"),
    }.get(role, role)


def version_row(row: views.VersionRow, bak: str | None, runs: Mapping[str, views.RunTableRow]) -> VersionRow:
    """Return one version with what the run that made it proved."""
    run = runs.get(row.run_uuid) if row.run_uuid else None
    return VersionRow(
        n=row.n,
        created_at=parse_iso(row.created_at),
        origin=row.origin,
        sha256=row.sha256,
        who=row.who,
        how=row.how,
        note=row.note,
        run_uuid=row.run_uuid,
        outcome=run.finding if run else None,
        delta=run.delta if run else None,
        interval=run.interval if run else None,
        cost_usd=run.cost_usd if run else None,
        current=row.current,
        removed=row.removed,
        restored_from=row.restored_from,
        together=tuple(text.partition(":")[2].replace("#", " ") for text in row.together),
    )


def target_line(row: views.TargetRow) -> TargetLine:
    """Return a line of the list of targets."""
    return TargetLine(
        id=str(row.ref),
        kind=row.ref.kind.value,
        name=row.ref.name,
        title=row.title or row.ref.name,
        chars=row.chars,
        limit=row.limit,
        traces=row.traces,
        last_run=moment(row.last_run),
        origin=row.origin,
        path=row.path or "",
        description=row.description,
        together=row.together,
    )


def trace_row(row: views.TraceRow) -> TraceRow:
    """Return a line of the trace browser."""
    return TraceRow(
        id=row.id,
        created_at=parse_iso(row.created_at),
        outcome=row.outcome,
        source=row.source,
        preview=row.input,
        excerpt=row.excerpt,
        target=(row.target or "").partition(":")[2] or (row.target or ""),
        model=row.model or "",
        conversation=row.conversation,
        tool_calls=row.tool_calls,
        cost_usd=row.cost_usd,
        duration_s=None if row.duration_ms is None else row.duration_ms / 1000,
        never_send=row.never_send,
    )

"""Where people were not satisfied: suggestions, and what a person says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from honeyguide.kernel.errors import InvalidInput
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage import Unit
from honeyguide.storage.records import CorrectionRecord, CorrectionState, DetectorRecord
from honeyguide.traces.correction_precision import DetectorPrecision
from honeyguide.traces.records import Trace, TraceOutcome
from honeyguide.workspace.core import Core
from honeyguide.workspace.views.corrections import CorrectionDetail, CorrectionRow, DetectorRow
from honeyguide.workspace.views.pages import Page

BATCH = 100
"""Verdicts of one transaction, when many are given at once."""
WHOLE_TURN = 600
"""Characters up to which all that a person said is taken for their correction; of a longer turn, the found words."""


class Corrections:
    """The corrections of a workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(
        self,
        state: str | None = None,
        limit: int = 100,
        *,
        offset: int = 0,
        detector: str | None = None,
        target: TargetRef | None = None,
    ) -> Page[CorrectionRow]:
        """Return a part of the list, newest first. Raises InvalidInput for an unknown state."""
        wanted = None if state is None else _state(state)

        def read(unit: Unit) -> Page[CorrectionRow]:
            found = unit.corrections.list(state=wanted, detector=detector, target=target, limit=limit, offset=offset)
            total = unit.corrections.count(state=wanted, detector=detector, target=target)
            return Page([correction_row(record) for record in found], total)

        return await self._core.store.read(read)

    async def show(self, correction_id: int) -> CorrectionDetail:
        """Return one correction with the answer it is about. Raises NotFound."""
        return await self._core.store.read(lambda unit: _detail(unit, correction_id))

    async def confirm(self, correction_id: int, edit: str | None = None) -> CorrectionRow:
        """A person says yes: the trace counts as corrected, with their own wording or the words that were found.

        Raises:
            NotFound: there is no such correction.
            InvalidInput: it has no words, and none were given.
        """
        own = self._core.redactor().text(edit.strip()) if edit is not None else None
        if edit is not None and not own:
            raise InvalidInput("The wording is empty.", hint="Say what was wrong, or leave --edit out.")

        def write(unit: Unit) -> CorrectionRow:
            record = unit.corrections.require(correction_id)
            words = own or wording(record)
            if not words:
                raise InvalidInput(
                    f"Correction {correction_id} has no words that say what was wrong.",
                    hint="Say it with --edit.",
                )
            return correction_row(unit.corrections.confirm(correction_id, own, _mark(unit, record, words)))

        return await self._core.store.write(write)

    async def confirm_all(self, *, detector: str | None = None, target: TargetRef | None = None) -> tuple[int, int]:
        """A person says yes to every suggestion of a detector, or about a target; one without words is left.

        Returns how many were confirmed, and how many were left because they have no words.

        Raises:
            InvalidInput: neither a detector nor a target is named.
        """
        if detector is None and target is None:
            raise InvalidInput("It is not said which corrections.", hint="Name a detector, a target, or both.")
        suggested = CorrectionState.SUGGESTED

        def read(unit: Unit) -> tuple[CorrectionRecord, ...]:
            count = unit.corrections.count(state=suggested, detector=detector, target=target)
            return unit.corrections.list(state=suggested, detector=detector, target=target, limit=count)

        found = await self._core.store.read(read)
        ready = [record for record in found if wording(record)]
        for start in range(0, len(ready), BATCH):
            part = [record.id for record in ready[start : start + BATCH]]

            def write(unit: Unit, part: Sequence[int] = part) -> None:
                for record in (unit.corrections.require(number) for number in part):
                    if record.state == suggested:
                        unit.corrections.confirm(record.id, trace_was=_mark(unit, record, wording(record)))

            await self._core.store.write(write)
        return len(ready), len(found) - len(ready)

    async def dismiss(self, correction_id: int) -> CorrectionRow:
        """A person says no; what an earlier yes had made of the trace is undone. Raises NotFound."""

        def write(unit: Unit) -> CorrectionRow:
            _take_back(unit, unit.corrections.require(correction_id))
            return correction_row(unit.corrections.dismiss(correction_id))

        return await self._core.store.write(write)

    async def reopen(self, correction_id: int) -> CorrectionRow:
        """A person takes their verdict back: to be judged again, and the trace is what it was. Raises NotFound."""

        def write(unit: Unit) -> CorrectionRow:
            _take_back(unit, unit.corrections.require(correction_id))
            return correction_row(unit.corrections.reopen(correction_id))

        return await self._core.store.write(write)

    async def detectors(self) -> tuple[DetectorRow, ...]:
        """Return how often each detector was right, and which are switched off."""
        records = await self._core.store.read(lambda unit: unit.corrections.detectors())
        return tuple(_detector_row(record) for record in records)


def wording(record: CorrectionRecord) -> str:
    """Return what a person said was wrong, in their words; empty when the sign has none (a bare rating)."""
    if record.edit_text:
        return record.edit_text
    if record.replacement and record.replacement.strip() != record.span_text.strip():
        comment = f"{record.span_text.strip()}\n" if record.span_text.strip() else ""
        return f"{comment}The right answer: {record.replacement.strip()}"
    if record.replacement:
        return f"The right answer: {record.replacement.strip()}"
    whole = record.context.strip()
    return whole if 0 < len(whole) <= WHOLE_TURN else record.span_text.strip()


def correction_row(record: CorrectionRecord) -> CorrectionRow:
    """Return a correction as it is listed."""
    return CorrectionRow(
        id=record.id,
        trace_id=record.trace_id,
        state=record.state,
        detector=record.detector,
        span=record.span_text,
        place=record.place,
        language=record.language,
        created_at=record.created_at,
        decided_at=record.decided_at,
        edit=record.edit_text,
    )


def _detail(unit: Unit, correction_id: int) -> CorrectionDetail:
    record = unit.corrections.require(correction_id)
    trace = unit.traces.require(record.trace_id)
    links = unit.trace_links.of([trace.id]).get(trace.id, ())
    return CorrectionDetail(
        row=correction_row(record),
        context=record.context,
        start=record.span_start,
        end=record.span_end,
        request=trace.payload.input,
        answer=trace.payload.output,
        replacement=record.replacement,
        suggestion=record.suggestion,
        wording=wording(record),
        targets=tuple(str(link.ref) for link in links),
    )


def _mark(unit: Unit, record: CorrectionRecord, words: str) -> dict[str, Any]:
    """Add the words to what was said of the trace, in place of those that this correction said before.

    Returns what the trace counted as before, where that changed.
    """
    trace = unit.traces.require(record.trace_id)
    if trace.outcome is not TraceOutcome.CORRECTED:
        facts = trace.facts
        unit.traces.mark_corrected(trace.id, words)
        return {
            "outcome": trace.outcome.value,
            "detail": facts.outcome_detail,
            "evidence": facts.outcome_evidence,
            "finalized_at": trace.finalized_at,
        }
    others = _without(trace.payload.correction_feedback, wording(record))
    if words not in others:
        _set_words(unit, trace, f"{others}\n{words}".strip())
    return {}


def _take_back(unit: Unit, record: CorrectionRecord) -> None:
    """Undo what a yes had made of the trace: its words go, and with the last of them the outcome is what it was."""
    if record.state != CorrectionState.CONFIRMED:
        return
    trace = unit.traces.require(record.trace_id)
    _set_words(unit, trace, _without(trace.payload.correction_feedback, wording(record)) or None)
    of_trace = unit.corrections.of_trace(record.trace_id)
    if any(other.state == CorrectionState.CONFIRMED and other.id != record.id for other in of_trace):
        return
    was = _outcome_before(unit, [other.id for other in of_trace])
    if was and trace.outcome is TraceOutcome.CORRECTED:
        unit.traces.take_back(
            trace.id,
            TraceOutcome(was["outcome"]),
            was.get("detail"),
            was.get("evidence") or "",
            was.get("finalized_at"),
        )


def _outcome_before(unit: Unit, corrections: Sequence[int]) -> Mapping[str, Any]:
    """Return what a trace counted as before the first yes to one of its corrections; empty when nobody knows."""
    for number in corrections:
        for decision in unit.decisions.list(subject_kind="correction", subject=number):
            if decision.details.get("trace_was"):
                return dict(decision.details["trace_was"])
    return {}


def _without(feedback: str | None, words: str) -> str:
    return (feedback or "").replace(words, "").strip() if words else (feedback or "").strip()


def _set_words(unit: Unit, trace: Trace, words: str | None) -> None:
    if trace.payload.correction_feedback == words:
        return
    changed = replace(trace, payload=replace(trace.payload, correction_feedback=words))
    unit.traces.update(trace.id, changed, trace.outcome)


def _detector_row(record: DetectorRecord) -> DetectorRow:
    known = DetectorPrecision(record.detector, record.confirmed, record.dismissed)
    return DetectorRow(
        detector=record.detector,
        suggested=record.suggested,
        confirmed=record.confirmed,
        dismissed=record.dismissed,
        precision=known.precision,
        is_switched_off=known.is_switched_off,
        sentence=known.sentence,
    )


def _state(name: str) -> CorrectionState:
    if name not in set(CorrectionState):
        known = ", ".join(CorrectionState)
        raise InvalidInput(f"{name!r} is not a state of corrections.", hint=f"Use one of: {known}.")
    return CorrectionState(name)

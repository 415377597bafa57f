"""Where people were not satisfied: suggestions, and what a person says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
            _mark(unit, record, words)
            return correction_row(unit.corrections.confirm(correction_id, own))

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
                        _mark(unit, record, wording(record))
                        unit.corrections.confirm(record.id)

            await self._core.store.write(write)
        return len(ready), len(found) - len(ready)

    async def dismiss(self, correction_id: int) -> CorrectionRow:
        """A person says no; words that an earlier yes had written into the trace go again. Raises NotFound."""

        def write(unit: Unit) -> CorrectionRow:
            record = unit.corrections.require(correction_id)
            if record.state == CorrectionState.CONFIRMED:
                _unmark(unit, record)
            return correction_row(unit.corrections.dismiss(correction_id))

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


def _mark(unit: Unit, record: CorrectionRecord, words: str) -> None:
    """Add the words to what was said of the trace, in place of those that this correction said before."""
    trace = unit.traces.require(record.trace_id)
    if trace.outcome is not TraceOutcome.CORRECTED:
        unit.traces.mark_corrected(trace.id, words)
        return
    others = _without(trace.payload.correction_feedback, wording(record))
    if words not in others:
        _set_words(unit, trace, f"{others}\n{words}".strip())


def _unmark(unit: Unit, record: CorrectionRecord) -> None:
    trace = unit.traces.require(record.trace_id)
    _set_words(unit, trace, _without(trace.payload.correction_feedback, wording(record)) or None)


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

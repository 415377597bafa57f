"""What a person says of a suggested correction, and what becomes of it."""

from __future__ import annotations

import pytest

from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.storage.records import CorrectionDraft, CorrectionRecord
from honeyguide.traces.records import TraceOutcome
from honeyguide.workspace.corrections import WHOLE_TURN, Corrections, wording
from honeyguide.workspace.history import History
from tests.workspace.sessions import conversation

pytestmark = pytest.mark.anyio
COMPLAINT = "No, that is wrong. Use the metric system."


@pytest.fixture
async def corrections(core, tmp_path, anyio_backend) -> Corrections:
    await History(core).import_traces([conversation(tmp_path / "h", complaint=COMPLAINT)])
    return Corrections(core)


async def feedback_of(core, trace_id: int = 1) -> tuple[TraceOutcome, str | None]:
    trace = (await History(core).trace(trace_id)).trace
    return trace.outcome, trace.payload.correction_feedback


async def test_a_suggestion_shows_the_exact_words_and_the_answer_they_are_about(corrections):
    page = await corrections.list()
    assert (page.total, page.items[0].state, page.items[0].detector) == (1, "suggested", "cue-words-en")
    detail = await corrections.show(page.items[0].id)
    assert detail.answer == "It is 330 feet tall."
    assert detail.context[detail.start : detail.end] == detail.row.span
    assert detail.wording == COMPLAINT
    assert detail.to_json()["request"] == "How tall is tower number 0?"


async def test_yes_marks_the_trace_as_corrected_with_the_persons_words(core, corrections):
    row = await corrections.confirm(1)
    assert (row.state, row.id) == ("confirmed", 1)
    assert await feedback_of(core) == (TraceOutcome.CORRECTED, COMPLAINT)


async def test_an_edit_is_redacted_and_takes_the_place_of_the_words(core, corrections):
    await corrections.confirm(1)
    row = await corrections.confirm(1, edit="Give metres. Write to jo.doe@acme.dev.")
    outcome, feedback = await feedback_of(core)
    assert outcome is TraceOutcome.CORRECTED
    assert feedback == row.edit
    assert feedback is not None
    assert feedback.startswith("Give metres.")
    assert "jo.doe" not in feedback


async def test_no_takes_an_earlier_yes_back(core, corrections):
    before, _ = await feedback_of(core)
    await corrections.confirm(1)
    row = await corrections.dismiss(1)
    assert row.state == "dismissed"
    assert await feedback_of(core) == (before, None)
    await corrections.confirm(1)
    assert await feedback_of(core) == (TraceOutcome.CORRECTED, COMPLAINT)


async def test_a_verdict_that_is_taken_back_leaves_everything_as_it_was(core, corrections):
    draft = CorrectionDraft(1, "annotation", "comment", 0, 12, "Too long too", "Too long too")
    await core.store.write(lambda unit: unit.corrections.suggest([draft]))
    before = await core.store.read(lambda unit: unit.traces.require(1))
    await corrections.confirm(1)
    await corrections.confirm(2)
    row = await corrections.reopen(1)
    assert (row.state, row.decided_at) == ("suggested", None)
    assert await feedback_of(core) == (TraceOutcome.CORRECTED, "Too long too")
    await corrections.reopen(2)
    assert await core.store.read(lambda unit: unit.traces.require(1)) == before
    await corrections.dismiss(2)
    await corrections.reopen(2)
    assert await core.store.read(lambda unit: unit.traces.require(1)) == before
    assert (await corrections.list("suggested")).total == 2
    with pytest.raises(NotFound):
        await corrections.reopen(9)


async def test_two_corrections_of_one_answer_are_both_kept(core, corrections):
    draft = CorrectionDraft(1, "annotation", "comment", 0, 12, "Too long too", "Too long too")
    await core.store.write(lambda unit: unit.corrections.suggest([draft]))
    await corrections.confirm(1)
    await corrections.confirm(2)
    await corrections.confirm(2)
    assert (await feedback_of(core))[1] == f"{COMPLAINT}\nToo long too"
    await corrections.dismiss(1)
    assert (await feedback_of(core))[1] == "Too long too"


async def test_a_bare_rating_needs_words(core, corrections):
    draft = CorrectionDraft(2, "score", "scores[0]", 0, 0, "")
    await core.store.write(lambda unit: unit.corrections.suggest([draft]))
    with pytest.raises(InvalidInput):
        await corrections.confirm(2)
    with pytest.raises(InvalidInput):
        await corrections.confirm(2, edit="  ")
    assert (await corrections.list("suggested")).total == 2
    await corrections.confirm(2, edit="Rounded wrongly.")
    assert (await feedback_of(core, 2))[1] == "Rounded wrongly."


async def test_lists_narrow_by_state_and_refuse_unknown_ones(corrections):
    await corrections.confirm(1)
    assert (await corrections.list("confirmed")).total == 1
    assert (await corrections.list("suggested")).total == 0
    with pytest.raises(InvalidInput):
        await corrections.list("maybe")
    with pytest.raises(NotFound):
        await corrections.show(9)
    with pytest.raises(NotFound):
        await corrections.dismiss(9)


async def test_detectors_say_how_often_they_were_right(corrections):
    await corrections.confirm(1)
    assert [d.to_json() for d in await corrections.detectors()] == [
        {
            "detector": "cue-words-en",
            "suggested": 0,
            "confirmed": 1,
            "dismissed": 0,
            "precision": 1.0,
            "is_switched_off": False,
            "sentence": "1 of 1 right (100%).",
        }
    ]


@pytest.mark.parametrize(
    ("span", "context", "replacement", "said"),
    [
        ("No.", "No. Use metres.", None, "No. Use metres."),
        ("No.", "No. " + "pasted " * WHOLE_TURN, None, "No."),
        ("Paris", "Paris", "Paris", "The right answer: Paris"),
        ("wrong city", "wrong city", "Paris", "wrong city\nThe right answer: Paris"),
        ("", "", None, ""),
    ],
)
def test_the_wording_is_what_the_person_said(span, context, replacement, said):
    record = CorrectionRecord(
        1, 1, "d", "p", 0, len(span), span, context, None, "", replacement, "suggested", None, "", None
    )
    assert wording(record) == said

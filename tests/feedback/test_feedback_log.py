"""The log of reported problems: what is kept, what is refused, what is gone."""

from __future__ import annotations

import json
import stat
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.feedback import (
    Confidence,
    FailureClass,
    FeedbackDraft,
    FeedbackLog,
    FeedbackState,
    FeedbackType,
    Trigger,
    actionable,
    draft_case,
    near_duplicates,
    read_log,
)
from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound

S = FeedbackState


def _log(folder: Path, **options: object) -> FeedbackLog:
    return FeedbackLog(folder / "feedback" / "log.jsonl", clock=ManualClock(), **options)  # type: ignore[arg-type]


def _draft(message: str = "It forgets the renamed file.", **more: object) -> FeedbackDraft:
    return FeedbackDraft("flow", "flow_1", message, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("message", ["a" * 4000, "€" * 1333, "  padded  "])
def test_a_message_up_to_4000_bytes_is_kept_without_outer_white_space(tmp_path, message):
    log = _log(tmp_path)
    assert log.get(log.add(_draft(message)).id).message == message.strip()


@pytest.mark.parametrize("message", ["a" * 4001, "€" * 1334, "  ", "\ufeff \n", "lone \ud800"])
def test_an_empty_or_too_long_message_is_refused_and_nothing_is_written(tmp_path, message):
    log = _log(tmp_path)
    with pytest.raises(InvalidInput):
        log.add(_draft(message))
    assert not log.path.exists()


def test_every_field_survives_the_file(tmp_path):
    log = _log(tmp_path)
    added = log.add(
        _draft(
            path="flows/review.md", text_sha256="ab" * 32, type=FeedbackType.RUN_FAILURE,
            confidence=Confidence.MEDIUM, expected="wanted", actual="came\nlike this", trace_id=7,
            failure_class=FailureClass.BEHAVIOR, run_id="evr_1", input_hash="cd" * 32, output_ref="out/1",
        )
    )  # fmt: skip
    assert log.get(added.id) == added


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_the_log_is_for_the_owner_only(tmp_path):
    log = _log(tmp_path)
    log.add(_draft())
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.path.parent.stat().st_mode) == 0o700


def test_what_is_stored_was_redacted(tmp_path):
    log = _log(tmp_path, redact=lambda text: text.replace("hunter2", "<secret>"))
    log.add(_draft("the password hunter2 shows", expected="no hunter2", actual="hunter2"))
    assert b"hunter2" not in log.path.read_bytes()


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        ([S.TARGETED, S.RESOLVED, S.OPEN], S.OPEN),
        ([S.TARGETED, S.OPEN, S.DISMISSED, S.OPEN, S.TARGETED], S.TARGETED),
        ([S.OPEN], S.OPEN),
    ],
)
def test_a_problem_moves_through_its_states(tmp_path, steps, last):
    log = _log(tmp_path)
    item = log.add(_draft())
    for step in steps:
        log.move(item.id, step, run_id="evr_1")
    assert log.get(item.id).state is last


@pytest.mark.parametrize(
    ("start", "wanted"),
    [(None, S.RESOLVED), (S.DISMISSED, S.TARGETED), (S.DISMISSED, S.RESOLVED), (S.RESOLVED, S.TARGETED)],
)
def test_a_move_that_makes_no_sense_is_refused(tmp_path, start, wanted):
    log = _log(tmp_path)
    item = log.add(_draft())
    if start is S.RESOLVED:
        log.move(item.id, S.TARGETED)
    if start is not None:
        log.move(item.id, start)
    with pytest.raises(Conflict):
        log.move(item.id, wanted)


def test_forgetting_leaves_no_byte_of_the_message(tmp_path):
    log = _log(tmp_path)
    kept, gone = log.add(_draft("one")), log.add(_draft("the thing to forget"))
    log.move(gone.id, S.TARGETED)
    log.move(kept.id, S.DISMISSED)
    log.forget(gone.id)
    data = log.path.read_bytes()
    assert gone.id.encode() not in data
    assert b"the thing to forget" not in data
    assert [item.state for item in log.read().items] == [S.DISMISSED]
    with pytest.raises(NotFound):
        log.get(gone.id)


def test_a_damaged_line_is_reported_and_the_others_are_read(tmp_path):
    log = _log(tmp_path)
    first = log.add(_draft("one"))
    with log.path.open("ab") as file:
        file.write(b'{"kind": "evidence", "event": {"id": "fb_x"\n')
        file.write(b'{"kind": "status", "id": "fb_nobody", "status": "open", "timestamp": "t"}\n')
        file.write(b"\xff\xfe\n")
    second = log.add(_draft("two"))
    contents = log.read()
    assert {item.id for item in contents.items} == {first.id, second.id}
    assert [damage.line for damage in contents.damaged] == [2, 3, 4]


def test_a_line_cut_off_by_a_power_failure_costs_only_itself(tmp_path):
    log = _log(tmp_path)
    log.add(_draft("one"))
    with log.path.open("ab") as file:
        file.write(b'{"kind": "evid')
    second = log.add(_draft("two"))
    assert log.get(second.id).message == "two"
    assert len(log.read().damaged) == 1


def test_lines_of_an_early_mdflow_are_read_with_a_stable_id():
    line = {"agentPath": "/srv/a.md", "message": "m", "timestamp": "2026-01-01T00:00:00.000Z"}
    data = (json.dumps(line) + "\n").encode()
    (item,) = read_log(data).items
    assert item.id.startswith("fb_legacy_")
    assert item.path == "/srv/a.md"
    assert read_log(data).items == (item,)


def test_many_writers_lose_nothing(tmp_path):
    logs = [_log(tmp_path) for _ in range(4)]

    def write(log: FeedbackLog, start: int) -> None:
        for n in range(10):
            log.add(_draft(f"problem {start}-{n}"))

    threads = [threading.Thread(target=write, args=(log, n)) for n, log in enumerate(logs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(logs[0].read().items) == 40
    assert logs[0].read().damaged == ()


def test_merging_leaves_one_problem_that_begins_work(tmp_path):
    log = _log(tmp_path)
    one, two = log.add(_draft("a")), log.add(_draft("b"))
    log.merge(two.id, one.id)
    assert [item.id for item in actionable(log.read().items)] == [one.id]
    with pytest.raises(InvalidInput):
        log.merge(one.id, two.id)


def test_a_link_is_kept(tmp_path):
    log = _log(tmp_path)
    item = log.add(_draft())
    log.link(item.id, "review.eval.yaml:renames")
    assert log.get(item.id).case == "review.eval.yaml:renames"


@pytest.mark.parametrize(
    ("type_", "failure", "triggers", "begins"),
    [
        (FeedbackType.EXPLICIT, None, [Trigger.EXPLICIT_FEEDBACK], True),
        (FeedbackType.MANUAL_NOTE, None, [Trigger.EXPLICIT_FEEDBACK], True),
        (FeedbackType.EXPLICIT, None, [Trigger.CLASSIFIED_FAILURE], False),
        (FeedbackType.RUN_FAILURE, FailureClass.BEHAVIOR, [Trigger.CLASSIFIED_FAILURE], True),
        (FeedbackType.RUN_FAILURE, FailureClass.PROVIDER, [Trigger.CLASSIFIED_FAILURE], False),
        (FeedbackType.RUN_FAILURE, None, list(Trigger), False),
        (FeedbackType.QUICK_RERUN, None, list(Trigger), False),
    ],
)
def test_a_quick_rerun_or_an_unclassified_failure_never_begins_work(tmp_path, type_, failure, triggers, begins):
    log = _log(tmp_path)
    log.add(_draft(type=type_, failure_class=failure))
    assert bool(actionable(log.read().items, triggers)) is begins


def test_the_oldest_fifty_are_taken_and_a_person_may_choose(tmp_path):
    clock = ManualClock()
    log = FeedbackLog(tmp_path / "log.jsonl", clock=clock)
    ids = []
    for n in range(52):
        ids.append(log.add(_draft(f"problem {n}")).id)
        clock.advance(1)
    items = log.read().items
    assert [item.id for item in actionable(items)] == ids[:50]
    assert [item.id for item in actionable(items, only={ids[51]})] == [ids[51]]


@pytest.mark.parametrize(
    ("message", "alike"),
    [
        ("it forgets the renamed file", True),
        ("The renamed file: it forgets it!", True),
        ("It is far too slow.", False),
        ("!!!", False),
    ],
)
def test_messages_that_say_the_same_are_offered(tmp_path, message, alike):
    log = _log(tmp_path)
    item = log.add(_draft("It forgets the renamed file."))
    found = near_duplicates(message, log.read().items, "flow:flow_1")
    assert bool(found) is alike
    assert not near_duplicates(message, log.read().items, "flow:other")
    assert not near_duplicates(message, log.read().items, "flow:flow_1", ignore=item.id)


@given(st.text(min_size=1, max_size=200))
def test_whatever_was_said_is_read_back(text):
    from honeyguide.feedback.items import checked_message
    from honeyguide.feedback.reading import event_of

    try:
        message = checked_message(text)
    except InvalidInput:
        return
    from honeyguide.feedback import FeedbackItem

    item = FeedbackItem("fb_1", "flow", "f", message, "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")
    line = json.dumps({"kind": "evidence", "event": event_of(item)}, ensure_ascii=False).encode()
    assert read_log(line + b"\n").items == (item,)


def test_a_draft_fails_on_purpose_and_says_so(tmp_path):
    import yaml

    log = _log(tmp_path)
    item = log.add(_draft('He said: "no: never" # odd\nsecond line', expected="x: y\n- z", actual="- [broken"))
    case = yaml.safe_load(draft_case(item))["cases"][0]
    assert case["draft"] is True
    assert case["evidence"] == [item.id]
    assert case["name"].startswith(item.id)
    assert "DRAFT_ONLY" in case["checks"][0]["contains"]

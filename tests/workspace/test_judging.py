"""The judge's exam decides whether a judge may verify; the past can be replayed on two texts."""

from __future__ import annotations

import json

import pytest

from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused
from honeyguide.workspace import RunOptions, TraceQuery

pytestmark = pytest.mark.anyio
GOOD = "Title: News\nThe news comes first.\nWhat to do now: reply to this mail."
BAD = "The news comes first."


def cases(tmp_path, *, upside_down: bool):
    lines = []
    for number in range(12):
        asked = f"For team {number}: announce that shop number {number * 13} opens in week {number}."
        for answer, is_good in ((GOOD, True), (BAD, False)):
            grade = "good" if is_good is not upside_down else "bad"
            lines.append(json.dumps({"input": asked, "expected_output": GOOD, "actual": answer, "grade": grade}))
    path = tmp_path / "graded.jsonl"
    path.write_text("\n".join([*lines, "broken"]), encoding="utf-8")
    return path


async def test_a_judge_that_agrees_with_a_person_passes_and_the_cases_are_kept(workspace, tmp_path):
    exam = await workspace.judge_exam(cases(tmp_path, upside_down=False))
    assert exam.passed, exam.report["failures"]
    assert list(exam.skipped) == [25]
    assert (await workspace.judge_exam()).passed
    assert (await workspace.last_judge_exam()).passed


async def test_a_judge_that_did_not_pass_may_not_verify(workspace, tmp_path):
    exam = await workspace.judge_exam(cases(tmp_path, upside_down=True))
    assert not exam.passed
    with pytest.raises(PolicyRefused, match="did not pass its exam"):
        await workspace.evolve("writer", RunOptions())
    plan = (await workspace.plan("writer", RunOptions())).to_json()
    assert not plan["ready"]
    assert [r["code"] for r in plan["reasons"] if "exam" in r["message"]] == ["judge-exam"]


async def test_answers_are_written_out_to_be_graded_elsewhere_and_come_back_beside_what_is_graded(workspace, tmp_path):
    titled = (await workspace.target("writer")).text + "\n- Every text starts with a title."
    await workspace.evolve("writer", RunOptions(candidate_text=titled))
    here = (await workspace.answers_to_grade(2))[0]
    await workspace.keep_grades([here.graded(True)])
    file = tmp_path / "to-grade.jsonl"
    assert await workspace.export_answers_to_grade(file, 24) == 24
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {row["grade"] for row in rows} == {""}
    with pytest.raises(InvalidInput, match="no graded case"):
        await workspace.judge_exam(file)
    graded = [{**row, "grade": "good" if "Title:" in row["actual"] else "bad"} for row in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in graded), "utf-8")
    assert (await workspace.judge_exam(file)).report["n"] == 24
    assert len(await workspace.graded_answers()) == 25, "the grade that was given here is still there"
    assert not await workspace.answers_to_grade(1) or (await workspace.answers_to_grade(1))[0].actual not in {
        row["actual"] for row in rows
    }


async def test_an_exam_needs_cases(workspace, tmp_path):
    with pytest.raises(NotFound, match="no graded cases"):
        await workspace.judge_exam()
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    with pytest.raises(InvalidInput, match="no graded case"):
        await workspace.judge_exam(empty)


async def test_past_inputs_run_again_on_two_texts(workspace):
    page = await workspace.traces(TraceQuery(target="writer", limit=3))
    ids = [row.id for row in page.items]
    rows = await workspace.replay(ids, "Write texts.", "Write texts. Every text starts with a title.")
    assert len(rows) == 3
    assert [row.right.answer.text for row in rows if "Title:" not in row.right.answer.text] == []
    assert not any("Title:" in row.left.answer.text for row in rows)
    await workspace.mark_never_send(ids[:1])
    with pytest.raises(PolicyRefused):
        await workspace.replay(ids, "a", "b")


async def test_past_inputs_run_on_two_versions_within_a_budget_and_offline_afterwards(workspace):
    page = await workspace.traces(TraceQuery(target="writer", limit=3))
    ids = [row.id for row in page.items]
    found = await workspace.evolve("writer", RunOptions())
    first = await workspace.replay_versions("writer", ids, "live", found.uuid, RunOptions(max_calls=4))
    assert first.calls == 4
    assert [row.right.answer.failure for row in first.rows] == ["", "", "not-run: budget"]
    again = await workspace.replay_versions("writer", ids[:2], "live", found.uuid, RunOptions(max_calls=1))
    assert (again.calls, again.replayed_calls) == (0, 4), "what the journal holds costs nothing"
    rest = await workspace.replay_versions("writer", ids, "live", found.uuid, RunOptions(max_calls=2))
    assert (rest.calls, rest.to_json()["total"]) == (2, 3), "a ceiling is for what is called now"
    await workspace.accept(found.uuid, note="ok")
    versions = await workspace.replay_versions("writer", ids, "1", "2", RunOptions(max_calls=1))
    assert versions.calls == 0
    with pytest.raises(NotFound):
        await workspace.replay_versions("writer", ids, "live", "9")


async def test_answers_of_past_runs_are_graded_by_a_person_and_kept_for_the_exam(workspace):
    assert await workspace.answers_to_grade() == []
    titled = (await workspace.target("writer")).text + "\n- Every text starts with a title."
    await workspace.evolve("writer", RunOptions(candidate_text=titled))
    answers = await workspace.answers_to_grade(24)
    assert len({answer.case.example.id for answer in answers}) == len(answers) == 24
    grades = ["Title:" in answer.actual for answer in answers]
    assert 4 < sum(grades) < 20, "answers of both texts"
    kept = await workspace.keep_grades([a.graded(good) for a, good in zip(answers, grades, strict=True)])
    assert kept == len(await workspace.graded_answers()) == 24
    assert await workspace.keep_grades([answers[0].graded(not grades[0])]) == 24, "graded again: the new grade"
    await workspace.keep_grades([answers[0].graded(grades[0])])
    known = {(a.input, a.actual) for a in answers}
    assert not [a for a in await workspace.answers_to_grade(24) if (a.input, a.actual) in known]
    exam = await workspace.judge_exam()
    assert (exam.report["n"], exam.model) == (24, "practice:practice")

"""Candidates of a real racing search: whose scores are compared with whose."""

import asyncio

from honeyguide.desktop.models.candidates import Candidate, CandidateModel
from honeyguide.desktop.rows import candidates
from honeyguide.desktop.widgets.charts.front import front_of
from honeyguide.evolution.racing import RacingSearch, RacingSettings
from honeyguide.storage.run_sink import candidates_of
from honeyguide.workspace.views.reviews import CandidateRow
from tests.evolution.racing.towns import START, TOPICS, answer, grade, reflect, rule, task
from tests.evolution.worlds import model, ports


def raced() -> tuple[list[Candidate], str]:
    client = model(grade=grade, mutate=reflect, answer=answer)
    knows_some = "\n".join([START, *map(rule, TOPICS[4:])])
    search = RacingSearch(RacingSettings(evaluations=400, anchor=18, first_look=18))
    result = asyncio.run(search.search(task(2, knows_some), ports(client)))
    stored = candidates_of({"history": [generation.to_json() for generation in result.generations]})
    rows = [
        CandidateRow(
            c.stage, c.candidate_id, c.parent_id, c.strategy, c.generation, c.text, c.scores, c.complexity, c.on_front,
            c.is_finalist,
        )
        for c in stored
    ]  # fmt: skip
    winner = result.winner.candidate.id
    return candidates(rows, [{"id": winner}]), winner


def test_only_texts_measured_on_the_same_cases_are_compared_and_the_winner_is_on_their_front() -> None:
    rows, winner = raced()
    compared = [row for row in rows if row.is_comparable]
    assert {row.id for row in compared} == {"g0-baseline", winner}
    apart = [row for row in rows if row.scores and not row.is_comparable]
    assert apart, "leaders on the way were measured on the cases they happened to meet"
    assert not any(row.on_front for row in apart)
    points = [(float(row.chars), row.overall or 0.0) for row in compared]
    assert winner in {compared[index].id for index in front_of(points, x_more=False)}


def test_no_gain_is_told_where_the_cases_differ() -> None:
    rows, _ = raced()
    shown = CandidateModel()
    shown.set_candidates(rows)
    gain = next(number for number, column in enumerate(shown.columns) if column.id == "gain")
    assert {shown.cell(row, gain).text for row in rows if not row.is_comparable} == {"–"}


def test_runs_from_before_are_compared_by_how_many_cases_they_had() -> None:
    def row(name: str, parent: str | None, n: int) -> CandidateRow:
        return CandidateRow("instruction", name, parent, None, 0, "text", {"overall": 0.5, "n": n}, None, True, False)

    found = candidates([row("g0-baseline", None, 18), row("g1-m0", "g0-baseline", 7), row("g2-m0", "g1-m0", 18)], [])
    assert [one.is_comparable for one in found] == [True, False, True]

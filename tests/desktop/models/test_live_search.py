"""A search under way: which of the texts measured so far are compared, and which stand apart."""

import asyncio

from honeyguide.desktop.models.live_search import LiveSearch
from honeyguide.evolution.racing import RacingSearch, RacingSettings
from honeyguide.evolution.search import SearchEvent
from tests.evolution.racing.towns import START, TOPICS, answer, grade, reflect, rule, task
from tests.evolution.worlds import model, ports


def event(name: str, score: float, cases: str, *, parent: str | None = "g0", n: int = 4) -> dict[str, object]:
    told = {"id": name, "parent": parent, "strategy": "", "scores": {"overall": score, "n": n, "cases": cases}}
    return {"detail": {"stage": "instruction", "generation": 1, "candidate": told, "calls": 7, "usd": None}}


def shown(search: LiveSearch) -> dict[str, bool]:
    return {one.candidate.id: one.candidate.is_comparable for one in search.measured()}


def test_a_score_from_a_few_hard_cases_stands_apart_from_the_live_texts() -> None:
    search = LiveSearch()
    search.take(event("g0", 0.5, "all", parent=None))
    search.take(event("g1", 0.94, "hard ones"))
    assert shown(search) == {"g0": True, "g1": False}
    assert search.baseline() == 0.5


def test_the_cases_that_most_texts_share_are_compared() -> None:
    search = LiveSearch()
    search.take(event("g0", 0.5, "all", parent=None))
    for name in ("g1", "g2"):
        search.take(event(name, 0.7, "final"))
    assert shown(search) == {"g0": False, "g1": True, "g2": True}
    assert search.baseline() is None, "a line from other cases would lie"
    search.take(event("g0", 0.6, "final", parent=None))
    assert shown(search) == {"g0": True, "g1": True, "g2": True}
    assert search.baseline() == 0.6


def test_steps_without_a_measurement_and_of_the_other_stage_tell_nothing() -> None:
    search = LiveSearch()
    assert not search.take(event("g1", 0.0, "", n=0))
    assert not search.take({"phase": "compose", "message": "…", "detail": None})
    assert not search.take({"detail": {**event("s", 1.0, "x")["detail"], "stage": "schema"}})  # type: ignore[dict-item]
    assert search.measured() == []


def test_a_real_race_never_compares_texts_across_cases() -> None:
    told: list[SearchEvent] = []
    client = model(grade=grade, mutate=reflect, answer=answer)
    there = ports(client)
    there = type(there)(**{name: getattr(there, name) for name in there.__slots__} | {"report": told.append})
    search = RacingSearch(RacingSettings(evaluations=400, anchor=18, first_look=18))
    asyncio.run(search.search(task(2, "\n".join([START, *map(rule, TOPICS[4:])])), there))
    live = LiveSearch()
    for one in told:
        live.take({"detail": {**one.to_json(), "calls": 1, "usd": 0.0}})
        compared = {m.cases for m in live.measured() if m.candidate.is_comparable}
        assert len(compared) <= 1
    assert all(m.candidate.chars > 0 for m in live.measured())
    assert any(not m.candidate.is_comparable for m in live.measured())

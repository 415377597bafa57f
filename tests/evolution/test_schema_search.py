import asyncio

import pytest

from honeyguide.evolution.answer_structure import HEADING, AnswerStyle
from honeyguide.evolution.candidates import Candidate, Means
from honeyguide.evolution.gates import GateResult
from honeyguide.evolution.schema import Schema, SchemaField
from honeyguide.evolution.schema_search import SchemaSearch, SchemaSettings, SchemaTask, ranked
from tests.evolution.worlds import examples, model, ports

ANSWER = Schema("s", (SchemaField("answer"),))


def fields_of(text):
    return max(1, text.count('\n- "'))


def by_fields(actual, question):
    return (
        min(10, 10 * fields_of(actual) / 6),
        min(10, 10 * fields_of(actual) / 6),
        min(10, 10 * fields_of(actual) / 6),
        "",
    )


def fewer_is_better(actual, question):
    grade = 10 - fields_of(actual)
    return (grade, grade, grade, "")


def search(grade, settings=None, *, baseline=ANSWER, seed=7, width=1, **others):
    client = model(grade)
    task = SchemaTask("Be kind.", "Be kind.", baseline, examples(8, "t"), examples(8, "v"), seed=seed)
    settings = settings or SchemaSettings(population=3, eval_size=5, anchor=8)
    used = ports(client, width=width, **others)
    return asyncio.run(SchemaSearch(settings).search(task, used)), client, used


@pytest.mark.parametrize(
    ("generations", "fields", "accuracy", "delta", "history"),
    [
        (1, ["reasoning", "answer"], 1 / 3, 1 / 6, 4),
        (2, ["reasoning", "answer", "confidence"], 0.5, 1 / 3, 8),
        (3, ["reasoning", "answer", "confidence"], 0.5, 1 / 3, 11),
    ],
)
def test_more_fields_win_where_more_fields_score(generations, fields, accuracy, delta, history):
    result, _, _ = search(by_fields, SchemaSettings(population=3, generations=generations, eval_size=5, anchor=8))
    assert [f.name for f in result.winner.schema.fields] == fields
    assert result.means[result.winner.id].overall == pytest.approx(accuracy)
    assert result.delta == pytest.approx(delta)
    assert len(result.history) == history
    assert result.winner.schema.version == generations + 1 if generations < 3 else 3


def test_the_present_structure_wins_where_fewer_fields_score():
    result, _, _ = search(fewer_is_better)
    assert (result.winner.id, result.delta, result.improved) == ("g0-baseline", 0, False)
    assert result.means["g0-baseline"].overall == pytest.approx(0.9)


def candidate(name, complexity):
    field = SchemaField("answer", description="d" * round((complexity - 1) * 100))
    return Candidate(name, "", "", schema=Schema("s", (field,)))


@pytest.mark.parametrize(
    ("scores", "winner"), [([(0.8, 10), (0.8, 3)], "b"), ([(0.5, 1), (0.9, 10)], "b"), ([(0.8, 3), (0.8, 3)], "a")]
)
def test_the_winner_is_the_most_accurate_then_the_simplest_then_the_first(scores, winner):
    candidates = [candidate(name, complexity) for name, (_, complexity) in zip("ab", scores, strict=True)]
    means = {name: Means(overall=accuracy, n=1) for name, (accuracy, _) in zip("ab", scores, strict=True)}
    assert ranked(candidates, means)[0].id == winner


def test_the_live_text_is_measured_as_it_is_and_children_with_their_section():
    _, client, _ = search(by_fields, SchemaSettings(population=3, generations=1, eval_size=5, anchor=8))
    systems = [r.system for r in client.requests if r.role.value == "executor"]
    assert "Be kind." in systems
    assert all(s == "Be kind." or s.startswith(f"Be kind.\n\n{HEADING}") for s in systems)


def test_equal_schemas_are_run_once():
    result, client, used = search(by_fields)
    assert any(c.duplicate_of for c in result.history)
    systems = [(r.system, r.messages[0].content) for r in client.requests if r.role.value == "executor"]
    assert len(systems) == len(set(systems)) == used.ledger.evaluated


def test_a_schema_that_a_gate_refuses_costs_nothing():
    refusal = GateResult("size", "fail", "Too long.")
    result, client, _ = search(by_fields, first_failed_gate=lambda text: refusal if HEADING in text else None)
    assert result.winner.id == "g0-baseline"
    assert {r.system for r in client.requests if r.role.value == "executor"} == {"Be kind."}


@pytest.mark.parametrize("width", [1, 8])
def test_same_seed_same_log_whatever_the_width(width):
    first, second = search(by_fields)[2], search(by_fields, width=width)[2]
    assert first.log.to_text() == second.log.to_text()


def test_calls_lie_within_what_was_planned():
    settings = SchemaSettings(population=3, generations=2, eval_size=5, anchor=8)
    _, client, _ = search(by_fields, settings)
    low, high = SchemaSearch(settings).calls(examples(8), examples(8))
    assert low <= len(client.requests) <= high
    assert SchemaSearch(SchemaSettings(generations=0)).calls(examples(8), examples(8)) == (0, 0)


def test_where_json_is_asked_for_an_answer_that_does_not_keep_the_schema_is_worth_nothing():
    """The judge loves every answer; only the section for programs asks for something that is not given."""
    client = model(lambda actual, question: (9, 9, 9, ""), answer=lambda system, question: "Hello!")
    task = SchemaTask("Be kind.", "Be kind.", ANSWER, examples(6, "t"), examples(6, "v"), style=AnswerStyle.JSON)
    settings = SchemaSettings(population=3, generations=1, eval_size=4, anchor=4)
    result = asyncio.run(SchemaSearch(settings).search(task, ports(client)))
    assert result.winner.id == "g0-baseline"
    scores = result.generations[1].scores
    assert {scores[c.id].overall for c in result.generations[1].candidates} == {0.0}

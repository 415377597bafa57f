import asyncio
from dataclasses import replace

import pytest

from honeyguide.evolution.candidates import Candidate, Means, best_first
from honeyguide.evolution.gates import GateResult
from honeyguide.evolution.instruction_search import GenerationalSearch, InstructionSettings
from honeyguide.evolution.search import InstructionTask
from honeyguide.kernel.errors import InvalidInput, Unreachable
from honeyguide.llm.protocol import ModelRole
from tests.evolution.worlds import TARGET, constant, examples, model, ports
from tests.fakes.evals_model import blocks_of

SMALL = InstructionSettings(population=3, generations=2, micro=5, mini=5, anchor=15)


def likes_length(actual, question):
    return (min(10, 10 * len(actual) / 50), 6, 5, "Say more.")


def doubling(blocks):
    return f"{blocks['CURRENT PROMPT']} {blocks['CURRENT PROMPT']}more"


def numbered(blocks, counter=None):
    return f"{blocks['CURRENT PROMPT']} {blocks['STRATEGY'][:6]}"


def run(client, settings=SMALL, *, text="x", width=1, task=None, **others):
    task = task or InstructionTask(TARGET, text, text, examples(20, "t"), examples(15, "v"))
    used = ports(client, width=width, **others)
    return asyncio.run(GenerationalSearch(settings).search(task, used)), used


def test_longer_texts_win_where_length_scores():
    result, _ = run(model(likes_length, doubling))
    winner = result.winner
    assert (winner.candidate.id, len(winner.candidate.text)) == ("g2-m0", 19)
    assert winner.means.overall == pytest.approx(0.47)
    assert result.delta == pytest.approx(0.18)
    assert result.improved


def test_history_begins_with_the_baseline_and_holds_every_child():
    result, _ = run(model(likes_length, doubling))
    assert len(result.history) == 7
    assert result.history[0].id == "g0-baseline"
    assert [c.id for c in result.history[1:4]] == ["g1-m0", "g1-m1", "g1-m2"]
    assert [g.generation for g in result.generations] == [0, 1, 2]


def test_nothing_wins_where_everything_scores_the_same():
    result, _ = run(model(constant(), numbered))
    assert (result.winner.candidate.id, result.delta, result.improved) == ("g0-baseline", 0, False)


def test_equal_texts_are_evaluated_once_and_say_whose_twin_they_are():
    client = model(likes_length, doubling)
    result, used = run(client)
    assert [c.duplicate_of for c in result.history[1:4]] == [None, "g1-m0", "g1-m0"]
    asked = [(r.system, r.messages[0].content) for r in client.requests if r.role is ModelRole.EXECUTOR]
    assert len(asked) == len(set(asked)) == used.ledger.evaluated


@pytest.mark.parametrize(("behind", "measured"), [(0.5, True), (0.51, False)])
def test_a_child_may_screen_at_most_the_slack_behind_its_parent(behind, measured):
    """Two children: one better than the parent, one ``behind`` points of ten worse in everything."""

    def grade(actual, question):
        points = {"x": 7.0, "x good": 8.0, "x bad": 7.0 - behind}[actual]
        return (points, points, points, "f")

    def mutate(blocks):
        return "x good" if blocks["STRATEGY"].startswith("expand") else "x bad"

    settings = InstructionSettings(population=2, generations=1, micro=3, mini=6, anchor=4)
    _, used = run(model(grade, mutate), settings)
    screens = [line for line in used.log if '"decision":"screen"' in line]
    assert ('"kept":["g1-m0","g1-m1"]' in screens[0]) is measured


def test_the_best_child_is_measured_even_when_all_screen_badly():
    def grade(actual, question):
        return (9 if actual == "x" else 3, 5, 5, "f")

    result, used = run(model(grade, numbered), replace(SMALL, generations=1))
    assert any('"kept":["g1-m0"]' in line for line in used.log)
    assert result.winner.candidate.id == "g0-baseline"


def test_a_mutator_that_fails_once_costs_no_evaluation_and_no_run():
    asked = []

    def mutate(blocks):
        asked.append(1)
        return "" if len(asked) == 1 else doubling(blocks)

    result, _ = run(model(likes_length, mutate))
    first = result.history[1]
    assert (first.text, first.duplicate_of, first.problem) == ("x", "g0-baseline", "empty")
    assert result.improved


def test_a_mutator_that_cannot_be_reached_ends_the_search_with_the_reason():
    client = model(constant(), doubling)
    answer = client._answer
    client._answer = lambda r: Unreachable("No.") if r.role is ModelRole.MUTATOR else answer(r)
    result, _ = run(client)
    assert result.stop_reason == "mutator-failed: unreachable"
    assert result.winner.candidate.id == "g0-baseline"
    assert client.count(ModelRole.MUTATOR) == 3


@pytest.mark.parametrize(
    ("means", "winner"),
    [
        ({"a": Means(0.5, length_penalty=0.6), "b": Means(0.5, length_penalty=0.9)}, "b"),
        ({"a": Means(0.5), "b": Means(0.5)}, "b"),
        ({"a": Means(0.6), "b": Means(0.5)}, "a"),
    ],
)
def test_ties_go_to_the_shorter_answers_then_to_the_earlier_generation(means, winner):
    candidates = [Candidate("a", "", "", generation=3), Candidate("b", "", "", generation=0)]
    assert best_first(candidates, means)[0].id == winner


def test_a_text_that_a_gate_refuses_is_never_run():
    client = model(likes_length, doubling)
    refusal = GateResult("size", "fail", "Too long.")
    result, _ = run(client, first_failed_gate=lambda text: refusal if len(text) > 5 else None)
    assert all(c.refused == refusal for c in result.history[1:] if c.duplicate_of is None)
    assert {r.system for r in client.requests if r.role is ModelRole.EXECUTOR} == {"x"}


def test_the_whole_front_lives_on_and_gives_parents():
    """Two texts, each best in one dimension: neither may push the other out."""

    def grade(actual, question):
        if "short" in actual:
            return (5, 5, 9, "f")
        return (9, 5, 5, "f") if "right" in actual else (5, 5, 5, "f")

    def mutate(blocks):
        return "right" if blocks["STRATEGY"].startswith("expand") else f"short {blocks['CURRENT PROMPT']}"

    settings = InstructionSettings(population=6, generations=2, micro=4, mini=4, anchor=4)
    result, _ = run(model(grade, mutate), settings)
    assert {"g1-m0", "g1-m1"} <= set(result.generations[1].front)
    assert len({c.parent for c in result.history if c.generation == 2}) > 1


def test_training_examples_are_shown_to_the_mutator_and_validation_examples_never():
    client = model(likes_length, doubling)
    run(client)
    shown = "".join(r.messages[0].content for r in client.requests if r.role is ModelRole.MUTATOR)
    assert "question t" in shown
    assert "question v" not in shown


def test_children_of_one_parent_are_shown_different_failures():
    settings = InstructionSettings(population=5, generations=1, micro=20, mini=20, anchor=4)
    client = model(lambda actual, question: (int(question[10:]) % 9, 5, 5, "f"), numbered)
    run(client, settings)
    failures = {blocks_of(r)["FAILURES"] for r in client.requests if r.role is ModelRole.MUTATOR}
    assert len(failures) > 1


def test_a_later_child_is_told_what_its_parents_earlier_children_gained():
    client = model(lambda actual, question: (9 if actual == "x" else 3, 5, 5, "f"), numbered)
    run(client)
    second = [blocks_of(r) for r in client.requests if r.role is ModelRole.MUTATOR][3]
    assert second["EARLIER TRIES"].startswith("- expand-edge-cases: score ")


def test_every_finalist_and_the_live_text_are_measured_on_the_same_validation_examples():
    result, _ = run(model(likes_length, doubling))
    asked = [e.example_id for e in result.live.evaluations]
    assert len(asked) == 15
    assert all([e.example_id for e in f.measurement.evaluations] == asked for f in result.finalists)


def test_the_search_stops_before_a_generation_that_would_eat_the_proof():
    client = model(likes_length, doubling)
    result, _ = run(client, may_spend=lambda calls: False)
    assert result.stop_reason == "budget"
    assert client.count(ModelRole.MUTATOR) == 0


def test_a_perfect_text_is_left_alone():
    client = model(lambda actual, question: (10, 10, 10, ""), doubling)
    result, _ = run(client)
    assert (result.stop_reason, client.count(ModelRole.MUTATOR)) == ("nothing-to-improve", 0)


def test_a_section_follows_every_instruction_and_is_not_shown_as_part_of_it():
    task = InstructionTask(TARGET, "x", "x", examples(6, "t"), examples(6, "v"), section="SECTION")
    client = model(likes_length, doubling)
    result, _ = run(client, task=task)
    systems = {r.system for r in client.requests if r.role is ModelRole.EXECUTOR}
    assert all(s == "x" or s.endswith("\n\nSECTION") for s in systems)
    asked = [blocks_of(r) for r in client.requests if r.role is ModelRole.MUTATOR]
    assert all("SECTION" not in b["CURRENT PROMPT"] and b["APPENDED"] == "SECTION" for b in asked)
    assert result.winner.candidate.deployed.endswith("\n\nSECTION")


def test_a_live_text_that_already_ends_with_its_section_is_the_baseline_byte_for_byte():
    live = "x\n\nSECTION\n"
    task = InstructionTask(TARGET, "x", live, examples(6, "t"), examples(6, "v"), section="SECTION")
    assert task.whole("x") == live
    assert task.whole("y") == "y\n\nSECTION"


@pytest.mark.parametrize("width", [2, 8])
def test_the_log_is_the_same_for_the_same_seed_whatever_the_width(width):
    def once(width, seed=1):
        client = model(
            lambda actual, question: (len(actual) * 7 % 11 % 10, hash_of(question), 5, question[-2:]),
            numbered,
            pause=lambda r: (len(r.messages[-1].content) % 3) / 2000,
        )
        task = InstructionTask(TARGET, "x", "x", examples(20, "t"), examples(15, "v"), seed=seed)
        return run(client, width=width, task=task)[1].log.to_text()

    def hash_of(question):
        return sum(map(ord, question)) % 10

    assert once(1) == once(width)
    assert once(1) != once(1, seed=2)


def test_calls_lie_within_what_was_planned():
    client = model(likes_length, lambda blocks: numbered(blocks))
    run(client, InstructionSettings(population=3, generations=2, micro=5, mini=8, anchor=6))
    search = GenerationalSearch(InstructionSettings(population=3, generations=2, micro=5, mini=8, anchor=6))
    low, high = search.calls(examples(20), examples(15))
    assert low <= len(client.requests) <= high


def test_it_needs_training_examples_and_sensible_numbers():
    with pytest.raises(InvalidInput):
        run(model(constant()), task=InstructionTask(TARGET, "x", "x", (), ()))
    with pytest.raises(InvalidInput):
        InstructionSettings(population=0)

import asyncio

import pytest

from honeyguide.evolution.answer_structure import HEADING, read_section
from honeyguide.evolution.compose import ComposedSearch, ComposeTask
from honeyguide.evolution.instruction_search import GenerationalSearch, InstructionSettings
from honeyguide.evolution.mutation import Keep, TextLimits
from honeyguide.evolution.schema_search import SchemaSearch, SchemaSettings
from honeyguide.llm.protocol import ModelRole
from honeyguide.prompts.targets import TargetKind, TargetRef
from tests.evolution.worlds import TARGET, examples, model, ports
from tests.fakes.evals_model import blocks_of

SEARCH = ComposedSearch(
    SchemaSearch(SchemaSettings(population=3, generations=1, eval_size=4, anchor=6)),
    GenerationalSearch(InstructionSettings(population=2, generations=1, micro=4, mini=4, anchor=6)),
)


def grade(actual, question):
    """Reasoning first is worth two points, kindness three."""
    points = 4 + 2 * ('- "reasoning"' in actual and "confidence" not in actual) + 3 * ("kind" in actual)
    return (points, points, points, "Add a reasoning field. Be kind.")


def mutate(blocks):
    return f"{blocks['CURRENT PROMPT']} Be kind."


def run(client, live="Greet them.", *, target=TARGET, search=SEARCH, **others):
    task = ComposeTask(target, live, examples(6, "t"), examples(6, "v"), **others)
    used = ports(client)
    return asyncio.run(search.search(task, used)), used


def test_the_winning_structure_is_part_of_all_that_the_second_stage_runs_and_of_what_is_deployed():
    client = model(grade, mutate)
    result, _ = run(client)
    assert HEADING in result.section
    winner = result.instruction_stage.winner.candidate
    assert winner.text == "Greet them. Be kind."
    assert winner.deployed == f"Greet them. Be kind.\n\n{result.section}"
    assert result.schema is not None


def test_the_gain_of_both_is_measured_on_the_same_examples_not_added_up():
    result, _ = run(model(grade, mutate))
    summary = result.summary()
    assert summary["combinedDelta"] == pytest.approx(0.5)
    assert summary["schemaDelta"] == pytest.approx(0.2)
    assert summary["instructionDelta"] == pytest.approx(0.3)
    assert summary["fullyImproved"] is True
    assert summary["winnerId"] == "g1-m0"
    measured = {len(f.measurement.evaluations) for f in result.finalists}
    assert measured == {len(result.instruction_stage.live.evaluations)} == {6}


def test_complaints_about_structure_are_kept_from_the_mutator_and_scores_are_untouched():
    client = model(grade, mutate)
    result, _ = run(client)
    asked = [blocks_of(r) for r in client.requests if r.role is ModelRole.MUTATOR]
    assert asked
    assert all("reasoning field" not in b["FAILURES"] and "Be kind." in b["FAILURES"] for b in asked)
    assert result.instruction_stage.live_means.overall == pytest.approx(0.4)


def test_a_structure_that_gains_too_little_is_not_taken_over():
    def slight(actual, question):
        points = 5 + 0.1 * (HEADING in actual)
        return (points, points, points, "f")

    result, _ = run(model(slight, mutate))
    assert (result.section, result.schema) == ("", None)
    assert "less than the 0.020" in result.schema_note
    assert result.summary()["schemaImproved"] is False


def test_the_section_of_an_earlier_run_is_taken_off_and_built_upon():
    first, _ = run(model(grade, mutate))
    live = first.instruction_stage.winner.candidate.deployed
    client = model(lambda a, q: (9, 9, 9, "f"), lambda b: f"{b['CURRENT PROMPT']} Smile.")
    second, _ = run(client, live)
    assert second.section == first.section
    asked = [blocks_of(r) for r in client.requests if r.role is ModelRole.MUTATOR]
    assert {b["CURRENT PROMPT"] for b in asked} == {"Greet them. Be kind."}
    assert all(HEADING not in c.text for c in second.instruction_stage.history)
    assert read_section(second.finalists[0].candidate.deployed)[1] is not None


def test_a_kind_whose_text_says_nothing_of_answers_keeps_its_structure():
    client = model(grade, mutate)
    result, _ = run(client, target=TargetRef(TargetKind.TOOL, "search"))
    assert result.schema_stage is None
    assert all(HEADING not in r.system for r in client.requests if r.role is ModelRole.EXECUTOR)
    assert list(SEARCH.calls(TargetKind.TOOL, examples(6), examples(6))) == ["instruction"]
    assert list(SEARCH.calls(TargetKind.SKILL, examples(6), examples(6))) == ["schema", "instruction"]


def test_the_mutator_is_told_what_the_section_leaves_of_the_limits():
    client = model(grade, mutate)
    result, _ = run(client, limits=TextLimits(1000, 900), keep=Keep(("{{name}}",), ("Greet them.",)))
    asked = next(blocks_of(r) for r in client.requests if r.role is ModelRole.MUTATOR)
    left = 1000 - len(result.section) - 2
    assert f"size: at most {left} characters" in asked["LIMITS"]
    assert asked["KEEP"] == 'passage: "Greet them."'

"""The whole loop on the practice model: draft from failures, prove within a budget, apply, go on; nothing scripted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from honeyguide.harnesses.folder import Harness
from honeyguide.llm import ModelRef
from honeyguide.workspace import Origin
from honeyguide.workspace.harness_views import EvolveOptions, HarnessEvolving, HarnessHome, HarnessRunning
from tests.fakes.harness_folders import write_folder

ORIGIN = Origin("python", "tester")
SPEC = """\
name: slugger
id: hl-00000000c0de
description: Makes slugs
model: {provider: practice, id: practice}
system_prompt: |
  Make a slug of the title.
verify:
  validators:
  - builtin: regex_match
    pattern: '^slug: '
"""
OBJECTIVES = """\
evolution:
  objectives:
  - {metric: review_minutes, direction: minimize, ceiling: 10}
"""
REFLECT = """\
evolution:
  reflect: {enabled: true, 'on': failure, model: practice/practice}
"""


@pytest.fixture
def home(tmp_path):
    return HarnessHome.alone({}, tmp_path / "state")


def ran(home: HarnessHome, root: Any, *texts: str):
    running = HarnessRunning(home, HarnessEvolving(home))
    return [asyncio.run(running.run(root, text)) for text in texts]


def evolved(home: HarnessHome, root: Any, **options: Any) -> dict[str, Any]:
    model = ModelRef("practice", "practice")
    return asyncio.run(HarnessEvolving(home).evolve(root, EvolveOptions(model=model, **options))).document.to_json()


def test_it_drafts_a_rule_against_the_commonest_complaint_and_a_budget_proves_it(home, tmp_path):
    root = write_folder(tmp_path / "h", SPEC, {})
    ran(home, root, "A title", "Another title")
    first = evolved(home, root)
    assert first["proof"]["state"] == "unproven"
    assert "output must match /^slug: /" in first["gate"]["accepted"][0]["value"]
    proven = evolved(home, root, max_calls=50)
    assert (proven["id"], proven["proof"]["state"], proven["proof"]["n"]) == (first["id"], "measured", 2)
    done = asyncio.run(HarnessEvolving(home).apply(root, first["id"], ORIGIN)).to_json()
    assert done["counter"] == 1
    again = evolved(home, root)
    assert (again["changed"], "(2 on earlier versions)" in again["reason"]) == (False, True)


def test_it_states_which_way_objectives_shall_move(home, tmp_path):
    root = write_folder(tmp_path / "h", SPEC + OBJECTIVES, {})
    ran(home, root, "A title")
    expected = evolved(home, root)["proposal"]["objective_expectations"]
    assert [(e["metric"], e["expected_change"]) for e in expected] == [("review_minutes", "decrease")]


def test_it_reflects_into_a_lesson_that_waits_for_a_person(home, tmp_path):
    root = write_folder(tmp_path / "h", SPEC + REFLECT, {})
    (done,) = ran(home, root, "A title")
    assert len(done.drafted) == 1
    shown = asyncio.run(HarnessEvolving(home).proposal(root, done.drafted[0])).to_json()
    assert (shown["trigger"], shown["status"]) == ("reflect", "pending")
    asyncio.run(HarnessEvolving(home).apply(root, done.drafted[0], ORIGIN))
    (lesson,) = Harness.open(root).spec.memory.entries
    assert "slug" in lesson.content

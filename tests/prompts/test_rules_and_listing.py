from __future__ import annotations

import pytest

from honeyguide.prompts import carriers, listing, rules
from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.listing import RULES, Listed


def codes(frontmatter: str, kind: FileKind = FileKind.AGENT_SKILL, folder: str | None = None) -> set[str]:
    document = carriers.parse(f"---\n{frontmatter}\n---\nBody\n".encode(), kind)
    return {found.code for found in rules.check(document, folder=folder)}


@pytest.mark.parametrize("name", ["a", "tidy-notes", "v2", "naïve", "整理"])
def test_good_skill_names(name):
    assert codes(f"name: {name}\ndescription: d", folder=name) == set()


@pytest.mark.parametrize("name", ["Tidy", "a--b", "-a", "a-", "a_b", "a b", "a.b"])
def test_bad_skill_names(name):
    assert "name-rule" in codes(f"name: {name}\ndescription: d")


@pytest.mark.parametrize(
    ("frontmatter", "kind", "expected"),
    [
        (
            "name: Triage Helper\ndescription: ''",
            FileKind.AGENT_SKILL,
            {"name-rule", "name-folder", "description-empty"},
        ),
        ("name: triage", FileKind.AGENT_SKILL, {"description-missing"}),
        ("name: triage\ndescription:", FileKind.AGENT_SKILL, {"description-empty"}),
        ("name: triage\ndescription: [a]", FileKind.AGENT_SKILL, {"field-not-text"}),
        ("name: triage\ndescription: d\nalowed-tools: Read", FileKind.AGENT_SKILL, {"unknown-key"}),
        ("name: triage\ndescription: use <b>this</b>", FileKind.AGENT_SKILL, {"tag-in-field"}),
        ("description: d", FileKind.AGENT_SKILL, {"name-missing"}),
        ("description: d", FileKind.CLAUDE_SUBAGENT, {"name-missing"}),
        ("description: d\nglob: x", FileKind.CURSOR_RULE, {"unknown-key"}),
    ],
)
def test_what_programs_object_to(frontmatter, kind, expected):
    assert codes(frontmatter, kind, folder="triage") == expected


def test_a_finding_stands_on_the_line_of_its_key():
    document = carriers.parse(b"---\ndescription: d\n\nname: A\n---\nx\n", FileKind.AGENT_SKILL)
    (found,) = rules.check(document)
    assert found.line == 4


def listed(name: str, length: int, **fields: object) -> Listed:
    return Listed(FileKind.AGENT_SKILL, name, f"{name}/SKILL.md", {"description": "x" * length, **fields})


def test_the_listing_counts_names_and_what_is_shown_of_descriptions():
    budget = listing.budget(
        RULES[0], [listed("aa", 2_000), listed("bbb", 100), listed("hid", 5, **{"disable-model-invocation": True})]
    )
    assert (budget.used, budget.maximum) == (2 + 1_536 + 3 + 100, 8_000)
    assert [(e.name, e.cut) for e in budget.entries] == [("aa", 464), ("bbb", 0)]


def test_what_no_longer_fits_is_named():
    budget = listing.budget(RULES[1], [listed(f"s{n}", 3_000) for n in range(4)])
    assert budget.hidden == ("s2", "s3")


@pytest.mark.parametrize(
    ("options", "maximum"),
    [
        ({}, 8_000),
        ({"context_tokens": 200_000}, 8_000),
        ({"context_tokens": 1_000_000}, 40_000),
        ({"characters": 15_000}, 15_000),
    ],
)
def test_the_room_follows_the_context_or_the_environment(options, maximum):
    assert listing.budget(RULES[0], [], **options).maximum == maximum

"""The trial files T06, T08, T09 and T11: what each says it expects of carriers, variables and leftovers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from honeyguide.prompts import carriers, leftovers, rules, variables
from honeyguide.prompts.carriers import CarrierDocument
from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.leftovers import LeftoverKind

DATA = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
TRIALS = DATA / "trials"
pytestmark = pytest.mark.skipif(not TRIALS.is_dir(), reason="the shared trial files are not here")


def candidates(folder: str) -> dict[str, str]:
    listed: list[dict[str, Any]] = json.loads((TRIALS / folder / "candidates.json").read_text("utf-8"))
    return {item["id"]: item["text"] for item in listed}


def skill(path: str) -> CarrierDocument:
    return carriers.parse((TRIALS / path).read_bytes(), FileKind.AGENT_SKILL)


def test_t06_mark_line_ends_tab_blanks_and_missing_end_survive():
    document = skill("T06-bom-crlf/release-notes/SKILL.md")
    assert [found.code for found in document.findings] == ["bom"]
    assert document.with_text(document.text) == document.data
    changed = document.with_text(document.text.replace("user impact", "impact on users"))
    assert changed == document.data.replace(b"user impact", b"impact on users")
    assert rules.check(document, folder="release-notes") == ()


def test_t08_a_body_goes_below_the_old_frontmatter():
    document = skill("T08-body-vs-file/triage/SKILL.md")
    body = candidates("T08-body-vs-file")["body-only"]
    incoming = document.incoming(body)
    assert incoming.changes == ()
    head = document.data[: document.data.index(b"---\n", 4) + 4]
    assert document.with_text(incoming.text) == head + body.encode()
    assert document.with_text(incoming.text, keep_edges=True) == head + b"\n" + body.encode()


def test_t08_lost_frontmatter_is_shown_as_a_change():
    document = skill("T08-body-vs-file/triage/SKILL.md")
    incoming = document.incoming(candidates("T08-body-vs-file")["own-frontmatter"])
    assert {(change.key, change.after) for change in incoming.changes} == {("license", None), ("metadata", None)}
    assert not incoming.text.startswith("---")
    assert b"owner: support   # keep this comment" in document.with_text(incoming.text)


def test_t08_a_renamed_skill_breaks_three_rules():
    document = skill("T08-body-vs-file/triage/SKILL.md")
    incoming = document.incoming(candidates("T08-body-vs-file")["renamed"])
    assert incoming.whole is not None
    whole = carriers.parse(incoming.whole, FileKind.AGENT_SKILL)
    assert {"name-rule", "name-folder", "description-empty"} <= {f.code for f in rules.check(whole, folder="triage")}


def test_t08_an_empty_body_is_empty():
    document = skill("T08-body-vs-file/triage/SKILL.md")
    assert document.incoming(candidates("T08-body-vs-file")["empty"]).text == ""


@pytest.mark.parametrize(
    ("name", "added", "removed"),
    [
        ("unchanged-vars", (), ()),
        ("dropped", (), ("{{company}}", "{{ticket}}")),
        ("invented", ("{{history}}",), ()),
        ("filled-in", (), ("{{company}}", "{{ticket}}")),
        ("todo", (), ()),
    ],
)
def test_t09_variables(name, added, removed):
    before = carriers.parse((TRIALS / "T09-variables" / "support.txt").read_bytes(), FileKind.PLAIN_TEXT).text
    change = variables.compare(before, candidates("T09-variables")[name])
    assert (change.added, change.removed) == (added, removed)


def test_t09_marks_of_an_unfinished_text():
    before = (TRIALS / "T09-variables" / "support.txt").read_text("utf-8")
    marks = leftovers.added(before, candidates("T09-variables")["todo"])
    assert [mark.kind for mark in marks] == [LeftoverKind.NOTE, LeftoverKind.SLOT, LeftoverKind.SLOT]


@pytest.mark.parametrize(
    ("name", "has_marks"),
    [
        ("think", True),
        ("unclosed-think", True),
        ("closing-think-only", True),
        ("thought-tag", True),
        ("chatty", True),
        ("nested-fence", False),
        ("plain-fence", False),
    ],
)
def test_t11_a_reply_deployed_as_it_is_would_be_caught(name, has_marks):
    trial = json.loads((TRIALS / "T11-reflection-replies" / "replies.json").read_text("utf-8"))
    reply = next(item["reply"] for item in trial["replies"] if item["id"] == name)
    assert bool(leftovers.added(trial["baseline"], reply)) is has_marks

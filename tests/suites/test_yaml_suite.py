"""Declarative suites: what is read, and how faults are told with line and column."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml

from honeyguide.evals.examples import CheckSpec
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.kernel.resources import resource
from honeyguide.suites import read_suite
from honeyguide.suites.linking import with_evidence
from honeyguide.suites.yaml_suite import suite_json_schema

WHOLE = """\
# a comment that stays
version: 1
defaults:
  repetitions: 3
  quorum: 2
  timeout-ms: 5000
cases:
  - name: asks for the order number   # the second comment
    evidence: [fb_1]
    input: Where is my parcel?
    checks:
      - contains: {text: order number, ignore_case: true}
        name: asks
      - length: 400
  - name: writes the report
    stdin: data
    prompt: go
    repetitions: 1
    cwd: work
    allow-non-zero: true
    files: {in/data.csv: "a,b\\n"}
    checks:
      - file-changed: in/data.csv
      - exit-code: [0, 3]
    rubric: {text: "Is it polite?", least: 0.5}
  - name: nobody finished this
    draft: true
    checks: [{contains: x}]
"""


def test_a_suite_is_read_with_its_defaults():
    suite = read_suite(WHOLE, "s.eval.yaml")
    first, second, third = suite.cases
    assert (first.plan.repetitions, first.plan.quorum, first.timeout_ms) == (3, 2, 5000)
    assert first.plan.evidence == ("fb_1",)
    assert first.checks[0] == CheckSpec("contains", {"text": "order number", "ignore_case": True}, "asks")
    assert (second.plan.repetitions, second.plan.quorum) == (1, 1)
    assert (second.stdin, second.prompt, second.cwd, second.rubric_pass) == ("data", "go", "work", 0.5)
    assert suite.plan.invocations == 3 + 1 + 3
    assert suite.plan.drafts == (third.name,)
    assert suite.plan.uncovered(["fb_1", "fb_2"]) == ("fb_2",)


def test_the_policys_repetitions_hold_for_cases_without_their_own():
    text = "cases:\n- name: a\n  checks: [{contains: x}]\n- {name: b, repetitions: 2, checks: [{contains: x}]}\n"
    assert [case.plan.repetitions for case in read_suite(text, "s", repetitions=3).cases] == [3, 2]
    assert [case.plan.quorum for case in read_suite(text, "s", repetitions=3).cases] == [3, 2]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("cases: [", 1, 9, "expected"),
        ("cases: \x01", 1, 1, "special characters"),
        ("", 1, 1, "keys and values"),
        ("cases: []", 1, 8, "at least 1"),
        ("cases:\n- name: a\n  chekcs: []\n", 3, 3, "there is no setting 'chekcs'"),
        ("cases:\n- checks: [{contains: x}]\n", 2, 3, "'name' is missing"),
        ("cases:\n- name: a\n", 2, 3, "at least one check"),
        ("cases:\n- name: a\n  repetitions: 101\n  checks: [{contains: x}]\n", 3, 16, "100"),
        ("cases:\n- name: a\n  repetitions: 0\n  checks: [{contains: x}]\n", 3, 16, "1"),
        ("cases:\n- name: a\n  repetitions: '2'\n  checks: [{contains: x}]\n", 3, 16, "integer"),
        ("cases:\n- name: a\n  quorum: 2\n  checks: [{contains: x}]\n", 3, 11, "cannot be reached"),
        ("cases:\n- name: a\n  checks:\n  - contians: x\n", 4, 5, "no check of the kind 'contians'"),
        ("cases:\n- name: a\n  checks:\n  - regex: '('\n", 4, 5, "not a valid pattern"),
        ("cases:\n- name: a\n  checks:\n  - exit-code: 3\n", 4, 5, "allow-non-zero"),
        ("cases:\n- name: a\n  checks:\n  - file-exists: ../x\n", 4, 5, "inside"),
        ("cases:\n- name: a\n  cwd: /etc\n  checks: [{contains: x}]\n", 3, 8, "leads out"),
        ("cases:\n- name: a\n  input: x\n  stdin: y\n  checks: [{contains: x}]\n", 4, 10, "either input"),
        ("cases:\n- name: a\n  name: b\n  checks: [{contains: x}]\n", 3, 3, "twice"),
        ("cases:\n- {name: a, checks: [{contains: x}]}\n- {name: a, checks: [{contains: x}]}\n", 3, 10, "line 2"),
        ("cases:\n- {name: a, evidence: [x], checks: [{contains: x}]}\n", 2, 24, "evidence"),
        ("a: &a [x]\ncases: *b\n", 2, 8, "undefined alias"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_line_and_column(text, line, column, words):
    with pytest.raises(InvalidInput) as caught:
        read_suite(text, "s.eval.yaml")
    assert caught.value.message.startswith(f"s.eval.yaml:{line}:{column}: "), caught.value.message
    assert words in caught.value.message


def test_all_faults_are_listed_in_order():
    with pytest.raises(InvalidInput) as caught:
        read_suite("cases:\n- name: a\n- name: b\n  cwd: ..\n  checks: [{contains: x}]\n", "s")
    problems = caught.value.details["problems"]
    assert isinstance(problems, list)
    assert [problem["line"] for problem in problems] == [2, 4]


def test_aliases_that_multiply_are_refused_quickly():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(InvalidInput, match="too"):
        read_suite("\n".join([*lines, "cases: *a8"]), "s")


def test_the_published_schema_is_the_one_in_use_and_accepts_what_is_read():
    published = json.loads(resource("schemas", "eval-suite.json").read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(suite_json_schema()))
    jsonschema.Draft202012Validator.check_schema(published)
    jsonschema.validate(yaml.safe_load(WHOLE), published)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"cases": [{"name": "a", "checks": [{"contians": "x"}]}]}, published)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (
            "cases:\n  - name: a # note\n    checks: [{contains: x}]\n",
            "cases:\n  - name: a # note\n    evidence: [fb_9]\n    checks: [{contains: x}]\n",
        ),
        (
            "cases:\n- name: a\n  evidence: [fb_1]  # kept\n  checks: [{contains: x}]\n",
            "cases:\n- name: a\n  evidence: [fb_1, fb_9]  # kept\n  checks: [{contains: x}]\n",
        ),
        (
            "cases:\r\n- name: a\r\n  evidence:\r\n  - fb_1\r\n  checks: [{contains: x}]\r\n",
            "cases:\r\n- name: a\r\n  evidence:\r\n  - fb_1\r\n  - fb_9\r\n  checks: [{contains: x}]\r\n",
        ),
        (
            "cases:\n- {name: a, checks: [{contains: x}]}\n",
            "cases:\n- {name: a, evidence: [fb_9], checks: [{contains: x}]}\n",
        ),
        (
            "cases:\n- checks: [{contains: x}]\n  name: a",
            "cases:\n- checks: [{contains: x}]\n  name: a\n  evidence: [fb_9]\n",
        ),
        (
            "cases:\n- name: a\n  evidence: [fb_9]\n  checks: [{contains: x}]\n",
            "cases:\n- name: a\n  evidence: [fb_9]\n  checks: [{contains: x}]\n",
        ),
    ],
)
def test_linking_adds_the_id_and_touches_nothing_else(text, changed):
    assert with_evidence(text, "s", "a", "fb_9") == changed


def test_a_draft_cannot_be_linked_and_an_unknown_case_is_said():
    with pytest.raises(Conflict):
        with_evidence(WHOLE, "s", "nobody finished this", "fb_9")
    with pytest.raises(NotFound):
        with_evidence(WHOLE, "s", "no such case", "fb_9")

from __future__ import annotations

import time

import pytest

from honeyguide.evals.checks import CheckFinding, CheckStatus
from honeyguide.evals.examples import CheckSpec
from honeyguide.evals.standard_checks import STANDARD_CHECKS
from honeyguide.kernel.errors import InvalidInput

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "pattern": "^[A-Z]"}, "score": {"type": "integer", "maximum": 10}},
    "required": ["answer"],
    "additionalProperties": False,
}
ONLY_X = {"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}
EVIL = r"(a|aa)+$"
EVIL_KEYS = {"patternProperties": {EVIL: True}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("kind", "value", "output", "passes"),
    [
        ("contains", "cat", "A cat.", True),
        ("contains", "Cat", "A cat.", False),
        ("contains", {"text": "Cat", "ignore_case": True}, "A CAT.", True),
        ("contains", "e\u0301", "caf\u00e9", True),
        ("not-contains", "dog", "A cat.", True),
        ("not-contains", "cat", "A cat.", False),
        ("regex", r"\bC\w+", "A Cat.", True),
        ("regex", {"pattern": r"^b$", "flags": "im"}, "a\nB\nc", True),
        ("regex", r"^b$", "a\nb", False),
        ("not-regex", r"\d", "none", True),
        ("not-regex", r"\d", "1", False),
        ("equals", "yes", " yes\n", True),
        ("equals", "yes", "Yes", False),
        ("equals", "", "  ", True),
        ("length", 5, "12345", True),
        ("length", 5, "123456", False),
        ("length", {"min": 2, "max": 3}, "1", False),
        ("line-count", 2, "a\nb\n", True),
        ("line-count", {"min": 3}, "a\nb\n", False),
        ("similarity", {"to": "hello world", "min": 0.9}, "hello word", True),
        ("similarity", {"to": "hello", "min": 0.9}, "goodbye", False),
        ("json-schema", SCHEMA, '{"answer": "Yes", "score": 3}', True),
        ("json-schema", SCHEMA, '{"answer": "yes"}', False),
        ("json-schema", SCHEMA, '{"answer": "Yes", "more": 1}', False),
        ("json-schema", SCHEMA, "```json\n{}\n```", False),
        ("json-schema", ONLY_X, '{"x1": 1}', True),
        ("json-schema", ONLY_X, '{"y": 1}', False),
        ("json-schema", {"patternProperties": {"^x": {"type": "integer"}}}, '{"x1": "a"}', False),
        ("json-schema", {"additionalProperties": {"type": "integer"}}, '{"a": "b"}', False),
        ("json-path", {"path": "$.a[0].b", "equals": 1}, '{"a": [{"b": 1}]}', True),
        ("json-path", {"path": "$.a[0].b", "equals": 1}, '{"a": [{"b": true}]}', False),
        ("json-path", {"path": "$.a", "equals": [1, {"x": False}]}, '{"a": [1, {"x": 0}]}', False),
        ("json-path", {"path": "$['a b'][-1]", "equals": 2}, '{"a b": [1, 2]}', True),
        ("json-path", {"path": "$.items[*].n", "equals": 3}, '{"items": [{"n": 1}, {"n": 3}]}', True),
        ("json-path", {"path": "$.a"}, '{"b": 1}', False),
        ("json-path", {"path": "$.a", "exists": False}, '{"b": 1}', True),
        ("json-path", {"path": "$.a", "matches": "^x"}, '{"a": "xy"}', True),
        ("json-path", {"path": "$.a", "matches": "^x"}, "not json", False),
    ],
)
def test_a_check_passes_or_fails_with_a_reason(kind, value, output, passes):
    result = STANDARD_CHECKS.run(CheckSpec(kind, value), output)
    assert result.status is (CheckStatus.PASSED if passes else CheckStatus.FAILED)
    assert result.reason.endswith(".")


@pytest.mark.parametrize(
    ("kind", "value", "output", "reason"),
    [
        ("contains", "cat", "dog", "The answer lacks “cat”."),
        ("length", 3, "abcd", "The answer has 4 characters; at most 3 are allowed."),
        ("json-path", {"path": "$.a", "equals": "x"}, '{"a": "y"}', '$.a is “"y"”, not “"x"”.'),
        (
            "json-schema",
            SCHEMA,
            "{",
            "The answer is not JSON: line 1, column 2: Expecting property name enclosed in double quotes.",
        ),
    ],
)
def test_reasons_say_what_was_found(kind, value, output, reason):
    assert STANDARD_CHECKS.run(CheckSpec(kind, value), output).reason == reason


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("contains", 3),
        ("contains", ""),
        ("regex", "("),
        ("regex", {"pattern": "a", "flags": "x"}),
        ("equals", None),
        ("length", "many"),
        ("length", {"most": 3}),
        ("length", {"min": 5, "max": 3}),
        ("similarity", {"to": "x", "min": 2}),
        ("json-schema", "text"),
        ("json-schema", {"type": "nonsense"}),
        ("json-schema", {"patternProperties": {"a": True}, "unevaluatedProperties": False}),
        ("json-path", {"path": "a.b"}),
        ("json-path", {"path": "$..a"}),
        ("json-path", {"path": "$.a", "like": 1}),
        ("json-path", {"path": "$.a", "matches": "("}),
        ("no-such-kind", 1),
    ],
)
def test_a_check_that_can_never_run_is_refused_before_any_money_is_spent(kind, value):
    with pytest.raises(InvalidInput):
        STANDARD_CHECKS.validate([CheckSpec(kind, value)])


def test_a_schema_fetches_nothing():
    with pytest.raises(InvalidInput, match="refers to something"):
        STANDARD_CHECKS.run(CheckSpec("json-schema", {"$ref": "http://127.0.0.1:9/schema.json"}), "{}")


@pytest.mark.parametrize(
    ("kind", "value", "output"),
    [
        ("regex", EVIL, "a" * 5000 + "b"),
        ("not-regex", EVIL, "a" * 5000 + "b"),
        ("json-schema", {"pattern": EVIL}, '"' + "a" * 5000 + 'b"'),
        ("json-schema", {"patternProperties": {EVIL: True}}, '{"' + "a" * 5000 + 'b": 1}'),
        ("json-schema", EVIL_KEYS, '{"' + "a" * 5000 + 'b": 1}'),
        ("json-path", {"path": "$", "matches": EVIL}, '"' + "a" * 5000 + 'b"'),
    ],
)
def test_a_pattern_that_never_ends_is_inconclusive_and_stops(kind, value, output):
    started = time.monotonic()
    assert STANDARD_CHECKS.run(CheckSpec(kind, value), output).status is CheckStatus.INCONCLUSIVE
    assert time.monotonic() - started < 5


def test_the_share_counts_decided_checks_only():
    specs = [CheckSpec("contains", "a"), CheckSpec("contains", "z"), CheckSpec("regex", EVIL)]
    report = STANDARD_CHECKS.run_all(specs, "a" * 5000 + "b")
    assert report.share == 0.5
    assert not report.passed
    assert STANDARD_CHECKS.run_all([], "x").share is None
    assert STANDARD_CHECKS.run_all([], "x").passed


def test_a_registry_grows_by_making_a_new_one():
    grown = STANDARD_CHECKS.with_kind("polite", lambda value, output: CheckFinding.of("please" in output, "Manners."))
    assert grown.run(CheckSpec("polite"), "please").status is CheckStatus.PASSED
    assert "polite" not in STANDARD_CHECKS.kinds
    with pytest.raises(InvalidInput):
        grown.with_kind("polite", grown.kinds["polite"])


def test_deeply_nested_json_is_a_failed_check_and_no_crash():
    assert STANDARD_CHECKS.run(CheckSpec("json-schema", True), "[" * 200_000).status is CheckStatus.FAILED

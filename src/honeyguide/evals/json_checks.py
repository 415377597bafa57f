"""The check kinds that read an output as JSON. Patterns in a schema are searched with the kernel's time limit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from honeyguide.evals.checks import CheckFinding, CheckStatus
from honeyguide.evals.json_path import parse_path, select
from honeyguide.evals.text_checks import quote, search_pattern
from honeyguide.kernel.errors import InvalidInput
from honeyguide.kernel.matching import Match, search

MAX_PROBLEMS = 3
"""How many breaches of a schema a reason names."""


class NotJson(ValueError):
    """The output is not one JSON document."""


def json_schema(value: Any, output: str) -> CheckFinding:
    """Value: a JSON schema (draft 2020-12). The whole output must be one JSON document that keeps it.

    References leave the schema nowhere: nothing is fetched.
    """
    validator = _validator(value)
    try:
        document = read_json(output)
    except NotJson as error:
        return CheckFinding.of(False, str(error))
    try:
        problems = [_sentence(e) for e in sorted(validator.iter_errors(document), key=lambda e: str(e.json_path))]
    except _OutOfTime:
        return CheckFinding(CheckStatus.INCONCLUSIVE, "A pattern of the schema took too long, so nobody can say.")
    except (Unresolvable, RecursionError) as error:
        raise InvalidInput(f"The schema refers to something it does not hold: {str(error)[:120]}.") from error
    if not problems:
        return CheckFinding.of(True, "The answer keeps the JSON schema.")
    more = f" and {len(problems) - MAX_PROBLEMS} more" if len(problems) > MAX_PROBLEMS else ""
    return CheckFinding.of(False, f"The answer breaks the JSON schema: {'; '.join(problems[:MAX_PROBLEMS])}{more}.")


def json_path(value: Any, output: str) -> CheckFinding:
    """Value: ``{"path"}`` with one of ``equals``, ``matches``, ``exists``; without one the path must exist.

    With ``[*]`` it is enough that one of the values fits.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("path"), str):
        raise InvalidInput('A json-path check needs {"path"} and one of "equals", "matches", "exists".')
    path = value["path"]
    parse_path(path)
    if unknown := set(value) - {"path", "equals", "matches", "exists"}:
        raise InvalidInput(f"A json-path check does not know {sorted(unknown)[0]!r}.")
    try:
        found = select(path, read_json(output))
    except NotJson as error:
        if "matches" in value:
            search_pattern(value["matches"], "", "json-path")
        return CheckFinding.of(value.get("exists") is False, str(error))
    if "equals" in value:
        return _path_equals(path, value["equals"], found)
    if "matches" in value:
        return _path_matches(path, value["matches"], found)
    wanted = value.get("exists", True) is not False
    return CheckFinding.of(bool(found) == wanted, f"{path} {'exists' if found else 'does not exist'} in the answer.")


def read_json(output: str) -> Any:
    """Return the JSON document that the whole output is. Raises NotJson with a sentence that says where it breaks."""
    try:
        return json.loads(output, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise NotJson(f"The answer is not JSON: line {error.lineno}, column {error.colno}: {error.msg}.") from error
    except RecursionError as error:
        raise NotJson("The answer is JSON nested too deep to read.") from error
    except ValueError as error:
        raise NotJson(f"The answer is not JSON: {error}.") from error


class _OutOfTime(Exception):
    pass


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _path_equals(path: str, wanted: Any, found: list[Any]) -> CheckFinding:
    same = any(_same(wanted, item) for item in found)
    shown = quote(json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False)) if found else "nothing"
    expected = quote(json.dumps(wanted, ensure_ascii=False))
    return CheckFinding.of(same, f"{path} is {expected}." if same else f"{path} is {shown}, not {expected}.")


def _path_matches(path: str, pattern: Any, found: list[Any]) -> CheckFinding:
    texts = [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in found]
    outcomes = [search_pattern(pattern, text, "json-path") for text in texts] or [
        search_pattern(pattern, "", "json-path")
    ]
    if texts and Match.FOUND in outcomes:
        return CheckFinding.of(True, f"{path} matches the pattern.")
    if texts and Match.INCONCLUSIVE in outcomes:
        return CheckFinding(CheckStatus.INCONCLUSIVE, f"The pattern for {path} took too long, so nobody can say.")
    return CheckFinding.of(
        False, f"{path} {'does not match the pattern' if texts else 'does not exist in the answer'}."
    )


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return bool(left == right)


def _sentence(error: ValidationError) -> str:
    where = "" if error.json_path == "$" else f"{error.json_path}: "
    return f"{where}{quote(error.message)}"


def _validator(schema: Any) -> Validator:
    if not isinstance(schema, Mapping | bool):
        raise InvalidInput("A json-schema check needs a JSON schema (an object).")
    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise InvalidInput(f"This is not a JSON schema: {str(getattr(error, 'message', error))[:160]}.") from error
    if _mentions(schema, "patternProperties") and _mentions(schema, "unevaluatedProperties"):
        raise InvalidInput(
            "A schema with both patternProperties and unevaluatedProperties cannot be checked within a time limit.",
            hint="Use additionalProperties in its place.",
        )
    bounded: Validator = _Bounded(schema, registry=Registry())
    return bounded


def _mentions(schema: Any, keyword: str) -> bool:
    if isinstance(schema, Mapping):
        return keyword in schema or any(_mentions(child, keyword) for child in schema.values())
    return isinstance(schema, list) and any(_mentions(child, keyword) for child in schema)


def _found(pattern: str, text: str) -> bool:
    outcome = search(pattern, text)
    if outcome is Match.INCONCLUSIVE:
        raise _OutOfTime
    return outcome is Match.FOUND


def _pattern(validator: Validator, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for pattern, subschema in patterns.items():
        for key, item in instance.items():
            if _found(pattern, key):
                yield from validator.descend(item, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    patterns = list(schema.get("patternProperties", {}))
    named = schema.get("properties", {})
    extras = [key for key in instance if key not in named and not any(_found(p, key) for p in patterns)]
    if isinstance(allowed, dict):
        for key in extras:
            yield from validator.descend(instance[key], allowed, path=key)
    elif allowed is False and extras:
        yield ValidationError(f"{', '.join(map(repr, extras[:5]))} not allowed here")


_Bounded: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    },
)

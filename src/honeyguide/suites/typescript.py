"""A suite written in TypeScript, looked at without running any of it: names, links, repetitions, drafts.

Only what stands there literally counts: the default export must lead to an array of object literals, and numbers,
names and links in it must be written out. Everything else is refused, since its cost could not be known before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from honeyguide.kernel.errors import InvalidInput
from honeyguide.suites.cases import MAX_REPETITIONS, PlannedCase, SuitePlan
from honeyguide.suites.ts_reading import Array, Expression, Identifier, Literal, Object, read_module

SENTINEL: Final = "MDFLOW_DRAFT_CASE"
UNMANAGED: Final = "(unmanaged)"
_MANAGED = re.compile(r"const cases\s*:\s*EvalCase\[\]\s*=\s*\[")
_START = re.compile(r"//\s*mdflow:case:start\s+(\S+)")
_END = re.compile(r"//\s*mdflow:case:end\s+(\S+)")


def inspect(source: str, suite: str, *, repetitions: int = 1) -> SuitePlan:
    """Return the plan of a TypeScript suite.

    Args:
        suite: its name, for messages.
        repetitions: the policy's, for cases without their own.

    Raises:
        InvalidInput: it cannot be planned safely, with the reason.
    """
    module = read_module(source, suite)
    if module.default is None:
        raise _refused(suite, "it needs an 'export default' of its cases")
    array = _resolved(module.default, module.variables)
    if not isinstance(array, Array):
        raise _refused(suite, "its default export must lead to a written-out array")
    if not array.elements:
        raise _refused(suite, "it has no cases")
    drafts = draft_ids(source)
    cases = []
    given: set[str] = set()
    for number, element in enumerate(array.elements, start=1):
        case = _resolved(element, module.variables) if isinstance(element, Identifier) else element
        if not isinstance(case, Object):
            raise _refused(suite, f"case {number} must be a written-out object")
        cases.append(_case(case.properties, suite, number, repetitions))
        if {"prompt", "stdin"} & set(case.properties):
            given.add(cases[-1].name)
    if drafts and not any(case.draft for case in cases):
        marked = set(drafts)
        cases = [
            PlannedCase(c.name, c.evidence, c.repetitions, c.quorum, UNMANAGED in marked or c.name in marked)
            for c in cases
        ]
        if not any(case.draft for case in cases):  # the mark names a region, not a case
            cases = [PlannedCase(c.name, c.evidence, c.repetitions, c.quorum, draft=True) for c in cases]
    return SuitePlan(tuple(cases), frozenset(given))


def draft_ids(source: str) -> tuple[str, ...]:
    """Return which regions of a managed suite still hold the draft mark; ``(unmanaged)`` where no region tells."""
    if SENTINEL not in source:
        return ()
    opening = _MANAGED.search(source)
    closing = source.find("];", opening.end()) if opening else -1
    if opening is None or closing < 0:
        return (UNMANAGED,)
    body = source[opening.end() : closing]
    if SENTINEL not in body:
        return ()
    regions = _regions(body)
    if regions is None:
        return (UNMANAGED,)
    marked = [name for name, text in regions if SENTINEL in text]
    outside = body
    for _, text in regions:
        outside = outside.replace(text, "", 1)
    return tuple(marked + ([UNMANAGED] if SENTINEL in outside else []))


def _regions(body: str) -> list[tuple[str, str]] | None:
    """Return (name, text) of the marked regions; ``None`` when the marks are damaged."""
    marks = sorted(
        [(m.start(), "start", m[1], m.end()) for m in _START.finditer(body)]
        + [(m.start(), "end", m[1], m.end()) for m in _END.finditer(body)]
    )
    regions = []
    for index in range(0, len(marks), 2):
        pair = marks[index : index + 2]
        if [mark[1] for mark in pair] != ["start", "end"] or pair[0][2] != pair[1][2]:
            return None
        regions.append((pair[0][2], body[pair[0][3] : pair[1][0]]))
    return regions


def _case(properties: Mapping[str, Expression], suite: str, number: int, default: int) -> PlannedCase:
    name = _literal(properties.get("name"))
    if not isinstance(name, str) or not name.strip():
        raise _refused(suite, f"case {number} needs a written-out name")
    evidence = _evidence(properties.get("evidence"), suite, name)
    own = _whole(properties.get("repetitions"), MAX_REPETITIONS, suite, f"{name}: repetitions", str(MAX_REPETITIONS))
    repetitions = own if own is not None else default
    quorum = _whole(properties.get("quorum"), repetitions, suite, f"{name}: quorum", "the repetitions")
    draft = False
    if "draft" in properties:
        value = _literal(properties["draft"])
        if not isinstance(value, bool):
            raise _refused(suite, f"{name}: draft must be written out as true or false")
        draft = value
    return PlannedCase(name, evidence, repetitions, quorum if quorum is not None else repetitions, draft)


def _evidence(expression: Expression | None, suite: str, name: str) -> tuple[str, ...]:
    if expression is None:
        return ()
    values = [_literal(e) for e in expression.elements] if isinstance(expression, Array) else [None]
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != len(values):
        raise _refused(suite, f"{name}: evidence must be a written-out list of texts")
    return tuple(texts)


def _whole(expression: Expression | None, most: int, suite: str, what: str, bound: str) -> int | None:
    if expression is None:
        return None
    value = _literal(expression)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or not 1 <= value <= most:
        raise _refused(suite, f"{what} must be a written-out whole number from 1 to {bound}")
    return int(value)


def _literal(expression: Expression | None) -> str | float | bool | None:
    return expression.value if isinstance(expression, Literal) else None


def _resolved(expression: Expression, variables: Mapping[str, Expression]) -> Expression:
    seen: set[str] = set()
    while isinstance(expression, Identifier) and expression.name in variables and expression.name not in seen:
        seen.add(expression.name)
        expression = variables[expression.name]
    return expression


def _refused(suite: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"{suite} cannot be planned without running it: {why}.",
        hint="Write it out literally, or describe the cases in a .eval.yaml file.",
        details={"reason_code": "DYNAMIC_SUITE"},
    )

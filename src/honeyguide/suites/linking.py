"""Ties a case of a declarative suite to a reported problem, changing nothing else in the file."""

from __future__ import annotations

from typing import Any

import yaml

from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.suites.yaml_suite import read_suite


def with_evidence(text: str, suite: str, case_name: str, feedback_id: str) -> str:
    """Return the suite's text with ``feedback_id`` among the evidence of a case; comments and layout stay.

    Raises:
        NotFound: there is no such case.
        Conflict: it is a draft; a person says what would be right first.
        InvalidInput: the suite is broken, or written in a way that cannot be extended safely.
    """
    known = read_suite(text, suite)
    case = next((one for one in known.cases if one.name == case_name), None)
    if case is None:
        names = ", ".join(repr(one.name) for one in known.cases[:20])
        raise NotFound(f"{suite} has no case {case_name!r}.", hint=f"It has: {names}.")
    if case.plan.draft:
        raise Conflict(f"The case {case_name!r} is a draft.", hint="Write its checks and remove 'draft: true' first.")
    if feedback_id in case.plan.evidence:
        return text
    changed = _inserted(text, case_name, feedback_id)
    read = read_suite(changed, suite)
    again = next(one for one in read.cases if one.name == case_name)
    if again.plan.evidence != (*case.plan.evidence, feedback_id) or len(read.cases) != len(known.cases):
        raise InvalidInput(f"The case {case_name!r} cannot be extended safely.", hint=f"Add {feedback_id} by hand.")
    return changed


def _inserted(text: str, case_name: str, feedback_id: str) -> str:
    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    cases = next(value for key, value in root.value if key.value == "cases")
    node = next(n for n in cases.value if any(k.value == "name" and v.value == case_name for k, v in n.value))
    newline = "\r\n" if "\r\n" in text else "\n"
    for key, value in node.value:
        if key.value != "evidence":
            continue
        if value.flow_style:
            at = value.end_mark.index - 1
            return text[:at] + (f", {feedback_id}" if value.value else feedback_id) + text[at:]
        last = value.value[-1]
        line = text.find("\n", last.end_mark.index)
        at = len(text) if line < 0 else line + 1
        lead = newline if line < 0 else ""
        return text[:at] + f"{lead}{' ' * value.start_mark.column}- {feedback_id}{newline}" + text[at:]
    name_key, name_value = next((k, v) for k, v in node.value if k.value == "name")
    if node.flow_style:
        at = name_value.end_mark.index
        return text[:at] + f", evidence: [{feedback_id}]" + text[at:]
    line = text.find("\n", name_value.end_mark.index)
    at = len(text) if line < 0 else line + 1
    lead = newline if line < 0 else ""
    return text[:at] + f"{lead}{' ' * name_key.start_mark.column}evidence: [{feedback_id}]{newline}" + text[at:]

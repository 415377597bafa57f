"""Edits ``harness.yaml`` so that everything but the change stays: comments, layout, order, unknown fields, counter.

The file is edited as ruamel.yaml reads it. Where ruamel itself would lay something out anew, that difference is taken
back line by line, and the result is read again and compared before anybody gets it.
"""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString

from honeyguide.harnesses.spec.paths import set_value, with_missing_lists
from honeyguide.harnesses.spec.reading import parse_document
from honeyguide.kernel.errors import InvalidInput
from honeyguide.versions.diff import compare

_COUNTER: Final = re.compile(r"^#[ \t]*evolved:[ \t]*\d+[^\n]*$", re.MULTILINE)


def with_values(text: str, changes: Sequence[tuple[str, Any]]) -> str:
    """Return the file with each (path, value) set, in order.

    Raises:
        InvalidInput: a path that does not fit, or a file that cannot be edited in place.
    """
    if not changes:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    yaml = _editor(plain)
    try:
        document = yaml.load(plain) or {}
        untouched = _dumped(yaml, document)
        expected = copy.deepcopy(dict(parse_document(plain).data))
        for path, value in changes:
            with_missing_lists(expected, path)
            set_value(expected, path, copy.deepcopy(value))
            with_missing_lists(document, path)
            set_value(document, path, _styled(value))
        edited = _dumped(yaml, document)
    except (ValueError, TypeError, KeyError, YAMLError, AttributeError) as error:
        raise InvalidInput(f"The change does not fit the file: {error}") from error
    result = _without_relayout(untouched, plain, edited, expected)
    return result.replace("\n", newline) if newline != "\n" else result


def with_counter(text: str, number: int) -> str:
    """Return the file with the comment ``# evolved: N``: in its place, or as the first line."""
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f"# evolved: {number}"
    if _COUNTER.search(text):
        return _COUNTER.sub(line + ("\r" if newline == "\r\n" else ""), text, count=1)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return f"{mark}{line}{newline}{text.removeprefix(mark)}"


def _editor(text: str) -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.version = (1, 1)
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    yaml.allow_duplicate_keys = True
    dashes = [len(m[1]) for m in re.finditer(r"^[^\s#-][^\n]*:[ \t]*\n([ ]*)-(?= )", text, re.MULTILINE)]
    offset = dashes[0] if dashes else 0
    steps = [len(m[1]) for m in re.finditer(r"^[^\s#-][^\n]*:[ \t]*\n([ ]+)[^\s#-]", text, re.MULTILINE)]
    step = steps[0] if steps else 2
    yaml.indent(mapping=step, sequence=offset + 2, offset=offset)
    return yaml


def _dumped(yaml: YAML, document: Any) -> str:
    stream = io.StringIO()
    yaml.dump(document, stream)
    text = stream.getvalue()
    return re.sub(r"\A%YAML 1\.1\n---\n?", "", text)


def _without_relayout(untouched: str, original: str, edited: str, expected: Mapping[str, Any]) -> str:
    """Return ``original`` with what ``edited`` changed against ``untouched``, if that says what was asked for."""
    for candidate in (_carried_over(untouched, original, edited), edited):
        if _says(candidate, expected):
            return candidate
    raise InvalidInput(
        "The file cannot be edited without changing more than was asked.",
        hint="Make the change by hand, then validate the folder.",
    )


def _carried_over(untouched: str, original: str, edited: str) -> str:
    """Return ``edited`` with every line that it shares with ``untouched`` as it stands in ``original``."""
    standing = _standing_for(untouched, original)
    comparison = compare(untouched, edited)
    lines: list[str] = []
    at = 0
    for change in comparison.changes:
        for number in range(at, change.before_start):
            lines += standing[number]
        lines += comparison.after[change.after_start : change.after_end]
        at = change.before_end
    for number in range(at, len(comparison.before)):
        lines += standing[number]
    return "".join([*lines, *standing[-1]])


def _standing_for(untouched: str, original: str) -> list[list[str]]:
    """Return, for each line of ``untouched``, the lines of ``original`` it stands for, and last what follows."""
    comparison = compare(untouched, original)
    before, after = comparison.before, comparison.after
    standing: list[list[str]] = [[line] for line in before] + [[]]
    for change in comparison.changes:
        old = range(change.before_start, change.before_end)
        new = list(after[change.after_start : change.after_end])
        if len(old) == len(new):
            for number, line in zip(old, new, strict=True):
                standing[number] = [line]
        elif not old:
            standing[change.before_start] = [*new, *standing[change.before_start]]
        else:
            for number in old:
                standing[number] = []
            standing[change.before_start] = new
    return standing


def _says(text: str, expected: Mapping[str, Any]) -> bool:
    try:
        return dict(parse_document(text).data) == expected
    except InvalidInput:
        return False


def _styled(value: Any) -> Any:
    """Return a value as it shall stand: texts of several lines as literal blocks where YAML can."""
    if isinstance(value, str) and "\n" in value and not re.search(r"[ \t]\n|[^\n\x20-\x7e\x85\xa0-\uffff]", value):
        return LiteralScalarString(value)
    if isinstance(value, Mapping):
        return {key: _styled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_styled(item) for item in value]
    return value

"""The same prompt twice: equal texts, nearly equal texts, and two prompts under one name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Prompt, Shelf, works_together
from honeyguide.prompts.carriers.findings import Severity
from honeyguide.prompts.kinds import FileKind

_NEARLY = 0.8
"""Share of the shorter text's lines that the other holds too."""
_LEAST_LINES = 5
_SHORTEST_LINE = 20
_COMMON = 30
"""A line in more texts than this leads to no pair."""
_NAMED = (FileKind.AGENT_SKILL, FileKind.CLAUDE_SUBAGENT, FileKind.CLAUDE_COMMAND)


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield equal texts, nearly equal texts, and names that stand for two prompts."""
    equal: dict[str, list[Prompt]] = defaultdict(list)
    for prompt in shelf.prompts:
        text = re.sub(r"\s+", " ", prompt.document.text).strip()
        if len(text) >= _SHORTEST_LINE:
            equal[sha256_hex(text)].append(prompt)
    for group in equal.values():
        for copy in group[1:]:
            message = f"The text is the same as that of {group[0].path}."
            severity: Severity = "warning" if works_together(group[0], copy) else "info"
            yield Finding(severity, "duplicate", copy.path, copy.document.first_line, message, _WHY)
    yield from _nearly_equal([group[0] for group in equal.values()])
    yield from _same_names(shelf)


_WHY = "A change to one of them leaves the other as it was."


def _nearly_equal(prompts: list[Prompt]) -> Iterator[Finding]:
    lines = [_long_lines(prompt) for prompt in prompts]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, found in enumerate(lines):
        if len(found) >= _LEAST_LINES:
            for line in found:
                holders[line].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for owners in holders.values():
        if 2 <= len(owners) <= _COMMON:
            shared.update(combinations(owners, 2))
    for (first, second), count in shared.items():
        smaller, larger = sorted((len(lines[first]), len(lines[second])))
        if count >= _NEARLY * smaller and count >= 0.5 * larger:
            one, other = prompts[first], prompts[second]
            message = f"{count} of {smaller} lines are the same as in {one.path}."
            yield Finding("info", "near-duplicate", other.path, other.document.first_line, message, _WHY)


def _long_lines(prompt: Prompt) -> frozenset[str]:
    stripped = (line.strip() for line in prompt.document.text.split("\n"))
    return frozenset(line for line in stripped if len(line) >= _SHORTEST_LINE)


def _same_names(shelf: Shelf) -> Iterator[Finding]:
    named: dict[tuple[FileKind, str], list[Prompt]] = defaultdict(list)
    for prompt in shelf.documents:
        if prompt.kind in _NAMED:
            named[(prompt.kind, prompt.name.casefold())].append(prompt)
    for group in named.values():
        for position, hidden in enumerate(group):
            first = next((other for other in group[:position] if works_together(other, hidden)), None)
            if first is not None:
                message = f"{hidden.name!r} is also the name of {first.path}."
                yield Finding("warning", "same-name", hidden.path, 1, message, "A program loads only one of them.")

"""Descriptions that call for the same work, so that one skill takes the other's requests."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

from honeyguide.prompts import rules
from honeyguide.prompts.audit.findings import Finding, Quote
from honeyguide.prompts.audit.shelf import Prompt, Shelf
from honeyguide.prompts.audit.words import as_written, content_words
from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.listing import description_of

_SIMILAR = 0.6
"""Share of the shorter description's words, weighted by rarity, that the other holds too."""
_LEAST_SHARED = 3
_COMMON = 40
"""A word in more descriptions than this says little, and leads to no pair."""
_LISTED = (FileKind.AGENT_SKILL, FileKind.CLAUDE_SUBAGENT, FileKind.CLAUDE_COMMAND)


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield pairs of skills (or subagents, or commands) whose descriptions share most of their trigger words."""
    for kind in _LISTED:
        prompts = [p for p in shelf.documents if p.kind is kind and description_of(p.document.fields)]
        yield from _pairs(prompts)


def _pairs(prompts: list[Prompt]) -> Iterator[Finding]:
    words = [frozenset(content_words(description_of(p.document.fields))) for p in prompts]
    spread = Counter(word for found in words for word in found)
    holders: dict[str, list[int]] = defaultdict(list)
    for index, found in enumerate(words):
        for word in found:
            holders[word].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for owners in holders.values():
        if len(owners) <= _COMMON:
            shared.update(combinations(owners, 2))
    for (first, second), count in shared.items():
        if count < _LEAST_SHARED or prompts[first].name == prompts[second].name:
            continue
        both = words[first] & words[second]
        weight = sum(1 / spread[word] for word in both)
        parts = [sum(1 / spread[word] for word in words[index]) for index in (first, second)]
        if weight >= _SIMILAR * min(parts):
            narrow, wide = (first, second) if parts[0] <= parts[1] else (second, first)
            yield _finding(prompts[narrow], prompts[wide], sorted(both, key=lambda word: (spread[word], word)))


def _finding(narrow: Prompt, wide: Prompt, both: list[str]) -> Finding:
    spelled = as_written(description_of(narrow.document.fields))
    return Finding(
        "warning",
        "overlapping-descriptions",
        narrow.path,
        rules.line_of_field(narrow.document, "description"),
        f"{narrow.name!r} and {wide.name!r} call for the same work: {', '.join(spelled[word] for word in both[:6])}.",
        f"The agent chooses by the description; {wide.name!r} may take the requests meant for {narrow.name!r}.",
        quotes=(_quote(narrow), _quote(wide)),
    )


def _quote(prompt: Prompt) -> Quote:
    text = re.sub(r"\s+", " ", description_of(prompt.document.fields))
    return Quote(prompt.path, rules.line_of_field(prompt.document, "description"), text[:300])

"""Instructions that exclude each other, shown by the two lines that say so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, islice, product

from honeyguide.prompts.audit.directives import Directive, clash, directives
from honeyguide.prompts.audit.findings import Finding, Quote
from honeyguide.prompts.audit.shelf import Prompt, Shelf, works_together
from honeyguide.prompts.kinds import profile
from honeyguide.prompts.targets import TargetKind

_MOST_PAIRS = 5_000
"""Pairs looked at for one word; a word in so many instructions is no sign that two of them are about one thing."""
_Said = tuple[Prompt, Directive]


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield pairs of lines, in one file or in two that are loaded together, that cannot both be followed."""
    said = [(prompt, directive) for prompt in shelf.prompts for directive in directives(prompt.lines)]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, (_, directive) in enumerate(said):
        for word in directive.keys:
            holders[word].append(index)
    reach = _Reach(shelf.prompts)
    seen: set[tuple[int, int]] = set()
    for owners in holders.values():
        for pair in islice(_pairs(said, owners, reach), _MOST_PAIRS):
            if pair not in seen:
                seen.add(pair)
                first, second = said[pair[0]], said[pair[1]]
                reason = clash(first[1], second[1])
                if reason:
                    yield _finding(first, second, reason)


class _Reach:
    """Which texts an agent may get with an instruction file: those in the folders it governs, or that govern it."""

    def __init__(self, prompts: tuple[Prompt, ...]) -> None:
        by_scope: dict[str, list[Prompt]] = defaultdict(list)
        for prompt in prompts:
            by_scope[prompt.scope].append(prompt)
        first_of = {scope: group[0] for scope, group in by_scope.items()}
        instructing = [prompt for prompt in prompts if profile(prompt.kind).target is TargetKind.INSTRUCTION_FILE]
        near = {
            scope: [other for other in by_scope if works_together(first_of[scope], first_of[other])]
            for scope in {prompt.scope for prompt in instructing}
        }
        self._others = {
            id(prompt): [id(other) for scope in near[prompt.scope] for other in by_scope[scope] if other is not prompt]
            for prompt in instructing
        }

    def of(self, prompt: int) -> list[int]:
        """Return the ids of the other texts; none for a text that is no instruction file."""
        return self._others.get(prompt, [])


def _pairs(said: list[_Said], owners: list[int], reach: _Reach) -> Iterator[tuple[int, int]]:
    """Yield the pairs that an agent may get at once: within one text, or an instruction file with any other text."""
    texts: dict[int, list[int]] = defaultdict(list)
    for index in owners:
        texts[id(said[index][0])].append(index)
    for same in texts.values():
        yield from combinations(same, 2)
    for prompt, same in texts.items():
        for other in reach.of(prompt):
            yield from ((min(pair), max(pair)) for pair in product(same, texts.get(other, ())))


def _finding(first: _Said, second: _Said, reason: str) -> Finding:
    (one, said), (other, against) = first, second
    same_program = profile(one.kind).program == profile(other.kind).program
    place = f"line {against.line}" if one.path == other.path else f"{other.path}:{against.line}"
    return Finding(
        "warning" if same_program else "info",
        "contradiction",
        one.path,
        said.line,
        f"This line and {place} cannot both be followed: {reason}.",
        "An agent follows one of them, and not always the same.",
        quotes=(Quote(one.path, said.line, said.quote), Quote(other.path, against.line, against.quote)),
    )

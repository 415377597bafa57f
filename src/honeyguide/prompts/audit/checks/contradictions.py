"""Instructions that exclude each other, shown by the two lines that say so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from honeyguide.prompts.audit.directives import Directive, clash, directives
from honeyguide.prompts.audit.findings import Finding, Quote
from honeyguide.prompts.audit.shelf import Prompt, Shelf, works_together
from honeyguide.prompts.kinds import profile
from honeyguide.prompts.targets import TargetKind

_MOST_HOLDERS = 60
"""A word in more instructions than this leads to no pair."""


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield pairs of lines, in one file or in two that are loaded together, that cannot both be followed."""
    said = [(prompt, directive) for prompt in shelf.prompts for directive in directives(prompt.lines)]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, (_, directive) in enumerate(said):
        for word in directive.keys:
            holders[word].append(index)
    seen: set[tuple[int, int]] = set()
    for owners in holders.values():
        if len(owners) > _MOST_HOLDERS:
            owners = owners[:_MOST_HOLDERS]
        for position, first in enumerate(owners):
            for second in owners[position + 1 :]:
                if (first, second) in seen:
                    continue
                seen.add((first, second))
                if _loaded_together(said[first][0], said[second][0]):
                    reason = clash(said[first][1], said[second][1])
                    if reason:
                        yield _finding(said[first], said[second], reason)


def _loaded_together(first: Prompt, second: Prompt) -> bool:
    """Say whether an agent may get both texts: in one file, or an instruction file and what works under it."""
    if first.path == second.path:
        return first.label == second.label
    instructions = [profile(p.kind).target is TargetKind.INSTRUCTION_FILE for p in (first, second)]
    return any(instructions) and works_together(first, second)


def _finding(first: tuple[Prompt, Directive], second: tuple[Prompt, Directive], reason: str) -> Finding:
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

"""The listing of skills that a program puts into every conversation, and how much of its room is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.prompts.kinds import FileKind

CHARACTERS_PER_TOKEN = 4
"""The rule of thumb by which programs turn a share of the context into characters."""


@dataclass(frozen=True, slots=True)
class ListingRule:
    """How one program lists skills.

    Attributes:
        program: its name.
        share: part of the context window that all listings share.
        fallback: characters when the size of the context is unknown.
        entry_cap: characters of one description that are shown; 0 when there is no cap.
        override: the environment variable that sets the number of characters; empty when there is none.
        kinds: the kinds of file that are listed.
    """

    program: str
    share: float
    fallback: int
    entry_cap: int
    override: str
    kinds: tuple[FileKind, ...]


RULES = (
    ListingRule(
        "Claude Code",
        0.01,
        8_000,
        1_536,
        "SLASH_COMMAND_TOOL_CHAR_BUDGET",
        (FileKind.AGENT_SKILL, FileKind.CLAUDE_COMMAND),
    ),
    ListingRule("Codex", 0.02, 8_000, 0, "", (FileKind.AGENT_SKILL,)),
)


@dataclass(frozen=True, slots=True)
class ListingEntry:
    """One line of a listing; ``shown`` and ``cut`` are characters."""

    name: str
    path: str
    shown: int
    cut: int


@dataclass(frozen=True, slots=True)
class ListingBudget:
    """What a program's listing holds and has room for.

    Attributes:
        maximum, used: characters.
        entries: what is listed, largest first.
        hidden: names that no longer fit when listed in the order given.
    """

    program: str
    maximum: int
    used: int
    entries: tuple[ListingEntry, ...]
    hidden: tuple[str, ...]

    @property
    def share(self) -> float:
        """Used room, 1.0 being all of it."""
        return self.used / self.maximum if self.maximum else 0.0


@dataclass(frozen=True, slots=True)
class Listed:
    """A file that may be listed."""

    kind: FileKind
    name: str
    path: str
    fields: Mapping[str, Any]


def budget(
    rule: ListingRule, files: Iterable[Listed], *, context_tokens: int | None = None, characters: int | None = None
) -> ListingBudget:
    """Count a program's listing.

    Args:
        rule: the program's.
        files: in the order in which the program lists them.
        context_tokens: size of the model's context window; unknown when ``None``.
        characters: the room as the person's environment sets it; wins over the rest.
    """
    if characters is not None:
        maximum = characters
    elif context_tokens is not None:
        maximum = int(context_tokens * rule.share * CHARACTERS_PER_TOKEN)
    else:
        maximum = rule.fallback
    entries: list[ListingEntry] = []
    hidden: list[str] = []
    used = 0
    for file in files:
        if file.kind not in rule.kinds or file.fields.get("disable-model-invocation") is True:
            continue
        text = description_of(file.fields)
        shown = min(len(text), rule.entry_cap) if rule.entry_cap else len(text)
        length = len(file.name) + shown
        used += length
        if used > maximum:
            hidden.append(file.name)
        entries.append(ListingEntry(file.name, file.path, length, len(text) - shown))
    entries.sort(key=lambda entry: (-entry.shown, entry.name))
    return ListingBudget(rule.program, maximum, used, tuple(entries), tuple(hidden))


def description_of(fields: Mapping[str, Any]) -> str:
    """Return what a listing shows of a file: its description, then when to use it."""
    parts = (fields.get("description"), fields.get("when_to_use"))
    return " ".join(part for part in parts if isinstance(part, str) and part)

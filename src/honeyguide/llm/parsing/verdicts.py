"""A judge's reply, read: the numbers it was asked for and what it said, or nothing at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.llm.parsing.json_objects import as_number, pick_object


@dataclass(frozen=True, slots=True)
class ParsedVerdict:
    """What the judge meant.

    Attributes:
        numbers: one for every name that was asked for, as given (not clamped).
        feedback: its sentence, or empty.
        value: the whole object.
    """

    numbers: Mapping[str, float]
    feedback: str
    value: Mapping[str, Any]


def parse_verdict(
    reply: str,
    names: Sequence[str],
    *,
    aliases: Mapping[str, Sequence[str]] | None = None,
    feedback: Sequence[str] = ("feedback",),
    truncated: bool = False,
) -> ParsedVerdict | None:
    """Return the verdict in ``reply``, or ``None`` when it holds none (unscored, never 0).

    Args:
        names: keys that must all be numbers (numbers as text are taken).
        aliases: other spellings of a name; letter case, ``_``, ``-`` and spaces never matter.
        feedback: keys of the sentence; it may be missing.
        truncated: whether the stop reason says that the reply was cut off.
    """
    spellings = {name: {_plain(name), *map(_plain, (aliases or {}).get(name, ()))} for name in names}

    def accept(value: dict[str, Any]) -> ParsedVerdict | None:
        plain = {_plain(key): item for key, item in value.items()}
        numbers: dict[str, float] = {}
        for name, known in spellings.items():
            found = [number for key in known if (number := as_number(plain.get(key))) is not None]
            if len(found) != 1:
                return None
            numbers[name] = found[0]
        said = next((text for key in feedback if isinstance(text := plain.get(_plain(key)), str)), "")
        return ParsedVerdict(numbers, said.strip(), value)

    return pick_object(reply, accept, truncated=truncated)


def _plain(key: str) -> str:
    return "".join(character for character in key.casefold() if character.isalnum())

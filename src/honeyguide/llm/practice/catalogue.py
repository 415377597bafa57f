"""What the practice model can be told to do, and what it knows; read once from the resources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import regex

from honeyguide.kernel.resources import resource

LANGUAGES = ("en", "de", "fr", "es")
REPLY_LANGUAGE = "reply-language"
"""The one behaviour that changes the whole answer instead of adding a line."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Something an answer does, when the prompt says so and the input calls for it.

    Attributes:
        stated: finds the rule in a sentence of a prompt.
        applies: says whether an input calls for it; ``None`` when another rule decides.
        unless: an input that holds this does not call for it.
        says: what the answer then holds, by language, with slots in braces.
        place: ``first``, ``middle`` or ``last`` in the answer.
        shown: finds it in an answer or an expectation.
        complaint: what the judge says when it is missing.
        wordings: ways to write the rule that are understood; ``vague`` is one that is not.
    """

    id: str
    stated: regex.Pattern[str]
    applies: regex.Pattern[str] | None
    unless: regex.Pattern[str] | None
    says: Mapping[str, tuple[str, ...]]
    place: str
    shown: regex.Pattern[str] | None
    complaint: str
    wordings: tuple[str, ...]
    vague: str

    @property
    def is_occasional(self) -> bool:
        """Whether only some messages call for it, so that a model may do it by habit."""
        return self.applies is None or self.applies.pattern != "."


@dataclass(frozen=True, slots=True)
class Topic:
    """Something an input can be about."""

    id: str
    about: regex.Pattern[str]
    guess: str
    answer: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Filler:
    """Words that say nothing, and the rules that forbid or invite them."""

    rule_short: regex.Pattern[str]
    rule_long: regex.Pattern[str]
    sentences: Mapping[str, tuple[str, ...]]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything together."""

    behaviours: tuple[Behaviour, ...]
    topics: tuple[Topic, ...]
    filler: Filler
    unknown: Mapping[str, str]

    def behaviour(self, id: str) -> Behaviour:
        """Return one behaviour. Raises KeyError."""
        for behaviour in self.behaviours:
            if behaviour.id == id:
                return behaviour
        raise KeyError(id)


@cache
def catalogue() -> Catalogue:
    """Read the catalogue that ships with the program."""
    known = json.loads(resource("practice", "behaviours.json").read_text(encoding="utf-8"))
    topics = json.loads(resource("practice", "topics.json").read_text(encoding="utf-8"))
    filler = known["filler"]
    return Catalogue(
        behaviours=tuple(_behaviour(entry) for entry in known["behaviours"]),
        topics=tuple(
            Topic(
                entry["id"],
                regex.compile(entry["about"]),
                entry.get("guess", "an assumption that no longer holds"),
                entry["answer"],
            )
            for entry in topics["topics"]
        ),
        filler=Filler(
            rule_short=regex.compile(filler["rule_short"], regex.IGNORECASE),
            rule_long=regex.compile(filler["rule_long"], regex.IGNORECASE),
            sentences={language: tuple(filler[language]) for language in LANGUAGES},
            rules=tuple(filler["prompt"]),
        ),
        unknown=topics["unknown"],
    )


def _behaviour(entry: Mapping[str, object]) -> Behaviour:
    says = entry.get("says") or {}
    assert isinstance(says, Mapping)
    wordings = entry["wordings"]
    assert isinstance(wordings, list)
    return Behaviour(
        id=str(entry["id"]),
        stated=regex.compile(str(entry["stated"]), regex.IGNORECASE),
        applies=_pattern(entry.get("applies")),
        unless=_pattern(entry.get("unless")),
        says={language: tuple(lines) for language, lines in says.items()},
        place=str(entry.get("place", "middle")),
        shown=_pattern(entry.get("shown")),
        complaint=str(entry["complaint"]),
        wordings=tuple(wordings),
        vague=str(entry["vague"]),
    )


def _pattern(source: object) -> regex.Pattern[str] | None:
    return regex.compile(source) if isinstance(source, str) else None

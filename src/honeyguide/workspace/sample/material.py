"""The hand-written pieces that the sample's conversations are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.kernel.resources import resource
from honeyguide.prompts.targets import TargetKind, TargetRef


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence that a good answer holds, where it stands, and what a person says when it is missing."""

    place: str
    complaint: str
    text: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Situation:
    """What somebody writes about, what the answer says to it, and which parts a good answer needs besides."""

    text: tuple[str, ...]
    body: tuple[str, ...]
    demands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """The pieces in one language."""

    openings: tuple[str, ...]
    situations: tuple[Situation, ...]
    details: tuple[str, ...]
    closings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A conversation that was written whole."""

    input: str
    output: str


@dataclass(frozen=True, slots=True)
class Material:
    """Everything for one target."""

    target: TargetRef
    conversations: int
    always: tuple[str, ...]
    parts: Mapping[str, Part]
    voices: Mapping[str, Voice]
    shares: Mapping[str, int]
    stories: tuple[Story, ...]


def all_material() -> list[Material]:
    """Read the pieces of every target, in the order of their file names."""
    files = sorted(resource("sample", "conversations").glob("*.json"))
    return [_material(json.loads(file.read_text(encoding="utf-8"))) for file in files]


def vocabulary() -> dict[str, list[str]]:
    """Return the words that fill the slots."""
    words: dict[str, list[str]] = json.loads(resource("sample", "vocabulary.json").read_text(encoding="utf-8"))
    return words


def _material(data: Mapping[str, Any]) -> Material:
    return Material(
        target=TargetRef(TargetKind(data["kind"]), data["name"].removeprefix("section-")),
        conversations=data["conversations"],
        always=tuple(data["always"]),
        parts={
            name: Part(part.get("place", "middle"), part["complaint"], {k: tuple(v) for k, v in part["text"].items()})
            for name, part in data["parts"].items()
        },
        voices={name: _voice(voice) for name, voice in data["languages"].items()},
        shares=data["shares"],
        stories=tuple(Story(story["input"], story["output"]) for story in data["handwritten"]),
    )


def _voice(data: Mapping[str, Any]) -> Voice:
    return Voice(
        openings=tuple(data["openings"]),
        situations=tuple(
            Situation(tuple(s["text"]), tuple(s["body"]), tuple(s["demands"])) for s in data["situations"]
        ),
        details=tuple(data["details"]),
        closings=tuple(data["closings"]),
    )

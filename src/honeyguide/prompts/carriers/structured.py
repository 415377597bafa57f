"""JSON, TOML and YAML files: the span is one string inside, named by a JSON pointer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.prompts.carriers import json_strings, toml_strings, yaml_strings
from honeyguide.prompts.carriers.document import CarrierDocument, SpanCodec
from honeyguide.prompts.carriers.encoding import SourceText, decode
from honeyguide.prompts.carriers.findings import CarrierFinding
from honeyguide.prompts.carriers.json_strings import JsonCodec
from honeyguide.prompts.carriers.lines import editable, usual_line_end
from honeyguide.prompts.carriers.repair import remove_mark
from honeyguide.prompts.carriers.selectors import Selector, split_pointer
from honeyguide.prompts.carriers.spans import SpanChoice, choices_in_data, only_primary
from honeyguide.prompts.carriers.toml_strings import TomlCodec
from honeyguide.prompts.carriers.yaml_strings import YamlCodec
from honeyguide.prompts.kinds import FileKind


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    codec: SpanCodec
    tag: str = ""


class StructuredCarrier(ABC):
    """What the three formats share; each says how it loads a text and where its strings stand."""

    syntax: str

    @abstractmethod
    def load(self, text: str) -> Any:
        """Return the value of ``text``. Raises Unreadable."""

    @abstractmethod
    def places(self, text: str) -> Iterable[tuple[str, _Place]]:
        """Yield every string with its pointer."""

    @abstractmethod
    def outline(self, text: str) -> Any:
        """Return a comparable picture of the whole text."""

    def parse(
        self, data: bytes, kind: FileKind, encoding: str | None = None, selector: Selector | None = None
    ) -> CarrierDocument:
        """Open one string of the file. Raises Unreadable, NotFound, InvalidInput (several texts, none chosen)."""
        source = decode(data, encoding)
        value = self.load(source.text)
        selector = selector or only_primary(choices_in_data(value, kind), kind)
        if selector.where != "pointer":
            raise InvalidInput(f"A {self.syntax} file has no {selector}.", hint="Choose pointer:/path/to/string.")
        found = {pointer: place for pointer, place in self.places(source.text) if pointer == selector.path}
        place = found.get(selector.path)
        if place is None:
            raise NotFound(f"The file has no string at {selector.path}.", hint="Look at its keys, or choose another.")
        raw = source.text[place.start : place.end]
        return CarrierDocument(
            kind=kind,
            selector=selector,
            data=data,
            source=source,
            start=place.start,
            end=place.end,
            text=editable(place.codec.decode(raw)),
            frontmatter=None,
            body_start=0,
            findings=tuple(_findings(source, data, self.syntax)),
            codec=place.codec,
            surroundings=(place.tag, _without(self.outline(source.text), split_pointer(selector.path))),
            reopen=lambda again: self.parse(again, kind, encoding, selector),
        )

    def choices(self, text: str, kind: FileKind) -> tuple[SpanChoice, ...]:
        """Return the strings that this kind of file is about."""
        return choices_in_data(self.load(text), kind)


class JsonCarrier(StructuredCarrier):
    """JSON (RFC 8259); the span stands between the quotes."""

    syntax = "JSON"

    def load(self, text: str) -> Any:
        return json_strings.load(text)

    def places(self, text: str) -> Iterable[tuple[str, _Place]]:
        codec = JsonCodec(json_strings.uses_ascii_only(text))
        for place in json_strings.string_places(text):
            cut = json_strings.trailing_line_ends(text[place.start : place.end])
            yield place.pointer, _Place(place.start, place.end - cut, codec)

    def outline(self, text: str) -> Any:
        return json_strings.outline(text)


class TomlCarrier(StructuredCarrier):
    """TOML 1.0; the span is the string with its quotes."""

    syntax = "TOML"

    def load(self, text: str) -> Any:
        return toml_strings.load(text)

    def places(self, text: str) -> Iterable[tuple[str, _Place]]:
        ends = usual_line_end(text)
        for place in toml_strings.string_places(text):
            yield place.pointer, _Place(place.start, place.end, TomlCodec(ends))

    def outline(self, text: str) -> Any:
        return toml_strings.outline(text)


class YamlCarrier(StructuredCarrier):
    """YAML; the span is the scalar with its quotes or block header."""

    syntax = "YAML"

    def load(self, text: str) -> Any:
        return yaml_strings.plain_value(yaml_strings.compose(text))

    def places(self, text: str) -> Iterable[tuple[str, _Place]]:
        ends = usual_line_end(text)
        for scalar in yaml_strings.scalars(text, yaml_strings.compose(text)):
            yield scalar.pointer, _Place(scalar.start, scalar.end, YamlCodec(scalar, ends), scalar.tag)

    def outline(self, text: str) -> Any:
        return yaml_strings.plain_value(yaml_strings.compose(text))


JSON_CARRIER, TOML_CARRIER, YAML_CARRIER = JsonCarrier(), TomlCarrier(), YamlCarrier()


def _findings(source: SourceText, data: bytes, syntax: str) -> Iterable[CarrierFinding]:
    if source.mark:
        message = f"The {syntax} begins with an invisible byte order mark."
        fix = remove_mark(source, data) if source.encoding == "utf-8" else None
        yield CarrierFinding("warning", "bom", 1, message, f"Strict {syntax} readers refuse the file.", fix)


class _Hole:
    """Stands where the editable string is, so that two pictures can be compared without it."""


_HOLE = _Hole()


def _without(picture: Any, steps: list[str]) -> Any:
    """Return ``picture`` with a hole at the path; a tuple is a JSON object as pairs, whose last key counts."""
    if not steps:
        return _HOLE
    step, rest = steps[0], steps[1:]
    if isinstance(picture, dict):
        return {key: _without(value, rest) if key == step else value for key, value in picture.items()}
    if isinstance(picture, list):
        return [_without(value, rest) if str(index) == step else value for index, value in enumerate(picture)]
    if isinstance(picture, tuple):
        last = max((index for index, (key, _) in enumerate(picture) if key == step), default=-1)
        return tuple(
            (key, _without(value, rest) if index == last else value) for index, (key, value) in enumerate(picture)
        )
    return picture

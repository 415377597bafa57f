"""Opens a prompt file of any kind: bytes in, a `CarrierDocument` out."""

from __future__ import annotations

from typing import Protocol

from honeyguide.prompts.carriers.document import CarrierDocument
from honeyguide.prompts.carriers.encoding import decode
from honeyguide.prompts.carriers.selectors import Selector
from honeyguide.prompts.carriers.spans import SpanChoice
from honeyguide.prompts.carriers.structured import JSON_CARRIER, TOML_CARRIER, YAML_CARRIER
from honeyguide.prompts.carriers.text_files import TEXT_CARRIER
from honeyguide.prompts.kinds import Container, FileKind, profile


class Carrier(Protocol):
    """What a container format must be able to do."""

    def parse(
        self, data: bytes, kind: FileKind, encoding: str | None = None, selector: Selector | None = None
    ) -> CarrierDocument:
        """Open a file on one of its texts; on its only primary one when ``selector`` is ``None``."""
        ...

    def choices(self, text: str, kind: FileKind) -> tuple[SpanChoice, ...]:
        """Return the texts that a decoded file offers."""
        ...


_CARRIERS: dict[Container, Carrier] = {
    Container.TEXT: TEXT_CARRIER,
    Container.JSON: JSON_CARRIER,
    Container.TOML: TOML_CARRIER,
    Container.YAML: YAML_CARRIER,
}


def carrier_for(kind: FileKind) -> Carrier:
    """Return the carrier of a kind of file."""
    return _CARRIERS[profile(kind).container]


def parse(
    data: bytes, kind: FileKind, encoding: str | None = None, selector: Selector | None = None
) -> CarrierDocument:
    """Open a prompt file.

    Args:
        data: the file.
        kind: what sort of file it is; `places.kind_of` knows by its path.
        encoding: the code page a person named for a file that is neither UTF-8 nor marked.
        selector: which of its texts; the only primary one when not given.

    Raises:
        Unreadable: not text in that encoding, or the JSON, TOML or YAML is broken.
        NotFound: the file has no such text.
        InvalidInput: the file holds several texts and none was chosen; ``details["choices"]`` lists them.
    """
    return carrier_for(kind).parse(data, kind, encoding, selector)


def choices(data: bytes, kind: FileKind, encoding: str | None = None) -> tuple[SpanChoice, ...]:
    """Return the texts that a file offers. Raises Unreadable."""
    return carrier_for(kind).choices(decode(data, encoding).text, kind)

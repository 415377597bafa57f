"""Which part of a file is the text that can evolve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from honeyguide.kernel.errors import InvalidInput

Where = Literal["body", "field", "pointer"]


@dataclass(frozen=True, slots=True)
class Selector:
    """The body, one top-level frontmatter value, or one string inside JSON, TOML or YAML.

    Written ``body``, ``field:description`` or ``pointer:/tools/0/description`` (a JSON pointer, RFC 6901).
    """

    where: Where
    path: str = ""

    def __str__(self) -> str:
        return f"{self.where}:{self.path}" if self.path else self.where

    @classmethod
    def read(cls, text: str) -> Selector:
        """Read what ``str()`` writes. Raises InvalidInput."""
        where, _, path = text.partition(":")
        if where == "body" and not path:
            return BODY
        if where == "field" and path:
            return cls("field", path)
        if where == "pointer" and path.startswith("/"):
            return cls("pointer", path)
        raise InvalidInput(
            f"{text!r} does not name a part of a file.",
            hint="Write body, field:NAME, or pointer:/path/to/string.",
        )


BODY = Selector("body")


def field(name: str) -> Selector:
    """Return the selector of a frontmatter value."""
    return Selector("field", name)


def pointer(path: str) -> Selector:
    """Return the selector of a string at a JSON pointer."""
    return Selector("pointer", path)


def join_pointer(*steps: str | int) -> str:
    """Return the JSON pointer of ``steps``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def split_pointer(path: str) -> list[str]:
    """Return the steps of a JSON pointer. Raises InvalidInput."""
    if not path.startswith("/"):
        raise InvalidInput(f"{path!r} is not a JSON pointer.", hint="It starts with a slash, e.g. /prompt.")
    return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]

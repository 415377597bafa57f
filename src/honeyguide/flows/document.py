"""A flow file: what stands before the prompt, the prompt, and the one way to replace it.

A flow is UTF-8 text. Before the prompt may stand a byte order mark, a ``#!`` line and a YAML block between two lines of
``---``; all of that, with the blank lines behind it, is the *prefix*. A new prompt never changes a byte of the prefix.
The program that runs a flow and the one that changes it split it here, so they cannot disagree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput, Unreadable

MAX_FLOW_BYTES: Final = 4 * 1024 * 1024
MAX_VALUES: Final = 10_000
"""Values in a frontmatter, those of aliases counted each time."""
_SHEBANG = re.compile(r"#![^\r\n]*(?:\r\n|\n|\r|\Z)")
_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n)")
_CLOSING = re.compile(r"^---[ \t]*(?=\r?\n|\r?\Z)", re.MULTILINE)
_BLANK = re.compile(r"\r?\n")
_LINE_END = re.compile(r"\r\n|\n")


@dataclass(frozen=True)
class FlowDocument:
    """A flow, split.

    Attributes:
        prefix: everything before the prompt, byte for byte.
        yaml: the text between the two fences; ``None`` when there is no frontmatter.
        body: the prompt.
    """

    prefix: str
    yaml: str | None
    body: str

    @property
    def text(self) -> str:
        """The whole file."""
        return self.prefix + self.body

    @property
    def data(self) -> bytes:
        """The whole file's bytes."""
        return self.text.encode("utf-8")

    @property
    def sha256(self) -> str:
        """SHA-256 of the file's bytes."""
        return sha256_hex(self.data)

    @property
    def line_end(self) -> str:
        """CRLF if the file has any, else LF."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The frontmatter's values; empty when there is none. Raises InvalidInput, with the line."""
        if self.yaml is None:
            return {}
        before = self.prefix[: self.prefix.rindex(self.yaml + "---")] if self.yaml else self.prefix
        return _fields(self.yaml, before.count("\n"))

    @property
    def prompt(self) -> str:
        """The prompt as it is run: without outer white space where a frontmatter stands before it."""
        return self.body.strip().strip("\ufeff").strip() if self.yaml is not None else self.body

    @property
    def is_workflow(self) -> bool:
        """Whether it is a list of steps rather than one prompt."""
        return isinstance(self.fields.get("_steps"), list)

    def with_body(self, body: str) -> FlowDocument:
        """Return the flow with another prompt.

        The prefix stays byte for byte; line ends become the file's; the file ends with a line end exactly if it did
        before. Spaces at the end of a line stay, for two of them are a line break in markdown.
        """
        end = self.line_end
        text = _LINE_END.sub("\n", body).rstrip("\n")
        text = text.replace("\n", end)
        ends_with_newline = self.text.endswith("\n")
        return FlowDocument(self.prefix, self.yaml, text + (end if ends_with_newline else ""))


def parse_flow(data: bytes | str, name: str = "The flow") -> FlowDocument:
    """Split a flow. Raises Unreadable for what is no UTF-8 text."""
    if isinstance(data, bytes):
        if len(data) > MAX_FLOW_BYTES:
            raise Unreadable(f"{name} is larger than {MAX_FLOW_BYTES // 1024**2} MiB and no prompt.")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unreadable(f"{name} is not UTF-8 text (byte {error.start}).", hint="Save it as UTF-8.") from error
    else:
        text = data
    start = 1 if text.startswith("\ufeff") else 0
    if shebang := _SHEBANG.match(text, start):
        start = shebang.end()
    opening = _OPENING.match(text, start)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return FlowDocument(text[:start], None, text[start:])
    end = closing.end()
    while blank := _BLANK.match(text, end):
        end = blank.end()
    return FlowDocument(text[:end], text[opening.end() : closing.start()], text[end:])


def _fields(text: str, lines_before: int) -> Mapping[str, Any]:
    loader = YAML(typ="safe", pure=True)
    try:
        value = loader.load(text)
        _require_small(value)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = lines_before + mark.line + 1 if mark else lines_before + 1
        raise InvalidInput(
            f"Line {line}: the frontmatter is no YAML: {error.problem or error.context}.", hint="Correct it.",
            details={"line": line},
        ) from error  # fmt: skip
    except (YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise InvalidInput(f"The frontmatter is no YAML: {str(error).splitlines()[0][:160]}.") from error
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput("The frontmatter must be keys and values.", hint="Write 'engine: claude', for example.")
    return {str(key): item for key, item in value.items()}


def _require_small(value: Any) -> None:
    waiting, count = [value], 0
    while waiting:
        item = waiting.pop()
        count += 1
        if count > MAX_VALUES:
            raise ValueError("it holds too many values")
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple | set):
            waiting.extend(item)

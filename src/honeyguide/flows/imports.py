"""What a prompt pulls in or runs: files, globs, symbols, URLs, providers, inline commands, executable fences.

Only what stands in prose counts; inside code (CommonMark: fenced, indented, inline) the same characters are text.
HTML comments are prose here. Recognition is the same for running a flow and for listing its capabilities.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token

from honeyguide.kernel.canonical import sha256_hex


class ActionKind(StrEnum):
    """What an action does."""

    FILE = "file"
    GLOB = "glob"
    SYMBOL = "symbol"
    URL = "url"
    PROVIDER = "provider"
    COMMAND = "command"
    FENCE = "executable"


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    Attributes:
        start, end: where it stands in the text.
        value: path, pattern, URL, provider, command or code.
        argument: the provider's argument, the symbol's name, or the fence's ``#!`` line.
        lines: (first, last) of a file, counted from 1, where only a part of it is taken.
    """

    kind: ActionKind
    start: int
    end: int
    value: str
    argument: str = ""
    lines: tuple[int, int] | None = None

    @property
    def entries(self) -> tuple[str, ...]:
        """How it stands in a list of capabilities."""
        return tuple(_entries(self))


_LINE = re.compile(r"\r\n|\n|\r")
_FILE = re.compile(r"@(~?[./]\S+)")
_URL = re.compile(r"@(https?://\S+)")
_PROVIDER = re.compile(r"@(?:(git:(?:diff|staged|status))\b|(git:log)\((\d+)\)|(tree)\b|(rg):(\S+))", re.ASCII)
_SYMBOL = re.compile(r"(.*)#([A-Za-z_$][\w$]*)", re.DOTALL)
_RANGE = re.compile(r"(.*):(\d+)-(\d+)", re.DOTALL)
_RUN = re.compile(r"`+")
_MARKDOWN = re.compile(r"\.(?:md|mdown)\Z", re.IGNORECASE)
_FENCE = re.compile(r"(`{3,})([^\n\r`]*)\n(#![^\n\r]*)\n(.*?)\n?[ \t]*\1`*[ \t]*\Z", re.DOTALL)


def find_actions(text: str) -> list[Action]:
    """Return all actions of a text, in order."""
    blocks, spans = code_ranges(text)
    unsafe = _merged_ranges([*blocks, *spans])
    starts = [start for start, _ in unsafe]

    def is_prose(index: int) -> bool:
        n = bisect_right(starts, index) - 1
        return n < 0 or index >= unsafe[n][1]

    found = [*_files(text), *_urls(text), *_providers(text), *_commands(text)]
    actions = [action for action in found if is_prose(action.start)]
    actions += _fences(text, blocks)
    return sorted(actions, key=lambda action: (action.start, action.kind))


def code_ranges(text: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the ranges of code blocks and of code spans, half open, in order."""
    starts = [0, *(match.end() for match in _LINE.finditer(text)), len(text)]
    blocks: list[tuple[int, int]] = []
    spans: list[tuple[int, int]] = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.map is None:
            continue
        if token.type in ("fence", "code_block"):
            blocks.append(_block(text, token, starts))
        elif token.type == "inline":
            spans.extend(_spans(text, token, starts))
    return sorted(blocks), sorted(spans)


def prose_ranges(text: str) -> list[tuple[int, int]]:
    """Return the ranges that are not code, in order."""
    blocks, spans = code_ranges(text)
    position, found = 0, []
    for start, end in _merged_ranges([*blocks, *spans]):
        if start > position:
            found.append((position, start))
        position = end
    if position < len(text):
        found.append((position, len(text)))
    return found


def sorted_as_utf16(entries: Iterable[str]) -> list[str]:
    """Sort as the other tool does: by UTF-16 code units."""
    return sorted(entries, key=lambda entry: entry.encode("utf-16-be", "surrogatepass"))


def _entries(action: Action) -> Iterator[str]:
    if action.kind is ActionKind.COMMAND:
        yield f"command:{action.value.strip()}"
    elif action.kind is ActionKind.FENCE:
        yield f"executable:{action.argument}:{sha256_hex(action.value.strip())}"
    elif action.kind is ActionKind.PROVIDER:
        yield f"provider:{action.value}:{action.argument}"
    elif action.kind is ActionKind.SYMBOL:
        yield f"symbol:{action.value}#{action.argument}"
    elif action.kind is ActionKind.FILE:
        yield f"file:{_reach(action.value)}:{action.value}{':flow' if _MARKDOWN.search(action.value) else ''}"
    else:
        yield f"{action.kind}:{action.value}"


def _reach(path: str) -> str:
    if path.startswith("/"):
        return "absolute"
    return "parent" if ".." in path.split("/") else "local"


def _files(text: str) -> Iterator[Action]:
    for match in _FILE.finditer(text):
        path = match[1]
        if any(mark in path for mark in "*?["):
            yield Action(ActionKind.GLOB, match.start(), match.end(), path)
        elif symbol := _SYMBOL.fullmatch(path):
            yield Action(ActionKind.SYMBOL, match.start(), match.end(), symbol[1], symbol[2])
        elif part := _RANGE.fullmatch(path):
            lines = (int(part[2][:9]), int(part[3][:9]))
            yield Action(ActionKind.FILE, match.start(), match.end(), part[1], lines=lines)
        else:
            yield Action(ActionKind.FILE, match.start(), match.end(), path)


def _urls(text: str) -> Iterator[Action]:
    for match in _URL.finditer(text):
        yield Action(ActionKind.URL, match.start(), match.end(), match[1])


def _providers(text: str) -> Iterator[Action]:
    for match in _PROVIDER.finditer(text):
        name = match[1] or match[2] or match[4] or match[5]
        yield Action(ActionKind.PROVIDER, match.start(), match.end(), name, match[3] or match[6] or "")


def _commands(text: str) -> Iterator[Action]:
    """Find ``!`` before a run of backticks, up to the next run of the same length."""
    runs = [(match.start(), match.end()) for match in _RUN.finditer(text)]
    by_length: dict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        by_length[end - start].append(start)
    past = 0
    for start, end in runs:
        if start < past or start == 0 or text[start - 1] != "!":
            continue
        same = by_length[end - start]
        n = bisect_right(same, start)
        if n < len(same) and same[n] > end:
            past = same[n] + (end - start)
            yield Action(ActionKind.COMMAND, start - 1, past, text[end : same[n]])


def _fences(text: str, blocks: Sequence[tuple[int, int]]) -> Iterator[Action]:
    for start, end in blocks:
        at_margin = start == 0 or text[start - 1] == "\n"
        if not at_margin or not text.startswith("```", start):
            continue
        if match := _FENCE.fullmatch(text, start, end):
            yield Action(ActionKind.FENCE, start, end, match[4].strip(), match[3])


def _block(text: str, token: Token, starts: Sequence[int]) -> tuple[int, int]:
    assert token.map is not None
    first, last = token.map
    start = starts[first]
    if token.type == "fence":
        found = text.find(token.markup[:3], start, starts[min(first + 1, len(starts) - 1)])
        start = found if found >= 0 else start
    end = starts[min(last, len(starts) - 1)]
    while end > start and text[end - 1] in "\r\n":
        end -= 1
    return start, end


def _spans(text: str, token: Token, starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Find code spans: a run of backticks up to the next one of its length; a backslash before it unmakes one.

    An HTML tag or an autolink that begins earlier takes the backticks inside it.
    """
    assert token.map is not None
    places = _content_places(text, token, starts)
    content = token.content
    runs = [(match.start(), match.end()) for match in _RUN.finditer(content)]
    by_length: dict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        by_length[end - start].append(start)
    past = 0
    tags = [(m.start(), m.end()) for m in _TAG.finditer(content)] if "<" in content else []
    for start, end in runs:
        if start < past or _is_escaped(content, start, past):
            if start >= past and end - start > 1:  # the first backtick is escaped: the rest is a run of its own
                start += 1
            else:
                continue
        if any(tag_start < start < tag_end for tag_start, tag_end in tags):
            continue
        same = by_length[end - start]
        n = bisect_right(same, end - 1)
        if n < len(same):
            past = same[n] + (end - start)
            yield places[start], places[past - 1] + 1


_TAG = re.compile(
    r"<(?:/?[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?"
    r"|[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*)>"
)


def _is_escaped(content: str, index: int, least: int) -> bool:
    count = 0
    while index - count - 1 >= least and content[index - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _content_places(text: str, token: Token, starts: Sequence[int]) -> list[int]:
    """Return where each character of an inline token's content stands in the text."""
    assert token.map is not None
    places: list[int] = []
    line = token.map[0]
    for n, piece in enumerate(token.content.split("\n")):
        at = starts[min(line + n, len(starts) - 1)]
        after = starts[min(line + n + 1, len(starts) - 1)]
        found = text.rfind(piece, at, after) if piece else at
        start = found if found >= 0 else at
        places.extend(range(start, start + len(piece)))
        places.append(start + len(piece))
    return places


def _merged_ranges(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged

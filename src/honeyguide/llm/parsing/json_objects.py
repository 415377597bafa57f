"""JSON objects inside replies: fenced or not, between sentences, several of them, with slips that have one meaning.

Fences are not looked at: an object is found by its braces, so a fence inside one of its strings harms nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from honeyguide.llm.parsing.reasoning import CLOSING, OPENING

T = TypeVar("T")
MAX_REPLY = 1_000_000
"""Characters that are searched; the rest of a longer reply is not looked at."""
MAX_STARTS = 2_000
"""Opening braces that are tried."""
MAX_REPAIR = 50_000
"""Characters of an object that is mended."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """One whole object and where it stood."""

    value: dict[str, Any]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JsonScan:
    """What a reply holds.

    Attributes:
        objects: whole objects outside any reasoning, in order; those inside others are part of them.
        is_cut: whether the text ends inside an object, or inside reasoning.
    """

    objects: tuple[FoundObject, ...]
    is_cut: bool


def scan_json(reply: str) -> JsonScan:
    """Find the objects of a reply."""
    text = reply[:MAX_REPLY]
    objects: list[FoundObject] = []
    is_cut = False
    position = starts = 0
    while (start := text.find("{", position)) >= 0 and starts < MAX_STARTS:
        starts += 1
        value, end, cut = _object_at(text, start)
        if value is not None:
            objects.append(FoundObject(value, start, end))
            position = end
        elif cut:
            is_cut = True
            break
        else:
            position = start + 1
    return _outside_reasoning(text, objects, is_cut)


def pick_object(reply: str, accept: Callable[[dict[str, Any]], T | None], *, truncated: bool = False) -> T | None:
    """Return what ``accept`` makes of the last whole object that it accepts, or ``None``: never a guess.

    An object may stand inside another one. When the text ends inside an object, the reply was cut off while its
    last word was being said, and nothing before it counts.

    Args:
        truncated: whether the stop reason says that the reply was cut off; then an object counts only if the reply
            holds nothing but one.
    """
    scan = scan_json(reply)
    if scan.is_cut:
        return None
    accepted = [made for found in scan.objects if (made := _accepted(found.value, accept)) is not None]
    if not accepted or (truncated and len(accepted) > 1):
        return None
    return accepted[-1]


def as_number(value: Any) -> float | None:
    """Read a number, also one given as text (``"8"``, ``"8/10"``, ``"8 out of 10"``); never a yes or no."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _finite(value)
    if isinstance(value, str) and (found := _NUMBER_TEXT.fullmatch(value.strip())):
        return _finite(float(found.group(1).replace(",", ".")))
    return None


_NUMBER_TEXT = re.compile(r"([+-]?\d{1,15}(?:[.,]\d{1,15})?)(?:\s*(?:/|out of)\s*10)?", re.IGNORECASE)


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _accepted(value: dict[str, Any], accept: Callable[[dict[str, Any]], T | None]) -> T | None:
    if (made := accept(value)) is not None:
        return made
    for inner in reversed(list(_inner_objects(value))):
        if (made := accept(inner)) is not None:
            return made
    return None


def _inner_objects(value: Any) -> Iterator[dict[str, Any]]:
    pending = [value]
    while pending:
        current = pending.pop(0)
        children = current.values() if isinstance(current, dict) else current
        for child in children:
            if isinstance(child, dict):
                yield child
            if isinstance(child, dict | list):
                pending.append(child)


def _object_at(text: str, start: int) -> tuple[dict[str, Any] | None, int, bool]:
    """The object at ``start`` and its end; else whether the text ended before the object did."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if _ran_out(text, error):
            return None, start, True
        near = text[max(start, error.pos - 200) : error.pos + 1].rstrip("}] \t\r\n")
        return _repaired(text, start) if near.endswith(",") else (None, start, False)
    except (ValueError, RecursionError):
        return None, start, False
    return value, end, False


def _ran_out(text: str, error: json.JSONDecodeError) -> bool:
    return error.msg.startswith("Unterminated string") or not text[error.pos :].strip()


def _repaired(text: str, start: int) -> tuple[dict[str, Any] | None, int, bool]:
    """Try again without commas before a closing bracket, the one slip with only one meaning."""
    end = _balanced_end(text, start)
    if end is None:
        return None, start, False
    piece = text[start:end]
    mended = _STRING_OR_COMMA.sub(lambda m: m.group(1) or m.group(2), piece)
    if mended == piece:
        return None, start, False
    try:
        value, used = _DECODER.raw_decode(mended)
    except (ValueError, RecursionError):
        return None, start, False
    return (value, end, False) if used == len(mended) else (None, start, False)


_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])', re.DOTALL)


def _balanced_end(text: str, start: int) -> int | None:
    depth = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}]', text[start : start + MAX_REPAIR], re.DOTALL):
        if found.group() == "{":
            depth += 1
        elif found.group() == "}":
            depth -= 1
            if depth == 0:
                return start + found.end()
    return None


def _outside_reasoning(text: str, objects: list[FoundObject], is_cut: bool) -> JsonScan:
    def outside(position: int) -> bool:
        is_quoted = position > 0 and text[position - 1] in "`'\""
        return not is_quoted and not any(found.start <= position < found.end for found in objects)

    tags = [(m.start(), True) for m in OPENING.finditer(text)] + [(m.start(), False) for m in CLOSING.finditer(text)]
    answer_from = 0
    open_since: int | None = None
    for position, is_opening in sorted(tags):
        if not outside(position):
            continue
        if is_opening:
            open_since = position if open_since is None else open_since
        else:
            answer_from, open_since = position, None
    answer_until = len(text) if open_since is None else open_since
    kept = tuple(found for found in objects if answer_from <= found.start < answer_until)
    return JsonScan(kept, is_cut or (open_since is not None and not kept))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise ValueError(f"the key {key!r} stands twice with different values")
        made[key] = value
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_unique, parse_constant=_no_constant)

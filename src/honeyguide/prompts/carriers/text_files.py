"""Text files with or without frontmatter: skills, subagents, commands, rules, instruction files, prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.prompts.carriers import frontmatter as fm
from honeyguide.prompts.carriers import repair
from honeyguide.prompts.carriers.document import CarrierDocument, SpanCodec
from honeyguide.prompts.carriers.encoding import SourceText, decode
from honeyguide.prompts.carriers.findings import CarrierFinding
from honeyguide.prompts.carriers.frontmatter import Frontmatter
from honeyguide.prompts.carriers.lines import LineCodec, editable, line_number, usual_line_end
from honeyguide.prompts.carriers.selectors import BODY, Selector
from honeyguide.prompts.carriers.spans import SpanChoice, choices_in_text
from honeyguide.prompts.carriers.yaml_strings import YamlCodec
from honeyguide.prompts.kinds import FileKind, FrontmatterRule, profile

_HIDES_BLOCK = "Programs that do not expect it see no frontmatter: every field is lost, allowed tools included."
_DROPS_FIELDS = "The program that loads this file may drop every field without a word, allowed tools included."


class TextCarrier:
    """A text file: the span is its body, or one top-level frontmatter value."""

    def parse(
        self, data: bytes, kind: FileKind, encoding: str | None = None, selector: Selector | None = None
    ) -> CarrierDocument:
        """Open a text file. Raises Unreadable, NotFound (no such field), InvalidInput (a pointer into text)."""
        source = decode(data, encoding)
        rule = profile(kind).frontmatter
        block = None if rule is FrontmatterRule.NONE else fm.read(source.text, loose=rule is FrontmatterRule.LOOSE)
        selector = selector or BODY
        body_start = block.body if block else 0
        codec: SpanCodec
        surroundings: object
        if selector.where == "body":
            start, end = body_start, _without_line_ends(source.text, body_start)
            codec = LineCodec(usual_line_end(source.text))
            surroundings = source.text[:body_start].rstrip("\r\n")
        elif selector.where == "field":
            start, end, codec = _field(block, selector, usual_line_end(source.text))
            surroundings = (_other_values(block, selector.path), source.text[body_start:])
        else:
            raise InvalidInput("A text file has no pointers inside.", hint="Choose body or field:NAME.")
        return CarrierDocument(
            kind=kind,
            selector=selector,
            data=data,
            source=source,
            start=start,
            end=end,
            text=editable(codec.decode(source.text[start:end])),
            frontmatter=block,
            body_start=body_start,
            findings=tuple(_findings(source, data, block, rule)),
            codec=codec,
            surroundings=surroundings,
            reopen=lambda again: self.parse(again, kind, encoding, selector),
        )

    def choices(self, text: str, kind: FileKind) -> tuple[SpanChoice, ...]:
        """Return the body and the prose fields."""
        rule = profile(kind).frontmatter
        block = None if rule is FrontmatterRule.NONE else fm.read(text, loose=rule is FrontmatterRule.LOOSE)
        return choices_in_text(block.values if block else {})


TEXT_CARRIER = TextCarrier()


class _LooseCodec:
    """A value read to the end of its line, with its quotes if it has some."""

    def decode(self, raw: str) -> str:
        return raw[1:-1] if self._is_quoted(raw) else raw

    def spellings(self, new: str, raw: str) -> Iterator[str]:
        if self._is_quoted(raw):
            yield raw[0] + new + raw[0]
        yield new

    @staticmethod
    def _is_quoted(raw: str) -> bool:
        return len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "'\""


def _field(block: Frontmatter | None, selector: Selector, line_end: str) -> tuple[int, int, SpanCodec]:
    if block is None:
        raise NotFound(f"This file has no frontmatter, so no {selector.path!r}.")
    if block.problem is not None:
        raise block.problem
    scalar = block.scalars.get(selector.path)
    if scalar is None:
        raise NotFound(
            f"The frontmatter has no text {selector.path!r}.", hint=f"It has: {', '.join(block.values) or 'nothing'}."
        )
    codec = _LooseCodec() if scalar.tag == "loose" else YamlCodec(scalar, line_end)
    return scalar.start, scalar.end, codec


def _other_values(block: Frontmatter | None, key: str) -> object:
    """Return a comparable picture of a block without the value of ``key``."""
    if block is None:
        return None
    others = {name: value for name, value in block.values.items() if name != key}
    kind = block.scalars[key].tag == "tag:yaml.org,2002:str" if key in block.scalars else None
    return (list(block.values), others, block.repeated, kind)


def _without_line_ends(text: str, start: int) -> int:
    return max(start, len(text.rstrip("\r\n")))


def _findings(
    source: SourceText, data: bytes, block: Frontmatter | None, rule: FrontmatterRule
) -> Iterator[CarrierFinding]:
    text = source.text
    if source.mark and block is not None:
        fix = repair.remove_mark(source, data) if source.encoding == "utf-8" else None
        message = "An invisible byte order mark stands before the frontmatter."
        yield CarrierFinding("warning", "bom", 1, message, _HIDES_BLOCK, fix)
    elif source.mark:
        message = "The file begins with an invisible byte order mark."
        fix = repair.remove_mark(source, data) if source.encoding == "utf-8" else None
        yield CarrierFinding("info", "bom", 1, message, "Some programs show it or trip over it.", fix)
    if rule is FrontmatterRule.NONE:
        return
    if block is None:
        yield from _missing_block(source, data, rule)
    elif block.problem is not None:
        offset = block.start + _offset_of_line(text[block.start :], block.problem.line)
        fix = repair.repair_yaml(source, data, block)
        line = fix.line if fix else line_number(text, min(offset, max(block.start, block.end - 1)))
        spelled = fix.before if fix else ""
        message = repair.explain(block.problem, spelled)
        yield CarrierFinding("error", "frontmatter-broken", line, message, _DROPS_FIELDS, fix)
    elif not block.is_mapping:
        message = "The frontmatter holds no keys and values."
        yield CarrierFinding("error", "frontmatter-not-a-map", 2, message, _DROPS_FIELDS)
    else:
        first = line_number(text, block.start)
        for key, line in block.repeated:
            message = f"The key {key!r} stands twice in the frontmatter."
            yield CarrierFinding(
                "warning", "frontmatter-repeated-key", first + line, message, "Programs differ in which one they take."
            )
        yield from _cut_by_comment(source, block)


def _missing_block(source: SourceText, data: bytes, rule: FrontmatterRule) -> Iterator[CarrierFinding]:
    if fm.looks_unclosed(source.text):
        message = "The frontmatter opens with --- and is never closed."
        fix = repair.close_block(source, data)
        yield CarrierFinding("error", "frontmatter-unclosed", 1, message, _DROPS_FIELDS, fix)
    elif fm.locate(source.text.lstrip()) and fm.KEY_LINE.match(source.text.lstrip().partition("\n")[2]):
        message = "Blank lines stand before the frontmatter; it counts only at the very top."
        fix = repair.remove_leading_blank(source, data)
        yield CarrierFinding("error", "frontmatter-not-first", 1, message, _HIDES_BLOCK, fix)
    elif rule is FrontmatterRule.REQUIRED:
        message = "The file has no frontmatter."
        yield CarrierFinding("error", "frontmatter-missing", 1, message, "The program needs it to find and name it.")


def _cut_by_comment(source: SourceText, block: Frontmatter) -> Iterator[CarrierFinding]:
    """Find an unquoted description that ends at `` #``: YAML takes the rest for a comment."""
    scalar = block.scalars.get("description")
    if scalar is None or scalar.style != "" or scalar.tag == "loose":
        return
    rest = re.match(r"[ \t]+#[^\r\n]*", source.text[scalar.end :])
    if rest:
        message = f"The description ends before {rest.group().strip()[:40]!r}: YAML takes that for a comment."
        line = line_number(source.text, scalar.end)
        yield CarrierFinding(
            "warning", "frontmatter-comment", line, message, "The rest is lost, unless it was meant so."
        )


def _offset_of_line(text: str, line: int) -> int:
    ends = [m.end() for m in re.finditer(r"\r\n|\n|\r", text)]
    return ends[min(line, len(ends)) - 1] if line > 0 and ends else 0

"""One-line fixes for broken frontmatter: each is tried, and offered only if the block can be read afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator

from honeyguide.prompts.carriers import frontmatter as fm
from honeyguide.prompts.carriers import yaml_strings
from honeyguide.prompts.carriers.encoding import SourceText
from honeyguide.prompts.carriers.frontmatter import Frontmatter
from honeyguide.prompts.carriers.lines import line_number, usual_line_end
from honeyguide.prompts.carriers.yaml_strings import YamlProblem
from honeyguide.prompts.fixes import SafeFix

_LINE = re.compile(r"[^\r\n]*")
_ENTRY = re.compile(r"(\s*)([A-Za-z_$][\w$.-]*):(\s*)(.*?)([ \t]*)$")


def repair_yaml(source: SourceText, data: bytes, block: Frontmatter) -> SafeFix | None:
    """Return a fix that changes one line of a broken block so that it reads, or ``None``."""
    if block.problem is None:
        return None
    inner = source.text[block.start : block.end]
    starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", inner))]
    for number in _suspects(block.problem, len(starts)):
        start = starts[number]
        match = _LINE.match(inner, start)
        line = match.group() if match else ""
        for title, better in _better_lines(line):
            repaired = inner[:start] + better + inner[start + len(line) :]
            if better != line and _reads(repaired) and _keeps_keys(repaired):
                at = block.start + start
                return SafeFix.of(
                    data,
                    source.splice(at, at + len(line), better),
                    title=title,
                    line=line_number(source.text, at),
                    before=line,
                    after=better,
                )
    return None


def close_block(source: SourceText, data: bytes) -> SafeFix | None:
    """Return a fix that adds the missing closing ``---`` after the last ``key: value`` line, or ``None``."""
    text = source.text
    end = usual_line_end(text)
    lines = text.splitlines(keepends=True)
    offset, count = len(lines[0]), 1
    for line in lines[1:]:
        if not (fm.KEY_LINE.match(line) or re.match(r"[ \t]+\S|#", line)):
            break
        offset += len(line)
        count += 1
    inner = text[len(lines[0]) : offset]
    if count == 1 or not _reads(inner):
        return None
    lead = "" if inner.endswith(("\n", "\r")) else end
    return SafeFix.of(
        data,
        source.splice(offset, offset, f"{lead}---{end}"),
        title="Close the frontmatter",
        line=count + 1,
        before="",
        after="---",
    )


def remove_mark(source: SourceText, data: bytes) -> SafeFix:
    """Return a fix that removes a UTF-8 byte order mark."""
    return SafeFix.of(
        data, data[len(source.mark) :], title="Remove the byte order mark", line=1, before="\ufeff", after=""
    )


def remove_leading_blank(source: SourceText, data: bytes) -> SafeFix | None:
    """Return a fix that removes one blank line before the opening ``---``, or ``None``."""
    match = re.match(r"[ \t]*(?:\r\n|\n|\r)(?=---)", source.text)
    if match is None or fm.locate(source.text[match.end() :]) is None:
        return None
    return SafeFix.of(
        data,
        source.splice(0, match.end(), ""),
        title="Remove the blank line before the frontmatter",
        line=1,
        before=match.group().rstrip("\r\n"),
        after="",
    )


def explain(problem: YamlProblem, line: str) -> str:
    """Return in plain words what is wrong with ``line``."""
    entry = _ENTRY.match(line)
    key, value = (entry.group(2), entry.group(4)) if entry else ("", "")
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "The line is indented with a tab; YAML allows only blanks there."
    if key and value[:1] not in ("", "'", '"') and re.search(r":(?:\s|$)", value):
        return f"The value of {key!r} holds a colon followed by a blank, and is not in quotes."
    if key and value[:1] in "@`%*&!|>[{":
        return (
            f"The value of {key!r} begins with {value[:1]!r}, which means something else in YAML, and is not in quotes."
        )
    if key and value[:1] in ("'", '"'):
        return f"The quotes around the value of {key!r} do not match."
    return f"The YAML cannot be read: {problem.reason}."


def _suspects(problem: YamlProblem, count: int) -> Iterator[int]:
    """Yield the line of the fault, then the ones before it (a fault often shows after its cause)."""
    yield from range(min(problem.line, count - 1), max(-1, problem.line - 4), -1)


def _better_lines(line: str) -> Iterator[tuple[str, str]]:
    body = line.lstrip(" \t")
    indent = line[: len(line) - len(body)]
    if "\t" in indent:
        yield "Indent with blanks", indent.replace("\t", "  ") + body
    if missing := re.match(r"(\s*[A-Za-z_][\w.-]*):(\S.*)$", line):
        yield "Add a blank after the colon", f"{missing.group(1)}: {missing.group(2)}"
    if (entry := _ENTRY.match(line)) and entry.group(4):
        lead, key, gap, value, tail = entry.groups()
        title = f"Put the value of {key!r} in quotes"
        yield title, f"{lead}{key}:{gap or ' '}{_quote(_unquoted(value))}{tail}"


def _unquoted(value: str) -> str:
    """Drop a pair of quotes around the whole value, or one that opens and never closes."""
    mark = value[:1]
    if mark not in ("'", '"'):
        return value
    inner = value[1:]
    if inner.endswith(mark):
        return inner[:-1]
    return value if mark in inner else inner


def _quote(value: str) -> str:
    if "\\" in value or '"' in value:
        return "'" + value.replace("'", "''") + "'"
    return yaml_strings.quote(value)


def _reads(inner: str) -> bool:
    try:
        root = yaml_strings.compose(inner)
        return isinstance(yaml_strings.plain_value(root), dict)
    except YamlProblem:
        return False


def _keeps_keys(repaired: str) -> bool:
    """Say whether every top-level key line of the repaired block is a key of what it reads as."""
    values = yaml_strings.plain_value(yaml_strings.compose(repaired))
    keys = [m.group(1) for m in re.finditer(r"(?:(?<=[\r\n])|\A)([A-Za-z_$][\w$.-]*):(?=\s|\Z)", repaired)]
    return isinstance(values, dict) and set(keys) <= set(values)

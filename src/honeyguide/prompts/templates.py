"""The names that a template uses, for engines of the Jinja family (Jinja, Nunjucks) and of Handlebars.

Only names are read; nothing is rendered. Names that the template itself makes (loops, ``set``, block
parameters), helpers, filters, tests, keywords and literals are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum


class Engine(Enum):
    """Which engine's rules apply."""

    JINJA = "jinja"
    HANDLEBARS = "handlebars"
    DOTPROMPT = "dotprompt"
    ANY = "any"
    """Decided tag by tag, by what the tag looks like."""


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a name from outside, dotted as written: ``text[start:end]`` is the whole tag."""

    name: str
    start: int
    end: int


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_Reader = Callable[[str, Engine, set[str]], Iterator[str]]
# Neither kind of block may hold its own opening, so a search that fails stops at the next one.
_RAW = re.compile(
    r"\{%-?\s?(raw|verbatim)\s?-?%\}(?:(?!\{%-?\s?(?:end)?(?:raw|verbatim)).)*\{%-?\s?end\1\s?-?%\}"
    r"|\{#(?:(?!\{#|#\}).)*#\}|\{\{!--(?:(?!\{\{!--|--\}\}).)*--\}\}"
    r"|\{\{\{\{(?!\{)(?:(?!\{\{\{\{|\}\}\}\}).)*\}\}\}\}",
    re.DOTALL,
)
_TAG = re.compile(
    r"\{\{\{[^{}]{0,500}\}\}\}|\{\{(?!\{)[^{}]{0,500}\}\}|\{%[^%]{0,500}(?:%(?!\})[^%]{0,500})?%\}", re.DOTALL
)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_PATH = r"[A-Za-z_][\w-]*(?:\.(?:[A-Za-z_][\w-]*|\d+)|\[\d+\])*"
_JINJA_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+|\[\d+\])*")
_JINJA_WORDS = _words(
    "and or not in is if else elif true false none True False None null undefined loop range dict lipsum cycler "
    "joiner namespace caller super self varargs kwargs recursive with without context ignore missing import from as "
    "include extends block endblock macro endmacro call endcall filter endfilter set endset for endfor endif "
    "do autoescape endautoescape trans endtrans pluralize break continue elseif asyncEach endeach asyncAll endall"
)
_HELPERS = _words("if unless each with else lookup log")
_DOTPROMPT_HELPERS = _HELPERS | _words("role history media json section ifEquals unlessEquals")
_HANDLEBARS_WORDS = _words("this true false null undefined as else")
_HANDLEBARS_NAME = re.compile(r"(?:\.\./)*(?:this[./])?(" + _PATH + r")$")


def scan(text: str, engine: Engine) -> tuple[list[Use], str]:
    """Return the uses in ``text`` and the text with every tag blanked out, so that it can be searched further."""
    if "{" not in text:
        return [], text
    blanked = _RAW.sub(lambda m: _blank(m.group()), text)
    uses: list[Use] = []
    made: set[str] = set()
    for match in _TAG.finditer(blanked):
        tag = match.group()
        if _is_escaped(blanked, match.start()):
            continue
        reader = _reader(tag, engine)
        uses.extend(Use(name, match.start(), match.end()) for name in reader(tag, engine, made))
    masked = _TAG.sub(lambda m: _blank(m.group()), blanked)
    return [use for use in uses if re.split(r"[.\[]", use.name)[0] not in made], masked


def _reader(tag: str, engine: Engine) -> _Reader:
    if engine is Engine.JINJA:
        return _jinja
    if engine in (Engine.HANDLEBARS, Engine.DOTPROMPT):
        return _handlebars
    inner = tag.strip("{}").strip()
    looks_like_handlebars = not tag.startswith("{%") and (
        inner[:1] in "#/>!^&@" or bool(re.match(r"[\w-]+\s+[\w\"'@(]", inner))
    )
    return _handlebars if looks_like_handlebars and not re.search(r"\s(?:if|or|and|is|in|not)\s", inner) else _jinja


def _jinja(tag: str, engine: Engine, made: set[str]) -> Iterator[str]:
    is_statement = tag.startswith("{%")
    inner = tag.strip("{}").strip("%").strip("-+~ \t\r\n") if is_statement else tag.strip("{}").strip("-+~ \t\r\n")
    if engine is Engine.ANY and not is_statement and not _JINJA_NAME.match(inner):
        return
    expression = _QUOTED.sub('""', inner)
    if is_statement:
        expression = _without_made(expression, made)
    expression = re.sub(r"\|\s*[A-Za-z_]\w*", "|", expression)
    expression = re.sub(r"\bis\s+(?:not\s+)?[A-Za-z_]\w*", " ", expression)
    expression = re.sub(r"(?<=[(,\s])[A-Za-z_]\w*\s*=(?!=)", " ", expression)
    for match in _JINJA_NAME.finditer(expression):
        root = re.split(r"[.\[]", match.group())[0]
        if root not in _JINJA_WORDS or (
            match.group() == inner and engine is Engine.ANY and root in ("self", "context")
        ):
            yield match.group()


def _without_made(expression: str, made: set[str]) -> str:
    """Drop the names a statement makes, and remember them."""
    if loop := re.match(r"(?:for|asyncEach|asyncAll)\s+(.+?)\s+in\s+(.*)", expression, re.DOTALL):
        made.update(re.findall(r"[A-Za-z_]\w*", loop.group(1)))
        return loop.group(2)
    if assignment := re.match(r"set\s+([\w\s,.]+?)(?:=(?!=)(.*))?$", expression, re.DOTALL):
        made.update(name for name in re.findall(r"(?<!\.)\b[A-Za-z_]\w*", assignment.group(1)))
        return assignment.group(2) or ""
    if macro := re.match(r"(macro|call)\s*(?:\(([^)]*)\))?\s*(\w+)?\s*(?:\((.*)\))?", expression, re.DOTALL):
        made.update(re.findall(r"[A-Za-z_]\w*", " ".join(part or "" for part in macro.groups()[1:])))
        return ""
    if re.match(r"(block|endblock|extends|include|import|from|filter)\b", expression):
        made.update(re.findall(r"\b(?:as|import)\s+([A-Za-z_]\w*)", expression))
        return ""
    return expression


def _handlebars(tag: str, engine: Engine, made: set[str]) -> Iterator[str]:
    inner = tag.strip("{}").strip("~").strip()
    if inner[:1] in ("!", ">", "/") or not inner:
        return
    if params := re.search(r"\bas\s*\|([^|]*)\|", inner):
        made.update(params.group(1).split())
        inner = inner[: params.start()]
    is_block = inner[:1] in ("#", "^")
    words = _QUOTED.sub('""', inner.lstrip("#^&*").strip()).replace("(", " ( ").replace(")", " ) ").split()
    helpers = _DOTPROMPT_HELPERS if engine is Engine.DOTPROMPT else _HELPERS
    after_opening = False
    for position, word in enumerate(words):
        is_head = position == 0 or after_opening
        after_opening = word == "("
        is_called = is_head and (position > 0 or len(words) > 1 or (is_block and word in helpers))
        if (is_called and not (is_block and len(words) == 1)) or (is_head and word in helpers):
            continue
        value = word.partition("=")[2] if re.match(r"[\w-]+=", word) else word
        name = _HANDLEBARS_NAME.match(value)
        if name and value not in _HANDLEBARS_WORDS and not value.startswith("@"):
            yield name.group(1)


def _is_escaped(text: str, position: int) -> bool:
    return position > 0 and text[position - 1] == "\\"


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)

"""Variables in a prompt: ``{{x}}``, ``{x}``, ``${x}``, ``$ARGUMENTS``, ``$1``, and what template engines add.

A deployed text must use the same variables as the one it replaces: a dropped one loses the customer's
words, an invented one reaches the model as braces. JSON braces, format escapes and loop names are no
variables, and a person can say of a name that it is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from honeyguide.prompts import templates


class Dialect(StrEnum):
    """How variables are written."""

    ANY = "any"
    """Nobody said: every spelling counts; ``$1`` only where ``$1`` or ``$ARGUMENTS`` itself occurs."""
    COMMAND = "command"
    """Slash commands: as ``any``, and every ``$1`` to ``$9`` is live."""
    DOUBLE_BRACES = "double-braces"
    """Only ``{{x}}``."""
    FORMAT = "format"
    """Python's ``str.format``: ``{x}``; ``{{`` and ``}}`` are braces."""
    SHELL = "shell"
    """``$ARGUMENTS``, ``$1``, ``${x}``."""
    JINJA = "jinja"
    NUNJUCKS = "nunjucks"
    HANDLEBARS = "handlebars"
    DOTPROMPT = "dotprompt"
    """Handlebars with Dotprompt's helpers (``role``, ``history``, ``media``, …), which are no variables."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One use of a variable: ``text[start:end]``; ``spelled`` is its canonical spelling, e.g. ``{{company}}``."""

    spelled: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class VariableChange:
    """How the variables of two texts differ, each by its canonical spelling, in order of first use."""

    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether both texts use the same variables."""
        return not self.added and not self.removed


def find(text: str, dialect: Dialect = Dialect.ANY, excluded: Collection[str] = ()) -> list[Variable]:
    """Return every use of a variable in order.

    Args:
        text: a prompt.
        dialect: how variables are written in it.
        excluded: canonical spellings that a person said are no variables.
    """
    return [v for v in _found(text, dialect) if v.spelled not in excluded]


@lru_cache(maxsize=8)
def _found(text: str, dialect: Dialect) -> tuple[Variable, ...]:
    """Every candidate is compared with the same baseline."""
    if "{" not in text and "$" not in text:
        return ()
    found: list[Variable] = []
    masked = text
    for scan in _SCANS[dialect]:
        hits, masked = scan(masked)
        found.extend(hits)
    return tuple(sorted(found, key=lambda v: v.start))


def names(text: str, dialect: Dialect = Dialect.ANY, excluded: Collection[str] = ()) -> tuple[str, ...]:
    """Return the canonical spellings of the variables of ``text``, each once, in order of first use."""
    return tuple(dict.fromkeys(v.spelled for v in find(text, dialect, excluded)))


def compare(before: str, after: str, dialect: Dialect = Dialect.ANY, excluded: Collection[str] = ()) -> VariableChange:
    """Return which variables ``after`` adds to and drops from ``before``."""
    old, new = names(before, dialect, excluded), names(after, dialect, excluded)
    return VariableChange(
        added=tuple(name for name in new if name not in old), removed=tuple(name for name in old if name not in new)
    )


_Scan = Callable[[str], tuple[list[Variable], str]]
_SPEC = r"[<>=^]?[-+ ]?#?0?\d*[,_]?(?:\.\d+)?[bcdeEfFgGnosxX%]?"
_FORMAT = re.compile(r"(?<![{$!@])\{([A-Za-z_]\w*(?:\.\w+|\[\w+\])*)(![rsa])?(:" + _SPEC + r")?\}(?!\})")
_LATEX = re.compile(r"\\[A-Za-z]+(?:\[[^\]]*\])?(?:\{[^{}]*\})*$")
_STRICT_FORMAT = re.compile(r"(?<!\{)(?:\{\{)*\{([A-Za-z_]\w*(?:\.\w+|\[\w+\])*)(![rsa])?(:" + _SPEC + r")?\}")
_SHELL = re.compile(r"(?<![\\$\w])(\$\{[A-Za-z_][\w.:-]*\}|\$ARGUMENTS(?:\[\d+\])?(?!\w)|\$@(?!\w))")
_POSITIONAL = re.compile(r"(?<![\\$\w])\$[1-9](?![\w]|[.,]\d)")


def _scan_templates(engine: templates.Engine) -> _Scan:
    def scan(text: str) -> tuple[list[Variable], str]:
        uses, masked = templates.scan(text, engine)
        return [Variable("{{" + use.name + "}}", use.start, use.end) for use in uses], masked

    return scan


def _scan_format(text: str) -> tuple[list[Variable], str]:
    if "{" not in text:
        return [], text
    found = [
        Variable("{" + m.group(1) + "}", m.start(), m.end())
        for m in _FORMAT.finditer(text)
        if not _LATEX.search(text, max(0, m.start() - 80), m.start())
    ]
    return found, text


def _scan_strict_format(text: str) -> tuple[list[Variable], str]:
    return [Variable("{" + m.group(1) + "}", m.start(1) - 1, m.end()) for m in _STRICT_FORMAT.finditer(text)], text


def _scan_shell(text: str) -> tuple[list[Variable], str]:
    return [Variable(m.group(), m.start(), m.end()) for m in _SHELL.finditer(text)], text


def _scan_positional(text: str) -> tuple[list[Variable], str]:
    return list(_positional(text)), text


def _scan_likely_positional(text: str) -> tuple[list[Variable], str]:
    found = list(_positional(text))
    is_likely = "$ARGUMENTS" in text or any(v.spelled == "$1" for v in found)
    return (found if is_likely else []), text


def _positional(text: str) -> Iterator[Variable]:
    return (Variable(m.group(), m.start(), m.end()) for m in _POSITIONAL.finditer(text))


_LENIENT = _scan_templates(templates.Engine.ANY)
_SCANS: dict[Dialect, tuple[_Scan, ...]] = {
    Dialect.ANY: (_LENIENT, _scan_format, _scan_shell, _scan_likely_positional),
    Dialect.COMMAND: (_LENIENT, _scan_format, _scan_shell, _scan_positional),
    Dialect.DOUBLE_BRACES: (_LENIENT,),
    Dialect.FORMAT: (_scan_strict_format,),
    Dialect.SHELL: (_scan_shell, _scan_positional),
    Dialect.JINJA: (_scan_templates(templates.Engine.JINJA),),
    Dialect.NUNJUCKS: (_scan_templates(templates.Engine.JINJA),),
    Dialect.HANDLEBARS: (_scan_templates(templates.Engine.HANDLEBARS),),
    Dialect.DOTPROMPT: (_scan_templates(templates.Engine.DOTPROMPT),),
}

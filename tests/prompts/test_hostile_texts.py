"""Texts made to be slow are read in a moment: nobody waits for a search in a prompt that somebody else wrote."""

from __future__ import annotations

import time

import pytest

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.prompts import capabilities, carriers, leftovers, variables
from honeyguide.prompts.audit import AuditContext, ShelfFile, audit
from honeyguide.prompts.kinds import FileKind

HOSTILE = (
    *(
        "`",
        "` ",
        "`` a ` ",
        "{{",
        "{% ",
        "{#",
        "{% raw %}",
        "{{{{",
        "[insert a",
        "<your a",
        "\n",
        "a\r\n\n",
        "@a/",
        "---\n",
    ),
    *("```\n", " ", "$", '"', "[a](", "!`", "http://", "never not ", "a: ", "\\u00", "[[", "- ", "&a ", "'''"),
)
PATIENCE_SECONDS = 5.0
"""For all readers of one text; a search that goes wrong takes minutes."""


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(piece):
    text = piece * (20_000 // len(piece)) + "x"
    began = time.process_time()
    for dialect in variables.Dialect:
        variables.find(text, dialect)
    capabilities.in_text(text)
    leftovers.find(text)
    for kind in (FileKind.AGENT_SKILL, FileKind.CLAUDE_MEMORY, FileKind.CURSOR_RULE):
        for data in (text, f"---\nname: a\ndescription: b\n---\n{text}", f"---\n{text}\n---\nx"):
            audit([ShelfFile("p/a/SKILL.md", kind, data.encode())], AuditContext(exists=lambda _: True))
    mixed = carriers.parse(f"a\r\nb\n{text}".encode(), FileKind.PLAIN_TEXT)
    mixed.with_text(f"new\n{mixed.text}tail\n\n\nx")
    assert time.process_time() - began < PATIENCE_SECONDS


@pytest.mark.parametrize("opening", ["[", "{", '{"a":', "- "])
@pytest.mark.parametrize("kind", [FileKind.TOOL_JSON, FileKind.PROMPTFOO, FileKind.GEMINI_COMMAND])
def test_deep_nesting_is_refused_not_crashed_on(opening, kind):
    with pytest.raises(HoneyguideError):
        carriers.parse((opening * 20_000).encode(), kind)
    with pytest.raises(HoneyguideError):
        carriers.parse(("a = " + opening * 20_000).encode(), kind)

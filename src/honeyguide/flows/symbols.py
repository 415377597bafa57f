"""One declaration of a source file, for ``@./file.ts#Name``."""

from __future__ import annotations

import re

from honeyguide.kernel.errors import NotFound


def symbol_in(text: str, name: str, file: str) -> str:
    """Return the declaration of ``name``: from its line to the end of its block. Raises NotFound."""
    head = re.compile(
        rf"^[ \t]*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
        rf"(?:function\*?|class|interface|type|enum|const|let|var|def|fn|func|struct)\s+{re.escape(name)}\b",
        re.MULTILINE,
    )
    found = head.search(text)
    if found is None:
        raise NotFound(f"{file} declares no {name}.", hint="Check the flow's imports.")
    start = found.start()
    lines = text[start:].splitlines(keepends=True)
    indent = len(lines[0]) - len(lines[0].lstrip())
    depth, taken = 0, []
    for n, line in enumerate(lines):
        if (
            n
            and depth <= 0
            and line.strip()
            and len(line) - len(line.lstrip()) <= indent
            and line.strip()[0] not in ")}]"
        ):
            break
        taken.append(line)
        depth += sum(line.count(mark) for mark in "({[") - sum(line.count(mark) for mark in ")}]")
        if depth <= 0 and line.rstrip().endswith((";", "}")) and ("{" in "".join(taken) or line.rstrip().endswith(";")):
            break
    return "".join(taken).rstrip()

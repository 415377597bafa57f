"""Files that cannot be read, broken or risky frontmatter, byte order marks, and names that break their rule."""

from __future__ import annotations

from collections.abc import Iterator

from honeyguide.prompts import rules
from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Shelf
from honeyguide.prompts.kinds import Container, FrontmatterRule, profile


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield what is wrong with the files themselves."""
    for unopened in shelf.unopened:
        line = unopened.error.details.get("line")
        code = "encoding" if "needs_encoding" in unopened.error.details else "unreadable"
        yield Finding(
            "error",
            code,
            unopened.file.path,
            line if isinstance(line, int) else 1,
            unopened.error.message,
            unopened.error.hint or "The program that loads this file cannot read it either.",
        )
    for prompt in shelf.documents:
        document = prompt.document
        for found in (*document.findings, *rules.check(document, folder=prompt.folder.name or None)):
            yield Finding(found.severity, found.code, prompt.path, found.line, found.message, found.why, found.fix)
        has_body = document.frontmatter is not None and profile(prompt.kind).frontmatter is not FrontmatterRule.NONE
        if profile(prompt.kind).container is Container.TEXT and not document.text.strip():
            where = "There is no text after the frontmatter." if has_body else "The file is empty."
            yield Finding("warning", "empty", prompt.path, 1, where, "The agent gets nothing from it.")

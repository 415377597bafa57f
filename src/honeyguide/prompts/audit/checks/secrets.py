"""Secrets that stand in a prompt, and so go to a model provider with every call."""

from __future__ import annotations

from collections.abc import Iterator

from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Shelf
from honeyguide.prompts.carriers.lines import line_number


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield the place and kind of each secret, never the secret; nothing when no scanner was given."""
    scan = shelf.context.scan
    if scan is None:
        return
    for prompt in shelf.documents:
        text = prompt.document.source.text
        for hit in scan(text):
            yield Finding(
                "error",
                "secret",
                prompt.path,
                line_number(text, hit.start),
                f"Something that looks like a secret stands here ({hit.kind}).",
                "It goes to the model's provider with every call, and into every copy of this file. Revoke it.",
            )

"""Readers of recorded history, one module per source, found by looking into this folder.

``readers/<source>.py`` holds an object ``SOURCE`` that keeps ``protocol.Source``; modules whose name begins
with an underscore are parts that readers share. The floors above may import ``sources``, ``source`` and ``recognise``.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from honeyguide.kernel.errors import InternalError, Unsupported
from honeyguide.traces.readers.protocol import HEAD_BYTES, ReadContext, Source

__all__ = ["HEAD_BYTES", "ReadContext", "Source", "recognise", "source", "sources"]

NOT_SOURCES = frozenset({"protocol", "opening", "detect"})
"""Public modules of this folder that are no source."""

SURE_ENOUGH = 0.3
"""A file that no reader claims with at least this much is not guessed at."""


@cache
def sources() -> dict[str, Source]:
    """Return every reader by name, sorted; imported at the first call."""
    found: dict[str, Source] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name in NOT_SOURCES or module.name.startswith("_"):
            continue
        reader = getattr(importlib.import_module(f"{__name__}.{module.name}"), "SOURCE", None)
        if not isinstance(reader, Source):
            raise InternalError(f"The module readers/{module.name}.py holds no SOURCE.")
        found[reader.name] = reader
    return dict(sorted(found.items()))


def source(name: str) -> Source:
    """Return the reader called ``name``. Raises Unsupported when there is none."""
    known = sources()
    if name not in known:
        raise Unsupported(f"There is no source called {name!r}.", hint=f"Known sources: {', '.join(known)}.")
    return known[name]


def recognise(head: bytes, name_hint: str = "") -> Source | None:
    """Return the reader that is surest about a file beginning with ``head``, or ``None`` when none is sure enough.

    Equal certainty is settled by name, so that the answer never depends on the order of imports.
    """
    best: Source | None = None
    best_score = SURE_ENOUGH
    for reader in sources().values():
        score = reader.sniff(head, name_hint)
        if score >= best_score and (best is None or score > best_score):
            best, best_score = reader, score
    return best

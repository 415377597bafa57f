"""Results too long for the conversation: kept whole beside the journal, shown as head and tail with a handle."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.excerpts import whole_characters
from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.harnesses.spec.context import ToolResults

PAGE: Final = 4000
MOST_LINES: Final = 50


class Spill:
    """The spilled results of one run."""

    def __init__(
        self,
        folder: Path,
        limits: ToolResults,
        redactor: Redactor,
        tell: Callable[[str, Mapping[str, Any]], object],
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._redactor = redactor
        self._tell = tell
        self._kept: dict[str, str] = {}

    @property
    def has_any(self) -> bool:
        """Whether there is anything to read back."""
        return bool(self._kept)

    def shown(self, name: str, content: str) -> str:
        """Return what of a result stands in the conversation; the rest is kept."""
        data = content.encode("utf-8", "backslashreplace")
        most = self._limits.max_inline_bytes
        if not most or len(data) <= most:
            return content
        head = whole_characters(data[: self._limits.preview_head_bytes])
        tail = data[len(data) - self._limits.preview_tail_bytes :].decode("utf-8", "backslashreplace")
        handle = f"tr_{secrets.token_hex(8)}"
        self._kept[handle] = content
        self._store(handle, content)
        omitted = len(data) - self._limits.preview_head_bytes - self._limits.preview_tail_bytes
        self._tell(
            "tool_spilled",
            {
                "name": name,
                "id": "",
                "handle": handle,
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
                "omitted_bytes": omitted,
            },
        )
        note = f"[{omitted} bytes left out; read_tool_result or search_tool_result with handle {handle} shows them]"
        return f"{head}\n{note}\n{tail}"

    def read(self, handle: str, offset: int | None, limit: int | None) -> str:
        """Return part of a kept result, in characters. Raises KeyError."""
        text = self._text(handle)
        start = max(0, offset or 0)
        return text[start : start + max(1, min(limit or PAGE, PAGE))]

    def search(self, handle: str, query: str) -> str:
        """Return the numbered lines of a kept result that contain ``query``. Raises KeyError."""
        lines = self._text(handle).split("\n")
        found = [f"{n}: {line[:400]}" for n, line in enumerate(lines, 1) if query.casefold() in line.casefold()]
        return "\n".join(found[:MOST_LINES]) or "no line contains that"

    def _text(self, handle: str) -> str:
        if handle not in self._kept:
            raise KeyError(f"there is no result with the handle {handle}")
        return self._kept[handle]

    def _store(self, handle: str, content: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._folder / f"{handle}.txt"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.write(self._redactor.text(content))

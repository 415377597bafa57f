"""A language of no country: every sentence wrapped in ⟦ ⟧, accented, and longer by two fifths.

What stands on the window without the brackets never went through a translation; what is cut would be cut in a language
of long words.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from honeyguide.desktop.said import said_file
from honeyguide.desktop.translating import translation_file

OPEN, CLOSE = "⟦", "⟧"
_KEPT = re.compile(r"(\{\w*\}|%n|&&|&)")
"""Places for names and numbers, and the sign before a menu's letter."""
_ACCENTS = str.maketrans("aeiouAEIOUcnyC", "äéïöüÅÉÎÖÛçñýÇ")


def pseudo(sentence: str) -> str:
    """Return a sentence in the language."""
    parts = _KEPT.split(sentence)
    said = "".join(part if number % 2 else part.translate(_ACCENTS) for number, part in enumerate(parts))
    letters = sum(len(part) for part in parts[::2])
    return f"{OPEN}{said}{'·' * max(1, round(letters * 0.4))}{CLOSE}"


def write_pseudo(folder: Path) -> tuple[Path, Path]:
    """Write the tables of the window's own sentences and of the engine's; return their files."""
    own: dict[str, Any] = json.loads(translation_file("de").read_text(encoding="utf-8"))
    said: dict[str, Any] = json.loads(said_file("de").read_text(encoding="utf-8"))
    window, engine = folder / "window.json", folder / "engine.json"
    window.write_text(json.dumps({sentence: pseudo(sentence) for sentence in own}), encoding="utf-8")
    spoken = {sentence: pseudo(sentence) for sentence in said["sentences"]}
    changes = {sentence: pseudo(sentence) for sentence in said.get("changes", {})}
    engine.write_text(json.dumps({"sentences": spoken, "changes": changes}), encoding="utf-8")
    return window, engine

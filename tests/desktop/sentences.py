"""Finds the sentences of the window that can be translated, in its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import honeyguide.desktop

ROOT = Path(honeyguide.desktop.__file__).parent
_OWN = {"tr", "_tr"}


def sentences() -> dict[str, str]:
    """Return every sentence with the file it stands in; also titles and helps of the settings."""
    from honeyguide.workspace import SETTINGS

    found: dict[str, str] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for sentence in _of(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(sentence, path.relative_to(ROOT).as_posix())
    for setting in SETTINGS:
        found.setdefault(setting.title, "settings")
        found.setdefault(setting.help, "settings")
    return found


def _of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if name == "translate" and len(texts) == 2:
            yield texts[1]
        elif name in _OWN and texts:
            is_static = isinstance(node.func, ast.Name) and len(texts) == 2
            yield texts[1] if is_static else texts[0]

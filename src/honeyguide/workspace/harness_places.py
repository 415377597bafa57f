"""What a harness folder is called in feedback, and where its eval suite stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.harnesses.folder import Harness


def harness_name(harness: Harness) -> str:
    """Return what a harness is called in feedback: its identity, which moves with the folder."""
    return harness.identity


def suite_beside(root: Path) -> Path:
    """Return where the suite of a harness folder stands."""
    return root.with_name(f"{root.name}.eval.yaml")


def harness_at(target: object) -> Path | None:
    """Return the folder when ``target`` is the path of a harness rather than a name."""
    if not isinstance(target, str):
        return None
    path = Path(target).expanduser()
    if path.name == "harness.yaml" and path.is_file():
        return path.resolve().parent
    return path.resolve() if (path / "harness.yaml").is_file() else None

"""Where the files that ship with the program are: in a wheel, in a checkout, in a frozen app."""

from __future__ import annotations

import sys
from pathlib import Path

from honeyguide.kernel.errors import InternalError


def resource_root(package: Path | None = None, frozen: Path | None = None) -> Path:
    """Return the folder ``resources``.

    Args:
        package: the folder of the ``honeyguide`` package; found by itself when not given.
        frozen: the folder a frozen program unpacked itself to; found by itself when not given.

    Raises:
        InternalError: the installation lacks its resources.
    """
    package = package or Path(__file__).resolve().parent.parent
    bundle = frozen or (Path(sys._MEIPASS) if hasattr(sys, "_MEIPASS") else None)
    candidates = [bundle / "honeyguide" / "resources"] if bundle else []
    candidates += [package / "resources", package.parent.parent / "resources"]
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise InternalError(
        "The files that ship with Honeyguide are missing.",
        hint="Install it again; the folder 'resources' should stand inside the package.",
        details={"looked_in": [str(c) for c in candidates]},
    )


def resource(*parts: str) -> Path:
    """Return the path of one resource, e.g. ``resource("sample", "personas")``. Raises InternalError if absent."""
    path = resource_root().joinpath(*parts)
    if not path.exists():
        raise InternalError(
            f"The file {'/'.join(parts)} that ships with Honeyguide is missing.", hint="Install it again."
        )
    return path

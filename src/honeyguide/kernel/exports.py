"""A package's names, each imported from its module when it is first asked for (PEP 562).

For the two packages that everybody imports from and that stand for dozens of modules: a program then waits for what it
uses. The names are listed a second time under ``TYPE_CHECKING``, for type checkers and readers; a test compares.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def exports(package: str, places: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``.

    Args:
        places: module to names; a module with a leading dot lies in the package.
    """
    place_of = {name: place for place, names in places.items() for name in names}

    def get(name: str) -> Any:
        place = place_of.get(name)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(place, package), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *place_of})

    return get, names

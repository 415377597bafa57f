"""The repository and its packaging scripts, loaded as modules."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def script() -> Callable[[str], ModuleType]:
    """Load ``packaging/NAME.py``, which is no package."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(
            f"packaging_{name.replace('/', '_')}", ROOT / "packaging" / f"{name}.py"
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load

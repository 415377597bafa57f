"""Writes a section of ``benchmarks/RESULTS.md``: a table with the machine, the versions and the date."""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "RESULTS.md"
HEAD = "# Benchmark results\n\nMeasured with `make bench`; each section says where and when.\n"


def write_section(title: str, text: str, packages: tuple[str, ...] = ("honeyguide", "gepa")) -> None:
    """Put ``text`` under ``## title``, in place of what stood there."""
    known = FILE.read_text(encoding="utf-8") if FILE.is_file() else HEAD
    section = f"## {title}\n\n{_circumstances(packages)}\n\n{text.strip()}\n"
    found = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", known, re.MULTILINE | re.DOTALL)
    if found:
        known = known[: found.start()] + section + ("\n" if found.end() < len(known) else "") + known[found.end() :]
    else:
        known = f"{known.rstrip()}\n\n{section}"
    FILE.write_text(known, encoding="utf-8")


def _circumstances(packages: tuple[str, ...]) -> str:
    versions = [f"Python {platform.python_version()}"]
    for name in packages:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{name} not installed")
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{datetime.now(UTC):%Y-%m-%d}; {machine}; {', '.join(versions)}."

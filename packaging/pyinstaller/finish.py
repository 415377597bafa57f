"""Finish a frozen folder on Linux: take symbols out where that is safe, set modes and times, say what takes the space.

usage: python packaging/pyinstaller/finish.py FOLDER      (SOURCE_DATE_EPOCH gives the time)
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import selection

ELF = b"\x7fELF"


def is_elf(path: Path) -> bool:
    """Say whether a file is a program or library of Linux."""
    with path.open("rb") as stream:
        return stream.read(4) == ELF


def strip(folder: Path) -> int:
    """Strip what the table allows and return how many bytes that saved."""
    saved = 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or not is_elf(path) or not selection.is_stripped(path, folder):
            continue
        before = path.stat().st_size
        subprocess.run(["strip", "--strip-unneeded", "--enable-deterministic-archives", str(path)], check=True)
        saved += before - path.stat().st_size
    return saved


def forget_builder(folder: Path) -> int:
    """Take out search paths that name folders of this machine, and return from how many files."""
    count = 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or not is_elf(path):
            continue
        said = subprocess.run(["readelf", "-dW", str(path)], capture_output=True, text=True, check=True).stdout
        found = re.search(r"\((?:RUNPATH|RPATH)\).*?\[(.*)\]", said)
        if found and not all(part.startswith("$ORIGIN") for part in found[1].split(":")):
            subprocess.run(["chrpath", "--delete", str(path)], check=True, capture_output=True)
            count += 1
    return count


def settle(folder: Path, moment: int) -> None:
    """Give every file the same time, folders and programs mode 755, other files 644."""
    for path in [folder, *sorted(folder.rglob("*"), reverse=True)]:
        if not path.is_symlink():
            is_program = path.is_dir() or (path.suffix == "" and is_elf(path))
            path.chmod(0o755 if is_program else 0o644)
        os.utime(path, (moment, moment), follow_symlinks=False)


def report(folder: Path, rows: int = 14) -> str:
    """Return a table of what takes the space, largest first, in MB."""
    sizes: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            parts = path.relative_to(folder).parts
            sizes["/".join(parts[: 3 if "PySide6" in parts and len(parts) > 3 else 2])] += path.stat().st_size
    lines = [f"{sum(sizes.values()) / 1e6:8.1f}  all"]
    lines += [f"{size / 1e6:8.1f}  {name}" for name, size in sizes.most_common(rows)]
    return "\n".join(lines)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    print(f"{strip(target) / 1e6:.1f} MB of symbols taken out")
    print(f"{forget_builder(target)} search paths of this machine taken out")
    settle(target, int(os.environ["SOURCE_DATE_EPOCH"]))
    print(report(target))

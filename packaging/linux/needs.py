"""Which libraries of the system the staged program needs: read from its files, not guessed.

usage: python packaging/linux/needs.py rpm STAGE     lines for Requires
       python packaging/linux/needs.py files STAGE   the ELF files, for dpkg-shlibdeps
       python packaging/linux/needs.py folders STAGE the folders that hold own libraries
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

OPENED_AT_RUN_TIME = ("libEGL.so.1", "libGL.so.1", "libdbus-1.so.3")
"""What Qt opens by name instead of linking to it."""


def elf_files(stage: Path) -> list[Path]:
    """Return the programs and libraries below ``stage``."""
    found = []
    for path in sorted(stage.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as stream:
                if stream.read(4) == b"\x7fELF":
                    found.append(path)
    return found


def wanted_and_own(files: list[Path]) -> tuple[set[str], set[str], tuple[int, ...]]:
    """Return the sonames that files name, those that are here themselves, and the newest glibc version named."""
    wanted: set[str] = set()
    own = {path.name for path in files}
    glibc: tuple[int, ...] = (2, 17)
    for start in range(0, len(files), 50):
        batch = [str(path) for path in files[start : start + 50]]
        said = subprocess.run(["readelf", "-dVW", *batch], capture_output=True, text=True, check=True).stdout
        wanted |= set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", said))
        own |= set(re.findall(r"\(SONAME\)\s+Library soname: \[(.+?)\]", said))
        for version in re.findall(r"Name: GLIBC_(\d+(?:\.\d+)+)", said):
            glibc = max(glibc, tuple(int(part) for part in version.split(".")))
    return wanted, own, glibc


def outside(stage: Path) -> tuple[list[str], str]:
    """Return the sonames that the system must have, and the oldest glibc that will do."""
    wanted, own, glibc = wanted_and_own(elf_files(stage))
    needed = {name for name in wanted | set(OPENED_AT_RUN_TIME) if name not in own and not name.startswith("ld-linux")}
    return sorted(needed), ".".join(map(str, glibc))


def main(arguments: list[str]) -> int:
    """Print what was asked for."""
    kind, stage = arguments[0], Path(arguments[1])
    if kind == "rpm":
        needed, glibc = outside(stage)
        print(f"libc.so.6(GLIBC_{glibc})(64bit)")
        for name in needed:
            if name != "libc.so.6":
                print(f"{name}()(64bit)")
    elif kind == "files":
        print("\n".join(map(str, elf_files(stage))))
    elif kind == "folders":
        print("\n".join(sorted({str(path.parent) for path in elf_files(stage) if ".so" in path.name})))
    else:
        raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

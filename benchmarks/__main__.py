"""Runs every benchmark that is here, one after another: ``python -m benchmarks [NAME…]``."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; returns 1 when one failed."""
    known = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
    known += sorted(path.parent.name for path in FOLDER.glob("*/__main__.py"))
    failed = 0
    for name in names or known:
        if name not in known:
            print(f"There is no benchmark called {name!r}. Known: {', '.join(known)}.", file=sys.stderr)
            return 2
        print(f"\n== {name}", flush=True)
        place = FOLDER / f"{name}.py"
        sys.argv = [str(place)]
        try:
            if place.is_file():
                runpy.run_path(str(place), run_name="__main__")
            else:
                runpy.run_module(f"benchmarks.{name}", run_name="__main__")
        except SystemExit as end:
            failed += end.code not in (None, 0)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

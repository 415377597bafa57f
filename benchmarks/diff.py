"""How long the diff engine takes on prose: prints the best of several runs beside its budget.

Run: ``python benchmarks/diff.py``; exits 1 when a budget is missed (twice the budget on a busy machine is allowed
with ``--lenient``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import cache

from honeyguide.kernel.choice import index, unit
from honeyguide.versions.diff import compare, fold, hunks_of, rows_of, summarise

_PROSE = (
    "the answer should be short and say which file was changed when a person asks for help with their order we look "
    "up its number first never guess a price always name the source of a figure in plain words before offering a way "
    "out keep a calm tone ask one question at a time and stop once it has been solved"
)
_WORDS = _PROSE.split()


def paragraph(seed: int, number: int, length: int) -> str:
    """Return one line of prose of about ``length`` characters."""
    words: list[str] = []
    size = 0
    while size < length:
        word = _WORDS[index(seed, len(_WORDS), "word", number, len(words))]
        if unit(seed, "end", number, len(words)) < 0.08:
            word += "."
        words.append(word)
        size += len(word) + 1
    return " ".join(words) + "\n"


@cache
def prose(characters: int, length: int, seed: int = 1) -> tuple[str, ...]:
    """Return lines of prose that add up to about ``characters``."""
    return tuple(paragraph(seed, number, length) for number in range(max(1, characters // (length + 4))))


def lightly_edited(lines: Sequence[str]) -> list[str]:
    """One word in every fiftieth line, a line gone and a line new now and then."""
    edited = list(lines)
    for number in range(0, len(edited), 50):
        edited[number] = edited[number].replace("the ", "this ", 1)
    for number in range(25, len(edited), 400):
        edited[number] = "A line that was not there before.\n" + edited[number]
    return edited


def rewritten(lines: Sequence[str], share: float = 0.35) -> list[str]:
    """In every third line a share of the words is replaced."""
    edited = list(lines)
    for number in range(0, len(edited), 3):
        words = edited[number].split(" ")
        edited[number] = " ".join(
            word if unit(9, number, place) > share else f"new{place}" for place, word in enumerate(words)
        )
        if not edited[number].endswith("\n"):
            edited[number] += "\n"
    return edited


def everywhere_rewritten(lines: Sequence[str]) -> list[str]:
    """In every line a third of the words is replaced."""
    edited: list[str] = []
    for number, line in enumerate(lines):
        words = line.split(" ")
        edited.append(
            " ".join(w if unit(9, number, p) > 0.33 else f"new{p}" for p, w in enumerate(words)).rstrip() + "\n"
        )
    return edited


CASES: list[tuple[str, float, Callable[[], tuple[str, str]]]] = [
    ("4 KB, light", 5, lambda: _pair(prose(4_000, 320), lightly_edited)),
    ("4 KB, every line rewritten", 5, lambda: _pair(prose(4_000, 320), everywhere_rewritten)),
    ("15 KB, every line rewritten", 25, lambda: _pair(prose(15_000, 320), everywhere_rewritten)),
    ("1 MB of paragraphs, light", 100, lambda: _pair(prose(1_000_000, 320), lightly_edited)),
    ("1 MB of short lines, light", 100, lambda: _pair(prose(1_000_000, 60), lightly_edited)),
    ("1 MB, a third rewritten", 700, lambda: _pair(prose(1_000_000, 320), rewritten)),
    ("1 MB, a third of the words in every line", 700, lambda: _pair(prose(1_000_000, 320), everywhere_rewritten)),
    ("1 MB of short lines, a third rewritten", 700, lambda: _pair(prose(1_000_000, 60), rewritten)),
    ("one line of 15 KB, rewritten", 25, lambda: _one_line(15_000)),
    ("one line of 1 MB, rewritten", 2_000, lambda: _one_line(1_000_000)),
    ("1 MB in one word", 100, lambda: ("x" * 1_000_000, "x" * 999_999 + "y")),
    ("1 MB, nothing in common", 700, lambda: ("".join(prose(1_000_000, 320)), "".join(prose(1_000_000, 320, seed=2)))),
]


def measure(before: str, after: str) -> tuple[float, float]:
    """Return milliseconds for the rows of the view, and for hunks and summary besides."""
    start = time.perf_counter()
    comparison = compare(before, after)
    fold(rows_of(comparison))
    middle = time.perf_counter()
    hunks_of(comparison)
    summarise(comparison).sentence()
    return (middle - start) * 1000, (time.perf_counter() - middle) * 1000


def main() -> int:
    """Print the table; return 1 when a budget is missed."""
    slack = 2.0 if "--lenient" in sys.argv else 1.0
    missed = 0
    print(f"{'case':<44}{'rows ms':>10}{'summary ms':>12}{'budget ms':>11}")
    for name, budget, make in CASES:
        before, after = make()
        rows_ms, other_ms = map(min, zip(*(measure(before, after) for _ in range(3)), strict=True))
        late = rows_ms > budget * slack
        missed += late
        print(f"{name:<44}{rows_ms:>10.1f}{other_ms:>12.1f}{budget:>11.0f}{'  MISSED' if late else ''}")
    return 1 if missed else 0


def _pair(lines: Sequence[str], edit: Callable[[Sequence[str]], list[str]]) -> tuple[str, str]:
    return "".join(lines), "".join(edit(lines))


def _one_line(characters: int) -> tuple[str, str]:
    lines = prose(characters, 320)
    return (
        " ".join(line.strip() for line in lines),
        " ".join(line.strip() for line in everywhere_rewritten(lines)),
    )


if __name__ == "__main__":
    sys.exit(main())

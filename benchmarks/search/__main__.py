"""Prints how far our search and gepa get per call, and writes the table to ``benchmarks/RESULTS.md``.

    python -m benchmarks.search [--seeds 5] [--first-seed 12000] [--budget 1600] [--variant default] [--only ours|gepa]

Calls are counted at the model; our search may reflect once in 8 calls. It runs twice: with reflections as quick as
answers (50 ms), and with slow ones (2 s), which it waits for less. ``gepa`` (0.1.4) takes part when it can be imported.
``--worlds own`` takes three more families. Without arguments it does both, and measures the
CPU time of the engine. Without the worlds it says so and ends well.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from benchmarks.search import overhead
from benchmarks.search.families import OWN
from benchmarks.search.results import write_section
from benchmarks.search.running import BUDGETS, Options, Outcome, gepa, ours
from benchmarks.search.worlds import FAMILIES, FOLDER, PROSE, VARIANTS, simulator

GOALS = {200: (0.45, 0.55, 0.70), 400: (0.60, 0.85, 0.85), 1600: (0.85, 0.95, 0.97)}
OPTIMISERS = {
    "ours": Options("honeyguide"),
    "slow": Options("honeyguide, reflections of 2 s", 2.0),
    "gepa": Options("gepa 0.1.4 default"),
}


@dataclass(frozen=True, slots=True)
class Job:
    """One run, for a worker process."""

    optimiser: str
    family: str
    seed: int
    variant: str
    budget: int


def work(job: Job) -> Outcome | None:
    """Run one job."""
    run = gepa if job.optimiser == "gepa" else ours
    return run(job.family, job.seed, job.variant, job.budget, OPTIMISERS[job.optimiser])


def main(arguments: Sequence[str]) -> int:
    """Run, print, write. Returns the exit code."""
    wanted = _parser().parse_args(arguments)
    if simulator() is None:
        print(f"The simulated worlds are not at {FOLDER.name}; set HONEYGUIDE_BENCH_DIR to where they are.")
        return 0
    optimisers = wanted.only.split(",") if wanted.only else ["ours", "slow", "gepa"]
    families = {"shared": FAMILIES, "own": OWN}[wanted.worlds]
    seeds = range(wanted.first_seed, wanted.first_seed + wanted.seeds)
    variants = list(VARIANTS) if wanted.variant == "all" else [wanted.variant]
    jobs = [
        Job(o, f, s, v, wanted.budget)
        for v in variants
        for f in (PROSE if v == "one paragraph" and wanted.worlds == "shared" else families)
        for o in optimisers
        for s in seeds
    ]
    with ProcessPoolExecutor(wanted.processes) as pool:
        found = list(zip(jobs, pool.map(work, jobs), strict=True))
    if "gepa" in optimisers and not any(o for job, o in found if job.optimiser == "gepa"):
        print("gepa is not installed; the table holds our search alone.")
    text = ""
    for variant in variants:
        outcomes = [o for job, o in found if job.variant == variant and o is not None]
        text += f"World: {variant}; {wanted.seeds} seeds from {wanted.first_seed}; {wanted.budget} calls.\n\n"
        text += _table(outcomes, families) + "\n"
    print(text)
    if not wanted.no_file:
        where = {"default": "", "all": " in changed worlds"}.get(wanted.variant, f" in the world {wanted.variant}")
        own = " on three more families" if wanted.worlds == "own" else ""
        write_section(f"Search{own}{where}: true gain per call (0 seed prompt, 1 oracle)", text)
    return 0


def _table(outcomes: Sequence[Outcome], families: Sequence[str]) -> str:
    budgets = [b for b in BUDGETS if any(b in o.gains for o in outcomes)]
    lines = [
        "| family | optimiser | "
        + " | ".join(f"{b}" for b in budgets)
        + " | 90 % | 95 % | reflections | bias | length | slots |",
        "|" + "---|" * (8 + len(budgets)),
    ]  # fmt: skip
    for place, family in enumerate(families):
        for name in dict.fromkeys(o.optimiser for o in outcomes):
            rows = [o for o in outcomes if o.family == family and o.optimiser == name]
            if rows:
                lines.append(f"| {family} | {name} | " + " | ".join(_cells(rows, budgets)) + " |")
        if family in FAMILIES and any(o.family == family for o in outcomes):
            goals = [f"{GOALS[b][place]:.2f}" if b in GOALS else "" for b in budgets]
            lines.append(f"| {family} | goal | " + " | ".join(goals) + " | | | | ±0.020 | 1.10 | 0.95, 0.92 |")
    return "\n".join(lines) + "\n"


def _cells(rows: Sequence[Outcome], budgets: Sequence[int]) -> list[str]:
    cells = []
    for budget in budgets:
        gains = [o.gains.get(budget, 0.0) for o in rows]
        error = statistics.stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
        cells.append(f"{statistics.mean(gains):.2f} ± {error:.2f}")
    for level in (0.9, 0.95):
        reached = sum(any(gain >= level for gain in o.gains.values()) for o in rows)
        cells.append(f"{reached} of {len(rows)}")
    cells.append(f"{statistics.mean(max(o.reflections.values()) for o in rows):.0f}")
    cells.append(f"{statistics.mean(o.bias for o in rows):+.3f}")
    cells.append(f"{statistics.mean(o.length for o in rows):.2f}")
    cells.append(f"{statistics.mean(o.slots for o in rows):.2f}")
    return cells


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description="How far searches get per call.")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=12000)
    parser.add_argument("--budget", type=int, default=BUDGETS[-1])
    parser.add_argument("--variant", choices=[*VARIANTS, "all"], default="default")
    parser.add_argument("--only", help="some of ours,slow,gepa")
    parser.add_argument("--worlds", choices=["shared", "own"], default="shared")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-file", action="store_true", help="leave benchmarks/RESULTS.md alone")
    return parser


def everything() -> int:
    """What ``make bench`` runs: both sets of families, and the CPU time of the engine."""
    return max(main([]), main(["--worlds", "own"]), overhead.main(["--calls", "400,1600,6400"]))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]) if sys.argv[1:] else everything())

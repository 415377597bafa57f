"""One run of a search on a world, with its curve over calls."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.search.worlds import PARTS, VARIANTS, Tags, World, simulator, world

from honeyguide.evolution.mutation import TextLimits
from honeyguide.evolution.racing import KindBook, RacingSearch, RacingSettings
from honeyguide.evolution.scoring import ScoreLedger
from honeyguide.evolution.search import InstructionTask, SearchEvent, SearchPorts
from honeyguide.prompts.targets import TargetKind, TargetRef

BUDGETS = (100, 200, 400, 800, 1600)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run reached.

    Attributes:
        gains: calls -> true gain of what would be returned if it were stopped there.
        reflections: calls -> reflections up to there.
        bias: reported score minus the true one.
        length: of the final text, as a share of the oracle's.
        cpu: seconds of CPU per call outside the world.
        wall, ideal: seconds; ``ideal`` is all latency divided by the width.
    """

    family: str
    seed: int
    optimiser: str
    gains: dict[int, float]
    reflections: dict[int, int]
    bias: float
    length: float
    calls: int
    cpu: float
    wall: float
    ideal: float


@dataclass(slots=True)
class Curve:
    """Notes which candidate would be returned, each time it may have changed."""

    place: World
    points: list[tuple[int, int, str]] = field(default_factory=list)

    def note(self, event: SearchEvent) -> None:
        if event.candidate is not None:
            self.points.append((self.place.calls, self.place.reflections, str(event.candidate["id"])))

    def at(self, calls: int) -> str:
        return [name for spent, _, name in self.points if spent <= calls][-1]

    def reflections_at(self, calls: int) -> int:
        return max(reflections for spent, reflections, _ in self.points if spent <= calls)


def ours(family: str, seed: int, variant: str, budget: int, options: dict[str, Any]) -> Outcome:
    """Run the racing search with ``budget`` calls in all, the last measurement included."""
    place = world(family, seed, variant, **options.get("world", {}))
    text = place.seed_text
    anchor = len(place.inner.val)
    settings = RacingSettings(evaluations=budget - 2 * anchor, anchor=anchor, **options.get("settings", {}))
    search = RacingSearch(settings, PARTS, KindBook if options.get("words") else Tags)
    curve = Curve(place)
    task = InstructionTask(
        TargetRef(TargetKind.GENERIC, family), text, text, place.examples("train"), place.examples("val"),
        limits=TextLimits(), seed=seed,
    )  # fmt: skip
    ports = SearchPorts(ScoreLedger(place), place, report=curve.note, width=place.width)
    begin, cpu = time.perf_counter(), time.process_time()
    result = asyncio.run(search.search(task, ports))
    wall, cpu = time.perf_counter() - begin, time.process_time() - cpu - place.spent
    final = result.winner.candidate.deployed
    texts = {candidate.id: candidate.deployed for candidate in result.history}
    return Outcome(
        family, seed, "honeyguide",
        {b: place.gain(texts[curve.at(b)]) for b in BUDGETS if b <= budget},
        {b: curve.reflections_at(b) for b in BUDGETS if b <= budget},
        result.winner.means.overall - place.truth(final), place.length(final), place.calls, cpu / max(place.calls, 1),
        wall, (place.calls * place.latency + place.reflections * place.reflect_latency) / place.width,
    )  # fmt: skip


def gepa(family: str, seed: int, variant: str, budget: int, options: dict[str, Any]) -> Outcome | None:
    """Run ``gepa.optimize`` with its defaults through the worlds' own runner; ``None`` where it is not installed."""
    sim = simulator()
    try:
        import gepa_run  # type: ignore[import-not-found]
    except ImportError:
        return None
    changes = dict(VARIANTS[variant])
    noise = sim.Noise(**changes.pop("noise", {}))  # type: ignore[union-attr]
    found = gepa_run.run(family, seed, budget, noise=noise, **changes, **options.get("gepa", {}))
    return Outcome(
        family, seed, "gepa 0.1.4 default",
        {b: found["norm"].get(b, 0.0) for b in BUDGETS if b <= budget},
        {BUDGETS[-1]: found["refl"]}, found["val"] - found["final"], found["chars"] / found["oracle_chars"],
        found["exec_calls"], math.nan, math.nan, math.nan,
    )  # fmt: skip

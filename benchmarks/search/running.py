"""One run of a search on a world, with its curve over calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.search import clock
from benchmarks.search.worlds import PARTS, VARIANTS, Tags, World, simulator, world

from honeyguide.evolution.mutation import TextLimits
from honeyguide.evolution.racing import KindBook, RacingSearch, RacingSettings
from honeyguide.evolution.scoring import ScoreLedger
from honeyguide.evolution.search import InstructionTask, SearchEvent, SearchPorts
from honeyguide.prompts.targets import TargetKind, TargetRef

BUDGETS = (100, 200, 400, 800, 1600)
CALL = 0.05
"""Seconds that one answer takes."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run.

    Attributes:
        name: in the table.
        reflection: seconds that a reflection takes.
        settings: changes of the search's settings.
        words: whether kinds of failure are read from the judge's words instead of its labels.
    """

    name: str = "honeyguide"
    reflection: float = CALL
    settings: Mapping[str, Any] = field(default_factory=dict)
    words: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run reached.

    Attributes:
        gains: calls -> true gain of what would be returned if it were stopped there.
        reflections: calls -> reflections up to there.
        bias: reported score minus the true one.
        length: of the final text, as a share of the oracle's.
        slots: share of the slots' time that is used, at 50 ms a call and the latency of reflections that was asked for.
    """

    family: str
    seed: int
    optimiser: str
    gains: dict[int, float]
    reflections: dict[int, int]
    bias: float
    length: float
    calls: int
    slots: float


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


def ours(family: str, seed: int, variant: str, budget: int, options: Options) -> Outcome:
    """Run the racing search with ``budget`` calls in all, the last measurement included, on a clock that jumps."""
    place = world(family, seed, variant, latency=CALL, reflect_latency=options.reflection)
    text = place.seed_text
    anchor = len(place.inner.val)
    settings = RacingSettings(
        evaluations=budget - 2 * anchor,
        anchor=anchor,
        slots=place.width,
        lasts=options.reflection / CALL,
        **options.settings,
    )
    search = RacingSearch(settings, PARTS, KindBook if options.words else Tags)
    curve = Curve(place)
    task = InstructionTask(
        TargetRef(TargetKind.GENERIC, family), text, text, place.examples("train"), place.examples("val"),
        limits=TextLimits(), seed=seed,
    )  # fmt: skip
    ports = SearchPorts(ScoreLedger(place), place, report=curve.note, width=place.width)
    result, wall = clock.run(search.search(task, ports))
    busy = place.calls * place.latency + place.reflections * place.reflect_latency
    final = result.winner.candidate.deployed
    texts = {candidate.id: candidate.deployed for candidate in result.history}
    return Outcome(
        family, seed, options.name,
        {b: place.gain(texts[curve.at(b)]) for b in BUDGETS if b <= budget},
        {b: curve.reflections_at(b) for b in BUDGETS if b <= budget},
        result.winner.means.overall - place.truth(final), place.length(final), place.calls, busy / place.width / wall,
    )  # fmt: skip


def gepa(family: str, seed: int, variant: str, budget: int, options: Options) -> Outcome | None:
    """Run ``gepa.optimize`` with its defaults through the worlds' own runner; ``None`` where it is not installed."""
    sim = simulator()
    try:
        import gepa_run  # type: ignore[import-not-found]
    except ImportError:
        return None
    changes = dict(VARIANTS[variant])
    noise = sim.Noise(**changes.pop("noise", {}))  # type: ignore[union-attr]
    found = gepa_run.run(family, seed, budget, noise=noise, **changes)
    wall = found["waves"] * CALL + found["rwaves"] * options.reflection
    busy = found["exec_calls"] * CALL + found["refl"] * options.reflection
    return Outcome(
        family, seed, options.name,
        {b: found["norm"].get(b, 0.0) for b in BUDGETS if b <= budget},
        {BUDGETS[-1]: found["refl"]}, found["val"] - found["final"], found["chars"] / found["oracle_chars"],
        found["exec_calls"], busy / 8 / wall,
    )  # fmt: skip

"""The rules of the autonomous service, without its machinery: is it on, what is eligible, who comes first, how long
to wait. Everything here is a plain function of plain values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from honeyguide.prompts.targets import TargetRef

SWITCHES_OFF = ("HONEYGUIDE_EVOLVE", "MDFLOW_EVOLVE")
ENABLED = ("HONEYGUIDE_EVOLUTION_AUTO_ENABLED", "WAGGLE_EVOLUTION_AUTO_ENABLED")
INTERVAL_MS = ("HONEYGUIDE_EVOLUTION_TICK_INTERVAL_MS", "WAGGLE_EVOLUTION_TICK_INTERVAL_MS")
MIN_TRACES = ("HONEYGUIDE_EVOLUTION_MIN_TRACES", "WAGGLE_EVOLUTION_MIN_TRACES")
LEAST_INTERVAL = 60.0
LONGEST_BACKOFF = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class ServiceRules:
    """How the service is set up.

    Attributes:
        is_on: whether it may do anything by itself.
        why_off: what keeps it off, as a sentence; empty when it is on.
        interval: seconds between two ticks, at least 60.
        min_traces: new traces (or newly confirmed corrections) that a target needs, at least 1.
        calls_per_day, usd_per_day: what its runs may take in one day (UTC).
        further: targets that a person ticked besides personas and sections.
    """

    is_on: bool
    why_off: str
    interval: float
    min_traces: int
    calls_per_day: int
    usd_per_day: float
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a target stands.

    Attributes:
        last_run_at: when its newest attempt of any outcome began; ``None`` when it was never tried.
        new_traces, new_corrections: since then.
    """

    ref: TargetRef
    last_run_at: str | None
    new_traces: int
    new_corrections: int = 0

    @property
    def new(self) -> int:
        """How much new evidence there is."""
        return self.new_traces + self.new_corrections


def is_yes(text: str | None) -> bool:
    """Say whether an environment variable switches something on: 1, true, yes, in any case."""
    return (text or "").strip().lower() in ("1", "true", "yes")


def rules_from(environ: Mapping[str, str], setting: Callable[[str], Any]) -> ServiceRules:
    """Return the rules: the environment where it says something, else the settings."""
    switched_off = next((name for name in SWITCHES_OFF if environ.get(name, "").strip().lower() == "off"), None)
    named = _first(environ, ENABLED)
    wanted = is_yes(named) if named is not None else bool(setting("service.enabled"))
    why_off = ""
    if switched_off is not None:
        why_off = f"{switched_off} is off: nothing runs by itself."
    elif not wanted:
        why_off = "The service is off; switch on service.enabled, or set HONEYGUIDE_EVOLUTION_AUTO_ENABLED=1."
    milliseconds = _whole(_first(environ, INTERVAL_MS))
    interval = setting("service.tick_minutes") * 60.0 if milliseconds is None else milliseconds / 1000
    least = _whole(_first(environ, MIN_TRACES))
    return ServiceRules(
        is_on=not why_off,
        why_off=why_off,
        interval=max(interval, LEAST_INTERVAL),
        min_traces=max(setting("service.min_traces") if least is None else least, 1),
        calls_per_day=setting("service.calls_per_day"),
        usd_per_day=float(setting("service.usd_per_day")),
        further=tuple(setting("service.targets")),
    )


def in_order(standings: Iterable[Standing], min_traces: int) -> list[Standing]:
    """Return the eligible targets: never tried first, then the oldest attempt, then the most evidence, then by name."""
    eligible = [standing for standing in standings if standing.new >= min_traces]
    return sorted(eligible, key=lambda s: (s.last_run_at is not None, s.last_run_at or "", -s.new, str(s.ref)))


def backoff(failures: int, interval: float) -> float:
    """Return the seconds that a target rests after its ``failures``-th failure in a row: doubling, a week at most."""
    return min(interval * 2.0 ** min(failures - 1, 30), LONGEST_BACKOFF) if failures > 0 else 0.0


def reachable(due: datetime, now: datetime, interval: float) -> datetime:
    """Return when the next tick is due: never later than an interval from now, also when the clock was set back."""
    return min(due, now + timedelta(seconds=interval))


def rests(until: datetime | None, failures: int, now: datetime, interval: float) -> bool:
    """Say whether a target still rests; a rest that could not have been given now (the clock went back) is over."""
    if until is None:
        return False
    return now < until <= now + timedelta(seconds=backoff(failures, interval))


def _first(environ: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((environ[name] for name in names if environ.get(name, "").strip()), None)


def _whole(text: str | None) -> int | None:
    try:
        return None if text is None else int(text.strip())
    except ValueError:
        return None

"""Did it help? What people did before and after each deployment, in numbers and in words.

Pure counting: sessions come in, nothing is changed. It may suggest a rollback; it never does one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import sqrt

from honeyguide.versions.records import Version

RateInterval = Callable[[int, int], tuple[float, float]]
"""From (events, sessions) to the 95 % interval of the rate; ``evals.statistics.wilson_interval`` serves."""

ENOUGH = 5
"""Sessions that must stand on each side before anything is said about them."""


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation with the agent.

    Attributes:
        started_at: UTC, ISO 8601 with ``Z``; a session belongs to the text that was live when it started.
        corrected: whether a person corrected the agent in it.
        failed: whether it ended in failure.
    """

    started_at: str
    corrected: bool
    failed: bool


class WatchFinding(StrEnum):
    """What can be said about a deployment."""

    HELPED = "helped"
    HARMED = "harmed"
    MIXED = "mixed"
    """One rate got better and the other worse."""
    NO_DIFFERENCE = "no-difference-shown"
    TOO_FEW = "too-few-sessions"


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of ``n`` sessions; ``low`` and ``high`` bound the true rate (95 %)."""

    count: int
    n: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The observed rate, 0 without sessions."""
        return self.count / self.n if self.n else 0.0

    def to_json(self) -> dict[str, object]:
        """Return the rate as plain data."""
        return {
            "count": self.count,
            "n": self.n,
            "rate": self.value if self.n else None,
            "interval": [self.low, self.high],
        }


@dataclass(frozen=True, slots=True)
class RateChange:
    """One rate before and after; ``low`` and ``high`` bound after minus before (95 %, Newcombe 1998, method 10)."""

    before: Rate
    after: Rate
    low: float
    high: float

    @property
    def delta(self) -> float:
        """After minus before; negative is better."""
        return self.after.value - self.before.value

    def to_json(self) -> dict[str, object]:
        """Return the change as plain data."""
        return {
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "delta": self.delta,
            "interval": [self.low, self.high],
        }


@dataclass(frozen=True, slots=True)
class WatchedDeployment:
    """What came of one deployment.

    Attributes:
        version: the version that went live.
        corrections, failures: the two rates, before and after.
        finding: what can be said.
        words: the same in one or two sentences.
        suggests_rollback: whether a rate got worse beyond chance and none got better.
    """

    version: Version
    corrections: RateChange
    failures: RateChange
    finding: WatchFinding
    words: str
    suggests_rollback: bool

    def to_json(self) -> dict[str, object]:
        """Return one entry of ``versions watch --json``."""
        return {
            "n": self.version.n,
            "deployed_at": self.version.created_at,
            "origin": self.version.origin.value,
            "run_uuid": self.version.run_uuid,
            "corrections": self.corrections.to_json(),
            "failures": self.failures.to_json(),
            "finding": self.finding.value,
            "words": self.words,
            "suggests_rollback": self.suggests_rollback,
        }


def watch(
    versions: Sequence[Version], sessions: Iterable[Session], interval: RateInterval
) -> tuple[WatchedDeployment, ...]:
    """Compare, for each version that changed the live text, the sessions before it with those after it.

    "Before" reaches back to the deployment before it, "after" up to the next one. Versions that changed nothing
    (backups, what was found first) are no deployments.
    """
    deployments = [
        version
        for earlier, version in pairwise(versions)
        if (version.removed, version.text_sha256) != (earlier.removed, earlier.text_sha256)
    ]
    ordered = sorted(sessions, key=lambda session: session.started_at)
    watched: list[WatchedDeployment] = []
    for place, version in enumerate(deployments):
        since = deployments[place - 1].created_at if place else ""
        until = deployments[place + 1].created_at if place + 1 < len(deployments) else "~"
        before = [s for s in ordered if since <= s.started_at < version.created_at]
        after = [s for s in ordered if version.created_at <= s.started_at < until]
        watched.append(_watched(version, before, after, interval))
    return tuple(watched)


def _watched(
    version: Version, before: Sequence[Session], after: Sequence[Session], interval: RateInterval
) -> WatchedDeployment:
    corrections = _change([s.corrected for s in before], [s.corrected for s in after], interval)
    failures = _change([s.failed for s in before], [s.failed for s in after], interval)
    better = [change for change in (corrections, failures) if change.high < 0]
    worse = [change for change in (corrections, failures) if change.low > 0]
    if min(len(before), len(after)) < ENOUGH:
        finding = WatchFinding.TOO_FEW
    elif better and worse:
        finding = WatchFinding.MIXED
    elif worse:
        finding = WatchFinding.HARMED
    elif better:
        finding = WatchFinding.HELPED
    else:
        finding = WatchFinding.NO_DIFFERENCE
    words = _words(version, corrections, failures, finding)
    return WatchedDeployment(version, corrections, failures, finding, words, finding is WatchFinding.HARMED)


def _change(before: Sequence[bool], after: Sequence[bool], interval: RateInterval) -> RateChange:
    old, new = _rate(before, interval), _rate(after, interval)
    delta = new.value - old.value
    down = sqrt((new.value - new.low) ** 2 + (old.high - old.value) ** 2)
    up = sqrt((new.high - new.value) ** 2 + (old.value - old.low) ** 2)
    return RateChange(old, new, max(delta - down, -1.0), min(delta + up, 1.0))


def _rate(events: Sequence[bool], interval: RateInterval) -> Rate:
    low, high = interval(sum(events), len(events)) if events else (0.0, 1.0)
    return Rate(sum(events), len(events), low, high)


def _words(version: Version, corrections: RateChange, failures: RateChange, finding: WatchFinding) -> str:
    after, before = corrections.after.n, corrections.before.n
    if finding is WatchFinding.TOO_FEW:
        return (
            f"Version {version.n}: {before} session{'s' * (before != 1)} before and {after} after it are too few "
            f"to tell; {ENOUGH} on each side are needed."
        )
    said = f"Version {version.n}: {_rate_words(corrections, 'corrected')}, {_rate_words(failures, 'failed')}."
    return f"{said} {_VERDICTS[finding]}"


def _rate_words(change: RateChange, what: str) -> str:
    return (
        f"{change.after.count} of {change.after.n} sessions {what} after it, "
        f"{change.before.count} of {change.before.n} before"
    )


_VERDICTS = {
    WatchFinding.HELPED: "It helped, beyond chance.",
    WatchFinding.HARMED: "It got worse, beyond chance; consider rolling back.",
    WatchFinding.MIXED: "One rate got better and the other worse, both beyond chance; look at the sessions.",
    WatchFinding.NO_DIFFERENCE: "The difference may be chance.",
}

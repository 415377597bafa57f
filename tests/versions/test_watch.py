"""What is said about a deployment from the sessions around it."""

from __future__ import annotations

from math import sqrt

import pytest

from honeyguide.versions.records import Origin, Version
from honeyguide.versions.watch import Session, WatchFinding, watch


def wilson(count: int, n: int) -> tuple[float, float]:
    z, p = 1.959964, count / n
    middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def version(n: int, day: int, text: str, origin: Origin = Origin.ACCEPTED) -> Version:
    return Version("generic", "g", n, text, text, 1, f"2026-01-{day:02}T00:00:00.000Z", origin)


def sessions(day: int, n: int, *, corrected: int = 0, failed: int = 0) -> list[Session]:
    return [Session(f"2026-01-{day:02}T10:00:{i % 60:02}.000Z", i < corrected, i < failed) for i in range(n)]


FOUND, FIRST = version(1, 1, "a", Origin.FOUND), version(2, 10, "b")


@pytest.mark.parametrize(
    ("before", "after", "finding", "suggests"),
    [
        ({"n": 60, "corrected": 30}, {"n": 60, "corrected": 10}, WatchFinding.HELPED, False),
        ({"n": 60, "corrected": 10}, {"n": 60, "corrected": 30}, WatchFinding.HARMED, True),
        ({"n": 60, "failed": 2}, {"n": 60, "failed": 20}, WatchFinding.HARMED, True),
        ({"n": 60, "corrected": 30, "failed": 2}, {"n": 60, "corrected": 9, "failed": 25}, WatchFinding.MIXED, False),
        ({"n": 60, "corrected": 10}, {"n": 60, "corrected": 12}, WatchFinding.NO_DIFFERENCE, False),
        ({"n": 4, "corrected": 4}, {"n": 60}, WatchFinding.TOO_FEW, False),
        ({"n": 60, "corrected": 60}, {"n": 0}, WatchFinding.TOO_FEW, False),
    ],
)
def test_a_finding_needs_a_difference_beyond_chance_and_enough_sessions(before, after, finding, suggests):
    (watched,) = watch([FOUND, FIRST], [*sessions(5, **before), *sessions(12, **after)], wilson)
    assert (watched.finding, watched.suggests_rollback) == (finding, suggests)
    assert "Version 2" in watched.words


def test_the_interval_of_the_difference_is_newcombes():
    """56 of 70 against 48 of 80: 0.2 with 0.0524 to 0.3339 (Newcombe 1998, table II, method 10, example a)."""
    (watched,) = watch([FOUND, FIRST], [*sessions(5, 80, corrected=48), *sessions(12, 70, corrected=56)], wilson)
    change = watched.corrections
    assert (change.delta, change.low, change.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_sessions_belong_to_the_text_that_was_live_when_they_started():
    second = version(3, 20, "c")
    watched = watch([FOUND, FIRST, second], [*sessions(5, 7), *sessions(15, 8), *sessions(25, 9)], wilson)
    assert [(w.version.n, w.corrections.before.n, w.corrections.after.n) for w in watched] == [(2, 7, 8), (3, 8, 9)]


def test_backups_and_what_was_found_first_are_no_deployments():
    backup = version(3, 20, "b", Origin.FOUND)
    assert [w.version.n for w in watch([FOUND, FIRST, backup], sessions(5, 6), wilson)] == [2]
    assert watch([FOUND], sessions(5, 6), wilson) == ()
    assert watch([], [], wilson) == ()


def test_what_is_printed_holds_the_numbers_and_the_words():
    (watched,) = watch([FOUND, FIRST], [*sessions(5, 20, corrected=5), *sessions(12, 10, corrected=1)], wilson)
    body = watched.to_json()
    assert body["corrections"]["before"] == {
        "count": 5, "n": 20, "rate": 0.25, "interval": pytest.approx([0.1119, 0.4687], abs=1e-4),
    }  # fmt: skip
    assert body["words"] == (
        "Version 2: 1 of 10 sessions corrected after it, 5 of 20 before, "
        "0 of 10 sessions failed after it, 0 of 20 before. The difference may be chance."
    )

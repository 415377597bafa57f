from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from honeyguide.desktop.theme import figures

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (0.14, "+14 pts"),
        (-0.041, "−4.1 pts"),
        (0.0, "0 pts"),
        (0.0999, "+10 pts"),
        (0.0004, "0 pts"),
        (None, "unknown"),
    ],
)
def test_points_carry_sign_and_unit(delta, words):
    assert figures.points(delta) == words


@pytest.mark.parametrize(
    ("delta", "interval", "words"),
    [
        (0.14, (0.09, 0.19), "+14 ±5 pts"),
        (0.01, (-0.05, 0.07), "+1 ±6 pts"),
        (0.14, (0.02, 0.17), "+14 (+2 to +17) pts"),
        (0.14, None, "+14 pts"),
        (None, None, "unknown"),
        (0.012, (0.002, 0.022), "+1.2 ±1.0 pts"),
    ],
)
def test_a_gain_carries_its_uncertainty(delta, interval, words):
    assert figures.gain(delta, interval) == words


@pytest.mark.parametrize(
    ("usd", "words"),
    [(0.31, "$0.31"), (0, "$0.00"), (0.004, "<$0.01"), (None, "unknown"), (-1.5, "−$1.50"), (1234.5, "$1234.50")],
)
def test_money_carries_its_currency_and_unknown_is_never_nothing(usd, words):
    assert figures.money(usd) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.1, 0.4, "$0.10 to $0.40"), (0.1, 0.1, "$0.10"), (0.1, None, "unknown"), (None, 0.2, "$0.20")],
)
def test_prices_are_ranges(low, high, words):
    assert figures.money_range(low, high) == words


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (timedelta(seconds=3), "now"),
        (timedelta(seconds=-40), "now"),
        (timedelta(minutes=5), "5 min"),
        (timedelta(hours=2, minutes=59), "2 h"),
        (timedelta(days=3), "3 d"),
    ],
)
def test_times_are_relative(gone, words):
    assert figures.age(NOW - gone, NOW) == words


def test_old_times_are_dates_and_unknown_ones_unknown():
    assert "2025" in figures.age(NOW - timedelta(days=400), NOW)
    assert figures.age(None, NOW) == figures.exact_time(None) == "unknown"
    assert "2026-06-01" in figures.exact_time(NOW)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.84, "0.8 s"), (42, "42 s"), (60, "1 min"), (200, "3 min 20 s"), (3900, "1 h 5 min"), (None, "unknown")],
)
def test_lengths_of_time_carry_their_units(seconds, words):
    assert figures.duration(seconds) == words


def test_a_missing_score_is_unscored_and_a_missing_count_unknown():
    assert figures.score(None) == "unscored"
    assert figures.score(0.5) == "0.50"
    assert figures.whole(None) == "unknown"
    assert figures.percent(0.62) == "62 %"
    assert figures.percent(None) == "unknown"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 KB"),
        (999_499, "999 KB"),
        (999_500, "1.0 MB"),
        (80_400_000, "80 MB"),
        (1_200_000_000, "1.2 GB"),
    ],
)
def test_sizes_have_their_unit(count, words):
    assert figures.size(count) == words

"""Moments as text that sorts like time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.clock import ManualClock, SystemClock, iso, parse_iso

moments = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))


@given(moments, moments)
def test_text_order_is_time_order(one, other):
    if abs(one - other) >= timedelta(milliseconds=1):
        assert (iso(one) < iso(other)) == (one < other)


@given(moments)
def test_a_moment_reads_back_to_the_millisecond(moment):
    assert abs(parse_iso(iso(moment)) - moment) < timedelta(milliseconds=1)


def test_other_zones_are_converted_and_naive_times_are_utc():
    assert iso(datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=2)))) == "2026-02-28T23:00:00.000Z"
    assert iso(datetime(2026, 3, 1, 1)) == "2026-03-01T01:00:00.000Z"


@pytest.mark.parametrize("text", ["2026-04-01 12:00:00", "2026-04-01T12:00:00Z", "2026-04-01T14:00:00+02:00"])
def test_the_usual_spellings_are_read(text):
    assert parse_iso(text) == datetime(2026, 4, 1, 12, tzinfo=UTC)


def test_a_manual_clock_moves_only_when_told():
    clock = ManualClock()
    before = clock.now()
    clock.advance(2.5)
    assert (clock.now() - before).total_seconds() == 2.5
    assert clock.monotonic() == 2.5


def test_the_system_clock_knows_its_zone():
    assert SystemClock().now().tzinfo is UTC

"""Patterns of strangers are matched within a time limit."""

from __future__ import annotations

import time

import pytest

from honeyguide.kernel.errors import InvalidInput
from honeyguide.kernel.matching import Match, search


@pytest.mark.parametrize(("pattern", "found"), [("b+c", Match.FOUND), ("^c", Match.ABSENT), ("", Match.FOUND)])
def test_a_pattern_is_found_or_absent(pattern, found):
    assert search(pattern, "abbbc") is found


def test_a_runaway_pattern_ends_as_inconclusive_and_in_time():
    began = time.monotonic()
    assert search(r"(.*)*(.*)*(.*)*[^\n]*x{20}y$", "ab" * 5000 + "x" * 19, time_limit=0.1) is Match.INCONCLUSIVE
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?P<n>a)(?P<n", "x" * 10_001])
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(InvalidInput):
        search(pattern, "text")

"""Exact tests for small samples, the correction for many of them, and how large a difference a sample could show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

_Z_ALPHA: Final = 1.959964
_Z_BETA: Final = 0.841621
"""Normal quantiles of 5 % two-sided error and 80 % power."""


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """Return the two-sided p-value of the table ((a, b), (c, d)): all tables that are no likelier than this one.

    Source: R. A. Fisher, *The Design of Experiments* (1935); ties are taken within 1e-7 of the logarithm.
    """
    n, row, column = a + b + c + d, a + b, a + c
    if n == 0:
        return 1.0

    def log_probability(x: int) -> float:
        return _log_choose(column, x) + _log_choose(n - column, row - x) - _log_choose(n, row)

    observed = log_probability(a)
    lowest, highest = max(0, column - (n - row)), min(row, column)
    each = (log_probability(x) for x in range(lowest, highest + 1))
    return min(1.0, sum(math.exp(p) for p in each if p <= observed + 1e-7))


def binomial_two_sided(k: int, n: int) -> float:
    """Return the exact two-sided p-value of ``k`` of ``n`` under even odds: McNemar's test on discordant pairs."""
    if n == 0:
        return 1.0
    tail = sum(math.comb(n, i) for i in range(min(k, n - k) + 1))
    return min(1.0, float(2 * tail / (1 << n)))


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return the adjusted p-values. Source: Y. Benjamini and Y. Hochberg, JRSS B 57 (1995)."""
    m = len(p_values)
    order = sorted(range(m), key=lambda i: p_values[i])
    adjusted = [1.0] * m
    lowest = 1.0
    for rank in range(m, 0, -1):
        at = order[rank - 1]
        lowest = min(lowest, p_values[at] * m / rank)
        adjusted[at] = lowest
    return adjusted


def welch_p(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the two-sided p-value of a difference of means, by the normal approximation; both need two values."""

    def variance(values: Sequence[float]) -> float:
        middle = math.fsum(values) / len(values)
        return math.fsum((v - middle) ** 2 for v in values) / (len(values) - 1)

    difference = abs(math.fsum(after) / len(after) - math.fsum(before) / len(before))
    error = math.sqrt(variance(before) / len(before) + variance(after) / len(after))
    if error == 0:
        return 1.0 if difference == 0 else 0.0
    return math.erfc(difference / error / math.sqrt(2))


def detectable_change(rate: float, n: int) -> float:
    """Return the smallest change of a rate that ``n`` runs a side find in 80 of 100 cases."""
    if n <= 0:
        return 1.0
    return min(1.0, (_Z_ALPHA + _Z_BETA) * math.sqrt(2 * _spread(rate) / n))


def runs_needed(rate: float, change: float) -> int:
    """Return the runs a side that find ``change`` in 80 of 100 cases."""
    if change <= 0:
        return 0
    return math.ceil((_Z_ALPHA + _Z_BETA) ** 2 * 2 * _spread(rate) / change**2)


def _spread(rate: float) -> float:
    p = min(max(rate, 0.05), 0.95)
    return p * (1 - p)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

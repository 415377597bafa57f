"""Many random choices of one decision at once: a hash of (seed, decision), stretched."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_ELEVEN, _TWENTY_SEVEN, _THIRTY, _THIRTY_ONE = (np.uint64(bits) for bits in (11, 27, 30, 31))
_SCALE = 1.0 / (1 << 53)
_STEPS = np.arange(1, 1025, dtype=np.uint64) * _GOLDEN


def lots(seed: int, decision: str, number: int, count: int) -> npt.NDArray[np.float64]:
    """Return ``count`` numbers in [0, 1) that depend only on the seed and the decision.

    The first 64 bits of SHA-256 are stretched by SplitMix64 (Steele, Lea and Flood 2014).
    """
    numbers: npt.NDArray[np.float64] = lots_of_many(seed, decision, range(number, number + 1), count)[0]
    return numbers


def lots_of_many(seed: int, decision: str, decisions: range, count: int) -> npt.NDArray[np.float64]:
    """Return the ``lots`` of several decisions, one row for each."""
    sha256 = hashlib.sha256
    keys = b"".join([sha256(f"{seed}\x1f{decision}\x1f{number}".encode()).digest()[:8] for number in decisions])
    steps = _STEPS if count <= len(_STEPS) else np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
    mixed = np.frombuffer(keys, "<u8")[:, None] + steps[:count]
    mixed ^= mixed >> _THIRTY
    mixed *= _FIRST
    mixed ^= mixed >> _TWENTY_SEVEN
    mixed *= _SECOND
    mixed ^= mixed >> _THIRTY_ONE
    numbers: npt.NDArray[np.float64] = (mixed >> _ELEVEN) * _SCALE
    return numbers

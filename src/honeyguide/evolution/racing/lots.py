"""Many random choices of one decision at once: a hash of (seed, decision), stretched."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SCALE = 1.0 / (1 << 53)
_STEPS = np.arange(1, 1025, dtype=np.uint64) * _GOLDEN


def lots(seed: int, decision: str, number: int, count: int) -> npt.NDArray[np.float64]:
    """Return ``count`` numbers in [0, 1) that depend only on the seed and the decision.

    The first 64 bits of SHA-256 are stretched by SplitMix64 (Steele, Lea and Flood 2014).
    """
    key = hashlib.sha256(f"{seed}\x1f{decision}\x1f{number}".encode()).digest()
    steps = _STEPS if count <= len(_STEPS) else np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN
    mixed = steps[:count] + np.frombuffer(key, "<u8", 1)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    mixed ^= mixed >> np.uint64(31)
    numbers: npt.NDArray[np.float64] = (mixed >> np.uint64(11)) * _SCALE
    return numbers

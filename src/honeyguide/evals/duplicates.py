"""Inputs that say the same: equal after normalisation, or nearly so.

Near-duplicates are found without comparing every pair: texts that share a band of minimum hashes over five-character
shingles (A. Broder, "On the resemblance and containment of documents", 1997) are compared, the others are not. Texts
with different numbers are never near-duplicates: an order number or an amount is often all that tells two cases apart.
"""

from __future__ import annotations

import unicodedata
import zlib
from typing import Final

import numpy as np
import regex
from rapidfuzz.distance import Indel

ALIKE: Final = 0.95
LEAST_LENGTH: Final = 24
"""Shorter texts are compared for equality alone: one letter more or less may change what they say."""
SHINGLE: Final = 5
BANDS: Final = 12
_PRIME: Final = np.uint64(4294967311)
_FACTORS: Final = np.array([2654435761 * (2 * band + 1) % 4294967291 for band in range(BANDS)], dtype=np.uint64)
_SHIFTS: Final = np.array([40503 * (band + 7) ** 3 % 4294967291 for band in range(BANDS)], dtype=np.uint64)
_NUMBER: Final = regex.compile(r"\p{N}+")
_NOISE: Final = regex.compile(r"[\p{P}\p{S}\s]+")


def normalised(text: str) -> str:
    """Return ``text`` with NFKC, case folded, and white space runs as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class SeenInputs:
    """Remembers inputs and says whether a new one repeats any of them."""

    def __init__(self) -> None:
        self._equal: set[str] = set()
        self._texts: list[tuple[str, tuple[str, ...]]] = []
        self._bands: dict[tuple[int, int], list[int]] = {}

    def repeats(self, text: str) -> str:
        """Return ``""`` for a new input (which is remembered), else ``duplicate`` or ``near-duplicate``."""
        plain = normalised(text)
        if plain in self._equal:
            return "duplicate"
        bare = _NOISE.sub(" ", plain).strip()
        numbers = tuple(_NUMBER.findall(plain))
        bands = _bands(bare) if len(bare) >= LEAST_LENGTH else []
        candidates = sorted({i for band in bands for i in self._bands.get(band, ())})
        for i in candidates:
            other, other_numbers = self._texts[i]
            if numbers == other_numbers and Indel.normalized_similarity(bare, other, score_cutoff=ALIKE) >= ALIKE:
                return "near-duplicate"
        self._equal.add(plain)
        for band in bands:
            self._bands.setdefault(band, []).append(len(self._texts))
        self._texts.append((bare, numbers))
        return ""


def _bands(text: str) -> list[tuple[int, int]]:
    raw = text.encode("utf-8", "surrogatepass")
    hashes = np.array(
        [zlib.crc32(raw[i : i + SHINGLE]) for i in range(max(1, len(raw) - SHINGLE + 1))], dtype=np.uint64
    )
    lowest = ((np.unique(hashes)[:, None] * _FACTORS + _SHIFTS) % _PRIME).min(axis=0)
    return [(band, int(value)) for band, value in enumerate(lowest)]

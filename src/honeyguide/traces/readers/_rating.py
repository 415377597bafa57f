"""What a person's rating says, as a share in [0, 1]: numbers on a scale, stars, thumbs, words in nine languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from honeyguide.traces.readers._values import compact, number

_WORDS = {
    1.0: """
        up good yes true 👍 positive helpful correct pass ok gut ja bon oui sí si sim buono да хорошо 好 是 はい 良い
    """,
    0.0: """
        down bad no false 👎 negative unhelpful wrong fail schlecht nein mauvais non malo não ruim cattivo нет плохо
        不好 否 いいえ 悪い
    """,
}
_SHARES = {word: share for share, words in _WORDS.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a column of ratings, as far as its first rows tell."""

    lowest: float = 0.0
    highest: float = 1.0

    @staticmethod
    def of(values: Iterator[Any]) -> Scale:
        numbers = [found for value in values if (found := number(value)) is not None]
        top, bottom = max(numbers, default=1.0), min(numbers, default=0.0)
        if top <= 1.0:
            return Scale(-1.0 if bottom < 0 else 0.0, 1.0)
        for highest in (5.0, 10.0, 100.0):
            if top <= highest:
                return Scale(0.0 if bottom < 1.0 or highest == 100.0 else 1.0, highest)
        return Scale(0.0, top)

    def share(self, value: Any) -> float | None:
        """Return the rating in [0, 1], higher is better; ``None`` when it is none."""
        if isinstance(value, bool):
            return float(value)
        word = compact(value).strip().lower()
        if word in _SHARES:
            return _SHARES[word]
        stars = word.count("★") or word.count("⭐")
        found = float(stars) if stars else number(re.sub(r"\s*/\s*\d+$", "", word))
        if found is None or not self.lowest <= found <= self.highest:
            return None
        return (found - self.lowest) / (self.highest - self.lowest)

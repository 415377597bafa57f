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


_NUMBER = re.compile(r"([-+]?\d+(?:[.,]\d+)?)\s*(?:/\s*(\d+)|(%))?")


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a column of ratings, as far as its first rows tell."""

    lowest: float = 0.0
    highest: float = 1.0

    @staticmethod
    def of(values: Iterator[Any]) -> Scale:
        """Return the smallest usual scale that holds ``values``: -1 or 0 to 1, 1 to 5, 1 to 10, 0 to 100."""
        numbers = [found[0] for value in values if (found := _rating(value)) is not None and found[1] is None]
        top, bottom = max(numbers, default=1.0), min(numbers, default=0.0)
        if top <= 1.0:
            return Scale(-1.0 if bottom < 0 else 0.0, 1.0)
        highest = next((usual for usual in (5.0, 10.0, 100.0) if top <= usual), top)
        return Scale(1.0 if bottom >= 1.0 and highest <= 10.0 else 0.0, highest)

    def share(self, value: Any) -> float | None:
        """Return the rating in [0, 1], higher is better; ``None`` when it is none, or off the scale."""
        if isinstance(value, bool):
            return float(value)
        word = compact(value).strip().lower()
        if word in _SHARES:
            return _SHARES[word]
        found = _rating(value)
        if found is None:
            return None
        rating, highest = found
        lowest = self.lowest
        if highest is None:
            highest = self.highest
        else:
            lowest = 1.0 if highest in (5.0, 10.0) and rating >= 1.0 else 0.0
        if not lowest <= rating <= highest or highest <= lowest:
            return None
        return (rating - lowest) / (highest - lowest)


def _rating(value: Any) -> tuple[float, float | None] | None:
    """Return the number in a rating and the top of its scale, where it says one (``4/5``, ``80 %``)."""
    if isinstance(value, bool):
        return None
    text = compact(value).strip()
    stars = sum(text.count(sign) for sign in "★⭐")
    if stars:
        return float(stars), 5.0 if stars <= 5 else None
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    top = 100.0 if found.group(3) else number(found.group(2))
    rating = number(found.group(1).replace(",", "."))
    return None if rating is None else (rating, top)

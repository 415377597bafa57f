"""Colours as a person sees them: contrast after WCAG 2.2, mixing and lightness in OKLab (Björn Ottosson, 2020)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

_HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Colour:
    """An opaque sRGB colour; each part 0 to 255."""

    red: int
    green: int
    blue: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``#rrggbb``. Raises ValueError for anything else."""
        if not _HEX.fullmatch(text):
            raise ValueError(f"{text!r} is not a colour like #rrggbb")
        return cls(int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16))

    @property
    def hex(self) -> str:
        """The colour as ``#rrggbb``."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def luminance(self) -> float:
        """Relative luminance in [0, 1]."""
        red, green, blue = (_linear(part) for part in (self.red, self.green, self.blue))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    @property
    def lightness(self) -> float:
        """Perceived lightness in [0, 1]."""
        return _to_lab(self)[0]

    def contrast(self, other: Colour) -> float:
        """Return the contrast ratio, 1 (none) to 21 (black on white)."""
        light, dark = sorted((self.luminance, other.luminance), reverse=True)
        return (light + 0.05) / (dark + 0.05)

    def mixed(self, other: Colour, share: float) -> Colour:
        """Return this colour with ``share`` (0 to 1) of ``other`` in it."""
        mine, theirs = _to_lab(self), _to_lab(other)
        lightness, a, b = (m + (t - m) * share for m, t in zip(mine, theirs, strict=True))
        return _from_lab(lightness, a, b)

    def lit(self, lightness: float) -> Colour:
        """Return the same hue at another lightness in [0, 1]."""
        _, a, b = _to_lab(self)
        return _from_lab(lightness, a, b)

    def readable_on(self, backgrounds: Iterable[Colour], ratio: float = 4.5) -> Colour:
        """Return the nearest lightness of this hue that has at least ``ratio`` contrast on every background.

        Raises:
            ValueError: no lightness has (the backgrounds are too different, or the ratio too high).
        """
        grounds = list(backgrounds)
        start = self.lightness
        steps = sorted((step / 200 for step in range(201)), key=lambda at: (abs(at - start), at))
        for at in [start, *steps]:
            candidate = self.lit(at)
            if all(candidate.contrast(ground) >= ratio for ground in grounds):
                return candidate
        raise ValueError(f"no lightness of {self.hex} has a contrast of {ratio} on {[g.hex for g in grounds]}")


def _linear(part: int) -> float:
    value = part / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _gamma(value: float) -> int:
    clamped = min(max(value, 0.0), 1.0)
    shaped = clamped * 12.92 if clamped <= 0.0031308 else 1.055 * clamped ** (1 / 2.4) - 0.055
    return round(shaped * 255)


def _to_lab(colour: Colour) -> tuple[float, float, float]:
    r, g, b = (_linear(part) for part in (colour.red, colour.green, colour.blue))
    long = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    medium = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    short = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_lab(lightness: float, a: float, b: float) -> Colour:
    """Back to sRGB; what lies outside of it loses chroma until it fits."""
    for keep in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1):
        parts = _linear_of(lightness, a * keep, b * keep)
        if all(-0.002 <= part <= 1.002 for part in parts):
            return Colour(*(_gamma(part) for part in parts))
    return Colour(*(_gamma(part) for part in _linear_of(lightness, 0.0, 0.0)))


def _linear_of(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )

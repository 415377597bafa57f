"""The names of the presets; what each is made of stands in ``presets``."""

from __future__ import annotations

from enum import StrEnum


class Preset(StrEnum):
    """The presets by name."""

    EFFICIENT = "efficient"
    """Races candidates against the live text; ends when the rest could not change the decision."""
    THOROUGH = "thorough"
    """The first seed's numbers."""
    QUICK = "quick"
    """A first impression; seldom a proof."""

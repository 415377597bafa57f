"""The racing search (preset ``efficient``): every edit of every rewrite is tried by itself, beside all others.

``search`` is the way in and the only module with calls; ``race`` and what is under it are pure. For the rooms above.
"""

from honeyguide.evolution.racing.kinds import KindBook
from honeyguide.evolution.racing.search import Kinds, RacingSearch, TextParts
from honeyguide.evolution.racing.settings import Odds, RacingSettings

__all__ = ["KindBook", "Kinds", "Odds", "RacingSearch", "RacingSettings", "TextParts"]

"""The racing search (preset ``efficient``): every edit of every rewrite is tried by itself, beside all others.

``search`` is the way in and the only module with calls; ``race`` and what is under it are pure. For the rooms above.
"""

from honeyguide.evolution.racing.kinds import KindBook, Kinds
from honeyguide.evolution.racing.search import RacingSearch
from honeyguide.evolution.racing.settings import Odds, RacingSettings
from honeyguide.evolution.racing.texts import TextParts

__all__ = ["KindBook", "Kinds", "Odds", "RacingSearch", "RacingSettings", "TextParts"]

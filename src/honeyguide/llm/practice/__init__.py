"""The practice model: an honest simulation that speaks the same text protocol as a real one.

It reads nothing but the request: it follows a rule only when the prompt in front of it states the rule,
grades an answer from the judge's prompt alone, and proposes changes from the mutator's prompt alone. It makes
seeded mistakes in each of the three. Whatever it produced is called "practice model" on screen.
"""

from honeyguide.llm.practice.client import PracticeClient

__all__ = ["PracticeClient"]

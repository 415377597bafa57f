"""The seven ways to change a prompt, what each means, and which one a child of a generation uses."""

from __future__ import annotations

from enum import StrEnum


class Strategy(StrEnum):
    """What a mutation tries, spelled as the first seed spells it."""

    EXPAND_EDGE_CASES = "expand-edge-cases"
    TIGHTEN_FORMAT = "tighten-format"
    ADD_EXAMPLES = "add-examples"
    CLARIFY_CONSTRAINTS = "clarify-constraints"
    REDUCE_LENGTH = "reduce-length"
    RESTRUCTURE_STEPS = "restructure-steps"
    TARGETED_FEEDBACK = "targeted-feedback"


STRATEGIES: tuple[Strategy, ...] = tuple(Strategy)
"""All strategies in the order in which they cycle."""

EXPLANATIONS: dict[Strategy, str] = {
    Strategy.EXPAND_EDGE_CASES: (
        "Find the kinds of input behind the failures that the prompt says nothing about (unusual, empty, ambiguous, "
        "hostile, or in another language) and state, in as few words as possible, what to do with each kind."
    ),
    Strategy.TIGHTEN_FORMAT: (
        "State the shape of a good answer exactly: order of its parts, length, list or prose, language, what comes "
        "first, what is never included. Replace vague wishes by rules that a reader could check."
    ),
    Strategy.ADD_EXAMPLES: (
        "Add at most two short, invented examples of an input with its ideal answer that show the behaviour which "
        "the failures lack. Do not reuse names, numbers or sentences of the failures."
    ),
    Strategy.CLARIFY_CONSTRAINTS: (
        "Find the rules that can be read in two ways, contradict each other, or stand without a condition. Rewrite "
        "each as one sentence that says when it applies, what must happen, and which rule wins in a conflict."
    ),
    Strategy.REDUCE_LENGTH: (
        "Make the prompt shorter: remove repetition, filler and rules that no answer could break; merge what belongs "
        "together. Every rule that changes an answer stays. The result must be shorter than the current prompt."
    ),
    Strategy.RESTRUCTURE_STEPS: (
        "Keep the rules and change their order: the most important first, steps in the order in which they are done, "
        "conditions beside the rule they limit. Use a numbered list where the order matters."
    ),
    Strategy.TARGETED_FEEDBACK: (
        "Work only on what the feedback of the failures names. Find the cause that several of them share and fix it "
        "with the smallest edit; leave every other sentence as it is."
    ),
}


def strategy_for(generation: int, index: int) -> Strategy:
    """Return the strategy of child ``index`` (from 0) in ``generation`` (from 1).

    The first generation goes through the list; later ones give their first child to the feedback and rotate
    the rest, so that no two generations try the same mix (first seed, section 4.3).
    """
    if generation <= 1:
        return STRATEGIES[index % len(STRATEGIES)]
    if index == 0:
        return Strategy.TARGETED_FEEDBACK
    return STRATEGIES[(index + generation) % len(STRATEGIES)]

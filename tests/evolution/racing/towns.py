"""A small world for the racing search: questions about topics, and a prompt that needs a rule for each of them."""

from __future__ import annotations

import re

from honeyguide.evals.examples import Example
from honeyguide.evolution.search import InstructionTask
from honeyguide.kernel.choice import choose, unit
from tests.evolution.worlds import TARGET

TOPICS = ("parking", "refunds", "luggage", "breakfast", "wifi", "pets")
START = "You answer guests of a hotel."


def rule(topic: str) -> str:
    return f"- Asked about {topic}, name the price first."


ALL_RULES = "\n".join([START, *map(rule, TOPICS)])


def guests(count: int, prefix: str) -> tuple[Example, ...]:
    """Return questions, each about one topic, in turn."""
    return tuple(
        Example(
            f"{prefix}{i}", f"Guest {prefix}{i} asks about {TOPICS[i % 6]}.", "the price", conversation=f"{prefix}{i}"
        )
        for i in range(count)
    )


def task(seed: int = 1, text: str = START, train: int = 18, validation: int = 18) -> InstructionTask:
    return InstructionTask(TARGET, text, text, guests(train, "t"), guests(validation, "v"), seed=seed)


def topic_of(question: str) -> str:
    return next(topic for topic in TOPICS if topic in question)


def answer(system: str, question: str) -> str:
    """Name the price when the prompt says so; else by luck, one time in five."""
    knows = rule(topic_of(question)) in system
    return "It is 5." if knows or unit(0, system, question) < 0.2 else "Gladly."


def grade(actual: str, question: str) -> tuple[float, float, float, str]:
    if actual == "It is 5.":
        return 10, 10, 10, ""
    return 2, 5, 8, f"The price of {topic_of(question)} is missing."


def reflect(blocks: dict[str, str]) -> str:
    """Write a rule for one or two topics that failed; sometimes idle words, sometimes lose a rule."""
    current = blocks["CURRENT PROMPT"]
    failing = sorted(set(re.findall(r"price of (\w+) is missing", blocks["FAILURES"])))
    lines = current.split("\n")
    for topic in failing[:2]:
        if rule(topic) not in lines:
            lines.append(rule(topic))
    lot = unit(1, blocks["FAILURES"], current)
    if lot < 0.3:
        lines.append(choose(2, ("Take a deep breath.", "Be excellent in all you do.", "Mind every detail."), current))
    elif lot > 0.8 and len(lines) > 3:
        del lines[2]
    return "\n".join(lines)

"""The practice model as executor: it answers the message and keeps the rules that its prompt states.

A stated rule that the message calls for is kept with probability 0.96, less in prompts so long that
attention fades; an unstated one that only some messages call
for is kept by habit in 8 of 100 cases; a forbidden one never.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from honeyguide.kernel.choice import choose, unit
from honeyguide.llm.practice.catalogue import REPLY_LANGUAGE, Behaviour, Topic, catalogue
from honeyguide.llm.practice.reading import PromptReading, language_of, read_prompt, slots_of

KEEPS_STATED = 0.96
KEEPS_BY_HABIT = 0.08
FILLS_WHEN_FREE = 0.5
FILLS_WHEN_LONG = 0.95
THINKS_FIRST_GAIN = 0.25
"""How much of what was missed a reasoning field before the answer wins back."""
ATTENTION_SPAN = 3000
"""Characters of prompt that are read with full attention."""
_STAND_INS: Mapping[str, tuple[str, ...]] = {
    "guess": ("an assumption that no longer holds",),
    "action": ("reply to this mail", "open the page and try it", "pick a date today"),
    "number": ("412", "1,280", "96"),
    "low": ("1.2", "0.4"),
    "high": ("3.8", "5.1"),
    "table": ("orders_daily", "events", "accounts"),
    "role": ("product lead", "operations", "the team lead"),
    "date": ("in two weeks", "end of the month"),
    "risk": ("two teams wait for each other", "the old system stays in use"),
    "criterion": ("somebody else has used it once", "the check is green"),
    "gap": ("behaviour under load", "the older entries"),
    "evidence": ("the log of the last run", "two sources that agree"),
    "undo": ("a copy is kept for seven days", "the old name still works"),
    "step1": ("Look at what is there",),
    "step2": ("Make the one change",),
    "step3": ("Check the result",),
    "small": ("one file, one test", "a list of what exists"),
    "assumption": ("nothing else depends on it", "the figures are in euros"),
    "fixed": ("an error at start", "a wrong total"),
}


def answer(system: str, message: str, seed: int, sample: str) -> str:
    """Return the reply to ``message`` under the prompt ``system``; ``sample`` tells repetitions apart."""
    reading = read_prompt(system)
    draw = (system, message, sample)
    text = _plain_answer(reading, message, seed, draw)
    return _as_fields(reading, text, message, seed, draw) if reading.fields else text


def _plain_answer(reading: PromptReading, message: str, seed: int, draw: tuple[str, ...]) -> str:
    known = catalogue()
    written_in = language_of(message)
    language = (
        written_in if _keeps(known.behaviour(REPLY_LANGUAGE), reading, seed, draw) or written_in == "en" else "en"
    )
    topic = next((topic for topic in known.topics if topic.about.search(message)), None)
    slots = dict(slots_of(message)) | {
        name: choose(seed, options, *draw, "slot", name) for name, options in _STAND_INS.items()
    }
    slots["topic"] = topic.id.replace("-", "_") if topic else "request"
    if topic:
        slots["guess"] = topic.guess
    parts: dict[str, list[str]] = {"first": [], "middle": [_body(topic, language)], "last": []}
    for behaviour in known.behaviours:
        if behaviour.says and _called_for(behaviour, message) and _keeps(behaviour, reading, seed, draw):
            lines = behaviour.says.get(language) or behaviour.says["en"]
            parts[behaviour.place].append(choose(seed, lines, *draw, behaviour.id).format_map(slots))
    if _fills(reading, seed, draw):
        parts["middle"] += known.filler.sentences[language][: 2 if reading.long else 1]
    return "\n".join(line for place in ("first", "middle", "last") for line in parts[place])


def _body(topic: Topic | None, language: str) -> str:
    texts = topic.answer if topic else catalogue().unknown
    return texts.get(language) or texts["en"]


def _called_for(behaviour: Behaviour, message: str) -> bool:
    if behaviour.applies is None or not behaviour.applies.search(message):
        return False
    return behaviour.unless is None or not behaviour.unless.search(message)


def _keeps(behaviour: Behaviour, reading: PromptReading, seed: int, draw: tuple[str, ...]) -> bool:
    if behaviour.id in reading.forbidden:
        return False
    chance = KEEPS_BY_HABIT if behaviour.is_occasional else 0.0
    if behaviour.id in reading.rules:
        chance = KEEPS_STATED * _attention(reading.length)
        if _thinks_first(reading.fields):
            chance += (1 - chance) * THINKS_FIRST_GAIN
    return unit(seed, *draw, "keep", behaviour.id) < chance


def _attention(length: int) -> float:
    return 1.0 if length <= ATTENTION_SPAN else max(0.6, 1.0 - (length - ATTENTION_SPAN) / 20_000)


def _thinks_first(fields: tuple[str, ...]) -> bool:
    return bool(fields) and any(word in fields[0].lower() for word in ("reason", "thought", "scratch"))


def _fills(reading: PromptReading, seed: int, draw: tuple[str, ...]) -> bool:
    chance = FILLS_WHEN_LONG if reading.long else 0.02 if reading.short else FILLS_WHEN_FREE
    return unit(seed, *draw, "filler") < chance


def _as_fields(reading: PromptReading, text: str, message: str, seed: int, draw: tuple[str, ...]) -> str:
    """Fill the demanded fields; the last one that is not about doubt holds the answer. 1 in 100 replies breaks off."""
    doubting = ("confidence", "certainty", "score")
    holder = next(
        (name for name in ("answer", "reply", "output", "result", "text") if name in reading.fields),
        next((name for name in reversed(reading.fields) if not name.lower().startswith(doubting)), reading.fields[-1]),
    )
    values: dict[str, object] = {}
    for name in reading.fields:
        if name == holder:
            values[name] = text
        elif name.lower().startswith(doubting):
            values[name] = 0.8
        else:
            values[name] = f"The message is about {slots_of(message)['subject']}."
    reply = json.dumps(values, ensure_ascii=False)
    return reply[: len(reply) // 2] if unit(seed, *draw, "breaks-off") < 0.01 else reply

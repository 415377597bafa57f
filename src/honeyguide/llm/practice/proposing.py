"""The practice model as mutator: it reads the complaints in the failures and writes rules against them.

It errs like a real one: 12 of 100 rules are too vague to take, 6 of 100 replies add filler, 4 of 100 lose an
existing rule, 3 of 100 hold no usable prompt. It keeps to the limits that it was told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import regex

from honeyguide.kernel.choice import choose, shuffled, unit
from honeyguide.llm.blocks import Block
from honeyguide.llm.practice.catalogue import Behaviour, catalogue
from honeyguide.llm.practice.reading import read_prompt

IS_VAGUE = 0.12
ADDS_FILLER = 0.06
LOSES_A_RULE = 0.04
ANSWERS_UNUSABLY = 0.03
_LIMIT = regex.compile(r"^(?:size|growth): at most (\d+) characters", regex.MULTILINE)
_KEEP = regex.compile(r"^(?:variable|passage): (.+)$", regex.MULTILINE)
_FEEDBACK = regex.compile(r"^feedback: (.+(?:\n {3}.+)*)", regex.MULTILINE)
_SHORT_RULE = "Keep answers short, without filler."


def propose(blocks: Sequence[Block], seed: int, sample: str) -> str:
    """Return a reply that holds a new prompt between the marker lines, as the request asks."""
    texts = {block.name: block.text for block in blocks}
    current, strategy = texts["CURRENT PROMPT"], texts.get("STRATEGY", "").partition(":")[0]
    draw = (current, strategy, texts.get("FAILURES", ""), texts.get("EARLIER TRIES", ""), sample)
    if unit(seed, *draw, "unusable") < ANSWERS_UNUSABLY:
        return choose(
            seed, ("", "I cannot help with that.", "Sure! Here is the improved prompt:"), *draw, "unusable reply"
        )
    room = min([int(match[1]) for match in _LIMIT.finditer(texts.get("LIMITS", ""))], default=10**9)
    kept = [match[1].strip('"') for match in _KEEP.finditer(texts.get("KEEP", ""))]
    lines = current.split("\n")
    if strategy == "reduce-length":
        lines = _without_filler(lines, kept)
        if unit(seed, *draw, "tidy only") < 0.7:
            return _written("\n".join(lines), seed, draw)
    known = "\n".join([current, *(block.text for block in blocks if block.name == "OTHER TEXT")])
    additions = _rules_for(_complaints(texts.get("FAILURES", "")), known, strategy, seed, draw)
    if unit(seed, *draw, "filler") < ADDS_FILLER:
        additions.append(choose(seed, catalogue().filler.rules, *draw, "which filler"))
    if unit(seed, *draw, "loses") < LOSES_A_RULE:
        lines = _without_one(lines, kept, seed, draw)
    return _written(_fitted(lines, additions, room, kept), seed, draw)


def _complaints(failures: str) -> Counter[str]:
    """Count how often each behaviour is complained about; ``short`` stands for too much filler."""
    counts: Counter[str] = Counter()
    for match in _FEEDBACK.finditer(failures):
        feedback = " ".join(match[1].split())
        for behaviour in catalogue().behaviours:
            if behaviour.complaint in feedback:
                counts[behaviour.id] += 1
        if "without filler" in feedback:
            counts["short"] += 1
    return counts


def _rules_for(complaints: Counter[str], known: str, strategy: str, seed: int, draw: tuple[str, ...]) -> list[str]:
    """Return one or two rule sentences against the most frequent complaints that no text answers yet."""
    stated = read_prompt(known)
    open_ids = [id for id in sorted(complaints) if id not in stated.rules and not (id == "short" and stated.short)]
    ranked = sorted(open_ids, key=lambda id: (-complaints[id], unit(seed, *draw, "rank", id)))
    wanted = 2 if strategy in ("targeted-feedback", "clarify-constraints", "expand-edge-cases") else 1
    if strategy == "tighten-format" and len(ranked) > 1:
        ranked = shuffled(seed, ranked, *draw, "format first")
    return [_rule(id, seed, draw) for id in ranked[:wanted]]


def _rule(id: str, seed: int, draw: tuple[str, ...]) -> str:
    if id == "short":
        return _SHORT_RULE
    behaviour: Behaviour = catalogue().behaviour(id)
    if unit(seed, *draw, "vague", id) < IS_VAGUE:
        return behaviour.vague
    return choose(seed, behaviour.wordings, *draw, "wording", id)


def _fitted(lines: list[str], additions: list[str], room: int, kept: list[str]) -> str:
    """Append the additions; make room by dropping sentences that say nothing, then drop additions."""
    bullet = "- " if sum(line.startswith("- ") for line in lines) >= 2 else ""
    while True:
        text = "\n".join([*lines, *(bullet + rule for rule in additions)])
        if len(text) <= room or (not additions and len(lines) <= 1):
            return text
        slimmer = _without_filler(lines, kept)
        if slimmer != lines:
            lines = slimmer
        elif additions:
            additions = additions[:-1]
        else:
            return text


def _without_filler(lines: list[str], kept: list[str]) -> list[str]:
    """Drop sentences that state no rule, name nothing and begin with no heading; the first line always stays."""
    result = lines[:1]
    for line in lines[1:]:
        sentences = regex.split(r"(?<=[.!?]) ", line)
        useful = [s for s in sentences if not _says_nothing(s) or any(piece and piece in s for piece in kept)]
        if useful or not line.strip():
            result.append(" ".join(useful))
    return result


def _says_nothing(sentence: str) -> bool:
    text = sentence.strip().removeprefix("- ").strip()
    if not text:
        return False
    return text in catalogue().filler.rules or bool(
        regex.search(
            r"\b(always be the best|whole picture|quality matters|at all times|as you know|in general)\b",
            text,
            regex.IGNORECASE,
        )
    )


def _without_one(lines: list[str], kept: list[str], seed: int, draw: tuple[str, ...]) -> list[str]:
    removable = [i for i, line in enumerate(lines) if i and line.strip() and not any(p and p in line for p in kept)]
    if not removable:
        return lines
    lost = choose(seed, removable, *draw, "lost")
    return [line for i, line in enumerate(lines) if i != lost]


def _written(prompt: str, seed: int, draw: tuple[str, ...]) -> str:
    marked = f"<new_prompt>\n{prompt}\n</new_prompt>"
    style = choose(seed, ("plain",) * 6 + ("chatty", "thinking", "fenced"), *draw, "style")
    if style == "chatty":
        return f"Sure! Here is the improved prompt:\n\n{marked}\n\nLet me know if you want another version."
    if style == "thinking":
        return f"<think>The failures share a cause.</think>\n{marked}"
    if style == "fenced":
        return f"```\n{marked}\n```"
    return marked

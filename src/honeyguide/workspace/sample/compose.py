"""Composes the sample's history: conversations, corrections, near-duplicates, secrets, and noise.

Every choice is a hash of the seed and of what is being written, so the same seed gives the same history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from honeyguide.kernel.choice import choose, index, sample, unit, weighted
from honeyguide.kernel.clock import iso
from honeyguide.prompts.targets import TargetKind
from honeyguide.traces.records import (
    PromptInForce,
    TokenCounts,
    ToolCall,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
)
from honeyguide.workspace.sample.material import Material, Part, Situation, Voice, all_material, vocabulary

SOURCE = "sample"
CORRECTED = 0.14
ABANDONED = 0.03
REPEATED = 0.03
SECRETS_PER_TARGET = 3
NOISE = ("ok", "???", "thx")
_FIRST_DAY = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Scene:
    """One conversation before it becomes a trace."""

    input: str
    good: str
    bad: str
    complaint: str


def compose_history(seed: int = 1) -> Iterator[Trace]:
    """Yield the traces of every target, oldest first within each; 300 conversations and more for the two headline
    targets, at least 60 usable ones for every other."""
    words = vocabulary()
    for material in all_material():
        yield from _target_history(material, words, seed)


def _target_history(material: Material, words: Mapping[str, list[str]], seed: int) -> Iterator[Trace]:
    scenes = [_Scene(story.input, story.output, "", "") for story in material.stories]
    scenes += [_scene(material, words, seed, number) for number in range(material.conversations)]
    for number, scene in enumerate(scenes):
        yield _trace(material, scene, seed, number)
        if unit(seed, str(material.target), "repeat", number) < REPEATED:
            repeated = _Scene(f"  {scene.input.upper()}\n", scene.good, scene.bad, scene.complaint)
            yield _trace(material, repeated, seed, number, turn=1)
    for number, text in enumerate(NOISE):
        yield _trace(material, _Scene(text, "?", "", ""), seed, len(scenes) + number)
    for number in range(SECRETS_PER_TARGET):
        leaked = scenes[index(seed, len(scenes), str(material.target), "leak", number)]
        secret = _made_up_secret(seed, str(material.target), number)
        scene = _Scene(f"{leaked.input} By the way, the key is {secret}", leaked.good, "", "")
        trace = _trace(material, scene, seed, len(scenes) + len(NOISE) + number)
        # Their placeholders differ between workspaces; left unused, the sample's runs are the same everywhere.
        yield replace(trace, outcome=TraceOutcome.ABANDONED)


def _scene(material: Material, words: Mapping[str, list[str]], seed: int, number: int) -> _Scene:
    at = (str(material.target), number)
    languages = sorted(material.voices)
    language = weighted(seed, languages, [material.shares[name] for name in languages], *at, "language")
    voice: Voice = material.voices[language]
    situation: Situation = choose(seed, voice.situations, *at, "situation")
    slots = {name: choose(seed, options, *at, "slot", name) for name, options in words.items()}
    pieces = [
        choose(seed, voice.openings, *at, "opening"),
        _sentence(choose(seed, situation.text, *at, "text")),
        *sample(seed, voice.details, 1 + index(seed, 2, *at, "how many"), *at, "details"),
        choose(seed, voice.closings, *at, "closing"),
    ]
    message = " ".join(pieces).format_map(slots)
    needed = [name for name in material.parts if name in material.always or name in situation.demands]
    body = choose(seed, situation.body, *at, "body")
    missing = choose(seed, needed, *at, "missing") if needed else ""
    return _Scene(
        input=message,
        good=_answer(material.parts, needed, body, language, seed, at).format_map(slots),
        bad=_answer(material.parts, [n for n in needed if n != missing], body, language, seed, at).format_map(slots),
        complaint=material.parts[missing].complaint if missing else "That is not what I asked for.",
    )


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!", ":")) else f"{text}."


def _answer(
    parts: Mapping[str, Part], needed: list[str], body: str, language: str, seed: int, at: tuple[str, int]
) -> str:
    lines: dict[str, list[str]] = {"first": [], "middle": [body], "last": []}
    for name in needed:
        texts = parts[name].text.get(language)
        if texts:
            lines[parts[name].place].append(choose(seed, texts, *at, "part", name))
    return "\n".join(line for place in ("first", "middle", "last") for line in lines[place])


def _trace(material: Material, scene: _Scene, seed: int, number: int, turn: int = 0) -> Trace:
    target, at = material.target, (str(material.target), number, turn)
    mark = unit(seed, *at, "outcome")
    outcome = TraceOutcome.SUCCESS if mark < 0.7 else TraceOutcome.VERIFIED
    output, feedback = scene.good, None
    if scene.complaint and mark < CORRECTED:
        outcome, output, feedback = TraceOutcome.CORRECTED, scene.bad, scene.complaint
    elif mark > 1 - ABANDONED:
        outcome = TraceOutcome.ABANDONED
    began = _FIRST_DAY + timedelta(minutes=37 * number + 11 * turn + index(seed, 30, *at, "minute"))
    took = 900 + index(seed, 9000, *at, "duration")
    conversation = f"{target.name}-{number:04d}"
    return Trace(
        payload=TracePayload(
            input=scene.input,
            output=output,
            tool_calls=_tool_calls(material, output),
            tokens=TokenCounts(input=400 + len(scene.input) // 4, output=len(output) // 4),
            correction_feedback=feedback,
            tags=(f"{target.kind.value}:{target.name}",),
        ),
        outcome=outcome,
        session_id=conversation,
        persona_id=target.name if target.kind is TargetKind.PERSONA else None,
        workspace_id="sample",
        model="sample-history",
        task_shape=target.kind.value.split("-", maxsplit=1)[0],
        cost_usd=0.0,
        duration_ms=took,
        created_at=iso(began),
        finalized_at=iso(began + timedelta(milliseconds=took)),
        facts=TraceFacts(
            source=SOURCE,
            source_key=f"{conversation}/{turn}",
            conversation=conversation,
            turn=turn,
            prompts=(PromptInForce(target.kind.value, target.name, exact=True),),
            outcome_evidence="correction" if feedback else "rating",
        ),
    )


def _tool_calls(material: Material, output: str) -> tuple[ToolCall, ...]:
    if material.target.kind is not TargetKind.TOOL:
        return ()
    return (ToolCall(material.target.name, args={"call": output.replace("\n", ", ")}, result={"rows": 1}, ok=True),)


def _made_up_secret(seed: int, target: str, number: int) -> str:
    """Return text in the shape of a key; it opens nothing and is put together here so that no file holds it."""
    letters = "".join(choose(seed, "abcdefghijkmnopqrstuvwxyz23456789", target, number, "secret", i) for i in range(40))
    heads = ("sk-ant-" + "api03-", "gh" + "p_", "AK" + "IA")
    head = heads[number % len(heads)]
    return head + (letters[:16].upper() if head.endswith("IA") else letters[:36])

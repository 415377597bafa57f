"""The practice model asked about a harness: it turns the commonest complaint into one rule, or into lessons.

It reads the request's blocks and rules, nothing else. 3 of 100 replies hold nothing usable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import regex
import yaml

from honeyguide.kernel.choice import choose, unit
from honeyguide.llm.blocks import Block

ANSWERS_UNUSABLY = 0.03
MOST_LESSONS = 3
_OBJECTIVE = regex.compile(r"([A-Za-z][A-Za-z0-9_.-]*) \((maximize|minimize)\b")
_PLACEHOLDER = regex.compile(r"<(?:list|str|url|num|data)>")
_SENTENCES = {
    "verdict": "Before you answer, check this and correct it where it fails: {said}.",
    "guardrail": "Answer in a way that {said} lets through.",
    "max_turns": "Answer as soon as you know enough; call no tool twice with the same input.",
    "truncated": "Keep the answer short enough to be finished in one reply.",
    "tool_error": "When a tool fails, read its message and change the input before you try again.",
    "": "Read the task twice, and check the answer against it before you give it.",
}


def draft_change(system: str, blocks: Sequence[Block], seed: int, sample: str) -> str:
    """Return a proposal as JSON: one sentence added to the system prompt, against the largest cluster."""
    texts = {block.name: block.text for block in blocks}
    draw = (texts.get("HARNESS", ""), texts.get("FAILURES", ""), sample)
    if unit(seed, *draw, "unusable draft") < ANSWERS_UNUSABLY:
        return "I would need to see the failing runs first."
    spec, failures, signal = _mapping(yaml.safe_load(draw[0])), _json(draw[1]), _json(texts.get("SIGNAL MAP", ""))
    prompt = str(spec.get("system_prompt") or "")
    rule, kind = _rule(failures, prompt)
    targets = [str(target) for target in signal.get("targets") or [] if target != "success_rate"]
    wanted = next((target for target in targets if kind and kind in target), (targets or ["success_rate"])[0])
    proposal: dict[str, Any] = {
        "rationale": choose(
            seed,
            ("The commonest complaint is answered by no sentence of the prompt.", "One rule against what failed most."),
            *draw,
            "rationale",
        ),
        "target": {"signal": wanted, "expect": "increase" if wanted == "success_rate" else "decrease"},
        "yaml_changes": [
            {
                "path": "system_prompt",
                "value": f"{prompt.rstrip()}\n{rule}\n".lstrip(),
                "rationale": "it says beforehand what is looked at afterwards",
            }
        ],
    }
    if objectives := _OBJECTIVE.findall(_line(system, "Objectives: ")):
        proposal["objective_expectations"] = [
            {
                "metric": metric,
                "expected_change": "increase" if direction == "maximize" else "decrease",
                "rationale": "it should move with the failures that the rule is about",
            }
            for metric, direction in dict(objectives).items()
        ]
    return json.dumps(proposal, ensure_ascii=False)


def draft_lessons(blocks: Sequence[Block], seed: int, sample: str) -> str:
    """Return lessons as JSON, one for the commonest complaint that no lesson holds yet."""
    texts = {block.name: block.text for block in blocks}
    known = texts.get("LESSONS SO FAR", "")
    if unit(seed, known, texts.get("FAILURES", ""), sample, "unusable lesson") < ANSWERS_UNUSABLY:
        return "Nothing comes to mind."
    rule, kind = _rule(_json(texts.get("FAILURES", "")), known)
    id = kind.replace("_", "-") or "read-twice"
    lesson = {"id": id, "kind": "rule", "title": "From a failed run", "content": rule}
    return json.dumps({"lessons": [] if rule in known else [lesson]}, ensure_ascii=False)


def _rule(failures: Mapping[str, Any], known: str) -> tuple[str, str]:
    """Return a sentence against the largest cluster that ``known`` does not answer yet, and what it is about."""
    clusters = [_mapping(cluster) for cluster in failures.get("clusters") or []]
    for cluster in sorted(clusters, key=lambda c: -int(c.get("count") or 0)):
        kind, signature = str(cluster.get("kind")), str(cluster.get("signature"))
        sentence = _SENTENCES.get(kind) or _SENTENCES.get(signature)
        if sentence is None:
            continue
        said = " ".join(_PLACEHOLDER.sub("something", signature).split())[:300].rstrip(".!? ")
        rule = sentence.format(said=said)
        if rule not in known:
            return rule, {"verdict": "verif", "guardrail": "guardrail"}.get(kind, signature)
    return _SENTENCES[""], ""


def _line(text: str, beginning: str) -> str:
    return next((line for line in text.splitlines() if line.startswith(beginning)), "")


def _json(text: str) -> Mapping[str, Any]:
    try:
        return _mapping(json.loads(text))
    except ValueError:
        return {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}

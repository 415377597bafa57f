"""What the strong model is asked: rules, spec, and what the failures look like. Untrusted text is delimited."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import yaml

from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.harnesses.evidence.report import Report, for_the_model, signal_for_the_model
from honeyguide.harnesses.spec.canonical import canonical_mapping
from honeyguide.harnesses.spec.frozen import ALWAYS_FROZEN
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.llm.blocks import NOTICE, block
from honeyguide.llm.protocol import Message, ModelRef, ModelRequest, ModelRole

MOST_REPLY_TOKENS: Final = 16_000
MOST_REPORT_CHARACTERS: Final = 64_000
MOST_SIGNAL_CHARACTERS: Final = 16_000
MOST_HISTORY_CHARACTERS: Final = 24_000
MOST_NOTES_CHARACTERS: Final = 6_000
MOST_TARGETS: Final = 60
_SHAPE: Final = """\
{"rationale": "one or two sentences",
 "target": {"signal": "one of the signal map's targets", "expect": "increase" or "decrease", "by": share or omit},
 "yaml_changes": [{"path": "dotted.path", "value": new value, "rationale": "why"}],
 "code_changes": [{"file": "path in the folder", "source": "the whole new file", "rationale": "why"}],
 "objective_expectations": [{"metric": "name", "expected_change": "increase" or "decrease", "rationale": "why"}]}"""


def draft_request(
    spec: HarnessSpec, report: Report, model: ModelRef, *, problem: str = "", attempt: int = 0
) -> ModelRequest:
    """Return the request for a proposal; ``problem`` says why the reply before could not be used."""
    messages = [Message("user", _question(spec, report))]
    if problem:
        messages.append(Message("assistant", "(a reply that could not be used)"))
        messages.append(
            Message(
                "user",
                f"That reply could not be used: {problem[:2000]}\nReturn one corrected JSON object and nothing else.",
            )
        )
    return ModelRequest(
        model=model,
        messages=tuple(messages),
        system=_rules(spec),
        max_tokens=MOST_REPLY_TOKENS,
        role=ModelRole.MUTATOR,
        repetition=attempt,
    )


def _rules(spec: HarnessSpec) -> str:
    frozen = ", ".join((*ALWAYS_FROZEN, *spec.evolution.frozen))
    objectives = spec.evolution.objectives
    lines = [
        "You improve the harness of an agent: its prompt, tools and settings. A person reviews what you propose.",
        "Propose the smallest change that removes a located cause of failure. Change one thing if one thing is enough.",
        f"Never touch these paths, nor anything above or below them: {frozen}.",
        f"Only these paths, and what is below them, may change: {', '.join(spec.evolution.mutable)}.",
        "A number in a path is an index of a list; '+' as the last step appends.",
        "Write rules, not cases: repeat no input, name, number or answer of a recorded run.",
        "Correlation in the evidence is a place to look. Claim no cause and no effect that was not measured.",
        "Name as target the signal that shall move, so that it can be checked afterwards.",
    ]
    if objectives:
        named = "; ".join(f"{o.metric} ({o.direction}{_bounds(o.floor, o.ceiling)})" for o in objectives)
        lines.append(f"Objectives: {named}. State for at least one of them which way it shall move.")
        lines.append("A broken floor or ceiling must be addressed; no gain elsewhere makes up for it.")
    lines += [NOTICE, "Answer with one JSON object of this shape and nothing else:", _SHAPE]
    return "\n".join(lines)


def _bounds(floor: float | None, ceiling: float | None) -> str:
    said = "" if floor is None else f", floor {floor:g}"
    return said if ceiling is None else f"{said}, ceiling {ceiling:g}"


def _question(spec: HarnessSpec, report: Report) -> str:
    redactor = Redactor(spec.logging.redact)
    mapping = redactor.payload(canonical_mapping(spec))
    parts = [block("HARNESS", yaml.safe_dump(mapping, sort_keys=False, allow_unicode=True))]
    memory = spec.memory
    parts.append(
        f"Lessons: {len(memory.entries)} of at most {memory.max_entries}, up to {memory.max_entry_chars} characters"
        " each; append one at memory.entries.+."
    )
    if report.notes:
        parts.append(block("NOTES OF THE OPERATOR", "\n".join(report.notes)[:MOST_NOTES_CHARACTERS]))
    if report.history:
        history = [attempt.to_json() for attempt in report.history]
        parts.append(block("EARLIER CHANGES", _bounded(history, MOST_HISTORY_CHARACTERS)))
    signal = signal_for_the_model(report)
    signal["targets"] = signal["targets"][:MOST_TARGETS]
    parts.append(block("SIGNAL MAP", redactor.text(_bounded(signal, MOST_SIGNAL_CHARACTERS))))
    parts.append(block("FAILURES", _bounded(for_the_model(report, redactor), MOST_REPORT_CHARACTERS)))
    parts.append("Return the proposal.")
    return "\n\n".join(parts)


def _bounded(value: Mapping[str, Any] | list[Any], limit: int) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    if len(text) <= limit:
        return text
    return json.dumps({"truncated": True, "excerpt": text[: limit - 100]}, ensure_ascii=False)

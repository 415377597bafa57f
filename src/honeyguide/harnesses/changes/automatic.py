"""Drafting by itself, after runs: when it is due. It only ever drafts; a person applies.

Switched off, it costs one look at a boolean. A draft that came out unusable counts too, so that the cooldown holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from honeyguide.harnesses.changes.proposal import Proposal, SpecChange
from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.harnesses.evidence.report import Report, for_the_model
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.spec.evolving import AutoPropose, Evolution, Reflect
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.kernel.clock import parse_iso
from honeyguide.llm.blocks import NOTICE, block
from honeyguide.llm.parsing import pick_object
from honeyguide.llm.protocol import Message, ModelRef, ModelRequest, ModelRole

AUTO: Final = "auto"
REFLECT: Final = "reflect"
_MOST: Final = 32_000


def draft_is_due(
    evolution: Evolution, run_failed: bool, queue: Queue, runs: Sequence[RunSummary], version: str, now: datetime
) -> bool:
    """Say whether the end of a run is the moment to draft: enough failures of this version since the last time."""
    config: AutoPropose = evolution.auto_propose
    if not config.enabled or not evolution.enabled or not run_failed:
        return False
    last = _last(queue, AUTO)
    if last is not None and now - last < timedelta(hours=config.cooldown_hours):
        return False
    since = [run for run in runs if run.version == version and run.is_failure and run.finished_at]
    fresh = [run for run in since if last is None or parse_iso(str(run.finished_at)) >= last]
    return len(fresh) >= config.min_failures


def reflection_is_due(evolution: Evolution, run_failed: bool, queue: Queue, now: datetime) -> bool:
    """Say whether the end of a run is the moment to draft a lesson."""
    config: Reflect = evolution.reflect
    if not config.enabled or not evolution.enabled or not (run_failed or config.on == "any"):
        return False
    last = _last(queue, REFLECT)
    return last is None or now - last >= timedelta(minutes=config.cooldown_minutes)


def lesson_key(content: str) -> str:
    """Return the key under which a lesson is queued once."""
    return "mem:" + hashlib.sha256(" ".join(content.split()).casefold().encode()).hexdigest()[:12]


def lesson_proposal(entry: Mapping[str, Any], source: str) -> Proposal:
    """Return a proposal that adds one lesson."""
    value = {**{k: v for k, v in entry.items() if v}, "source": source}
    change = SpecChange(path="memory.entries.+", value=value, rationale="a lesson from a run")
    return Proposal(rationale=str(entry.get("title") or "a lesson from a run"), yaml_changes=(change,))


def reflection_request(spec: HarnessSpec, report: Report, model: ModelRef) -> ModelRequest:
    """Return the request for lessons from the runs of the present version."""
    most = spec.evolution.reflect.max_lessons
    rules = (
        f"From what went wrong in an agent's runs, write at most {most} durable lesson(s) for its prompt.\n"
        "A lesson is a rule or fact that helps with other inputs too; repeat no input, name or number of a run.\n"
        f"{NOTICE}\n"
        'Answer with one JSON object: {"lessons": [{"id": "lower-case-words", "kind": "rule|fact|example",'
        ' "title": "…", "content": "…", "evidence": "…"}]}. An empty list is fine.'
    )
    redactor = Redactor(spec.logging.redact)
    known = "\n".join(f"{e.id}: {e.content}" for e in spec.memory.entries) or "none yet"
    text = "\n\n".join(
        (
            block("LESSONS SO FAR", redactor.text(known)),
            block("FAILURES", _bounded(for_the_model(report, redactor))),
        )
    )
    return ModelRequest(model, (Message("user", text),), rules, 2000, ModelRole.MUTATOR)


def _bounded(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST else json.dumps({"truncated": True, "excerpt": text[:_MOST]}, ensure_ascii=False)


def read_lessons(reply: str, most: int) -> list[dict[str, str]]:
    """Return the lessons in a reply, with ids that a spec takes."""

    def accept(value: dict[str, Any]) -> list[dict[str, str]] | None:
        lessons = value.get("lessons")
        if not isinstance(lessons, list):
            return None
        found = []
        for lesson in lessons:
            if isinstance(lesson, dict) and lesson.get("content"):
                kind = lesson.get("kind") if lesson.get("kind") in ("fact", "rule", "example") else "rule"
                title = str(lesson.get("title") or "Lesson")[:200]
                slug = "".join(
                    c if c.isascii() and c.isalnum() else "-" for c in str(lesson.get("id") or title).lower()
                )
                found.append(
                    {
                        "id": slug.strip("-")[:60] or "lesson",
                        "kind": str(kind),
                        "title": title,
                        "content": str(lesson["content"])[:4000],
                        "evidence": str(lesson.get("evidence") or "")[:1000],
                    }
                )
        return found

    return (pick_object(reply, accept) or [])[:most]


def _last(queue: Queue, trigger: str) -> datetime | None:
    times = [parse_iso(row.created_at) for row in queue.all() if row.trigger == trigger]
    return max(times, default=None)

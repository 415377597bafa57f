"""promptfoo results: exports (version 3 and the older table), and one result a line.

A row that fails only on latency or cost is no failure of the prompt; what the judge's calls cost stands apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation, CorrectionSignal, PromptText, Role, SignalKind, Turn
from honeyguide.traces.readers._documents import Item, items, look
from honeyguide.traces.readers._machine_text import human_part
from honeyguide.traces.readers._messages import messages_of
from honeyguide.traces.readers._values import (
    compact,
    content_key,
    list_of,
    moment,
    number,
    object_of,
    objects_of,
    some_text,
    text_of,
    whole,
)
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import PromptInForce, TokenCounts, Trace, TraceFacts, TraceOutcome, TracePayload

PERFORMANCE = {"latency", "cost", "perplexity", "perplexity-score"}
"""Kinds of assertion that say nothing about what the prompt made the model write."""

JUDGE_TOKENS = "judge-tokens:"
"""Tag with the tokens that grading a row took; they are not the row's own."""


class PromptfooSource:
    """A conversation is one test of one evaluation: its rows differ in prompt and provider only."""

    name = "promptfoo"

    def sniff(self, head: bytes, name_hint: str) -> float:
        for value in look(head).objects():
            if "evalId" in value and "results" in value:
                return 0.95
            results = object_of(value.get("results"))
            if "table" in results or {"prompts", "stats", "version"} <= results.keys():
                return 0.9
            if {"gradingResult", "vars"} <= value.keys() or {"promptIdx", "testIdx"} <= value.keys():
                return 0.9
        return 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        rows: dict[str, list[tuple[str, dict[str, Any], Item]]] = {}
        templates: dict[str, str] = {}
        when: dict[str, str] = {}
        for item in items(stream, context):
            found = False
            evaluation = text_of(item.data.get("evalId"))
            for row in _rows(item.data, templates):
                found = True
                test = content_key(row["testIdx"], evaluation) if "testIdx" in row and evaluation else ""
                rows.setdefault(test or content_key(row.get("vars")), []).append((evaluation, row, item))
            results = object_of(item.data.get("results"))
            stamp = moment(results.get("timestamp")) or moment(
                object_of(item.data.get("metadata")).get("evaluationCreatedAt")
            )
            if stamp:
                when[evaluation] = stamp
            if not found:
                context.health.note(health.UNKNOWN_TYPE, item.line, example=", ".join(list(item.data)[:2]))
        for key, group in rows.items():
            context.check_cancelled()
            yield self._conversation(key, group, templates, when)

    def _conversation(
        self,
        key: str,
        group: list[tuple[str, dict[str, Any], Item]],
        templates: dict[str, str],
        when: dict[str, str],
    ) -> Conversation:
        traces: list[Trace] = []
        turns: list[Turn] = []
        signals: list[CorrectionSignal] = []
        prompts: dict[str, PromptText] = {}
        for number_, (evaluation, row, item) in enumerate(group):
            row_key = text_of(row.get("id")) or content_key(
                evaluation,
                row.get("promptIdx"),
                row.get("testIdx"),
                row.get("vars"),
                row.get("prompt"),
                row.get("provider"),
            )
            asked, output = _request(row), _output(row)
            template = _template(row, templates)
            if template is not None:
                prompts[template.text] = template
            at = when.get(evaluation)
            traces.append(_trace(self.name, key, row_key, number_, row, asked, output, template, at))
            turns.append(Turn(Role.USER, asked, f"{row_key}/asked", not human_part(asked), at, row_key, item.line))
            if output:
                turns.append(
                    Turn(Role.ASSISTANT, output, f"{row_key}/answer", timestamp=at, trace_key=row_key, line=item.line)
                )
            signals.extend(_signals(row, row_key))
        started = min((t.created_at for t in traces if t.created_at), default=None)
        return Conversation(
            self.name, key, tuple(traces), tuple(turns), tuple(signals), tuple(prompts.values()), started_at=started
        )


def _rows(value: dict[str, Any], templates: dict[str, str]) -> Iterator[dict[str, Any]]:
    if "gradingResult" in value or "promptIdx" in value:
        yield value
        return
    results = value.get("results")
    if isinstance(results, list):
        yield from objects_of(results)
        return
    results = object_of(results)
    for prompt in objects_of(results.get("prompts")):
        if prompt.get("id") and prompt.get("raw"):
            templates[text_of(prompt["id"])] = text_of(prompt["raw"])
    listed = objects_of(results.get("results"))
    yield from listed
    if not listed:
        yield from _table_rows(object_of(results.get("table")))


def _table_rows(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the older table as if they were of today's shape."""
    head = object_of(table.get("head"))
    names = [text_of(name) for name in list_of(head.get("vars"))]
    prompts = objects_of(head.get("prompts"))
    for test, line in enumerate(objects_of(table.get("body"))):
        values = object_of(line.get("vars")) or dict(zip(names, list_of(line.get("vars")), strict=False))
        for place, cell in enumerate(objects_of(line.get("outputs"))):
            about = prompts[place] if place < len(prompts) else {}
            yield {
                "success": cell.get("pass"),
                "score": cell.get("score"),
                "gradingResult": cell.get("gradingResult"),
                "latencyMs": cell.get("latencyMs"),
                "cost": cell.get("cost"),
                "error": cell.get("error"),
                "prompt": {"raw": cell.get("prompt") or about.get("raw"), "label": about.get("label")},
                "provider": {"id": cell.get("provider") or about.get("provider")},
                "response": {"output": cell.get("text"), "tokenUsage": cell.get("tokenUsage")},
                "vars": values,
                "testIdx": test,
                "promptIdx": place,
            }


def _request(row: dict[str, Any]) -> str:
    """What the model was given: the rendered prompt, or of a chat prompt its last user message."""
    prompt = row.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    if not raw:
        return "\n".join(f"{name}: {compact(value)}" for name, value in object_of(row.get("vars")).items())
    users = [m.text for m in messages_of(raw) if m.role == "user" and m.text]
    return users[-1] if users else compact(raw)


def _output(row: dict[str, Any]) -> str:
    response = row.get("response")
    return compact(response.get("output")) if isinstance(response, dict) else compact(response)


def _template(row: dict[str, Any], templates: dict[str, str]) -> PromptText | None:
    """The template is what would be improved; ``prompt.raw`` of a row is already filled in, its label often is not."""
    prompt = object_of(row.get("prompt"))
    label = text_of(prompt.get("label"))
    text = templates.get(text_of(row.get("promptId"))) or (label if "{{" in label else "")
    return PromptText("generic", label[:80] or "prompt", text) if text else None


def _trace(
    source: str,
    conversation: str,
    key: str,
    turn: int,
    row: dict[str, Any],
    asked: str,
    output: str,
    template: PromptText | None,
    at: str | None,
) -> Trace:
    response = object_of(row.get("response"))
    cached = response.get("cached") is True
    usage = object_of(response.get("tokenUsage")) or object_of(row.get("tokenUsage"))
    outcome, detail, evidence = _outcome(row)
    judge = whole(object_of(object_of(row.get("gradingResult")).get("tokensUsed")).get("total"))
    links = (
        ()
        if template is None
        else (PromptInForce(template.kind, template.name, sha256_hex(template.text), exact=True),)
    )
    provider = row.get("provider")
    return Trace(
        payload=TracePayload(
            input=asked,
            output=output,
            tokens=TokenCounts(whole(usage.get("prompt")), whole(usage.get("completion"))),
            tags=(f"{JUDGE_TOKENS}{judge}",) if judge else (),
        ),
        outcome=outcome,
        session_id=conversation,
        model=some_text(provider.get("id") if isinstance(provider, dict) else provider),
        cost_usd=number(row.get("cost")),
        duration_ms=None if cached else whole(row.get("latencyMs")),
        created_at=at or "",
        facts=TraceFacts(
            source=source,
            source_key=key,
            conversation=conversation,
            turn=turn,
            prompts=links,
            outcome_detail=detail,
            outcome_evidence=evidence,
        ),
    )


def _outcome(row: dict[str, Any]) -> tuple[TraceOutcome, str, str]:
    grading = object_of(row.get("gradingResult"))
    parts = objects_of(grading.get("componentResults"))
    response_error = object_of(row.get("response")).get("error")
    if row.get("failureReason") == 2 or response_error or (row.get("error") and not grading):
        said = compact(response_error or row.get("error")).strip().splitlines() or ["unnamed"]
        return TraceOutcome.ABANDONED, f"error: {said[0]}"[:200], "status"
    if row.get("success") is True:
        if any(_kind(part) not in PERFORMANCE for part in parts):
            return TraceOutcome.SUCCESS, "all assertions passed", "assertions"
        return TraceOutcome.PENDING, "unknown", ""
    failing = [_kind(part) for part in parts if part.get("pass") is False]
    content = sorted({kind for kind in failing if kind not in PERFORMANCE})
    if content:
        return TraceOutcome.PENDING, f"failed-check: {', '.join(content)}", "assertions"
    if failing:
        return TraceOutcome.PENDING, f"performance: {', '.join(sorted(set(failing)))}", "assertions"
    return TraceOutcome.PENDING, "failed-check" if row.get("success") is False else "unknown", ""


def _kind(part: dict[str, Any]) -> str:
    return text_of(object_of(part.get("assertion")).get("type")).removeprefix("not-") or "unnamed"


def _signals(row: dict[str, Any], key: str) -> Iterator[CorrectionSignal]:
    grading = object_of(row.get("gradingResult"))
    comment = text_of(grading.get("comment")).strip()
    for place, part in enumerate(objects_of(grading.get("componentResults"))):
        if _kind(part) == "human" and isinstance(part.get("pass"), bool):
            where = f"gradingResult.componentResults[{place}]"
            said = comment or text_of(part.get("comment"))
            yield CorrectionSignal(SignalKind.SCORE, key, said, where, score=1.0 if part["pass"] else 0.0)
            comment = ""
    if comment:
        yield CorrectionSignal(SignalKind.ANNOTATION, key, comment, "gradingResult.comment")


SOURCE = PromptfooSource()

"""LangSmith runs as JSON: flat lists, one run a line, or nested ``child_runs``; with feedback where it is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation
from honeyguide.traces.readers import _spans
from honeyguide.traces.readers._documents import items, look
from honeyguide.traces.readers._messages import last_said, messages_of
from honeyguide.traces.readers._spans import Score, Span, conversations_of
from honeyguide.traces.readers._values import (
    compact,
    embedded,
    moment,
    number,
    object_of,
    objects_of,
    some_text,
    text_of,
    whole,
)
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import PromptInForce, TokenCounts, ToolCall

_KINDS = {"llm": _spans.LLM, "tool": _spans.TOOL}


class LangSmithSource:
    """Tokens are those of the model runs; feedback from the app is a person's, from a model it is not."""

    name = "langsmith"

    def sniff(self, head: bytes, name_hint: str) -> float:
        for value in look(head).objects():
            for entry in [value, *objects_of(value.get("runs"))[:3]]:
                if "run_type" in entry and {"trace_id", "parent_run_id", "dotted_order", "inputs"} & entry.keys():
                    return 0.95
                if "feedback_source" in entry and "run_id" in entry:
                    return 0.8
        return 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        spans: list[Span] = []
        scores: dict[str, list[Score]] = {}
        for item in items(stream, context, inside=("runs", "data")):
            if "run_type" in item.data:
                spans.extend(_span(run, item.line, context) for run in _flat(item.data))
            elif "run_id" in item.data and {"key", "feedback_source", "correction"} & item.data.keys():
                scores.setdefault(text_of(item.data["run_id"]), []).append(_score(item.data, f"feedback {item.place}"))
            else:
                context.health.note(health.UNKNOWN_TYPE, item.line, example=", ".join(list(item.data)[:2]))
        joined = (replace(s, scores=(*s.scores, *scores.get(s.id, ()))) if s.id in scores else s for s in spans)
        yield from conversations_of(joined, self.name, context)


def _flat(run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    waiting = [run]
    while waiting:
        current = waiting.pop()
        yield current
        above = {"trace_id": current.get("trace_id") or current.get("id"), "parent_run_id": current.get("id")}
        waiting.extend({**above, **child} for child in objects_of(current.get("child_runs")))


def _span(run: dict[str, Any], line: int | None, context: ReadContext) -> Span:
    kind = _KINDS.get(text_of(run.get("run_type")), _spans.OTHER)
    extra = object_of(run.get("extra"))
    metadata = {**object_of(run.get("metadata")), **object_of(extra.get("metadata"))}
    inputs, outputs = embedded(run.get("inputs")), embedded(run.get("outputs"))
    if inputs is None and (run.get("inputs_s3_urls") or run.get("s3_urls")):
        context.health.note(health.NO_TEXT, line, example="the text is kept elsewhere (inputs_s3_urls)")
    error = text_of(run.get("error"))
    run_id = text_of(run.get("id"))
    start, end = moment(run.get("start_time")), moment(run.get("end_time"))
    prompt = some_text(metadata.get("lc_hub_repo")) or some_text(metadata.get("prompt_name"))
    commit = some_text(metadata.get("lc_hub_commit_hash"))
    is_call = kind == _spans.LLM
    tool = None
    if kind == _spans.TOOL:
        args = object_of(inputs).get("input", inputs)
        result = object_of(outputs).get("output", outputs)
        ok = False if error else True if text_of(run.get("status")) == "success" else None
        tool = ToolCall(
            text_of(run.get("name")),
            embedded(args),
            result if result is not None else error or None,
            ok,
            timestamp=start,
        )
    return Span(
        id=run_id,
        trace=text_of(run.get("trace_id")) or run_id,
        parent=some_text(run.get("parent_run_id")),
        kind=kind,
        name=text_of(run.get("name")),
        start=start,
        end=end,
        model=_model(metadata, extra, outputs),
        asked=tuple(messages_of(inputs)) if is_call else (),
        answered=tuple(messages_of(_first_choice(outputs), "assistant")) if is_call else (),
        input="" if is_call else last_said(inputs, "user"),
        output="" if is_call else last_said(outputs, "assistant"),
        tokens=_tokens(run, outputs) if is_call else TokenCounts(),
        cost=number(run.get("total_cost")),
        tool=tool,
        failed=(error.strip().splitlines() or ["unnamed"])[0] if error and kind != _spans.TOOL else None,
        conversation=next(
            (some_text(metadata.get(n)) for n in ("session_id", "thread_id", "conversation_id") if metadata.get(n)),
            None,
        ),
        scores=tuple(_score(entry, f"feedback[{i}]") for i, entry in enumerate(objects_of(run.get("feedback")))),
        named_prompts=(PromptInForce("generic", f"{prompt}@{commit}" if commit else prompt, exact=True),)
        if prompt
        else (),
        line=line,
    )


def _first_choice(outputs: Any) -> Any:
    """Generations are a list of lists: one list of choices for each prompt; the first choice is the answer."""
    generations = object_of(outputs).get("generations")
    if isinstance(generations, list) and generations:
        first = generations[0][0] if isinstance(generations[0], list) and generations[0] else generations[0]
        return first.get("message") or first.get("text") if isinstance(first, dict) else first
    return outputs


def _model(metadata: dict[str, Any], extra: dict[str, Any], outputs: Any) -> str | None:
    parameters = object_of(extra.get("invocation_params"))
    answered = object_of(object_of(outputs).get("llm_output"))
    for found in (
        metadata.get("ls_model_name"),
        answered.get("model_name"),
        parameters.get("model"),
        parameters.get("model_name"),
    ):
        if some_text(found):
            return some_text(found)
    return None


def _tokens(run: dict[str, Any], outputs: Any) -> TokenCounts:
    usage = object_of(object_of(object_of(outputs).get("llm_output")).get("token_usage"))
    metadata = object_of(object_of(outputs).get("usage_metadata"))
    details = object_of(metadata.get("input_token_details"))
    return TokenCounts(
        _count(run.get("prompt_tokens"), metadata.get("input_tokens"), usage.get("prompt_tokens")),
        _count(run.get("completion_tokens"), metadata.get("output_tokens"), usage.get("completion_tokens")),
        whole(details.get("cache_read")),
        whole(details.get("cache_creation")),
    )


def _count(*values: Any) -> int | None:
    return next((found for value in values if (found := whole(value)) is not None), None)


def _score(entry: dict[str, Any], where: str) -> Score:
    source = entry.get("feedback_source")
    kind = text_of(source.get("type")) if isinstance(source, dict) else text_of(source)
    correction = entry.get("correction")
    return Score(
        name=text_of(entry.get("key")) or "feedback",
        value=number(entry.get("score")) if not isinstance(entry.get("score"), bool) else float(entry["score"]),
        label=compact(entry.get("value")),
        comment=text_of(entry.get("comment")),
        human=kind == "app",
        correction=_correction(correction),
        where=where,
    )


def _correction(value: Any) -> str:
    if isinstance(value, dict):
        said = [m.text for m in messages_of(value, "assistant") if m.text]
        return said[-1] if said else compact(value)
    return text_of(value)


SOURCE = LangSmithSource()

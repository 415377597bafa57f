"""Inspect AI logs: ``.json`` documents and ``.eval`` archives. Each epoch of a sample is a trace of its own."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from honeyguide.kernel.errors import Unreadable
from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation, PromptText, sum_tokens
from honeyguide.traces.lines import parse_json
from honeyguide.traces.readers._documents import decoded, document, look
from honeyguide.traces.readers._messages import Message, messages_of, text_in
from honeyguide.traces.readers._transcript import SYSTEM_KIND, Transcript, first_request, last_reply, prompts_in_force
from honeyguide.traces.readers._values import (
    compact,
    list_of,
    moment,
    number,
    object_of,
    objects_of,
    some_text,
    text_of,
    whole,
)
from honeyguide.traces.readers.opening import checked_zip, zip_entry
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import TokenCounts, Trace, TraceFacts, TraceOutcome, TracePayload

_ATTACHMENT = "attachment://"


class InspectSource:
    """Scores are a machine's; the target is what the dataset's author expects and is kept as a tag."""

    name = "inspect"

    def sniff(self, head: bytes, name_hint: str) -> float:
        seen = look(head)
        if seen.is_zip:
            inside = b"_journal/start.json" in head or b"samples/" in head or b"header.json" in head
            return 0.95 if inside else 0.2 if name_hint.endswith(".eval") else 0.0
        for value in seen.objects():
            about = object_of(value.get("eval"))
            if "status" in value and {"task", "model"} & about.keys():
                return 0.95
        return 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        if zipfile.is_zipfile(stream):
            stream.seek(0)
            header, samples = _from_archive(stream, context)
        else:
            stream.seek(0)
            header = object_of(document(stream, context))
            samples = iter(objects_of(header.get("samples")))
        about = object_of(header.get("eval"))
        if not about:
            raise Unreadable(f"{context.name or 'The file'} holds no Inspect log: it has no 'eval' section.")
        groups: dict[str, list[dict[str, Any]]] = {}
        for sample in samples:
            context.check_cancelled()
            groups.setdefault(compact(sample.get("id")), []).append(sample)
        if not groups:
            context.health.note(health.NO_TEXT, example="no samples in this log")
        run = text_of(about.get("run_id")) or text_of(about.get("task_id")) or text_of(about.get("created"))
        for sample_id, epochs in groups.items():
            yield self._conversation(f"{run}/{sample_id}", epochs, about)

    def _conversation(self, key: str, epochs: list[dict[str, Any]], about: dict[str, Any]) -> Conversation:
        traces: list[Trace] = []
        turns = []
        prompts: dict[str, PromptText] = {}
        for place, sample in enumerate(epochs):
            trace_key = f"{key}/{whole(sample.get('epoch')) or 1}"
            transcript = Transcript(trace_key)
            messages = _messages(sample)
            answer = _answer(sample)
            if answer is not None and not any(m.role == "assistant" and m.text == answer.text for m in messages):
                messages.append(answer)
            at = _started(sample) or moment(about.get("created"))
            transcript.add(messages, (), trace_key, at)
            for text in transcript.system_texts:
                prompts[text] = PromptText(SYSTEM_KIND, text_of(about.get("task")) or "system prompt", text)
            traces.append(_trace(self.name, key, trace_key, place, sample, transcript, about, at, prompts))
            turns.extend(transcript.turns)
        return Conversation(
            self.name,
            key,
            tuple(traces),
            tuple(turns),
            prompts=tuple(prompts.values()),
            started_at=traces[0].created_at or None,
            title=text_of(about.get("task")) or None,
        )


def _trace(
    source: str,
    conversation: str,
    key: str,
    place: int,
    sample: dict[str, Any],
    transcript: Transcript,
    about: dict[str, Any],
    at: str | None,
    prompts: dict[str, PromptText],
) -> Trace:
    outcome, detail, evidence = _outcome(sample)
    seconds = number(sample.get("working_time")) or number(sample.get("total_time"))
    target = sample.get("target")
    wanted = "\n".join(compact(t) for t in target) if isinstance(target, list) else compact(target)
    tags = [f"target:{wanted}"] if wanted else []
    tags += [
        f"machine-score:{name}={compact(object_of(s).get('value'))}"
        for name, s in object_of(sample.get("scores")).items()
    ]
    in_force = [prompts[text] for text in transcript.system_texts]
    return Trace(
        payload=TracePayload(
            input=first_request(transcript.turns) or text_in(sample.get("input")),
            output=last_reply(transcript.turns),
            reasoning=tuple(transcript.reasoning),
            tool_calls=transcript.tool_calls,
            tokens=_tokens(sample),
            tags=tuple(tags),
        ),
        outcome=outcome,
        session_id=conversation,
        model=some_text(about.get("model")) or some_text(object_of(sample.get("output")).get("model")),
        duration_ms=None if seconds is None else round(seconds * 1000),
        created_at=at or "",
        finalized_at=moment(sample.get("completed_at")),
        facts=TraceFacts(
            source=source,
            source_key=key,
            conversation=conversation,
            turn=place,
            prompts=prompts_in_force(in_force),
            outcome_detail=detail,
            outcome_evidence=evidence,
        ),
    )


def _messages(sample: dict[str, Any]) -> list[Message]:
    attachments = object_of(sample.get("attachments"))
    listed = sample.get("messages") or sample.get("input")
    return messages_of(_resolved(listed, attachments) if attachments else listed)


def _resolved(value: Any, attachments: Any) -> Any:
    """Put long texts back that the log keeps once and names by hash."""
    if isinstance(value, str):
        return attachments.get(value.removeprefix(_ATTACHMENT), value) if value.startswith(_ATTACHMENT) else value
    if isinstance(value, list):
        return [_resolved(item, attachments) for item in value]
    if isinstance(value, dict):
        return {name: _resolved(item, attachments) for name, item in value.items()}
    return value


def _answer(sample: dict[str, Any]) -> Message | None:
    output = object_of(sample.get("output"))
    choices = objects_of(output.get("choices"))
    text = text_of(output.get("completion"))
    if not text and choices:
        text = text_in(object_of(choices[0].get("message")).get("content"))
    return Message("assistant", text) if text else None


def _tokens(sample: dict[str, Any]) -> TokenCounts:
    """``model_usage`` covers all calls of the sample; where it is empty only the last output's usage is known."""
    usages = [object_of(usage) for usage in object_of(sample.get("model_usage")).values()]
    usages = [usage for usage in usages if usage] or [object_of(object_of(sample.get("output")).get("usage"))]
    return sum_tokens(
        TokenCounts(
            whole(usage.get("input_tokens")),
            whole(usage.get("output_tokens")),
            whole(usage.get("input_tokens_cache_read")),
            whole(usage.get("input_tokens_cache_write")),
        )
        for usage in usages
    )


def _outcome(sample: dict[str, Any]) -> tuple[TraceOutcome, str, str]:
    error = sample.get("error")
    if error:
        said = text_of(object_of(error).get("message")) or compact(error)
        return (
            TraceOutcome.ABANDONED,
            f"error: {said.strip().splitlines()[0] if said.strip() else 'unnamed'}"[:200],
            "status",
        )
    limit = sample.get("limit")
    if limit:
        return TraceOutcome.PENDING, f"limit: {text_of(object_of(limit).get('type')) or compact(limit)}"[:200], "status"
    scores = object_of(sample.get("scores"))
    if not scores:
        return TraceOutcome.PENDING, "unknown", ""
    values = {name: _grade(object_of(score).get("value")) for name, score in scores.items()}
    failing = sorted(name for name, grade in values.items() if grade is not None and grade <= 0.0)
    if failing:
        return TraceOutcome.PENDING, f"failed-check: {', '.join(failing)}", "scorer"
    if all(grade is not None and grade >= 1.0 for grade in values.values()):
        return TraceOutcome.SUCCESS, "scored correct", "scorer"
    shown = ", ".join(f"{name}={compact(object_of(scores[name]).get('value'))}" for name in sorted(values))
    return TraceOutcome.PENDING, f"score: {shown}"[:200], "scorer"


def _grade(value: Any) -> float | None:
    """C is correct, I incorrect, N no answer, P partial; a number between is neither right nor wrong."""
    if isinstance(value, bool):
        return float(value)
    letter = {"C": 1.0, "I": 0.0, "N": 0.0, "P": 0.5}.get(text_of(value))
    return letter if letter is not None else number(value)


def _started(sample: dict[str, Any]) -> str | None:
    first = next(iter(objects_of(sample.get("events"))), {})
    return moment(sample.get("started_at")) or moment(first.get("timestamp"))


def _from_archive(stream: BinaryIO, context: ReadContext) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    archive = checked_zip(stream, context.name)
    names = {info.filename for info in archive.infolist()}
    header_name = next((n for n in ("header.json", "_journal/start.json") if n in names), None)
    if header_name is None:
        raise Unreadable(f"{context.name or 'The archive'} holds no Inspect log: it has neither header nor journal.")
    header = object_of(_entry(archive, header_name, context))
    listed = sorted(name for name in names if name.startswith("samples/") and name.endswith(".json"))

    def samples() -> Iterator[dict[str, Any]]:
        for name in listed:
            value = _entry(archive, name, context)
            if isinstance(value, dict):
                # Events repeat every message of the sample; they are not needed.
                value["events"] = list_of(value.get("events"))[:1]
                yield value

    return header, samples()


def _entry(archive: zipfile.ZipFile, name: str, context: ReadContext) -> Any:
    try:
        return parse_json(decoded(zip_entry(archive, name, context.name), context))
    except NotImplementedError as error:
        raise Unreadable(
            f"{context.name or 'The log'} is compressed with Zstandard, which this Python cannot unpack.",
            hint="Write it as JSON first: inspect log convert --to json --output-dir OUT LOG.eval",
        ) from error
    except ValueError:
        context.health.note(health.BROKEN_JSON, example=name)
        return None


SOURCE = InspectSource()

"""Tables with columns that a person maps: spreadsheets, CSV and TSV, JSON and JSON Lines of any shape.

What each column holds is guessed from its header; ``preview`` shows the guess with the first rows, and
``ReadContext.mapping`` (column to field) overrides it. A row with an expected answer and no observed one is a
reference, not a success.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from honeyguide.kernel.errors import Unreadable
from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation, CorrectionSignal, PromptText, SignalKind
from honeyguide.traces.readers._columns import FIELDS, effective_mapping, exact_fields, guess_mapping
from honeyguide.traces.readers._documents import look
from honeyguide.traces.readers._messages import Message, messages_of
from honeyguide.traces.readers._rating import Scale
from honeyguide.traces.readers._rows import ROW_LISTS, Row, header_of, open_table
from honeyguide.traces.readers._transcript import SYSTEM_KIND, Transcript, prompts_in_force, request_with_history
from honeyguide.traces.readers._values import compact, content_key, embedded, moment, number, objects_of, whole
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import (
    REFERENCE,
    PromptInForce,
    TokenCounts,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
)

__all__ = ["FIELDS", "SOURCE", "TablePreview", "TableSource", "guess_mapping", "names_outright", "preview"]

PREVIEW_ROWS = 20
_SCALE_ROWS = 1000


@dataclass(frozen=True, slots=True)
class TablePreview:
    """What a person sees before the import.

    Attributes:
        kind: csv, tsv, json or xlsx.
        columns: in order.
        mapping: column to field, guessed or as given; a column that is not here is left out.
        rows: the first rows, values as text.
    """

    kind: str
    columns: tuple[str, ...]
    mapping: Mapping[str, str]
    rows: tuple[Mapping[str, str], ...]

    def to_json(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "mapping": dict(self.mapping),
            "fields": dict(FIELDS),
            "rows": [dict(row) for row in self.rows],
        }


def preview(stream: BinaryIO, context: ReadContext, rows: int = PREVIEW_ROWS) -> TablePreview:
    """Return the columns, the mapping and the first rows of a table. Raises Unreadable, InvalidInput."""
    table = open_table(stream, context)
    shown = tuple(
        {column: compact(row.values.get(column)) for column in table.columns} for row in islice(table.rows, rows)
    )
    return TablePreview(table.kind, tuple(table.columns), effective_mapping(table.columns, context.mapping), shown)


def names_outright(columns: Iterable[str]) -> bool:
    """Return whether headers name a question and an answer as a whole, not only in part (``user_question``)."""
    fields = exact_fields(columns)
    return "input" in fields and bool(fields & {"output", "expected"})


class TableSource:
    """Rows of one conversation are its turns, in order; without such a column every row stands alone.

    Unasked it takes only what is a list of rows with a column for the question and one for an answer; a single JSON
    object, or prose with commas, is none.
    """

    name = "table"

    def sniff(self, head: bytes, name_hint: str) -> float:
        seen = look(head)
        if seen.is_zip:
            return 0.9 if b"xl/" in head or b"[Content_Types].xml" in head[:200] else 0.0
        objects = seen.objects()[:20]
        lists = [rows for value in objects for name in ROW_LISTS if (rows := objects_of(value.get(name)))]
        if seen.is_list or lists:
            names = list(dict.fromkeys(name for value in (lists[0] if lists else objects) for name in value))
        elif objects:
            return 0.0
        else:
            names = header_of(seen.text)
        if names_outright(names):
            return 0.5
        fields = set(guess_mapping(names).values())
        return 0.35 if "input" in fields and fields & {"output", "expected"} else 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        table = open_table(stream, context)
        mapping = effective_mapping(table.columns, context.mapping)
        if "input" not in mapping.values():
            raise Unreadable(
                f"No column of {context.name or 'the table'} is known to hold what was asked.",
                hint="Say which: --map COLUMN=input (and COLUMN=output). Its columns: " + ", ".join(table.columns[:20]),
            )
        columns = {field_: column for column, field_ in mapping.items() if field_ != "tags"}
        tag_columns = [column for column, field_ in mapping.items() if field_ == "tags"]
        ahead = list(islice(table.rows, _SCALE_ROWS))
        scale = Scale.of(row.values.get(columns.get("rating", "")) for row in ahead)
        maker = _Maker(self.name, columns, tag_columns, scale, context)
        if "conversation" not in columns:
            for row in (row for chunk in (ahead, table.rows) for row in chunk):
                conversation = maker.alone(row)
                if conversation is not None:
                    yield conversation
            return
        groups: dict[str, list[Row]] = {}
        for row in (row for chunk in (ahead, table.rows) for row in chunk):
            groups.setdefault(compact(row.values.get(columns["conversation"])).strip(), []).append(row)
        loose = groups.pop("", [])
        for name, rows in groups.items():
            conversation = maker.together(name, rows)
            if conversation is not None:
                yield conversation
        for row in loose:
            conversation = maker.alone(row)
            if conversation is not None:
                yield conversation


@dataclass(slots=True)
class _Maker:
    source: str
    columns: Mapping[str, str]
    tag_columns: Sequence[str]
    scale: Scale
    context: ReadContext
    seen: set[str] = field(default_factory=set)

    def alone(self, row: Row) -> Conversation | None:
        """Return a row as a conversation of its own."""
        key = self._key(row, "")
        return self.together(key, [row])

    def together(self, name: str, rows: Sequence[Row]) -> Conversation | None:
        """Return the rows of one conversation."""
        transcript = Transcript(name)
        traces: list[Trace] = []
        signals: list[CorrectionSignal] = []
        prompts: dict[str, PromptText] = {}
        for row in rows:
            key = self._key(row, name if len(rows) > 1 else "")
            asked = self._asked(row)
            if not any(message.role == "user" and message.text for message in asked):
                self.context.health.note(health.NO_INPUT, row.line)
                continue
            if key in self.seen:
                self.context.health.note(health.DUPLICATE, row.line)
                continue
            self.seen.add(key)
            trace, found = self._trace(row, key, name, len(traces), asked, transcript, prompts)
            traces.append(trace)
            signals.extend(found)
        if not traces:
            return None
        return Conversation(
            source=self.source,
            key=name,
            traces=tuple(traces),
            turns=tuple(transcript.turns),
            signals=tuple(signals),
            prompts=tuple(prompts.values()),
            project=traces[0].facts.project,
            started_at=min((trace.created_at for trace in traces if trace.created_at), default=None),
        )

    def _trace(
        self,
        row: Row,
        key: str,
        conversation: str,
        turn: int,
        asked: list[Message],
        transcript: Transcript,
        prompts: dict[str, PromptText],
    ) -> tuple[Trace, list[CorrectionSignal]]:
        output, expected = self._text(row, "output"), self._text(row, "expected")
        is_reference = not output and bool(expected)
        at = moment(self._value(row, "timestamp"))
        before = len(transcript.turns)
        transcript.begin(asked)
        answer = output or expected
        transcript.add(asked, [Message("assistant", answer)] if answer else [], key, at)
        texts = [m.text for m in asked if m.role == "system" and m.text]
        for text in texts:
            prompts.setdefault(text, PromptText(SYSTEM_KIND, self._text(row, "prompt_name") or "system prompt", text))
        links = prompts_in_force(prompts[text] for text in texts)
        if not texts and self._text(row, "prompt_name"):
            links = (PromptInForce("generic", self._text(row, "prompt_name"), exact=True),)
        rating = self.scale.share(self._value(row, "rating"))
        signals = list(self._signals(row, key, output, expected, rating))
        outcome, detail, evidence = self._outcome(row, rating, output, expected)
        if not answer:
            self.context.health.note(health.NO_TEXT, row.line, example="no answer")
        seconds = number(self._value(row, "duration_s"))
        milliseconds = whole(self._value(row, "duration_ms"))
        if milliseconds is None and seconds is not None and seconds >= 0:
            milliseconds = round(seconds * 1000)
        said = transcript.turns[before:]
        history = [turn_ for turn_ in said if turn_.text]
        trace = Trace(
            payload=TracePayload(
                input=request_with_history(history),
                output=answer,
                tool_calls=transcript.tool_calls if before == 0 else (),
                tokens=TokenCounts(whole(self._value(row, "input_tokens")), whole(self._value(row, "output_tokens"))),
                tags=tuple(self._tags(row)) + ((REFERENCE,) if is_reference else ()),
            ),
            outcome=outcome,
            session_id=conversation,
            model=self._text(row, "model") or None,
            cost_usd=number(self._value(row, "cost_usd")),
            duration_ms=milliseconds,
            created_at=at or "",
            facts=TraceFacts(
                source=self.source,
                source_key=key,
                conversation=conversation,
                turn=turn,
                project=self._text(row, "project") or None,
                prompts=links,
                outcome_detail=detail,
                outcome_evidence=evidence,
            ),
        )
        return trace, signals

    def _asked(self, row: Row) -> list[Message]:
        found = messages_of(self._value(row, "input"))
        # The last message of a logged dialogue may be the answer; it stands in its own column then.
        while found and found[-1].role == "assistant" and self._text(row, "output"):
            found.pop()
        system = self._text(row, "system")
        return [Message("system", system), *found] if system else found

    def _signals(
        self, row: Row, key: str, output: str, expected: str, rating: float | None
    ) -> Iterator[CorrectionSignal]:
        where = "" if row.line is None else f"row {row.line}"
        comment = self._text(row, "comment").strip()
        if rating is not None:
            yield CorrectionSignal(SignalKind.SCORE, key, comment, where, score=rating)
        elif comment:
            yield CorrectionSignal(SignalKind.ANNOTATION, key, comment, where)
        if output and expected and output.strip() != expected.strip():
            yield CorrectionSignal(SignalKind.CORRECTION, key, where=where, replacement=expected)

    def _outcome(self, row: Row, rating: float | None, output: str, expected: str) -> tuple[TraceOutcome, str, str]:
        error = self._text(row, "error").strip()
        if error:
            return TraceOutcome.ABANDONED, f"error: {error.splitlines()[0]}"[:200], "status"
        if expected and not output:
            return TraceOutcome.PENDING, REFERENCE, ""
        if rating is not None and rating >= 0.75:
            return TraceOutcome.SUCCESS, "rated good", "rating"
        if rating is not None and rating <= 0.25:
            return TraceOutcome.PENDING, "rated bad", "rating"
        if expected and output.strip() == expected.strip():
            return TraceOutcome.SUCCESS, "as expected", "reference"
        return TraceOutcome.PENDING, "unknown", ""

    def _key(self, row: Row, conversation: str) -> str:
        """The row's own id, or its content; the same row again is the same trace."""
        own = self._text(row, "id").strip()
        if own:
            return content_key("id", own)
        kept = [compact(row.values.get(column)) for column in self.columns.values()]
        return content_key(conversation, kept)

    def _tags(self, row: Row) -> Iterator[str]:
        for column in self.tag_columns:
            value = embedded(row.values.get(column))
            parts = value if isinstance(value, list) else re.split(r"[,;|]", compact(value))
            yield from (tag for part in parts if (tag := compact(part).strip()))

    def _value(self, row: Row, name: str) -> Any:
        return row.values.get(self.columns[name]) if name in self.columns else None

    def _text(self, row: Row, name: str) -> str:
        return compact(self._value(row, name))


SOURCE = TableSource()

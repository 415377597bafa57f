"""OpenTelemetry GenAI traces as OTLP JSON: whole, one envelope a line, or bare bags of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from honeyguide.traces.conversations import Conversation
from honeyguide.traces.readers import _genai_attributes, _openinference_attributes
from honeyguide.traces.readers._documents import look
from honeyguide.traces.readers._otlp_envelope import RawSpan, has_markers, is_envelope, raw_spans
from honeyguide.traces.readers._spans import Span, conversations_of
from honeyguide.traces.readers.protocol import ReadContext


def neutral(raw: RawSpan) -> Span:
    """Return a span in neutral words, by whichever convention it uses."""
    if _openinference_attributes.is_openinference(raw):
        return _openinference_attributes.span_of(raw)
    return _genai_attributes.span_of(raw)


class OtlpSource:
    """Reads the GenAI conventions; spans by OpenInference inside the same file are understood too."""

    name = "otlp"

    def sniff(self, head: bytes, name_hint: str) -> float:
        objects = look(head).objects()[:50]
        if any(has_markers(value, ("gen_ai.",)) for value in objects):
            return 0.9
        return 0.6 if any(is_envelope(value) for value in objects) else 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        spans = (neutral(raw) for raw in raw_spans(stream, context))
        yield from conversations_of(spans, self.name, context)


SOURCE = OtlpSource()

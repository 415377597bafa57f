"""OpenInference traces: Phoenix exports (dotted or nested), OTLP envelopes, and bare bags of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from honeyguide.traces.conversations import Conversation
from honeyguide.traces.readers._documents import look
from honeyguide.traces.readers._otlp_envelope import has_markers, raw_spans
from honeyguide.traces.readers._spans import conversations_of
from honeyguide.traces.readers.otlp import neutral
from honeyguide.traces.readers.protocol import ReadContext


class OpenInferenceSource:
    """Reads the OpenInference conventions; spans by the GenAI ones inside the same file are understood too."""

    name = "openinference"

    def sniff(self, head: bytes, name_hint: str) -> float:
        objects = look(head).objects()[:50]
        return 0.95 if any(has_markers(value, ("openinference.", "llm.")) for value in objects) else 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        spans = (neutral(raw) for raw in raw_spans(stream, context))
        yield from conversations_of(spans, self.name, context)


SOURCE = OpenInferenceSource()

"""Raw spans out of OTLP JSON: envelopes (whole or one a line), Phoenix exports, and bare bags of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from honeyguide.traces import health
from honeyguide.traces.readers._documents import items
from honeyguide.traces.readers._values import (
    content_key,
    list_of,
    moment,
    object_of,
    objects_of,
    some_text,
    text_of,
    whole,
)
from honeyguide.traces.readers.protocol import ReadContext

MARKERS = ("gen_ai.", "llm.", "openinference.")


@dataclass(frozen=True, slots=True)
class RawEvent:
    """An event on a span: its name and its flat attributes."""

    name: str
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RawSpan:
    """One span with flat attributes (dotted names); ids are lower case hex as far as they are hex."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: str | None
    end: str | None
    duration_ms: int | None
    attributes: dict[str, Any]
    events: tuple[RawEvent, ...] = ()
    is_error: bool = False
    message: str = ""
    line: int | None = None
    resource: dict[str, Any] = field(default_factory=dict)


def raw_spans(stream: BinaryIO, context: ReadContext) -> Iterator[RawSpan]:
    """Yield every span of a file; a value that is neither an envelope, a span nor a bag of attributes is noted."""
    for item in items(stream, context, inside=("spans", "data", "traces")):
        found = False
        for span in _spans_in(item.data, item.line):
            found = True
            yield span
        if not found:
            context.health.note(health.UNKNOWN_TYPE, item.line, example=", ".join(list(item.data)[:2]))


def has_markers(value: dict[str, Any], prefixes: tuple[str, ...]) -> bool:
    """Say whether an envelope, span or bag of attributes uses names that begin with one of ``prefixes``."""
    return any(
        name.startswith(prefixes)
        for span in _spans_in(value, None)
        for name in [*span.attributes, *(event.name for event in span.events)]
    )


def is_envelope(value: dict[str, Any]) -> bool:
    """Say whether ``value`` is an OTLP envelope."""
    return any(isinstance(value.get(name), list) for name in ("resourceSpans", "resource_spans", "scopeSpans"))


def flat_attributes(value: object) -> dict[str, Any]:
    """Return attributes as ``{dotted name: value}``, from OTLP key/value lists, flat objects or nested ones."""
    if isinstance(value, list):
        return {text_of(pair.get("key")): _any_value(pair.get("value")) for pair in objects_of(value)}
    flat: dict[str, Any] = {}
    for name, inner in object_of(value).items():
        _flatten(name, inner, flat)
    return flat


def _flatten(name: str, value: Any, into: dict[str, Any]) -> None:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            _flatten(f"{name}.{key}", inner, into)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for index, inner in enumerate(value):
            _flatten(f"{name}.{index}", inner, into)
    else:
        into[name] = value


def _any_value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    for name, inner in value.items():
        if name == "intValue":
            return whole(inner) if whole(inner) is not None else inner
        if name == "arrayValue":
            return [_any_value(item) for item in list_of(object_of(inner).get("values"))]
        if name == "kvlistValue":
            return {
                text_of(p.get("key")): _any_value(p.get("value")) for p in objects_of(object_of(inner).get("values"))
            }
        if name.endswith("Value"):
            return inner
    return None


def _spans_in(value: dict[str, Any], line: int | None) -> Iterator[RawSpan]:
    envelopes = objects_of(value.get("resourceSpans") or value.get("resource_spans"))
    if envelopes:
        for resource in envelopes:
            about = flat_attributes(object_of(resource.get("resource")).get("attributes"))
            scopes = (
                resource.get("scopeSpans") or resource.get("scope_spans") or resource.get("instrumentationLibrarySpans")
            )
            for scope in objects_of(scopes):
                for span in objects_of(scope.get("spans")):
                    yield _span(span, line, about)
    elif isinstance(value.get("scopeSpans"), list):
        for scope in objects_of(value["scopeSpans"]):
            for span in objects_of(scope.get("spans")):
                yield _span(span, line, {})
    elif _looks_like_span(value):
        yield _span(value, line, {})
    elif any(name.startswith(MARKERS) for name in value):
        key = content_key(value)
        yield RawSpan(key, key, None, "", None, None, None, flat_attributes(value), line=line)


def _looks_like_span(value: dict[str, Any]) -> bool:
    if not ({"attributes", "context"} & value.keys()) and not any(name.startswith("attributes.") for name in value):
        return False
    return bool({"spanId", "span_id", "context", "context.span_id"} & value.keys())


def _span(value: dict[str, Any], line: int | None, resource: dict[str, Any]) -> RawSpan:
    dotted = {name: inner for name, inner in value.items() if name.startswith("attributes.")}
    attributes = flat_attributes(value.get("attributes"))
    for name, inner in dotted.items():
        if inner is not None:
            _flatten(name.removeprefix("attributes."), inner, attributes)
    place = object_of(value.get("context"))
    span_id = _hex(_first(value, "spanId", "span_id", "context.span_id") or place.get("span_id"))
    trace_id = _hex(_first(value, "traceId", "trace_id", "context.trace_id") or place.get("trace_id"))
    parent = _hex(_first(value, "parentSpanId", "parent_span_id", "parent_id", "parentId"))
    start, end = _first(value, "startTimeUnixNano", "start_time"), _first(value, "endTimeUnixNano", "end_time")
    status = object_of(value.get("status"))
    code = status.get("code", value.get("status_code"))
    return RawSpan(
        trace=trace_id or span_id or content_key(value),
        id=span_id or content_key(value),
        parent=parent if parent and parent.strip("0") else None,
        name=text_of(value.get("name")),
        start=moment(start),
        end=moment(end),
        duration_ms=_milliseconds(start, end),
        attributes=attributes,
        events=tuple(_event(event) for event in objects_of(value.get("events"))),
        is_error=code in (2, "2", "STATUS_CODE_ERROR", "ERROR"),
        message=text_of(status.get("message") or value.get("status_message")),
        line=line,
        resource=resource,
    )


def _event(value: dict[str, Any]) -> RawEvent:
    attributes = flat_attributes(value.get("attributes"))
    body = value.get("body")
    if isinstance(body, dict):
        inner = _any_value(body)
        attributes.update(inner if isinstance(inner, dict) else body)
    return RawEvent(text_of(value.get("name")), attributes)


def _milliseconds(start: Any, end: Any) -> int | None:
    """Return the duration exactly where both are nanoseconds."""
    first, last = whole(start), whole(end)
    if first is None or last is None or last < first or first < 10**17:
        return None
    return (last - first + 500_000) // 1_000_000


def _first(value: dict[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _hex(value: Any) -> str:
    return (some_text(value) or "").lower()

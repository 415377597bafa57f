"""Sessions kept before they are deleted."""

from __future__ import annotations

import gzip
import io
import json
from datetime import UTC, datetime, timedelta

import pytest

from honeyguide.kernel.errors import Interrupted
from honeyguide.traces import health
from honeyguide.traces.archive import SessionFile, archive_session, cleanup_days, expiring_sessions
from honeyguide.traces.readers import source
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.redaction import Redactor

SECRET = "glpat-Zx9Kq2Lm7Pn4Rt6Vw8Yb"
PASSWORD = "Wint3r-is-c0ming"


def line(kind: str, uuid: str, parent: str | None, **more: object) -> dict[str, object]:
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "11111111-0000-4000-8000-000000000001",
        "timestamp": "2026-03-01T09:00:00.000Z",
        "cwd": "/home/alice/shop",
        **more,
    }


SESSION = [
    line("user", "u1", None, message={"role": "user", "content": f"log in with {PASSWORD}"}),
    {"type": "progress", "data": {"text": "x" * 3000}},
    {"data": {"x": 1}, "type": "progress"},
    line(
        "assistant",
        "a1",
        "u1",
        message={
            "id": "m1",
            "role": "assistant",
            "model": "m",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "S" * 900},
                {"type": "text", "text": f"use {SECRET}"},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"DB_PASSWORD={PASSWORD} run"}},
            ],
            "usage": {"input_tokens": 10, "output_tokens": 5},
        },
    ),
    line(
        "user",
        "r1",
        "a1",
        toolUseResult={"stdout": "y" * 9000},
        message={
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [
                        {"type": "text", "text": "z" * 30_000},
                        {"type": "image", "source": {"type": "base64", "data": "iVBOR" * 4000}},
                    ],
                }
            ],
        },
    ),
]


def archived(lines: list[object] = SESSION) -> tuple[bytes, object, ReadContext]:
    raw = b"".join((entry if isinstance(entry, bytes) else json.dumps(entry).encode()) + b"\n" for entry in lines)
    out, context = io.BytesIO(), ReadContext()
    summary = archive_session(io.BytesIO(raw), out, Redactor(b"k" * 32), context)
    assert summary.bytes_in == len(raw)
    assert summary.bytes_out == len(out.getvalue())
    return gzip.decompress(out.getvalue()), summary, context


def test_what_matters_is_kept_and_noise_is_not():
    text, summary, _ = archived()
    kinds = [json.loads(entry)["type"] for entry in text.splitlines()]
    assert kinds == ["user", "assistant", "user"]
    assert (summary.kept, summary.left_out) == (3, 2)
    assert len(text) < 30_000


def test_no_secret_is_in_the_archive_not_even_where_it_stands_bare():
    text, summary, _ = archived()
    assert SECRET.encode() not in text
    assert PASSWORD.encode() not in text
    assert summary.redactions["gitlab-token"] == 1


def test_the_archive_reads_like_the_session():
    raw = b"".join(json.dumps(entry).encode() + b"\n" for entry in SESSION)
    reader = source("claude-code")
    (original,) = reader.read(io.BytesIO(raw), ReadContext(name="s.jsonl"))
    (again,) = reader.read(io.BytesIO(archived()[0]), ReadContext(name="s.jsonl"))
    assert again.counts == original.counts
    assert again.tokens == original.tokens
    assert (again.key, again.project) == (original.key, "/home/alice/shop")
    assert [t.facts.source_key for t in again.traces] == [t.facts.source_key for t in original.traces]


def test_the_same_session_gives_the_same_bytes():
    assert archived()[0] == archived()[0]


def test_broken_lines_are_counted_and_the_rest_is_kept():
    text, summary, context = archived([*SESSION[:1], b"{broken", b"null", SESSION[3]])
    assert len(text.splitlines()) == 2
    assert (summary.kept, summary.left_out) == (2, 2)
    assert context.health.lines(health.BROKEN_JSON) == (2,)


def test_cancelling_stops_it():
    with pytest.raises(Interrupted):
        archive_session(io.BytesIO(b"{}\n"), io.BytesIO(), Redactor(b"k" * 32), ReadContext(is_cancelled=lambda: True))


NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


def session_of(days_ago: float) -> SessionFile:
    return SessionFile(f"s{days_ago}", NOW - timedelta(days=days_ago))


def test_sessions_that_will_be_deleted_within_a_week_are_counted():
    report = expiring_sessions([session_of(d) for d in (1, 22.9, 23, 29, 30, 40)], NOW)
    assert [s.name for s in report.expiring] == ["s40", "s30", "s29", "s23"]
    assert (report.total, report.overdue, report.archived) == (6, 2, 0)
    assert report.sentence == "4 sessions expire within 7 days."


def test_archived_sessions_are_safe():
    report = expiring_sessions([session_of(29), session_of(28)], NOW, archived={"s29"})
    assert [s.name for s in report.expiring] == ["s28"]
    assert report.sentence == "1 session expires within 7 days."
    assert report.next_at == NOW + timedelta(days=2)
    assert expiring_sessions([], NOW).sentence == "No session expires within 7 days."


@pytest.mark.parametrize(
    ("settings", "days"),
    [({"cleanupPeriodDays": 90}, 90), ({"cleanupPeriodDays": 0}, 0), ({"cleanupPeriodDays": "7"}, 30), ({}, 30),
     (None, 30),     ({"cleanupPeriodDays": True}, 30), ({"cleanupPeriodDays": -1}, 30)],
)  # fmt: skip
def test_the_time_before_deletion_is_read_from_the_settings(settings, days):
    assert cleanup_days(settings) == days

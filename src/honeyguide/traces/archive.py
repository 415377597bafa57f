"""Keeps what matters of Claude Code sessions before that program deletes them: compressed, redacted, readable again.

Pure: streams in and out, the files and the clock belong to the caller. An archive is gzip over JSON Lines in the shape
of the session itself, so the ``claude-code`` reader reads it like the original.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, BinaryIO

from honeyguide.traces.lines import Skip, iter_json, noise_filter
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.recorded_values import recorded_value
from honeyguide.traces.redaction import Redactor
from honeyguide.traces.redaction_records import distinctive

DEFAULT_CLEANUP_DAYS = 30
"""After how many days without activity Claude Code deletes a session, unless its settings say otherwise."""

EXPIRES_SOON_DAYS = 7
LONGEST_TEXT = 20_000
"""Characters that one text of an archived line keeps."""

COPIED_RESULT_TEXT = 500
"""Characters kept of ``toolUseResult``, which repeats what the message holds already."""

NOISE = ("progress", "file-history-snapshot", "queue-operation", "last-prompt", "attribution-snapshot")
_is_noise: Skip = noise_filter("type", NOISE)
_AS_WRITTEN = ("cwd", "uuid", "parentUuid", "logicalParentUuid", "sessionId", "timestamp", "leafUuid", "requestId")
"""Fields that tie lines together, or name the project: secrets go, the rest stays as written."""


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """What became of one session.

    Attributes:
        kept, left_out: lines kept, and lines left out as noise or because they could not be read.
        bytes_in, bytes_out: sizes of the session and of its archive.
        redactions: kind to count.
    """

    kept: int
    left_out: int
    bytes_in: int
    bytes_out: int
    redactions: Mapping[str, int] = field(default_factory=dict)


def archive_session(session: BinaryIO, archive: BinaryIO, redactor: Redactor, context: ReadContext) -> ArchiveSummary:
    """Write a compressed, redacted copy of ``session`` (seekable; read twice) to ``archive``.

    The same session, key and settings give the same bytes. Problems of single lines are noted in ``context.health``.

    Raises:
        Interrupted: cancelled; what was written is no whole archive and should be thrown away.
    """
    secrets = _secrets_in(session, redactor, context)
    scope = redactor.scope()
    plain_scope = redactor.scope(personal=False)
    start = archive.tell()
    session.seek(0)
    kept = 0
    last_line = 0
    with gzip.GzipFile(filename="", mode="wb", fileobj=archive, compresslevel=6, mtime=0) as packed:
        for record in iter_json(session, context, _is_noise):
            last_line = record.number
            if record.data.get("type") in NOISE:
                continue
            line = _line(record.data, scope, plain_scope, secrets)
            packed.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n")
            kept += 1
    bytes_in = session.tell()
    redactor.add_counts(scope.counts)
    redactor.add_counts(plain_scope.counts)
    counts = {kind: scope.counts.get(kind, 0) + plain_scope.counts.get(kind, 0) for kind in scope.counts}
    total = max(_count_lines(session), last_line)
    return ArchiveSummary(kept, total - kept, bytes_in, archive.tell() - start, counts)


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session on disk: its name, when it was last written, and its size in bytes."""

    name: str
    last_written: datetime
    size: int = 0


@dataclass(frozen=True, slots=True)
class ExpiryReport:
    """How many sessions are about to be deleted by the program that wrote them.

    Attributes:
        total: sessions looked at.
        expiring: not archived, and due within the time asked about, overdue ones included.
        overdue: not archived and past their day; they go at the program's next start.
        archived: sessions that have an archive.
        days: the time asked about.
        next_at: when the next one that is not archived is due.
    """

    total: int
    expiring: tuple[SessionFile, ...]
    overdue: int
    archived: int
    days: int
    next_at: datetime | None

    @property
    def sentence(self) -> str:
        """One sentence for a person."""
        count = len(self.expiring)
        if not count:
            return f"No session expires within {self.days} days."
        noun, verb = ("session", "expires") if count == 1 else ("sessions", "expire")
        return f"{count} {noun} {verb} within {self.days} days."


def expiring_sessions(
    sessions: Iterable[SessionFile],
    now: datetime,
    *,
    cleanup_days: int = DEFAULT_CLEANUP_DAYS,
    within_days: int = EXPIRES_SOON_DAYS,
    archived: Collection[str] = (),
) -> ExpiryReport:
    """Say which sessions will be deleted within ``within_days``; ``archived`` names those that are safe."""
    everything = list(sessions)
    kept_for = timedelta(days=cleanup_days)
    at_risk = sorted(
        (session for session in everything if session.name not in archived),
        key=lambda session: (session.last_written, session.name),
    )
    expiring = tuple(s for s in at_risk if s.last_written + kept_for <= now + timedelta(days=within_days))
    return ExpiryReport(
        total=len(everything),
        expiring=expiring,
        overdue=sum(s.last_written + kept_for <= now for s in expiring),
        archived=len(everything) - len(at_risk),
        days=within_days,
        next_at=at_risk[0].last_written + kept_for if at_risk else None,
    )


def cleanup_days(settings: object) -> int:
    """Return ``cleanupPeriodDays`` of Claude Code's settings, or its default where it is missing or no whole number."""
    value = settings.get("cleanupPeriodDays") if isinstance(settings, Mapping) else None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return DEFAULT_CLEANUP_DAYS


def _secrets_in(session: BinaryIO, redactor: Redactor, context: ReadContext) -> dict[str, str]:
    """Read the session once for the secrets that only their surroundings give away, so that bare copies go too."""
    scope = redactor.scope()
    quiet = ReadContext(
        name=context.name, is_cancelled=context.is_cancelled, encoding=context.encoding, line_limit=context.line_limit
    )
    session.seek(0)
    for record in iter_json(session, quiet, _is_noise):
        scope.value(record.data)
    return distinctive(scope.found)


def _line(data: dict[str, Any], scope: Redactor, plain_scope: Redactor, secrets: Mapping[str, str]) -> dict[str, Any]:
    line: dict[str, Any] = {}
    for key, value in data.items():
        if key in _AS_WRITTEN:
            line[key] = plain_scope.text(plain_scope.literals(value, secrets)) if isinstance(value, str) else value
        else:
            limit = COPIED_RESULT_TEXT if key == "toolUseResult" else LONGEST_TEXT
            line[key] = _shortened(scope.value(scope.literals_in(_without_media(value), secrets)), limit)
    return line


def _without_media(value: Any) -> Any:
    """Leave out encoded images and documents, and the signatures of reasoning: bulk that nobody can read."""
    if isinstance(value, list):
        return [_without_media(item) for item in value]
    if isinstance(value, dict):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            return {**value, "data": f"[{len(value['data'])} characters left out]"}
        is_reasoning = value.get("type") in ("thinking", "redacted_thinking")
        return {
            key: "" if is_reasoning and key in ("signature", "data") else _without_media(item)
            for key, item in value.items()
        }
    return value


def _shortened(value: Any, limit: int) -> Any:
    if isinstance(value, list):
        return [_shortened(item, limit) for item in value]
    if isinstance(value, dict):
        return {key: _shortened(item, limit) for key, item in value.items()}
    return recorded_value(value, limit)


def _count_lines(session: BinaryIO) -> int:
    session.seek(0)
    count = 0
    ended = True
    while block := session.read(1024 * 1024):
        count += block.count(b"\n")
        ended = block.endswith(b"\n")
    return count if ended else count + 1

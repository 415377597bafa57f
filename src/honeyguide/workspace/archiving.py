"""Copies of Claude Code sessions, kept before that program deletes them; and the copies that have to go again."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import HoneyguideError, Unreadable
from honeyguide.storage import Unit
from honeyguide.traces.archive import ExpiryReport, SessionFile, archive_session, cleanup_days, expiring_sessions
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import Trace
from honeyguide.versions import write_atomically
from honeyguide.workspace.core import Core
from honeyguide.workspace.layout import Layout
from honeyguide.workspace.views.traces import ArchiveReport

SOURCE = "claude-code"
LEFT_OUT = "archive.left_out"
"""Key of the workspace's own note of copies that must not be made again."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session on disk, and what its copy is called.

    The name is the session's own and a hash of where it stands, because that folder's name spells out the user's.
    """

    path: Path
    copy: str
    size: int
    mtime_ns: int


def archive_sessions(core: Core) -> ArchiveReport:
    """Copy every session that is new or has grown; blocking. Raises Unwritable."""
    sessions = list(_sessions(core.environ))
    index = _read_index(core.layout)
    left_out = set(core.store.read_now(lambda unit: unit.settings.get(LEFT_OUT, [])))
    counts: Counter[str] = Counter()
    redactions: Counter[str] = Counter()
    messages: list[str] = []
    for session in sessions:
        stamp = [session.size, session.mtime_ns]
        if session.copy in left_out:
            counts["left_out"] += 1
        elif index.get(session.copy) == stamp and _copy_path(core.layout, session.copy).is_file():
            counts["unchanged"] += 1
        else:
            try:
                found = _copy(core, session)
            except (OSError, Unreadable) as error:
                counts["failed"] += 1
                reason = error.message if isinstance(error, HoneyguideError) else f"{error.strerror or error}"
                messages.append(f"{session.path.name} could not be copied: {reason}")
                continue
            counts.update(archived=1, bytes_in=found[0], bytes_out=found[1])
            redactions.update(found[2])
            index[session.copy] = stamp
    if counts["archived"]:
        write_atomically(_index_path(core.layout), json.dumps(index, indent=0, sort_keys=True).encode())
    expiry = _expiry(core, sessions)
    return ArchiveReport(
        archived=counts["archived"],
        unchanged=counts["unchanged"],
        failed=counts["failed"],
        left_out=counts["left_out"],
        bytes_in=counts["bytes_in"],
        bytes_out=counts["bytes_out"],
        folder=str(core.layout.archive),
        expiring=len(expiry.expiring),
        sentence=expiry.sentence,
        redactions=dict(sorted(redactions.items())),
        messages=tuple(messages),
    )


def expiring(core: Core) -> ExpiryReport:
    """Say which sessions their program deletes soon; blocking."""
    return _expiry(core, list(_sessions(core.environ)))


def remove_copies(layout: Layout, traces: Sequence[Trace]) -> list[str]:
    """Remove the copies of the sessions that these traces come from; return their names. Raises Unwritable."""
    wanted = {
        key.encode()
        for trace in traces
        if trace.facts.source == SOURCE
        for key in (trace.session_id, trace.facts.conversation)
        if key
    }
    removed = []
    for path in sorted(_copies(layout)) if wanted else ():
        with gzip.open(path, "rb") as packed:
            data = packed.read()
        if any(key in data for key in wanted):
            path.unlink()
            removed.append(path.name)
    return removed


def leave_out(unit: Unit, names: Iterable[str]) -> None:
    """Note that these copies must not be made again: a trace of the session was deleted."""
    unit.settings.put(LEFT_OUT, sorted({*unit.settings.get(LEFT_OUT, []), *names}))


def _copy(core: Core, session: Session) -> tuple[int, int, Mapping[str, int]]:
    out = io.BytesIO()
    with session.path.open("rb") as stream:
        summary = archive_session(stream, out, core.redactor(), ReadContext(session.path.name))
    write_atomically(_copy_path(core.layout, session.copy), out.getvalue())
    return summary.bytes_in, summary.bytes_out, summary.redactions


def _sessions(environ: Mapping[str, str]) -> Iterator[Session]:
    root = _program_folder(environ) / "projects"
    for path in sorted(root.glob("**/*.jsonl")) if root.is_dir() else ():
        try:
            status = path.stat()
        except OSError:
            continue  # deleted meanwhile
        place = sha256_hex(path.relative_to(root).as_posix())[:8]
        yield Session(path, f"{path.stem}-{place}.jsonl.gz", status.st_size, status.st_mtime_ns)


def _expiry(core: Core, sessions: Sequence[Session]) -> ExpiryReport:
    copies = {path.name for path in _copies(core.layout)}
    files = [SessionFile(s.copy, datetime.fromtimestamp(s.mtime_ns / 1e9, UTC), s.size) for s in sessions]
    days = cleanup_days(_program_settings(core.environ))
    return expiring_sessions(files, core.clock.now(), cleanup_days=days, archived=copies)


def _program_settings(environ: Mapping[str, str]) -> Any:
    try:
        return json.loads((_program_folder(environ) / "settings.json").read_bytes())
    except (OSError, ValueError):
        return None


def _program_folder(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")


def _copies(layout: Layout) -> Iterator[Path]:
    folder = layout.archive / SOURCE
    yield from folder.glob("*.jsonl.gz") if folder.is_dir() else ()


def _copy_path(layout: Layout, name: str) -> Path:
    return layout.archive / SOURCE / name


def _index_path(layout: Layout) -> Path:
    return layout.archive / "index.json"


def _read_index(layout: Layout) -> dict[str, list[int]]:
    """Read which sessions were copied in which state; a damaged index only means that they are copied again."""
    try:
        stored = json.loads(_index_path(layout).read_bytes())
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}

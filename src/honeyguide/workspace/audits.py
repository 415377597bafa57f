"""Looks over the prompts on this computer: no model, no key, nothing is changed; works without a workspace, too."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from honeyguide.kernel.clock import Clock, SystemClock, iso
from honeyguide.kernel.errors import HoneyguideError, NotFound
from honeyguide.prompts import audit, discovery
from honeyguide.prompts.places import SKIPPED_FOLDERS, kind_of, usual_places
from honeyguide.prompts.targets import TargetKind
from honeyguide.storage import Store, Unit
from honeyguide.traces.redaction import scan
from honeyguide.workspace.views.audit import AuditReport, FindingRow, FoundAgent

CALLED_KINDS = (TargetKind.SKILL, TargetKind.SUBAGENT, TargetKind.COMMAND)
CALLING_SOURCES = ("claude-code", "codex")
PROJECT_MARKS = (".git", ".claude", ".cursor", ".github", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
PROMPT_FOLDERS = ("agents", "commands", "prompts", "rules")
MOST_ENTRIES = 50_000
"""Entries of one place, or sessions of one source, that are looked at; beyond it a count is a lower bound."""


async def audit_prompts(
    paths: Sequence[Path] | None,
    workspace: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    clock: Clock | None = None,
) -> AuditReport:
    """Look over every prompt under ``paths``, or in the usual places when there are none.

    Args:
        workspace: its imported history says what was never used, if it is there.

    Raises:
        NotFound: not one of the named paths exists.
    """
    usage = await asyncio.to_thread(_usage_of, workspace) if workspace is not None else None
    return await asyncio.to_thread(look_over, paths, usage, os.environ if environ is None else environ, clock)


def look_over(
    paths: Sequence[Path] | None,
    usage: audit.Usage | None,
    environ: Mapping[str, str],
    clock: Clock | None = None,
) -> AuditReport:
    """``audit_prompts`` for a worker thread, with the usage at hand."""
    named = [path.expanduser() for path in paths] if paths else None
    if named and not any(path.exists() for path in named):
        raise NotFound(f"{named[0]} does not exist.", hint="Name a file or folder that holds prompts.")
    places = named if named is not None else [place.path for place in usual_places(Path.home(), _project(), environ)]
    found = discovery.discover(places, must_exist=named is not None)
    files = [audit.ShelfFile(str(file.path), file.kind, file.data) for file in found.files]
    context = audit.AuditContext(exists=discovery.exists, usage=usage, scan=scan)
    report = audit.audit(files, context)
    return AuditReport(
        findings=tuple(_row(finding) for finding in report.findings),
        files=report.files,
        skipped=tuple((str(entry.path), entry.reason) for entry in found.skipped),
        made_at=iso((clock or SystemClock()).now()),
        _source=report,
    )


def usage_of(unit: Unit) -> audit.Usage:
    """Return what the imported history knows of skills, subagents and commands; only sessions that would show them."""
    calls: dict[str, int] = {}
    for ref, count in unit.trace_links.counts(CALLED_KINDS).items():
        calls[ref.name] = calls.get(ref.name, 0) + count
    sessions = [c for source in CALLING_SOURCES for c in unit.conversations.list(source=source, limit=MOST_ENTRIES)]
    since = min((session.first_at for session in sessions), default="")
    return audit.Usage(sessions=len(sessions), calls=calls, since=since[:10])


def find_agents(
    home: Path | None = None, environ: Mapping[str, str] | None = None, projects: Sequence[Path] = ()
) -> list[FoundAgent]:
    """Return the usual places that hold prompts or history; only listings of folders are looked at."""
    home = home or Path.home()
    environ = os.environ if environ is None else environ
    found = [
        _found(place.program, place.path, "prompts")
        for place in usual_places(home, tuple(projects), environ)
        if place.path.exists()
    ]
    claude = Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex = Path(environ.get("CODEX_HOME") or home / ".codex")
    histories = (
        ("Claude Code", claude / "projects"),
        ("Codex", codex / "sessions"),
        ("Codex", codex / "archived_sessions"),
    )
    found += [_found(program, path, "history") for program, path in histories if path.is_dir()]
    return [agent for agent in found if agent.count]


def prompt_files(place: Path, *, also_by_folder: bool = False) -> list[Path]:
    """Return the files at or below ``place`` that are prompts by their names, sorted; none of them is opened.

    Args:
        also_by_folder: also take markdown files in folders that are called as prompts usually are, for a folder of
            which nothing is known.
    """
    found = []
    for path, _ in _listed(place):
        by_folder = path.suffix in (".md", ".mdc") and path.parent.name.lower() in PROMPT_FOLDERS
        if path == place or kind_of(path) is not None or (also_by_folder and by_folder):
            found.append(path)
    return sorted(found)


def _found(program: str, path: Path, kind: str) -> FoundAgent:
    count = size = 0
    for entry, entry_size in _listed(path):
        is_wanted = entry.suffix == ".jsonl" if kind == "history" else kind_of(entry) is not None
        if is_wanted:
            count += 1
            size += entry_size
    return FoundAgent(program, str(path), kind, count, size)


def _listed(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield the files below ``path`` with their sizes; folders that may not be listed are passed over."""
    if path.is_file():
        yield path, path.stat().st_size
        return
    waiting, seen = [path], 0
    while waiting and seen < MOST_ENTRIES:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    seen += 1
                    if entry.is_dir(follow_symlinks=folder == path):
                        if entry.name.lower() not in SKIPPED_FOLDERS:
                            waiting.append(Path(entry.path))
                    elif entry.is_file():
                        yield Path(entry.path), entry.stat().st_size
        except OSError:
            continue


def _project() -> tuple[Path, ...]:
    """Return the present folder when it is somebody's project."""
    here = Path.cwd()
    is_project = here != Path.home() and any((here / mark).exists() for mark in PROJECT_MARKS)
    return (here,) if is_project else ()


def _usage_of(workspace: Path) -> audit.Usage | None:
    """Return what a workspace knows; ``None`` when there is none, or it cannot be opened (the audit needs none)."""
    database = workspace.expanduser() / "honeyguide.db"
    if not database.is_file():
        return None
    try:
        with Store.open(database) as store:
            return store.read_now(usage_of)
    except HoneyguideError:
        return None


def _row(finding: audit.Finding) -> FindingRow:
    fix = finding.fix
    return FindingRow(
        severity=finding.severity,
        code=finding.code,
        place=f"{finding.path}:{finding.line}",
        path=finding.path,
        line=finding.line,
        message=finding.message,
        why=finding.why,
        fix=fix.title if fix else None,
        before=fix.before if fix else "",
        after=fix.after if fix else "",
        quotes=tuple((quote.path, quote.line, quote.text) for quote in finding.quotes),
    )

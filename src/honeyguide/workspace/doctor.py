"""What works on this computer and in this workspace, and what to do where it does not. Changes and connects nothing."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from honeyguide import __version__
from honeyguide.kernel import processes
from honeyguide.kernel.errors import HoneyguideError
from honeyguide.kernel.resources import resource
from honeyguide.llm import DEFAULT_MODELS, KeyStore, ModelRef, ModelRole, read_entries
from honeyguide.llm.addresses import is_loopback
from honeyguide.llm.settings import FREE_PROVIDERS
from honeyguide.storage.examining import examine
from honeyguide.workspace import places
from honeyguide.workspace.core import model_settings
from honeyguide.workspace.layout import Layout
from honeyguide.workspace.settings import Settings
from honeyguide.workspace.views.doctor import Check, DoctorReport

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 13)
ROOM_BYTES = 500_000_000
"""Free space below this is worth a warning: a run's journal and a rewritten database need room."""
NEWEST_JOURNALS = 10
WINDOW_SECONDS = 30.0
_WINDOW_PROBE = (
    "import PySide6.QtCore, PySide6.QtGui, PySide6.QtSvg, PySide6.QtWidgets; print(PySide6.QtCore.qVersion())"
)
_SYSTEM_LIBRARIES = (
    "libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon0 libxkbcommon-x11-0 libxcb-cursor0"
)


async def diagnose_installation(path: Path | None = None, *, environ: Mapping[str, str] | None = None) -> DoctorReport:
    """Look at the program, this computer, and the workspace at ``path`` (the last or default one when not given)."""
    environ = os.environ if environ is None else environ
    chosen = path or places.last_opened() or places.default_path()
    return await asyncio.to_thread(lambda: DoctorReport(tuple(_checks(chosen.expanduser().absolute(), environ))))


def _checks(path: Path, environ: Mapping[str, str]) -> Iterator[Check]:
    layout = Layout(path)
    yield _python()
    yield _window(environ)
    yield _resources()
    yield _search_engine()
    yield _workspace(layout)
    yield _settings(layout)
    yield _space(layout)
    yield _permissions(layout)
    yield _versions(layout)
    yield _journals(layout)
    yield from _models(layout, environ)
    yield _git()


def _python() -> Check:
    version = sys.version_info[:2]
    shown = f"Honeyguide {__version__} runs on Python {platform.python_version()} ({platform.system()})."
    if OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        return Check("python", True, shown)
    return Check("python", False, shown, "Use Python 3.11, 3.12 or 3.13.")


def _window(environ: Mapping[str, str]) -> Check:
    """Import the window's library in a process of its own, so that a broken one harms nobody."""
    name = "window"
    reinstall = "Install Honeyguide again; the command line works without a window."
    if find_spec("PySide6") is None:
        return Check(name, False, "The window's library (Qt) is not installed.", reinstall, False)
    if getattr(sys, "frozen", False):
        return Check(name, True, "The window can be opened.", is_essential=False)
    probe = [sys.executable, "-c", _WINDOW_PROBE]
    child = {**environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        result = processes.run(probe, env=child, timeout=WINDOW_SECONDS)
    except HoneyguideError as error:
        return Check(name, False, f"The window's library could not be tried: {error.message}", reinstall, False)
    if result.exit_code == 0:
        version = result.stdout.decode("ascii", "backslashreplace").strip()
        missing = _missing_screen(environ)
        if missing:
            return Check(name, False, missing, "Use the command line here, or log in with a desktop.", False)
        return Check(name, True, f"The window can be opened (Qt {version}).", is_essential=False)
    last = result.stderr.decode("utf-8", "backslashreplace").strip().splitlines()[-1:] or ["no answer"]
    remedy = f"On Debian or Ubuntu: apt-get install {_SYSTEM_LIBRARIES}" if sys.platform == "linux" else reinstall
    return Check(name, False, f"The window cannot be opened: {last[0]}", remedy, False)


def _missing_screen(environ: Mapping[str, str]) -> str:
    """Say that there is no screen to open a window on; empty when there is one."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform != "linux" or any(environ.get(name) for name in screens):
        return ""
    return "There is no screen here, so no window can be opened."


def _resources() -> Check:
    try:
        for name in ("prices.json", "sample", "icons"):
            resource(name)
    except HoneyguideError as error:
        return Check("resources", False, error.message, error.hint)
    return Check("resources", True, "All files that ship with Honeyguide are there.")


def _search_engine() -> Check:
    try:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        connection.close()
    except sqlite3.Error as error:
        remedy = "Use a Python whose SQLite has full-text search (FTS5); those from python.org have."
        return Check("sqlite", False, f"SQLite {sqlite3.sqlite_version} lacks what is needed: {error}.", remedy)
    return Check("sqlite", True, f"SQLite {sqlite3.sqlite_version} with full-text search is there.")


def _workspace(layout: Layout) -> Check:
    name = "workspace"
    if not layout.database.is_file():
        remedy = "Make one with 'honeyguide init DIR' (add --sample to try it)."
        return Check(name, False, f"There is no workspace at {layout.root} yet.", remedy, False)
    try:
        found = examine(layout.database)
    except HoneyguideError as error:
        return Check(name, False, error.message, error.hint)
    if found.complaints:
        remedy = "Put back a copy (files named honeyguide.db.backup-… stand beside it)."
        return Check(name, False, f"{layout.database} is damaged: {found.complaints[0]}.", remedy)
    if found.revision is None:
        return Check(name, False, f"{layout.database} is empty.", "Remove it, then make the workspace anew.")
    if not found.is_current:
        is_older = found.revision < found.newest
        remedy = "Open it: it is brought up to date after a backup." if is_older else "Update Honeyguide."
        age = "an older" if is_older else "a newer"
        return Check(name, is_older, f"The workspace at {layout.root} was written by {age} Honeyguide.", remedy)
    return Check(name, True, f"The workspace at {layout.root} is sound ({found.size / 1e6:.1f} MB).")


def _settings(layout: Layout) -> Check:
    try:
        Settings(layout.settings)
    except HoneyguideError as error:
        return Check("settings", False, error.message, error.hint)
    return Check("settings", True, "The settings can be read.")


def _space(layout: Layout) -> Check:
    folder = next(parent for parent in (layout.root, *layout.root.parents) if parent.exists())
    free = shutil.disk_usage(folder).free
    if free >= ROOM_BYTES:
        return Check("disk space", True, f"{free / 1e9:.1f} GB are free.")
    return Check(
        "disk space", False, f"Only {free / 1e6:.0f} MB are free.", f"Free some space on the disk of {folder}."
    )


def _permissions(layout: Layout) -> Check:
    name = "permissions"
    folder = next(parent for parent in (layout.root, *layout.root.parents) if parent.exists())
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            name, False, f"{folder} cannot be written to.", "Change its permissions, or choose another folder."
        )
    if sys.platform != "win32" and layout.database.is_file():
        private = (layout.root, layout.database, layout.redaction_key, layout.settings)
        open_ones = [path for path in private if path.exists() and path.stat().st_mode & 0o077]
        if open_ones:
            remedy = f"chmod go-rwx {' '.join(str(path) for path in open_ones)}"
            return Check(name, False, f"Others on this computer can read {open_ones[0]}.", remedy, False)
    return Check(name, True, f"{folder} can be written to.")


def _versions(layout: Layout) -> Check:
    if (layout.versions / ".pending.json").exists():
        remedy = "Open the workspace: the change is finished or undone, by the hashes of its files."
        return Check("versions", False, "A change of a prompt was cut short.", remedy, False)
    return Check("versions", True, "No change of a prompt is unfinished.")


def _journals(layout: Layout) -> Check:
    name = "journals"
    runs = layout.root / "runs"
    try:
        found = [path for path in runs.glob("*/journal.jsonl") if path.is_file()] if runs.is_dir() else []
        newest = sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)[:NEWEST_JOURNALS]
        damaged = [path for path in newest if any(entry.kind == "damaged" for entry in read_entries(path))]
    except (OSError, HoneyguideError) as error:
        return Check(name, False, f"The journals in {runs} cannot be read: {error}", "Check their permissions.")
    if damaged:
        remedy = "Nothing is lost but these calls: resuming the run makes them again."
        return Check(name, False, f"The journal of run {damaged[0].parent.name} has unreadable lines.", remedy, False)
    return Check(name, True, f"{len(found)} runs have a journal; the newest can be read.")


def _models(layout: Layout, environ: Mapping[str, str]) -> Iterator[Check]:
    keys = KeyStore(environ)
    ring = keys.keyring_status()
    remedy = "" if ring.is_available else "Set the key in the environment, for example ANTHROPIC_API_KEY."
    yield Check("key ring", ring.is_available, ring.sentence, remedy, False)
    yield _guarded("models", lambda: _chosen_models(Settings(layout.settings), keys, environ))


def _chosen_models(settings: Settings, keys: KeyStore, environ: Mapping[str, str]) -> Check:
    known = model_settings(settings)
    set_roles = {role: settings.get(f"models.{role.value}") for role in ModelRole}
    refs = {ModelRef.parse(named) for named in set_roles.values() if named} or {DEFAULT_MODELS[ModelRole.EXECUTOR]}
    for ref in sorted(refs, key=str):
        if ref.provider in FREE_PROVIDERS or is_loopback(known.base_url(ref.provider, environ).url):
            continue
        if keys.find(ref.provider, known.endpoint(ref.provider).key_variable) is None:
            if not any(set_roles.values()):
                remedy = "Choose one: honeyguide models use executor PROVIDER:MODEL. Nothing is sent before."
                return Check("models", False, "No model is set up yet.", remedy, False)
            remedy = f"honeyguide models set-key {ref.provider}"
            return Check("models", False, f"{ref} is chosen and has no key.", remedy, False)
    return Check("models", True, f"Models: {', '.join(sorted(map(str, refs)))}.", is_essential=False)


def _git() -> Check:
    if shutil.which("git"):
        return Check("git", True, "git is there, for committing changed files when you want that.", is_essential=False)
    return Check("git", False, "git was not found.", "It is only needed to commit changed files.", False)


def _guarded(name: str, look: Callable[[], Check]) -> Check:
    try:
        return look()
    except HoneyguideError as error:
        return Check(name, False, error.message, error.hint, False)

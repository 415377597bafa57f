"""``honeyguide desktop-entry install|remove``: a place in the menu for a program that came as a wheel.

The installers bring these files themselves. Here they are written for one person, below ``XDG_DATA_HOME``.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from honeyguide.cli import output, session
from honeyguide.kernel import processes
from honeyguide.kernel.errors import Unsupported, Unwritable
from honeyguide.kernel.resources import resource

REFRESH_SECONDS = 20.0
"""What a cache of the desktop may take to be rebuilt."""

app = typer.Typer(help="Honeyguide's place in the menu of this desktop.", no_args_is_help=True)


def register(root: typer.Typer) -> None:
    """Add the commands of this file."""
    root.add_typer(app, name="desktop-entry")


@app.command()
def install(json: session.Json = False) -> None:
    """Put Honeyguide into the menu of this user, with its icon and its type of file."""
    base = _data_home()
    files = entry_files(base, own_command(sys.argv[0], sys.executable))
    for path, data in files.items():
        _write(path, data)
    _refresh(base)
    _answer("installed", list(files), json=json)


@app.command()
def remove(json: session.Json = False) -> None:
    """Take Honeyguide out of the menu of this user again."""
    base = _data_home()
    files = [path for path in entry_files(base, ("honeyguide",)) if path.exists()]
    for path in files:
        try:
            path.unlink()
        except OSError as error:
            raise Unwritable(f"{path} cannot be removed: {error.strerror}.", hint="Check its permissions.") from error
    if files:
        _refresh(base)
    _answer("removed", files, json=json)


def own_command(program: str, python: str) -> tuple[str, ...]:
    """Return how this very program is started again: the script that was called, else Python with the package.

    Args:
        program: ``sys.argv[0]``.
        python: ``sys.executable``; a frozen program is its own.
    """
    if getattr(sys, "frozen", False):
        return (python,)
    found = shutil.which(program)
    if found and Path(found).stem == "honeyguide":
        return (str(Path(found).absolute()),)
    return (python, "-m", "honeyguide")


def entry_files(base: Path, command: Sequence[str]) -> dict[Path, bytes]:
    """Return every file with its bytes, for a data folder and a command."""
    files = {
        base / "applications" / name: with_command(resource("desktop", name).read_text("utf-8"), command).encode()
        for name in ("honeyguide.desktop", "honeyguide-review.desktop")
    }
    files[base / "mime" / "packages" / "honeyguide.xml"] = resource("desktop", "honeyguide-mime.xml").read_bytes()
    for icon in sorted(resource("icons", "app").glob("honeyguide*")):
        size = re.fullmatch(r"honeyguide-(\d+)\.png", icon.name)
        folder = f"{size[1]}x{size[1]}" if size else "scalable"
        files[base / "icons" / "hicolor" / folder / "apps" / f"honeyguide{icon.suffix}"] = icon.read_bytes()
    return files


def with_command(entry: str, command: Sequence[str]) -> str:
    """Return a desktop entry that starts ``command`` where it said ``honeyguide``."""
    quoted = " ".join(quote(part) for part in command)
    lines = [
        f"Exec={quoted}{line.removeprefix('Exec=honeyguide')}" if line.startswith("Exec=honeyguide") else line
        for line in entry.splitlines()
    ]
    return "\n".join(lines) + "\n"


def quote(argument: str) -> str:
    """Return an argument as the desktop entry specification wants it in ``Exec``.

    Quoted only where needed; inside quotes ``" ` $ \\`` take a backslash, which the entry's string type doubles.
    """
    doubled = argument.replace("%", "%%")
    if re.fullmatch(r"[\w@+=:,./%-]+", doubled, re.ASCII):
        return doubled
    escaped = re.sub(r'(["`$\\])', r"\\\1", doubled)
    return f'"{escaped}"'.replace("\\", "\\\\")


def _data_home() -> Path:
    if sys.platform in ("win32", "darwin"):
        raise Unsupported(
            "Menu entries of this system are made by its installer.",
            hint="Install Honeyguide with its installer, or pin the program 'honeyguide' by hand.",
        )
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "share"


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}.", hint="Check its folder.") from error


def _refresh(base: Path) -> None:
    """Tell the desktop, as far as its own programs for that are here; it notices by itself otherwise."""
    for program, folder in (("update-desktop-database", "applications"), ("update-mime-database", "mime")):
        if shutil.which(program) and (base / folder).is_dir():
            done = processes.run([program, str(base / folder)], timeout=REFRESH_SECONDS)
            if done.exit_code != 0:
                output.notes().print(f"{program} did not succeed; the menu may show the change only after a new login.")
    icons = base / "icons" / "hicolor"
    if icons.is_dir():
        os.utime(icons)  # a newer folder than its cache makes the toolkits look again


def _answer(key: str, paths: Sequence[Path], *, json: bool) -> None:
    names: Mapping[str, object] = {key: [str(path) for path in paths]}
    if json:
        output.print_json(names)
    elif not paths:
        output.console().print("There was no entry.")
    else:
        output.console().print(f"{key.capitalize()}: {len(paths)} files below {output.shown(str(_data_home()))}.")

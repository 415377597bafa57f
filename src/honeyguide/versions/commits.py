"""Commit a deployed file to the git repository it lies in, when the person wants that; only that file."""

from __future__ import annotations

import os
from pathlib import Path

from honeyguide.kernel.errors import Conflict, NotFound, PolicyRefused
from honeyguide.kernel.processes import Finished, run

TIME_LIMIT_SECONDS = 60.0
_REDIRECTING = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"})


def repository_of(path: Path) -> Path | None:
    """Return the top folder of the git repository that ``path`` lies in; ``None`` without one or without git."""
    try:
        done = _git(path.parent, "rev-parse", "--show-toplevel")
    except NotFound:
        return None
    return Path(done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")) if done.exit_code == 0 else None


def commit_file(path: Path, message: str) -> str:
    """Commit the present state of ``path``, and nothing else that may be staged; return the commit's hash.

    The person's own hooks and signing apply. The file itself is not touched.

    Raises:
        PolicyRefused: the file is in no repository, or is ignored there.
        Conflict: git refused (nothing changed, a merge going on, a hook said no); its first line is in the message.
    """
    if repository_of(path) is None:
        raise PolicyRefused(f"{path} is in no git repository.")
    if _git(path.parent, "check-ignore", "--quiet", "--", path.name).exit_code == 0:
        raise PolicyRefused(
            f"{path} is ignored by its git repository.", hint="Commit it yourself if you want it there."
        )
    if path.exists():
        # So that --only knows a file that git has never seen; its content stays out of the index until the commit.
        _checked(path, "add", "--intent-to-add", "--", path.name)
    _checked(path, "commit", "--quiet", "--only", "--message", message, "--", path.name)
    return _checked(path, "rev-parse", "HEAD")


def _checked(path: Path, *arguments: str) -> str:
    done = _git(path.parent, *arguments)
    if done.exit_code != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "backslashreplace").strip().splitlines()
        reason = "it took too long" if done.timed_out else (said[0] if said else "it gave no reason")
        raise Conflict(
            f"git did not commit {path.name}: {reason}", hint="The file itself is changed; commit it yourself."
        )
    return done.stdout.decode("utf-8", "backslashreplace").strip()


def _git(folder: Path, *arguments: str) -> Finished:
    kept = {key: value for key, value in os.environ.items() if key not in _REDIRECTING}
    environment = {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    if arguments[0] in {"add", "commit"}:  # a name like [1].md is no pattern; check-ignore knows no patterns anyway
        environment["GIT_LITERAL_PATHSPECS"] = "1"
    return run(["git", "-C", str(folder), *arguments], env=environment, timeout=TIME_LIMIT_SECONDS)

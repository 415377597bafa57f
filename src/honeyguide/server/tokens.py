"""The token of the HTTP API: made at the first use, kept for the owner only, in the user's state folder."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from honeyguide.kernel.errors import InvalidInput, PolicyRefused, Unreadable, Unwritable
from honeyguide.workspace import places

LEAST_CHARACTERS = 16


def token_path() -> Path:
    """Return where the token of this user is kept."""
    return places.user_dirs().user_state_path / "http-token"


def read_token(file: Path | None = None) -> str:
    """Return the token in ``file``, or this user's own, which is made when it is not there yet.

    Raises:
        Unreadable, Unwritable: the file.
        PolicyRefused: others may read it.
        InvalidInput: it holds no token of at least 16 printable characters.
    """
    path = token_path() if file is None else file
    if file is None:
        _make(path)
    try:
        mode = path.stat().st_mode
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"The token in {path} cannot be read.", hint="Check the path and its permissions.") from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PolicyRefused(f"Others may read the token in {path}.", hint=f"Run: chmod 600 {path}")
    if len(token) < LEAST_CHARACTERS or not token.isprintable() or " " in token:
        raise InvalidInput(
            f"{path} does not hold a token.", hint=f"A token has at least {LEAST_CHARACTERS} characters and no space."
        )
    return token


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    except OSError as error:
        raise Unwritable(f"The token cannot be kept in {path}: {error.strerror}.", hint="Use --token-file.") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32) + "\n")

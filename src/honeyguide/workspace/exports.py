"""Writes what a person asked to have as a file, without ever harming the workspace's own files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from honeyguide.kernel.errors import InvalidInput, Unwritable


def write_lines(path: Path, lines: Iterable[bytes], workspace: Path) -> int:
    """Write lines to a file for its owner alone, whole or not at all; return how many.

    Raises:
        InvalidInput: the path is a file of the workspace itself.
        Unwritable: it cannot be written; what was there is still there.
    """
    target = path.expanduser().absolute()
    if target.is_relative_to(workspace) and target.exists() and target.suffix not in (".jsonl", ".ndjson"):
        raise InvalidInput(f"{path} belongs to the workspace.", hint="Choose another file name.")
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    count = 0
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            for line in lines:
                file.write(line)
                count += 1
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as error:
        raise Unwritable(
            f"{path} cannot be written: {error.strerror or error}.", hint="Check the folder, its permissions and space."
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return count

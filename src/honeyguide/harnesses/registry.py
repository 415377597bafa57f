"""The harnesses that a person registered on this computer, to be served together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import Conflict, HoneyguideError, NotFound, Unreadable
from honeyguide.versions import write_atomically

FILE: Final = "registered-harnesses.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One registered folder; ``problem`` says why it cannot be used now."""

    path: Path
    name: str
    identity: str
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "path": str(self.path), "name": self.name, "id": self.identity, "problem": self.problem or None,
        }  # fmt: skip


class Registry:
    """The list, kept outside every harness folder. Nothing of a folder is executed to list it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def entries(self) -> list[Entry]:
        """Return the registered folders; one that cannot be opened keeps its place, with the problem."""
        found = []
        for path, name in self._read():
            try:
                harness = Harness.open(path)
                found.append(Entry(path, harness.spec.name, harness.identity))
            except HoneyguideError as error:
                found.append(Entry(path, name, "", error.message))
        return found

    def add(self, harness: Harness) -> Entry:
        """Register a folder. Raises Conflict when it is registered already."""
        known = self._read()
        if any(path == harness.root for path, _ in known):
            raise Conflict(f"{harness.root} is registered already.")
        self._write([*known, (harness.root, harness.spec.name)])
        return Entry(harness.root, harness.spec.name, harness.identity)

    def remove(self, path: Path) -> None:
        """Take a folder off the list. Raises NotFound."""
        root = path.absolute() if not path.exists() else path.resolve()
        known = self._read()
        left = [entry for entry in known if entry[0] not in (root, root.parent)]
        if len(left) == len(known):
            raise NotFound(f"{path} is not registered.", hint="See 'honeyguide harness registry list'.")
        self._write(left)

    def _read(self) -> list[tuple[Path, str]]:
        try:
            data = json.loads(self._path.read_bytes())
            return [(Path(entry["path"]), str(entry["name"])) for entry in data["harnesses"]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unreadable(f"{self._path.name} cannot be read.", hint="Remove it and register anew.") from error

    def _write(self, entries: list[tuple[Path, str]]) -> None:
        body = {"harnesses": [{"path": str(path), "name": name} for path, name in entries]}
        write_atomically(self._path, (json.dumps(body, indent=2) + "\n").encode())

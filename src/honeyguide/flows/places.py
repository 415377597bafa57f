"""Where a flow belongs: its repository, its project, its configuration files, and an id that moves with it."""

from __future__ import annotations

import configparser
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from honeyguide.flows.document import FlowDocument
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput

CONFIG_NAMES: Final = ("mdflow.config.yaml", ".mdflow.yaml", ".mdflow.json")
MAX_CONFIG_BYTES: Final = 1_000_000
_FLOW_ID = re.compile(r"[A-Za-z0-9_-]{1,120}")
_SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One configuration file that holds for a flow.

    Attributes:
        role: ``global``, ``gitRoot``, ``project`` or ``folder``.
    """

    role: str
    path: Path
    data: bytes
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Config:
    """All of them, merged: what stands nearer wins, key by key."""

    files: tuple[ConfigFile, ...]
    problems: tuple[str, ...] = ()

    @property
    def engine(self) -> str | None:
        """The engine of flows that name none."""
        named = [file.values["engine"] for file in self.files if file.values.get("engine") is not None]
        return str(named[-1]) if named else None

    def flags(self, engine: str) -> dict[str, Any]:
        """Return the flags that an engine is given by default."""
        merged: dict[str, Any] = {}
        for file in self.files:
            commands = file.values.get("commands")
            own = commands.get(engine) if isinstance(commands, Mapping) else None
            merged.update(own if isinstance(own, Mapping) else {})
        return merged

    @property
    def policies(self) -> list[tuple[str, Any]]:
        """Where a policy stands and what it says, the farthest first."""
        return [(file.path.name, file.values["evolve"]) for file in self.files if "evolve" in file.values]

    @property
    def resolved(self) -> dict[str, Any]:
        """What holds in the end, for the receipt."""
        merged: dict[str, Any] = {}
        for file in self.files:
            merged = _merged(merged, file.values)
        return merged

    @property
    def sha256(self) -> str:
        """SHA-256 over what holds and over the bytes of every file; no path is in it."""
        files = [{"role": file.role, "hash": sha256_hex(file.data)} for file in self.files]
        return sha256_hex(compact({"resolved": self.resolved, "files": files}))


@dataclass(frozen=True, slots=True)
class FlowPlace:
    """Where a flow stands.

    Attributes:
        path: absolute, as it was named.
        root: the folder that is copied for a test: the repository, else the project, else the flow's own folder.
        repository: the nearest folder with ``.git``, or ``None``.
        flow_id: stays the same when the checkout is moved, as long as it has a remote, or the flow an id of its own.
    """

    path: Path
    root: Path
    repository: Path | None
    flow_id: str

    @property
    def relative(self) -> str:
        """The path from ``root``, with forward slashes."""
        return self.path.relative_to(self.root).as_posix()

    def to_json(self) -> dict[str, Any]:
        """Return the place as plain data."""
        return {
            "id": self.flow_id,
            "path": str(self.path),
            "repository": str(self.repository) if self.repository else None,
            "relativePath": self.relative,
        }


def place_of(path: Path, document: FlowDocument) -> FlowPlace:
    """Return where a flow stands."""
    path = path.absolute()
    folder = path.parent.resolve()
    path = folder / path.name
    repository = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    root = repository or _project(folder) or folder
    return FlowPlace(path, root, repository, flow_id(path, document, repository))


def flow_id(path: Path, document: FlowDocument, repository: Path | None) -> str:
    """Return the flow's id: its own ``_flow_id``, else a hash of repository and path."""
    own = document.fields.get("_flow_id")
    if own is not None:
        if not isinstance(own, str) or not _FLOW_ID.fullmatch(own):
            raise InvalidInput(f"_flow_id cannot be {own!r}.", hint="Use letters, digits, underscores and hyphens.")
        return own
    if repository is None:
        return f"flow_{sha256_hex(f'file:{path.as_posix()}')[:20]}"
    where = remote_of(repository) or str(repository)
    return f"flow_{sha256_hex(f'{where}:{path.relative_to(repository).as_posix()}')[:20]}"


def remote_of(repository: Path) -> str | None:
    """Return the normalised URL of the remote ``origin``, or ``None``."""
    folder = repository / ".git"
    try:
        if folder.is_file():  # a worktree or a submodule
            named = folder.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
            folder = (repository / named).resolve()
            common = folder / "commondir"
            if common.is_file():
                folder = (folder / common.read_text(encoding="utf-8").strip()).resolve()
        parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        parser.read_string(re.sub(r"^[ \t]+", "", (folder / "config").read_text(encoding="utf-8"), flags=re.MULTILINE))
        url = parser.get('remote "origin"', "url", fallback=None)
    except (OSError, UnicodeDecodeError, configparser.Error):
        return None
    return normalised_remote(url) if url else None


def normalised_remote(url: str) -> str:
    """Return one spelling for the ways to write a remote's URL."""
    url = url.strip()
    if "://" not in url and (found := _SCP.fullmatch(url)):
        url = f"https://{found[1]}/{found[2]}"
    return url.rstrip("/").removesuffix(".git").lower()


def read_config(place: FlowPlace, home: Path | None) -> Config:
    """Return the configuration of a flow: from the home folder, then each folder from ``root`` down to the flow's.

    A file that cannot be read, or holds something else than it should, is a problem that is told, and is left out.
    """
    files: list[ConfigFile] = []
    problems: list[str] = []
    project = _project(place.path.parent)
    candidates: list[tuple[str, Path]] = []
    if home is not None:
        candidates.append(("global", home / ".mdflow" / "config.yaml"))
    for folder in _down(place.root, place.path.parent):
        role = "gitRoot" if folder == place.repository else "project" if folder in (project, place.root) else "folder"
        found = next((folder / name for name in CONFIG_NAMES if (folder / name).is_file()), None)
        if found is not None:
            candidates.append((role, found))
    for role, path in candidates:
        try:
            if path.is_file():
                data = path.read_bytes()
                files.append(ConfigFile(role, path, data, config_values(data, path.name)))
        except (OSError, InvalidInput) as error:
            problems.append(error.message if isinstance(error, InvalidInput) else f"{path.name}: {error.strerror}")
    return Config(tuple(files), tuple(problems))


def config_values(data: bytes, name: str) -> Mapping[str, Any]:
    """Return what a configuration file says. Raises InvalidInput."""
    if len(data) > MAX_CONFIG_BYTES:
        raise InvalidInput(f"{name} is too long for a configuration.")
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text) if name.endswith(".json") else YAML(typ="safe", pure=True).load(text)
    except (ValueError, YAMLError, RecursionError) as error:
        raise InvalidInput(f"{name} cannot be read: {' '.join(str(error).split())[:160]}.") from error
    if value is None:
        return {}
    if not isinstance(value, Mapping) or set(value) - {"engine", "commands", "evolve"}:
        raise InvalidInput(f"{name} may hold engine, commands and evolve, nothing else.")
    engine, commands = value.get("engine"), value.get("commands", {})
    if (engine is not None and not isinstance(engine, str)) or not isinstance(commands, Mapping):
        raise InvalidInput(f"{name}: engine must be a text, commands must be keys and values.")
    if not all(isinstance(flags, Mapping) and all(map(_is_flag, flags.values())) for flags in commands.values()):
        raise InvalidInput(f"{name}: the flags of an engine must be plain values or lists of them.")
    return dict(value)


def compact(value: Any) -> str:
    """Return JSON in insertion order, without spaces, non-ASCII kept, as the other tool hashes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _is_flag(value: Any) -> bool:
    plain = (str, int, float, bool, type(None))
    return isinstance(value, plain) or (isinstance(value, list) and all(isinstance(item, plain) for item in value))


def _project(folder: Path) -> Path | None:
    for one in (folder, *folder.parents):
        if (one / ".git").exists() or (one / "flows").is_dir() or any((one / n).is_file() for n in CONFIG_NAMES):
            return one
    return None


def _down(root: Path, folder: Path) -> Iterator[Path]:
    yield from reversed([one for one in (folder, *folder.parents) if one.is_relative_to(root)])


def _merged(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(low)
    for key, value in high.items():
        known = result.get(key)
        result[key] = _merged(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return result

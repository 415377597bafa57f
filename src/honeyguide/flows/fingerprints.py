"""What a proof rests on, as hashes: the flow and what it pulls in, the suite and its modules, configuration, engine.

No absolute path, no date and no file time is hashed, so a moved checkout keeps its receipts. The formulas of the parts
``flow`` and ``suite`` are mdflow's, so that its recorded receipts can be compared; ours binds more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from honeyguide.evals.receipts import Receipt
from honeyguide.flows.document import parse_flow
from honeyguide.flows.imports import ActionKind, find_actions
from honeyguide.flows.places import Config, FlowPlace, compact
from honeyguide.flows.rendering import matches
from honeyguide.kernel.canonical import fingerprint, sha256_hex
from honeyguide.kernel.errors import HoneyguideError, InvalidInput
from honeyguide.suites.cases import SuitePlan
from honeyguide.suites.snapshots import listed_files

MAX_FILES: Final = 512
MAX_BYTES: Final = 32 * 1024 * 1024
_MODULE = re.compile(
    r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bimport\s+\w+\s*=\s*require\s*\(\s*)(["'`])(\.{1,2}/[^"'`$\n]*)\1"""
)
_UNNAMED = re.compile(r"""\b(?:import|require)\s*\(\s*(?:[^"'`\s)]|`[^`]*\$\{|["'][^"'\n]*["']\s*\+)""")
_ENDINGS: Final = (
    "", ".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.tsx", "/index.js"
)  # fmt: skip
_MARKDOWN = re.compile(r"\.(?:md|mdown)\Z", re.IGNORECASE)


@dataclass(slots=True)
class _Graph:
    """Files hashed so far; too many of them mean that no honest fingerprint can be made."""

    root: Path
    files: int = 0
    size: int = 0

    def read(self, path: Path) -> bytes | None:
        if not path.is_file():
            return None
        real = path.resolve()
        if not real.is_relative_to(self.root.resolve()):
            raise InvalidInput(f"{path.name} lies outside the repository, so no receipt can speak of it.")
        data = real.read_bytes()
        self.files += 1
        self.size += len(data)
        if self.files > MAX_FILES or self.size > MAX_BYTES:
            raise InvalidInput("The flow pulls in too much for a receipt.", hint="Pull in less.")
        return data


def flow_hash(place: FlowPlace, data: bytes) -> str:
    """Return the hash of a flow and of everything that it pulls in by itself. Raises InvalidInput."""
    graph = _Graph(place.root, 1, len(data))
    pieces = [_piece(place.relative, data)]
    pieces += _imports(data, place.path.parent, graph, (place.path,))
    return sha256_hex("\n".join(pieces))


def suite_hash(path: Path, root: Path) -> str:
    """Return the hash of a suite and of the local modules that it imports. Raises InvalidInput."""
    graph = _Graph(root)
    pieces: list[str] = []
    _modules(path, path.parent, graph, pieces, set())
    return sha256_hex("\n".join(pieces))


def receipt(
    place: FlowPlace,
    data: bytes,
    suite: Path,
    plan: SuitePlan,
    config: Config,
    *,
    engine: str,
    engine_source: str,
    engine_version: str,
    model: str | None,
    product: str,
    extra: Mapping[str, str] | None = None,
) -> Receipt:
    """Return the receipt of a verification as it would be made now. Blocking. Raises InvalidInput, Unreadable."""
    parts = {
        "flow": flow_hash(place, data),
        "suite": suite_hash(suite, place.root),
        "config": config.sha256,
        "engine": engine,
        "engine_source": engine_source,
        "engine_version": engine_version,
        "model": model or "",
        "product": product,
        "cases": fingerprint([case.id for case in plan.cases]),
    }
    return Receipt({**parts, **(extra or {})})


KEY_NAMES: Final[Mapping[str, str]] = {
    "flow": "flowHash",
    "suite": "suiteHash",
    "config": "configHash",
    "engine": "engine",
    "engine_source": "engineSource",
    "engine_version": "engineVersion",
    "model": "model",
    "product": "productVersion",
    "cases": "cases",
}
"""How the parts are named when they are said to have changed."""


def changed_parts(recorded: Receipt, current: Receipt) -> tuple[str, ...]:
    """Return the names of the parts that differ."""
    names = sorted(set(recorded.parts) | set(current.parts))
    return tuple(KEY_NAMES.get(n, n) for n in names if recorded.parts.get(n) != current.parts.get(n))


def _imports(data: bytes, folder: Path, graph: _Graph, seen: tuple[Path, ...]) -> list[str]:
    pieces: list[str] = []
    try:
        body = parse_flow(data).body
    except HoneyguideError:
        return pieces
    for action in find_actions(body):
        if action.kind in (ActionKind.FILE, ActionKind.SYMBOL) and not action.value.startswith("~"):
            pieces += _imported(folder / action.value, graph, seen)
        elif action.kind is ActionKind.GLOB:
            pieces += [p for path in _globbed(folder, action.value, graph) for p in _imported(path, graph, seen)]
    return pieces


def _globbed(folder: Path, pattern: str, graph: _Graph) -> Sequence[Path]:
    base = graph.root.resolve()
    wanted = (folder.resolve() / pattern).as_posix()
    prefix = base.as_posix() + "/"
    if not wanted.startswith(prefix):
        return []
    relative = "/".join(part for part in wanted.removeprefix(prefix).split("/") if part != ".")
    return [base / name for name in sorted(listed_files(base)) if matches(name, relative)]


def _imported(path: Path, graph: _Graph, seen: tuple[Path, ...]) -> list[str]:
    path = Path(path).resolve()
    if path in seen:
        return []
    data = graph.read(path)
    if data is None:
        return []
    pieces = [_piece(path.relative_to(graph.root.resolve()).as_posix(), data)]
    if _MARKDOWN.search(path.name):
        pieces += _imports(data, path.parent, graph, (*seen, path))
    return pieces


def _modules(path: Path, folder: Path, graph: _Graph, pieces: list[str], seen: set[Path]) -> None:
    real = path.resolve()
    if real in seen:
        return
    seen.add(real)
    data = graph.read(path)
    if data is None:
        raise InvalidInput(f"The suite {path.name} is not there.")
    pieces.append(_piece(_relative(real, folder.resolve()), data))
    if path.suffix in (".yaml", ".yml", ".json"):
        return
    text = data.decode("utf-8", "surrogateescape")
    if (unnamed := _UNNAMED.search(text)) is not None:
        line = text.count("\n", 0, unnamed.start()) + 1
        raise InvalidInput(
            f"{path.name}:{line} loads a module whose name is not written out, so no receipt can speak of it.",
            hint="Write its path out.",
        )
    for match in _MODULE.finditer(text):
        base = real.parent / match[2]
        found = next((c for ending in _ENDINGS if (c := Path(f"{base}{ending}")).is_file()), None)
        if found is not None:
            _modules(found, folder, graph, pieces, seen)


def _relative(path: Path, folder: Path) -> str:

    return os.path.relpath(path, folder).replace(os.sep, "/")


def _piece(name: str, data: bytes) -> str:
    return compact([name, sha256_hex(data)])

"""Packs a harness as a zip that runs elsewhere: its files, a lock, and on demand what builds an image.

The source folder is not touched. Secrets, journals, caches and links that lead out stay out.
"""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.canonical import dump_yaml
from honeyguide.harnesses.trust import digest_of
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput, NotFound, Unwritable
from honeyguide.versions import write_atomically

HIVELOOM: Final = "hiveloom==1.3.0"
LOCK: Final = "hiveloom.lock"
ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - inside a container, behind its published port
_NEVER: Final = frozenset({".hiveloom", ".git", ".venv", "__pycache__"})
_GENERATED: Final = frozenset({LOCK, "Dockerfile", ".dockerignore"})
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every entry, so that the same folder packs to the same bytes."""
IGNORE: Final = ".env*\n!.env.example\n!.env.template\n.hiveloom/\n.venv/\n__pycache__/\n*.py[cod]\n*.zip\n.git/\n"


@dataclass(frozen=True, slots=True)
class Package:
    """What was packed; ``names`` are the entries."""

    path: Path
    version: str
    names: tuple[str, ...]
    dockerfile: bool
    serve: bool
    wheel: str | None

    def to_json(self, name: str) -> dict[str, Any]:
        return {
            "ok": True,
            "name": name,
            "version_hash": self.version,
            "zip_path": str(self.path),
            "files": len(self.names),
            "names": list(self.names),
            "dockerfile": self.dockerfile,
            "serve": self.serve,
            "embedded_runtime": self.wheel,
        }


def package(
    harness: Harness,
    out: Path,
    created_at: str,
    *,
    docker: bool = False,
    serve: bool = False,
    wheel: Path | None = None,
) -> Package:
    """Write ``NAME-HASH.zip`` into ``out``.

    Args:
        docker: add a Dockerfile and an ignore file; ``serve`` makes the image serve the harness.
        wheel: a runtime wheel to embed in place of installing the locked version.

    Raises:
        NotFound, InvalidInput: the wheel is missing or none.
        Unwritable: the archive cannot be written.
    """
    spec, version = harness.spec, harness.version
    if wheel is not None and not wheel.is_file():
        raise NotFound(f"There is no wheel {wheel}.")
    if wheel is not None and wheel.suffix != ".whl":
        raise InvalidInput(f"{wheel.name} is no wheel.")
    entries = {name: path.read_bytes() for name, path in packed_files(harness)}
    lock = {"name": spec.name, "runtime": HIVELOOM, "harness_hash": version, "created_at": created_at}
    entries[LOCK] = dump_yaml(lock | {"content_digest": digest_of(harness)}).encode()
    if docker:
        sums = {name: sha256_hex(data) for name, data in entries.items()}
        entries["Dockerfile"] = dockerfile(harness, sums, serve=serve, wheel=wheel).encode()
        entries[".dockerignore"] = IGNORE.encode()
    if wheel is not None:
        entries[f"runtime/{wheel.name}"] = wheel.read_bytes()
    top = "".join(c if c.isalnum() or c in "-_." else "-" for c in spec.name).strip(".") or "harness"
    target = out / f"{top}-{version}.zip"
    try:
        out.mkdir(parents=True, exist_ok=True)
        data = _zipped({f"{top}/{name}": content for name, content in entries.items()})
    except OSError as error:
        raise Unwritable(f"{out} cannot be written: {error.strerror}.") from error
    write_atomically(target, data, 0o644)
    names = tuple(sorted(f"{top}/{name}" for name in entries))
    return Package(target, version, names, docker, serve, wheel.name if wheel else None)


def packed_files(harness: Harness) -> Iterator[tuple[str, Path]]:
    """Yield the files that go into an archive, with their names."""
    root, journals = harness.root, harness.trace_dir
    for path in sorted(root.rglob("*")):
        real = path.resolve()
        if not path.is_file() or not real.is_relative_to(root) or real.is_relative_to(journals):
            continue
        relative = PurePosixPath(path.relative_to(root).as_posix())
        target = PurePosixPath(real.relative_to(root).as_posix())
        if relative.as_posix() not in _GENERATED and not _stays_here(relative) and not _stays_here(target):
            yield relative.as_posix(), path


def _stays_here(name: PurePosixPath) -> bool:
    """Say whether a file is a secret, a record of runs, or made by a tool; a link to such a one is one, too."""
    lowered = [part.casefold() for part in name.parts]
    secret = any(p.startswith(".env") and p not in (".env.example", ".env.template") for p in lowered)
    return bool(_NEVER & set(lowered)) or secret or lowered[-1].endswith((".pyc", ".pyo", ".zip", ".bak"))


def dockerfile(harness: Harness, sums: Mapping[str, str], *, serve: bool, wheel: Path | None = None) -> str:
    """Return what builds the image. It starts trusted by hash: it is built only from the content that was packed.

    Args:
        sums: SHA-256 of every packed file by name.
    """
    runtime = f"/harness/runtime/{wheel.name}" if wheel else HIVELOOM
    if serve:
        command = ["hiveloom", "serve", ".", "--host", ANY_ADDRESS, "--port", "8080"]
        tail = "EXPOSE 8080\n# POST /runs, GET /healthz; HIVELOOM_API_KEY guards /runs.\n"
    else:
        command, tail = ["hiveloom", "run", ".", "--json"], ""
    lines = [shlex.quote(f"{sha}  {name}") for name, sha in sorted(sums.items())]
    checked = " \\\n    ".join(lines)
    return (
        f"# {harness.spec.name}, version {harness.version}\n"
        "FROM python:3.11-slim\n"
        "WORKDIR /harness\n"
        "COPY . /harness\n"
        "# The image trusts what was packed and nothing else: with any other content it is not built.\n"
        f"RUN printf '%s\\n' {checked} | sha256sum --quiet -c -\n"
        "ENV HIVELOOM_TRUST=always\n"
        f"RUN pip install --no-cache-dir {runtime}\n"
        "# Share /harness/.hiveloom/traces between replicas to feed one pool of journals.\n"
        f"{tail}ENTRYPOINT {json.dumps(command)}\n"
    )


def _zipped(entries: dict[str, bytes]) -> bytes:
    import io

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries):
            info = zipfile.ZipInfo(name, _MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, entries[name])
    return stream.getvalue()

"""A harness folder, opened: where it is, what it says, what is wrong with it. Opening executes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from honeyguide.harnesses.spec.checking import Checked, check
from honeyguide.harnesses.spec.fingerprints import Fingerprints, fingerprints, version_hash
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.problems import Problem
from honeyguide.harnesses.spec.reading import FILE_NAME, Document, read_document
from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused

OURS = Path(".hiveloom") / "honeyguide"
"""Where the labels, metrics, proposals and the index of a folder stand: beside its journals, so that they travel."""


@dataclass(frozen=True)
class Harness:
    """One folder.

    Attributes:
        root: the folder, links followed.
        file: its ``harness.yaml``.
    """

    root: Path
    file: Path
    document: Document
    checked: Checked

    @classmethod
    def open(cls, path: Path) -> Harness:
        """Open a folder, or its ``harness.yaml``. Raises NotFound, Unreadable, InvalidInput (not YAML)."""
        if not path.exists():
            raise NotFound(f"There is no harness at {path}.", hint="Name the folder that holds harness.yaml.")
        file = path / FILE_NAME if path.is_dir() else path
        document = read_document(file)
        root = file.parent.resolve()
        return cls(root, root / file.name, document, check(document, root))

    @property
    def spec(self) -> HarnessSpec:
        """The spec. Raises InvalidInput, naming the first broken rule."""
        if self.checked.spec is None:
            first = next(p for p in self.checked.problems if p.severity == "error")
            where = f" (line {first.line})" if first.line else ""
            raise InvalidInput(
                f"{self.file.name} is not a valid harness{where}: {first.message}",
                hint=first.remedy,
                details={"problems": [p.to_json() for p in self.checked.problems]},
            )
        return self.checked.spec

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with it."""
        return self.checked.problems

    @property
    def identity(self) -> str:
        """What its runs are kept under."""
        return self.spec.identity

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """All hashes of the folder as it was when first asked."""
        return fingerprints(self.spec, self.root)

    @property
    def version(self) -> str:
        """The version hash of the folder as it is now."""
        return version_hash(self.spec, self.root)

    @property
    def ours(self) -> Path:
        """The folder of our own records."""
        return self.root / OURS

    @property
    def trace_dir(self) -> Path:
        """The folder of the journals. Raises PolicyRefused when it leads out of the harness."""
        folder = (self.root / self.spec.logging.trace_dir).resolve()
        if not folder.is_relative_to(self.root):
            raise PolicyRefused(
                f"The journals of {self.root.name} are kept outside its folder ({folder}).",
                hint="Set logging.trace_dir to a folder inside.",
            )
        return folder

    def to_json(self) -> dict[str, object]:
        """Return the body of ``harness validate --json``."""
        spec = self.checked.spec
        return {
            "ok": self.checked.is_valid,
            "path": str(self.root),
            "name": None if spec is None else spec.name,
            "id": None if spec is None else spec.id,
            "identity": None if spec is None else spec.identity,
            "schema_version": None if spec is None else spec.schema_version,
            "evolved": self.document.evolved,
            "version_hash": None if spec is None else self.fingerprints.hash,
            "fingerprint": None if spec is None else self.fingerprints.fingerprint,
            "problems": [p.to_json() for p in self.problems],
        }

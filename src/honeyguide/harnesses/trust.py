"""Trust: which harness code may run here, by its content. A changed file asks again; a moved folder does not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import Unreadable, Untrusted
from honeyguide.versions import write_atomically

FILE: Final = "trusted-harnesses.json"


@dataclass(frozen=True, slots=True)
class TrustState:
    """Whether the code of a folder may run.

    Attributes:
        digest: of everything in the folder that a run could execute or read.
        reason: why not, in words; empty when it is trusted.
    """

    is_trusted: bool
    digest: str
    reason: str = ""
    trusted_at: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "trusted": self.is_trusted,
            "digest": self.digest,
            "reason": self.reason,
            "trusted_at": self.trusted_at or None,
        }


class TrustStore:
    """What a person trusted on this computer; kept outside every harness folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def state(self, harness: Harness) -> TrustState:
        """Say whether the folder as it is now is trusted."""
        digest = digest_of(harness)
        known = self._read()
        if digest in known:
            return TrustState(True, digest, "", str(known[digest].get("trusted_at", "")))
        before = any(entry.get("identity") == harness.identity for entry in known.values())
        reason = (
            "its files changed since it was trusted" if before else "nobody on this computer has trusted its code yet"
        )
        return TrustState(False, digest, reason)

    def require(self, harness: Harness) -> None:
        """Raise Untrusted unless the folder as it is now is trusted, or holds nothing that could execute."""
        if not executes_code(harness):
            return
        state = self.state(harness)
        if not state.is_trusted:
            raise Untrusted(
                f"{harness.spec.name} would run code of its folder, and {state.reason}.",
                hint=f"Look at its files, then: honeyguide harness trust {harness.root}",
                details={"digest": state.digest},
            )

    def trust(self, harness: Harness, at: str, who: str = "") -> TrustState:
        """Trust the folder as it is now."""
        digest = digest_of(harness)
        known = self._read()
        known[digest] = {"identity": harness.identity, "name": harness.spec.name, "trusted_at": at, "who": who}
        write_atomically(self._path, (json.dumps(known, indent=2) + "\n").encode())
        return TrustState(True, digest, "", at)

    def forget(self, harness: Harness) -> int:
        """Trust no state of this harness any more; return how many were trusted."""
        known = self._read()
        left = {digest: entry for digest, entry in known.items() if entry.get("identity") != harness.identity}
        if len(left) < len(known):
            write_atomically(self._path, (json.dumps(left, indent=2) + "\n").encode())
        return len(known) - len(left)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            data = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise Unreadable(f"{self._path.name} cannot be read.", hint="Remove it and trust anew.") from error
        if not isinstance(data, dict):
            return {}
        return {digest: entry for digest, entry in data.items() if isinstance(entry, dict)}


def digest_of(harness: Harness) -> str:
    """Return what trust is given to: the spec and every file that a run could execute or read, by content."""
    found = harness.fingerprints
    return fingerprint([found.hash, found.fingerprint, [list(file) for file in found.files]])


def executes_code(harness: Harness) -> bool:
    """Say whether a run would execute anything of the folder, or a command that it names."""
    from honeyguide.harnesses.spec.references import BuiltinTool, BuiltinValidator, CodeRef

    spec = harness.spec
    refs = [*spec.tools, *spec.guardrails, *spec.verify.validators, *spec.hooks]
    for playbook in spec.playbooks:
        refs += playbook.validators
        if playbook.on_enter or playbook.on_exit:
            return True
    return bool(spec.extensions or spec.mcp_servers) or any(
        isinstance(ref, CodeRef)
        or (isinstance(ref, BuiltinTool) and ref.builtin == "shell")
        or (isinstance(ref, BuiltinValidator) and ref.builtin == "command_succeeds")
        for ref in refs
    )

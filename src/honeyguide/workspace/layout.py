"""Where everything in a workspace's folder stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from honeyguide.versions import contained


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of a workspace; names from data cannot leave the folder."""

    root: Path

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.root / "honeyguide.db"

    @property
    def settings(self) -> Path:
        """The settings, never a secret."""
        return self.root / "honeyguide.toml"

    @property
    def redaction_key(self) -> Path:
        """The key that placeholders of secrets are made with, for the owner only."""
        return self.root / "redaction.key"

    @property
    def versions(self) -> Path:
        """Every version of every target."""
        return self.root / "versions"

    @property
    def archive(self) -> Path:
        """Compressed copies of sessions that their program deletes."""
        return self.root / "archive"

    @property
    def base_personas(self) -> Path:
        """What the agent ships with: ``{id}.json``."""
        return self.root / "base" / "personas"

    @property
    def base_sections(self) -> Path:
        """What the agent ships with: section name to text."""
        return self.root / "base" / "behavioral-spec.json"

    @property
    def base_tools(self) -> Path:
        """What the agent ships with: ``{name}.json`` with name and description."""
        return self.root / "base" / "tools"

    @property
    def base_skills(self) -> Path:
        """What the agent ships with: ``{name}.md``."""
        return self.root / "base" / "skills"

    @property
    def base_generic(self) -> Path:
        """What the agent ships with: ``{name}.md``."""
        return self.root / "base" / "generic"

    def override(self, folder: str, name: str, suffix: str) -> Path:
        """Return the override file of a target. Raises InvalidInput for a name that would leave the folder."""
        return contained(self.root, folder, f"{name}{suffix}")

    def run(self, uuid: str) -> Path:
        """Return the folder of a run. Raises InvalidInput for an id that is none."""
        return contained(self.root, "runs", uuid)

    def journal(self, uuid: str) -> Path:
        """Return the journal of a run's model calls."""
        return self.run(uuid) / "journal.jsonl"

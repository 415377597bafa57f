"""The lessons in ``harness.yaml``."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field, field_validator, model_validator

from honeyguide.harnesses.spec.references import Part


class MemoryEntry(Part):
    """One lesson that stands in every prompt."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
    kind: Literal["fact", "rule", "example"]
    title: str = Field(min_length=1, max_length=200)
    content: str = Field(min_length=1, max_length=4000)
    source: str | None = Field(default=None, max_length=200)
    evidence: str | None = Field(default=None, max_length=1000)
    created_at: str | None = None
    pinned: bool = False

    @field_validator("title", "content")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("memory entry must not be blank")
        return value

    @field_validator("created_at")
    @classmethod
    def _is_moment(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                datetime.fromisoformat(value)
            except ValueError as error:
                raise ValueError(f"memory entry created_at must be an ISO 8601 timestamp (got {value!r})") from error
        return value


class Memory(Part):
    """Lessons and their budgets."""

    enabled: bool = True
    max_entries: int = Field(default=24, ge=0, le=200)
    max_entry_chars: int = Field(default=600, ge=1, le=4000)
    prompt_budget_chars: int = Field(default=6000, ge=1, le=40000)
    selection: Literal["all", "relevant"] = "all"
    max_selected: int = Field(default=8, ge=1, le=200)
    entries: list[MemoryEntry] = Field(default_factory=list)

    @model_validator(mode="after")
    def _within_budgets(self) -> Memory:
        seen: set[str] = set()
        for entry in self.entries:
            if entry.id in seen:
                raise ValueError(f"duplicate memory entry id '{entry.id}'")
            seen.add(entry.id)
            if len(entry.content) > self.max_entry_chars:
                raise ValueError(
                    f"memory entry '{entry.id}' content is {len(entry.content)} characters;"
                    f" memory.max_entry_chars is {self.max_entry_chars}"
                )
        if self.selection == "relevant" and sum(e.pinned for e in self.entries) > self.max_selected:
            raise ValueError(f"more entries are pinned than memory.max_selected ({self.max_selected}) allows")
        if len(self.entries) > self.max_entries:
            raise ValueError(f"memory holds {len(self.entries)} entries; memory.max_entries is {self.max_entries}")
        if (size := len(self.rendered())) > self.prompt_budget_chars:
            raise ValueError(
                f"the rendered memory section is {size} characters;"
                f" memory.prompt_budget_chars is {self.prompt_budget_chars}"
            )
        return self

    def rendered(self) -> str:
        """Return the lessons as the prompt holds them, without a heading."""
        lines = (f"- [{e.kind}] {' '.join(e.title.split())}: {' '.join(e.content.split())}" for e in self.entries)
        return "\n".join(lines)

"""Fields of ``harness.yaml`` on what is kept, what child processes may do, and what may leave."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from honeyguide.harnesses.spec.references import Part

_PATH = re.compile(r"[^.\[\]]+(?:\[\*\])?(?:\.[^.\[\]]+(?:\[\*\])?)*")


class Redaction(Part):
    """What never stands in a journal."""

    keys: list[str] = Field(default_factory=list)
    paths: list[str] = Field(default_factory=list)
    patterns: list[str] = Field(default_factory=list)

    @field_validator("keys")
    @classmethod
    def _clean_keys(cls, values: list[str]) -> list[str]:
        cleaned = [value.strip() for value in values]
        if any(not value for value in cleaned) or len({v.casefold() for v in cleaned}) != len(cleaned):
            raise ValueError("redaction keys must be unique (case-insensitive) and not empty")
        return cleaned

    @field_validator("paths")
    @classmethod
    def _dotted(cls, values: list[str]) -> list[str]:
        for value in values:
            if not _PATH.fullmatch(value):
                raise ValueError(f"invalid redaction path {value!r}; use dot-separated keys and [*]")
        if len(set(values)) != len(values):
            raise ValueError("redaction paths must be unique")
        return values

    @field_validator("patterns")
    @classmethod
    def _compile(cls, values: list[str]) -> list[str]:
        for value in values:
            try:
                re.compile(value)
            except (re.error, RecursionError) as error:
                raise ValueError(f"invalid redaction regex {value!r}: {error}") from error
        return values


class Retention(Part):
    """How long journals are kept."""

    days: int | None = Field(default=None, gt=0)
    max_runs: int | None = Field(default=None, gt=0)
    max_bytes: int | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _says_something(self) -> Retention:
        if self.days is None and self.max_runs is None and self.max_bytes is None:
            raise ValueError("retention must set days, max_runs, or max_bytes")
        return self


class Logging(Part):
    """The journal."""

    trace_dir: str = "./.hiveloom/traces"
    level: Literal["journal", "summary"] = "journal"
    redact: Redaction = Field(default_factory=Redaction)
    retention: Retention | None = None
    snapshot_files: bool = False

    @field_validator("level", mode="before")
    @classmethod
    def _renamed(cls, value: Any) -> Any:
        return {"full": "journal", "tool_calls_only": "summary"}.get(value, value) if isinstance(value, str) else value

    @field_validator("redact", mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"patterns": value} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _own_folder(self) -> Logging:
        if self.retention is not None and self.trace_dir.strip() in {"", ".", "./"}:
            raise ValueError("logging.retention requires a dedicated trace_dir, not the harness root")
        return self


class Confinement(Part):
    """What child processes may do."""

    mode: Literal["auto", "off", "require"] = "auto"
    network: bool = False
    writable: bool = True
    hide_home: bool = True
    env_passthrough: list[str] = Field(default_factory=list)
    timeout_seconds: int = Field(default=30, gt=0)
    max_output_bytes: int = Field(default=1048576, gt=0)
    max_memory_mb: int = Field(default=2048, ge=0)
    max_processes: int = Field(default=0, ge=0)

    @field_validator("mode", mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        return "off" if value is False else value


class Egress(Part):
    """What may leave in a model request."""

    mode: Literal["redact", "block", "off"] = "redact"
    detect_credentials: bool = True
    patterns: list[str] = Field(default_factory=list)

    @field_validator("mode", mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        return "off" if value is False else value

"""What the strong model proposes, read from its reply: changes of spec and code, and what they shall bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.parsing import pick_object


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SpecChange(_Loose):
    """One value at one path."""

    path: str = Field(min_length=1, max_length=300)
    value: Any = None
    rationale: str = ""


class CodeChange(_Loose):
    """The whole new text of one file."""

    file: str = Field(min_length=1, max_length=300)
    source: str
    rationale: str = ""


class Target(_Loose):
    """The signal that shall move."""

    signal: str = Field(min_length=1)
    expect: Literal["increase", "decrease"]
    by: float | None = Field(default=None, ge=0)
    rationale: str = ""


class Expectation(_Loose):
    """How a configured objective shall move."""

    metric: str = Field(min_length=1)
    expected_change: Literal["increase", "decrease"]
    rationale: str = ""


class Proposal(_Loose):
    """A whole proposal; the same shape that hiveloom keeps."""

    rationale: str = ""
    target: Target | None = None
    yaml_changes: tuple[SpecChange, ...] = ()
    code_changes: tuple[CodeChange, ...] = ()
    objective_expectations: tuple[Expectation, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.yaml_changes and not self.code_changes

    @property
    def appends_memory_only(self) -> bool:
        """Whether it does nothing but add lessons; such a one does not age with the version."""
        return (
            bool(self.yaml_changes)
            and not self.code_changes
            and all(change.path == "memory.entries.+" for change in self.yaml_changes)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the shape that is stored."""
        return self.model_dump(mode="json")


@dataclass(frozen=True, slots=True)
class Malformed:
    """A reply that holds no usable proposal; ``problem`` names places and kinds, never what the model wrote."""

    problem: str


def read_proposal(reply: str, *, truncated: bool = False) -> Proposal | Malformed:
    """Read a reply: the last whole JSON object that is a proposal."""
    problems: list[str] = []

    def accept(value: dict[str, Any]) -> Proposal | None:
        if not {"yaml_changes", "code_changes", "rationale", "target"} & value.keys():
            return None
        try:
            return Proposal.model_validate(value)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False, include_context=False)
            problems.append("; ".join(f"{'.'.join(map(str, p['loc']))}: {p['type']}" for p in found[:8]))
            return None

    proposal = pick_object(reply, accept, truncated=truncated)
    if proposal is not None:
        return proposal
    return Malformed(problems[0] if problems else "the reply holds no whole JSON object with a proposal")


def proposal_from_json(data: Mapping[str, Any]) -> Proposal:
    """Read a stored proposal. Raises InvalidInput."""
    try:
        return Proposal.model_validate(data)
    except ValidationError as error:
        raise InvalidInput("A stored proposal is damaged.", hint="Reject it and draft a new one.") from error

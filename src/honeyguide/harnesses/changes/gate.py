"""The gate: which of the proposed changes may be made at all. Deterministic; every refusal has a reason.

Hiveloom's own rules come first, in its order and words. Beyond them: changes that change nothing, that are too large,
or that repeat a recorded input are refused; changes that add a capability pass, but need an approval of their own.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pydantic import ValidationError

from honeyguide.evals.examples import Example
from honeyguide.evals.memorisation import memorised_spans
from honeyguide.harnesses.changes.capabilities import Capability, capabilities_of
from honeyguide.harnesses.changes.proposal import CodeChange, Proposal, SpecChange
from honeyguide.harnesses.spec.canonical import canonical_mapping
from honeyguide.harnesses.spec.checking import unknown_paths
from honeyguide.harnesses.spec.evolving import Evolution
from honeyguide.harnesses.spec.frozen import FROZEN_IN_PLAYBOOKS, is_frozen, is_mutable
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.paths import covers, set_value, value_at, with_missing_lists

MOST_CHANGES: Final = 12
MOST_GROWTH_CHARACTERS: Final = 6000
"""Characters that all changes together may add."""
MOST_CODE_CHARACTERS: Final = 40_000
FROZEN: Final = "frozen path"
NOT_MUTABLE: Final = "not in the mutable set"
DANGEROUS: Final = "dangerous tool changes require an explicit construct command"
ONLY_ENTRIES: Final = "only memory.entries is evolvable; the memory budgets are frozen"
IN_PLAYBOOKS: Final = "playbook code hooks and model selection are frozen from evolution"
INVALID: Final = "accepted mutation batch would produce an invalid spec: "


@dataclass(frozen=True, slots=True)
class Rejection:
    """A change that may not be made."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the gate says.

    Attributes:
        code_changes: files that a person has to approve one by one.
        capabilities: what of the accepted changes adds a capability.
    """

    accepted: tuple[SpecChange, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    code_changes: tuple[CodeChange, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    warnings: tuple[str, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of the proposal."""
        return not self.accepted and not self.code_changes

    def to_json(self) -> dict[str, Any]:
        """Return the shape that is stored and printed."""
        return {
            "accepted": [change.model_dump(mode="json") for change in self.accepted],
            "rejected": [{"path": r.path, "reason": r.reason} for r in self.rejected],
            "code_changes": [change.model_dump(mode="json") for change in self.code_changes],
            "capability_changes": [c.to_json() for c in self.capabilities],
        }


def gate(spec: HarnessSpec, data: Mapping[str, Any], proposal: Proposal, inputs: Sequence[Example] = ()) -> GateResult:
    """Judge a proposal.

    Args:
        data: the document that ``spec`` was read from; changes are tried on a copy of it.
        inputs: recorded inputs that no change may repeat.
    """
    first = hiveloom_gate(spec, data, proposal)
    accepted: list[SpecChange] = []
    rejected = list(first.rejected)
    whole = canonical_mapping(spec)
    growth = 0
    for number, change in enumerate(first.accepted):
        before = value_at(whole, change.path)
        growth += max(0, _size(change.value) - (0 if change.path.endswith(".+") else _size(before)))
        reason = ""
        if _is_no_op(spec, data, change):
            reason = "it changes nothing"
        elif number >= MOST_CHANGES:
            reason = f"more than {MOST_CHANGES} changes at once"
        elif growth > MOST_GROWTH_CHARACTERS:
            reason = f"together with the changes before it, it adds more than {MOST_GROWTH_CHARACTERS} characters"
        else:
            reason = _memorised("\n".join(_texts(change.value)), "\n".join(_texts(before)), inputs)
        if reason:
            rejected.append(Rejection(change.path, reason))
        else:
            accepted.append(change)
    code: list[CodeChange] = []
    for file in first.code_changes:
        reason = _code_reason(file, inputs)
        if reason:
            rejected.append(Rejection(file.file, reason))
        else:
            code.append(file)
    result = GateResult(tuple(accepted), tuple(rejected), tuple(code))
    return replace(result, capabilities=tuple(capabilities_of(spec, data, result.accepted, result.code_changes)))


def hiveloom_gate(spec: HarnessSpec, data: Mapping[str, Any], proposal: Proposal) -> GateResult:
    """Return what hiveloom's own gate says of a proposal."""
    problem = objective_problem(spec, proposal)
    if problem:
        return GateResult(rejected=(Rejection("objective_expectations", problem),))
    survivors: list[SpecChange] = []
    rejected: list[Rejection] = []
    for change in proposal.yaml_changes:
        reason = _path_reason(change, spec.evolution)
        if reason:
            rejected.append(Rejection(change.path, reason))
        else:
            survivors.append(change)
    if survivors and (broken := batch_problem(data, survivors)):
        rejected += [Rejection(change.path, INVALID + broken) for change in survivors]
        survivors = []
    return GateResult(tuple(survivors), tuple(rejected), proposal.code_changes)


def objective_problem(spec: HarnessSpec, proposal: Proposal) -> str:
    """Return why the expectations do not fit the configured objectives; empty when they do."""
    objectives = {o.metric: o for o in spec.evolution.objectives}
    expected = proposal.objective_expectations
    if not objectives:
        return "harness declares no metric objectives" if expected else ""
    if not expected:
        if proposal.appends_memory_only or proposal.is_empty:
            return ""
        return "proposal must state its expected change for at least one metric objective"
    seen: set[str] = set()
    for expectation in expected:
        objective = objectives.get(expectation.metric)
        if objective is None:
            return f"unknown metric objective '{expectation.metric}'"
        if expectation.metric in seen:
            return f"duplicate expectation for metric objective '{expectation.metric}'"
        seen.add(expectation.metric)
        wanted = "increase" if objective.direction == "maximize" else "decrease"
        if expectation.expected_change != wanted:
            return f"objective '{objective.metric}' is {objective.direction}; expected_change must be '{wanted}'"
    return ""


def batch_problem(data: Mapping[str, Any], changes: Sequence[SpecChange]) -> str:
    """Return why all ``changes`` together do not make a valid spec; empty when they do."""
    try:
        changed = applied(data, changes)
    except ValueError as error:
        return str(error)
    heading = "invalid harness spec (accepted evolution mutation batch):\n"
    try:
        spec = HarnessSpec.model_validate(changed)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
        return heading + "\n".join(f"  - {'.'.join(map(str, p['loc']))}: {p['msg']}" for p in found)
    known = set(unknown_paths(HarnessSpec.model_validate(copy.deepcopy(dict(data)))))
    added = [path for path in unknown_paths(spec) if path not in known]
    return heading + "\n".join(f"  - {path}: Extra inputs are not permitted" for path in added) if added else ""


def applied(data: Mapping[str, Any], changes: Sequence[SpecChange]) -> dict[str, Any]:
    """Return a copy of the document with the changes made; later paths see earlier ones. Raises ValueError.

    Paths are those of the whole spec with its defaults, so lists that the document leaves out exist.
    """
    changed = copy.deepcopy(dict(data))
    for change in changes:
        with_missing_lists(changed, change.path)
        set_value(changed, change.path, copy.deepcopy(change.value))
    return changed


def _path_reason(change: SpecChange, evolution: Evolution) -> str:
    path = change.path
    if is_frozen(path, evolution):
        return FROZEN
    if _is_dangerous(path, change.value):
        return DANGEROUS
    if covers("memory", path) and not covers("memory.entries", path):
        return ONLY_ENTRIES
    if covers("playbooks", path) and _reaches_into_playbooks(path, change.value):
        return IN_PLAYBOOKS
    return "" if is_mutable(path, evolution) else NOT_MUTABLE


def _is_dangerous(path: str, value: Any) -> bool:
    """Whether a change brings in a tool that runs commands."""
    steps = path.casefold().split(".")
    if steps[0] != "tools":
        return False
    if len(steps) == 3 and steps[2] == "builtin":
        return bool(value == "shell")
    if len(steps) > 2:
        return False
    entries = value if isinstance(value, list) else [value]
    return any(isinstance(entry, Mapping) and entry.get("builtin") == "shell" for entry in entries)


def _reaches_into_playbooks(path: str, value: Any) -> bool:
    if path.rpartition(".")[2].casefold() in FROZEN_IN_PLAYBOOKS:
        return True
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, Mapping):
            if any(str(k).casefold() in FROZEN_IN_PLAYBOOKS and v is not None for k, v in current.items()):
                return True
            pending += current.values()
        elif isinstance(current, list):
            pending += current
    return False


def _is_no_op(spec: HarnessSpec, data: Mapping[str, Any], change: SpecChange) -> bool:
    try:
        after = HarnessSpec.model_validate(applied(data, [change]))
    except (ValidationError, ValueError):
        return False
    return canonical_mapping(after) == canonical_mapping(spec)


def _code_reason(change: CodeChange, inputs: Sequence[Example]) -> str:
    name = change.file.replace("\\", "/")
    parts = name.split("/")
    hidden = {".hiveloom", ".git", ".venv", "__pycache__"}
    is_secret = parts[-1].startswith(".env") and parts[-1] not in (".env.example", ".env.template")
    if name.startswith("/") or ":" in parts[0] or ".." in parts or not parts[-1]:
        return "the file is not inside the harness folder"
    if hidden & set(parts) or is_secret or parts[-1].endswith((".pyc", ".zip")):
        return "files of this kind are never written"
    if name == "harness.yaml":
        return "harness.yaml changes by paths only"
    if len(change.source) > MOST_CODE_CHARACTERS:
        return f"the file is longer than {MOST_CODE_CHARACTERS} characters"
    return _memorised(change.source, "", inputs)


def _memorised(candidate: str, baseline: str, inputs: Sequence[Example]) -> str:
    if not candidate or not inputs:
        return ""
    spans = memorised_spans(candidate, baseline, inputs)
    return f"it repeats a recorded input ({spans[0].kind.value}): {spans[0].text[:60]!r}" if spans else ""


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return []


def _size(value: Any) -> int:
    return 0 if value is None else sum(len(text) for text in _texts(value)) or len(str(value))

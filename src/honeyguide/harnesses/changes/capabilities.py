"""Changes that let a harness do more than before, or check less: each needs an approval of its own."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from honeyguide.harnesses.changes.proposal import CodeChange, SpecChange
from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.paths import set_value, with_missing_lists
from honeyguide.harnesses.spec.references import BuiltinTool, CodeRef, CodeTool
from honeyguide.kernel.canonical import canonical_json

_POWERFUL = frozenset({"network", "write", "exec", "dangerous"})


@dataclass(frozen=True, slots=True)
class Capability:
    """One such change.

    Attributes:
        path: the change that brings it; the file for code.
        kind: ``tool``, ``allowlist``, ``hosts``, ``delegation``, ``memory``, ``checks``, ``playbooks``, ``code``.
        sentence: what it means, for the person who decides.
    """

    path: str
    kind: str
    sentence: str

    def to_json(self) -> dict[str, str]:
        return {"path": self.path, "kind": self.kind, "sentence": self.sentence}


def capabilities_of(
    spec: HarnessSpec, data: Mapping[str, Any], changes: Sequence[SpecChange], code: Sequence[CodeChange]
) -> Iterator[Capability]:
    """Yield what each change adds, taken by itself."""
    for change in changes:
        after = _after(data, change)
        if after is not None:
            yield from (Capability(change.path, kind, said) for kind, said in _differences(spec, after))
    guarded = frozen_code(spec)
    for file in code:
        role = guarded.get(file.file.replace("\\", "/"))
        if role:
            yield Capability(file.file, "code", f"{file.file} is the code of a {role}, which proposals may not change.")


def frozen_code(spec: HarnessSpec) -> dict[str, str]:
    """Return the files behind frozen parts of a spec, with what they are the code of."""
    files = {ref.file: "hook" for ref in spec.hooks if isinstance(ref, CodeRef)}
    files |= {ref.file: "guardrail" for ref in spec.guardrails if isinstance(ref, CodeRef)}
    files |= dict.fromkeys(spec.extensions, "extension")
    for playbook in spec.playbooks:
        for hook in (playbook.on_enter, playbook.on_exit):
            if hook:
                files[hook.rpartition(":")[0]] = "playbook hook"
    return files


def _after(data: Mapping[str, Any], change: SpecChange) -> HarnessSpec | None:
    changed = copy.deepcopy(dict(data))
    try:
        with_missing_lists(changed, change.path)
        set_value(changed, change.path, copy.deepcopy(change.value))
        return HarnessSpec.model_validate(changed)
    except (ValidationError, ValueError):
        return None


def _differences(before: HarnessSpec, after: HarnessSpec) -> Iterator[tuple[str, str]]:
    yield from _tools(before, after)
    yield from _delegation(before, after)
    lost = {e.id for e in before.memory.entries} - {e.id for e in after.memory.entries}
    if lost:
        yield "memory", f"It forgets {len(lost)} lesson(s): {', '.join(sorted(lost)[:5])}."
    gone = _dump(before.verify.validators) - _dump(after.verify.validators)
    if gone:
        yield "checks", f"It drops or changes {len(gone)} validator(s), so outputs are checked less."
    for playbook in before.playbooks:
        other = next((p for p in after.playbooks if p.name == playbook.name), None)
        if other is None:
            yield "playbooks", f"It removes the playbook {playbook.name}."
        elif _dump(playbook.validators) - _dump(other.validators) or playbook.tools != other.tools:
            yield "playbooks", f"It changes what the playbook {playbook.name} may use or has to pass."


def _tools(before: HarnessSpec, after: HarnessSpec) -> Iterator[tuple[str, str]]:
    had = {t.builtin: t for t in before.tools if isinstance(t, BuiltinTool)}
    code = {t.code for t in before.tools if isinstance(t, CodeTool)}
    for tool in after.tools:
        if isinstance(tool, CodeTool):
            if tool.code not in code:
                yield "tool", f"It lets the model call {tool.code}."
            continue
        old = had.get(tool.builtin)
        powers = sorted(catalogue.TOOLS[tool.builtin].tags & _POWERFUL)
        if old is None and powers:
            yield "tool", f"It adds the tool {tool.builtin} ({', '.join(powers)})."
        for name, kind, noun in (("commands", "allowlist", "command"), ("hosts", "hosts", "host")):
            known = _dump((old.parameters.get(name) if old else None) or [])
            more = [entry for entry in tool.parameters.get(name) or [] if canonical_json(entry) not in known]
            if more:
                yield kind, f"It allows {tool.builtin} {len(more)} more {noun}(s): {', '.join(map(str, more))[:200]}."


def _delegation(before: HarnessSpec, after: HarnessSpec) -> Iterator[tuple[str, str]]:
    old, new = before.delegation, after.delegation
    if new.enabled and not old.enabled:
        yield "delegation", "It lets the harness hand work to other harnesses."
    elif new.enabled:
        wider = (
            new.max_depth > old.max_depth
            or new.budget_share > old.budget_share
            or new.min_peer_success_rate < old.min_peer_success_rate
            or new.min_peer_runs < old.min_peer_runs
            or set(old.exclude) - set(new.exclude)
            or set(new.when) - set(old.when)
        )
        if wider:
            yield "delegation", "It loosens the rules for handing work to other harnesses."


def _dump(values: Sequence[Any]) -> set[str]:
    return {canonical_json(v.model_dump(mode="json") if hasattr(v, "model_dump") else v) for v in values}

"""What our runner does not do, by name; such a harness can still be run by an installed hiveloom."""

from __future__ import annotations

from typing import Final

from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.references import BuiltinHook
from honeyguide.kernel.errors import Unsupported
from honeyguide.llm.protocol import ModelRef

PROVIDERS: Final = {"claude": "anthropic"}
"""Hiveloom's names of providers that are called differently here."""


def unsupported_parts(spec: HarnessSpec) -> list[str]:
    """Return the parts of a spec that our runner does not support."""
    found = []
    if spec.extensions:
        found.append("extensions")
    if spec.mcp_servers:
        found.append("mcp_servers")
    if spec.playbooks:
        found.append("playbooks")
    if any(not isinstance(hook, BuiltinHook) for hook in spec.hooks):
        found.append("hooks with code")
    if spec.delegation.enabled:
        found.append("delegation")
    if spec.confinement.mode == "require":
        found.append("confinement.mode: require")
    if spec.model.params:
        found.append("model.params")
    if any(tool.deferred for tool in spec.tools):
        found.append("deferred tools")
    return found


def require_supported(spec: HarnessSpec) -> None:
    """Raise Unsupported, naming what is not supported and the way out."""
    parts = unsupported_parts(spec)
    if parts:
        raise Unsupported(
            f"{spec.name} uses what this runner does not support: {', '.join(parts)}.",
            hint="Install hiveloom and run it with --engine hiveloom.",
            details={"unsupported": parts},
        )


def model_ref(spec: HarnessSpec) -> ModelRef:
    """Return the model of a spec under the name it has here."""
    return ModelRef(PROVIDERS.get(spec.model.provider, spec.model.provider), spec.model.id)


def with_model(spec: HarnessSpec, ref: ModelRef) -> HarnessSpec:
    """Return the spec with another model: another version, because it is hashed with it."""
    names = {ours: theirs for theirs, ours in PROVIDERS.items()}
    provider = names.get(ref.provider, ref.provider)
    return spec.model_copy(update={"model": spec.model.model_copy(update={"provider": provider, "id": ref.model})})

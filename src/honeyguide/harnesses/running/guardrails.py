"""Guardrails: asked before money is spent, before a tool is called, and before an output counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from honeyguide.harnesses.running.host import CodeFailed, CodeHost
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.references import BuiltinGuardrail
from honeyguide.kernel.matching import Match, search

ALLOW: Final = "allow"


@dataclass(slots=True)
class RunState:
    """What a run has used so far; ``elapsed`` in seconds."""

    cost_usd: float = 0.0
    pending_usd: float = 0.0
    turns: int = 0
    model_calls: int = 0
    elapsed: float = 0.0
    output: str | None = None
    artifacts: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Decision:
    """What one guardrail says when it steps in."""

    guardrail: str
    kind: Literal["block", "halt"]
    reason: str


class Guardrails:
    """All guardrails of a spec, in its order."""

    def __init__(self, spec: HarnessSpec, host: CodeHost) -> None:
        self._refs = spec.guardrails
        self._host = host

    @property
    def cost_limit(self) -> float:
        """The lowest ceiling on cost, in US dollars."""
        return min(float(v) for n, v in self._values() if n == "max_cost_usd")

    def before_call(self, state: RunState) -> Iterator[Decision]:
        """Yield why the next model call must not be made."""
        for name, value in self._values():
            if name == "max_cost_usd":
                limit = float(value)
                if state.cost_usd >= limit:
                    yield Decision(name, "halt", f"cost ${state.cost_usd:.4f} reached limit ${limit:.2f}")
                elif state.cost_usd + state.pending_usd > limit:
                    reason = f"estimated next call (${state.pending_usd:.4f}) would exceed cost limit ${limit:.2f}"
                    yield Decision(name, "halt", reason)
            elif name == "max_wall_clock_seconds" and state.elapsed > float(value):
                yield Decision(name, "halt", f"wall clock exceeded {float(value):.0f}s")
            elif name == "max_turns_hard_cap" and state.model_calls >= int(value):
                yield Decision(name, "halt", f"turns reached hard cap {int(value)}")

    def after_reply(self, state: RunState) -> Iterator[Decision]:
        """Yield why the run must end after a reply."""
        for name, value in self._values():
            if name == "max_cost_usd" and state.cost_usd > float(value):
                reason = f"cost ${state.cost_usd:.4f} exceeded limit ${float(value):.2f}"
                yield Decision(name, "halt", reason)

    def before_tool(self, name: str, known: Collection[str], tags: Collection[str]) -> Iterator[Decision]:
        """Yield why a tool must not be called."""
        for guardrail, _ in self._values():
            if guardrail == "tool_allowlist" and name not in known:
                yield Decision(guardrail, "block", f"tool '{name}' is not a registered tool")
            elif guardrail == "no_network_write" and {"network", "write"} <= set(tags):
                yield Decision(guardrail, "block", f"tool '{name}' is tagged network+write and is blocked")

    def on_output(self, state: RunState, output: str) -> Iterator[Decision]:
        """Yield why an output must not be handed out (blocking). What cannot be decided blocks."""
        for ref in self._refs:
            if isinstance(ref, BuiltinGuardrail):
                if ref.builtin == "regex_output_filter":
                    pattern = str(ref.parameters["pattern"])
                    if search(pattern, output) is not Match.ABSENT:
                        yield Decision(ref.builtin, "block", f"output blocked by filter /{pattern}/")
                continue
            given = {"output": output, "cost_usd": state.cost_usd, "turns": state.turns}
            try:
                said = self._host.call("guardrail", ref.file, ref.function, state=given)
            except CodeFailed as error:
                yield Decision(ref.function, "halt", f"the guardrail failed: {error}")
                continue
            if said["decision"] == "block":
                yield Decision(ref.function, "block", said["reason"] or "blocked by code guardrail")
            elif said["decision"] == "halt":
                yield Decision(ref.function, "halt", said["reason"] or "halted by code guardrail")

    def _values(self) -> Iterator[tuple[str, Any]]:
        for ref in self._refs:
            if isinstance(ref, BuiltinGuardrail):
                yield ref.builtin, ref.parameters.get("value")

"""What a run writes down: how it began, each reply with its price, how it ended, and the result that is handed out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.guardrails import RunState
from honeyguide.harnesses.running.journal import JournalWriter
from honeyguide.harnesses.running.results import (
    RUNTIME_VERSION,
    RunOutcome,
    Tally,
    execution_fingerprint,
    usage_json,
)
from honeyguide.harnesses.running.support import PROVIDERS
from honeyguide.harnesses.running.validators import Verdict
from honeyguide.harnesses.spec.canonical import recorded_text
from honeyguide.harnesses.spec.fingerprints import hashed_files
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.llm.prices import Quote, Rates
from honeyguide.llm.protocol import ModelRef, ModelReply, StopReason, Usage

FALLBACK_RATES: Final = Rates(1.0, 5.0, 0.1, 1.25)
"""US dollars per million tokens where nobody knows the price; hiveloom's own fallback."""
_STOPS: Final = {
    StopReason.END: "end_turn",
    StopReason.MAX_TOKENS: "max_tokens",
    StopReason.TOOL_USE: "tool_use",
    StopReason.STOP_SEQUENCE: "stop_sequence",
    StopReason.REFUSAL: "refusal",
}


class Recording:
    """Writes the beginning, the replies and the end of one run."""

    def __init__(
        self,
        harness: Harness,
        spec: HarnessSpec,
        version: str,
        input: str,
        journal: JournalWriter,
        quote: Quote,
        requested: ModelRef | None,
        state: RunState,
    ) -> None:
        self.tally = Tally()
        self._harness = harness
        self._spec = spec
        self._version = version
        self._input = input
        self._journal = journal
        self._quote = quote
        self._requested = requested
        self._state = state
        self._started_at = journal.now()

    def begin(self, *, screened: bool) -> None:
        """Write ``run_started``."""
        spec = self._spec
        files = {path: sha256_hex(file.read_bytes()) for path, file in hashed_files(spec, self._harness.root)}
        limits = spec.confinement
        self._journal.write(
            "run_started",
            {
                "input": self._input,
                "policy": spec.loop.policy,
                "model": spec.model.id,
                "provider": spec.model.provider,
                "schema_version": spec.schema_version,
                "hiveloom_version": RUNTIME_VERSION,
                "runtime": "honeyguide",
                "runtime_config": self._runtime_config(),
                "history_turns": 0,
                "resumed": False,
                "harness": {"spec": recorded_text(spec), "version_hash": self._version, "files": files},
                "confinement": {
                    "mode": limits.mode,
                    "backend": "process",
                    "filesystem_isolated": False,
                    "network_isolated": False,
                    "home_hidden": limits.hide_home,
                    "limits_applied": limits.max_memory_mb > 0,
                },
                "egress": {
                    "policy": spec.egress.mode,
                    "active": screened,
                    "detect_credentials": spec.egress.detect_credentials,
                },
            },
        )

    def reply(self, reply: ModelReply, phase: str) -> None:
        """Book a reply and write ``model_response``."""
        cost, source = self._cost(reply)
        self._state.cost_usd += cost
        spec, turn = self._spec, self._state.turns
        self.tally.add(turn, phase, spec.model.provider, spec.model.id, reply.usage, cost, source)
        billed = cost if source == "billed" else None
        self._journal.write(
            "model_response",
            {
                "turn": turn,
                "phase": phase,
                "text": reply.text,
                "stop_reason": _STOPS.get(reply.stop_reason, "end_turn"),
                "tool_calls": [call.name for call in reply.tool_calls],
                "usage": usage_json(reply.usage),
                "cost_usd": cost,
                "cost_source": source,
                "effective_model": spec.model.id,
                "provider_request_id": None,
                "billed_cost": billed,
                "billed_currency": None if billed is None else "USD",
                "billed_cost_usd": billed,
                "provider_metadata": {},
            },
        )

    def price(self, usage: Usage) -> float:
        """Return what a call with this usage costs, in US dollars; an unknown price is hiveloom's fallback."""
        known = self._quote.cost(usage)
        return FALLBACK_RATES.cost(usage) if known is None else known

    def end(
        self,
        status: str,
        reason: str,
        output: str | None,
        seconds: float,
        verdicts: Sequence[Verdict],
        steps: Sequence[Mapping[str, Any]],
    ) -> RunOutcome:
        """Write ``run_finished`` and return the result."""
        spec, tally = self._spec, self.tally
        models = [{"turn": 0, "model": spec.model.id, "provider": spec.model.provider, "reason": "spec"}]
        execution = self._execution(status, seconds, models)
        shared: dict[str, Any] = {
            "status": status,
            "output": output or "",
            "turns": self._state.turns,
            "cost_usd": self._state.cost_usd,
            "duration_seconds": seconds,
            "reason": reason,
            "artifacts": list(self._state.artifacts),
            "provider_calls": list(tally.calls),
            "steps": [dict(step) for step in steps],
            "delegations": [],
            "referrals": [],
            "delegated_cost_usd": 0.0,
        }
        judged = [v.to_json() for v in verdicts] if status in ("success", "verify_failed", "truncated") else []
        self._journal.write(
            "run_finished",
            {
                **shared,
                "execution": execution,
                "verdicts": judged,
                "model_path": f"{spec.model.provider}:{spec.model.id}",
                "models_used": models,
            },
        )
        path = str(self._journal.path)
        data = {
            "ok": status == "success",
            **shared,
            "run_id": self._journal.run_id,
            "trace_path": path,
            "runtime_config": self._runtime_config(),
            "execution": {**execution, "trace_path": path},
        }
        return RunOutcome(
            status=status,
            output=output or "",
            reason=reason,
            run_id=self._journal.run_id,
            turns=self._state.turns,
            cost_usd=self._state.cost_usd,
            data=data,
            verdicts=tuple(judged),
            trace=self._journal.path.name,
        )

    def _execution(self, status: str, seconds: float, models: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        spec, tally = self._spec, self.tally
        answered = [spec.model.id] if tally.calls else []
        return {
            "run_id": self._journal.run_id,
            "status": status,
            "harness_id": spec.id,
            "harness_name": spec.name,
            "schema_version": spec.schema_version,
            "behavior_hash": self._version,
            "execution_fingerprint": execution_fingerprint(
                self._version, spec.schema_version, self._runtime_config(), self._input, models, answered
            ),
            "hiveloom_version": RUNTIME_VERSION,
            "requested_provider": spec.model.provider,
            "requested_model": spec.model.id,
            "resolved_provider": spec.model.provider,
            "resolved_model": spec.model.id,
            "effective_provider": spec.model.provider if answered else None,
            "effective_model": answered[0] if answered else None,
            "models_used": list(models),
            "started_at": self._started_at,
            "finished_at": self._journal.now(),
            "duration_ms": round(seconds * 1000),
            "usage": dict(tally.usage),
            "cost_usd": self._state.cost_usd,
            "cost_source": tally.cost_source,
            "verification": tally.verification(status),
            "trace_path": self._journal.path.name,
        }

    def _runtime_config(self) -> dict[str, Any]:
        asked = self._requested
        names = {ours: theirs for theirs, ours in PROVIDERS.items()}
        return {
            "requested": {
                "model": asked.model if asked else None,
                "provider": names.get(asked.provider, asked.provider) if asked else None,
            },
            "resolved": {"model": self._spec.model.id, "provider": self._spec.model.provider},
        }

    def _cost(self, reply: ModelReply) -> tuple[float, str]:
        if reply.replayed:
            return 0.0, "estimated"
        if reply.cost_usd is not None:
            return reply.cost_usd, "billed" if reply.cost_is_reported else "estimated"
        return self.price(reply.usage), "estimated"

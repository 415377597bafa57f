"""What a run comes to, in the shape that hiveloom prints and journals."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from honeyguide.llm.protocol import Usage

EXIT_CODES: Final = {"success": 0, "verify_failed": 1, "guardrail_halt": 2}
OTHER_EXIT: Final = 4
RUNTIME_VERSION: Final = "1.3.0"
"""The hiveloom whose journals these are like."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended; ``data`` is what ``harness run --json`` prints, ``verdicts`` those of the last attempt."""

    status: str
    output: str
    reason: str
    run_id: str
    turns: int
    cost_usd: float
    data: Mapping[str, Any]
    verdicts: tuple[Mapping[str, Any], ...] = ()
    trace: str = ""

    @property
    def is_success(self) -> bool:
        return self.status == "success"

    @property
    def exit_code(self) -> int:
        """What hiveloom's command line exits with."""
        return EXIT_CODES.get(self.status, OTHER_EXIT)


def outcome_of(data: Mapping[str, Any]) -> RunOutcome:
    """Return a run that hiveloom itself made, from the JSON that it printed."""
    turns, cost = data.get("turns"), data.get("cost_usd")
    output = data.get("output")
    return RunOutcome(
        status=str(data.get("status")),
        output=output if isinstance(output, str) else "",
        reason=str(data.get("reason") or ""),
        run_id=str(data.get("run_id") or ""),
        turns=turns if isinstance(turns, int) else 0,
        cost_usd=float(cost) if isinstance(cost, int | float) else 0.0,
        data=data,
    )


@dataclass(slots=True)
class Tally:
    """What a run used, call by call."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"), 0
        )
    )
    verifications: int = 0
    verify_retries: int = 0

    def add(self, turn: int, phase: str, provider: str, model: str, usage: Usage, cost: float, source: str) -> None:
        """Add one call."""
        tokens = usage_json(usage)
        for name, count in tokens.items():
            self.usage[name] += count
        self.calls.append(
            {
                "turn": turn,
                "phase": phase,
                "provider": provider,
                "requested_model": model,
                "effective_model": model,
                "provider_request_id": None,
                "usage": tokens,
                "cost_usd": cost,
                "cost_source": source,
                "billed_cost": cost if source == "billed" else None,
                "billed_currency": "USD" if source == "billed" else None,
            }
        )

    @property
    def cost_source(self) -> str:
        """``billed``, ``estimated``, ``mixed`` or ``none``."""
        sources = {call["cost_source"] for call in self.calls}
        return "none" if not sources else sources.pop() if len(sources) == 1 else "mixed"

    def verification(self, status: str) -> dict[str, Any]:
        """Return how verification went."""
        if not self.verifications:
            return {
                "attempts": 0, "first_pass_valid": None, "recovery_attempted": False, "recovered": False,
                "final_status": "not_run",
            }  # fmt: skip
        good = status == "success"
        return {
            "attempts": self.verifications,
            "first_pass_valid": good and not self.verify_retries,
            "recovery_attempted": self.verify_retries > 0,
            "recovered": good and self.verify_retries > 0,
            "final_status": "passed" if good else "failed",
        }


def usage_json(usage: Usage) -> dict[str, int]:
    """Return tokens with what was not reported as 0."""
    return {
        "input_tokens": usage.input_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
        "cache_read_tokens": usage.cache_read_tokens or 0,
        "cache_write_tokens": usage.cache_write_tokens or 0,
    }


def execution_fingerprint(
    behavior_hash: str,
    schema_version: str,
    runtime_config: Mapping[str, Any],
    input: str,
    models_used: Sequence[Mapping[str, Any]],
    effective_models: Sequence[str],
    lineage: Mapping[str, Any] | None = None,
) -> str:
    """Return the hash of everything that decided a run, without its text."""
    parts = {
        "behavior_hash": behavior_hash,
        "hiveloom_version": RUNTIME_VERSION,
        "schema_version": schema_version,
        "runtime_config": dict(runtime_config),
        "input_hash": hashlib.sha256(input.encode("utf-8", "surrogatepass")).hexdigest(),
        "models_used": [dict(model) for model in models_used],
        "effective_models": list(effective_models),
        "lineage": dict(lineage or {}),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

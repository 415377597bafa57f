"""What of a proof's receipt is no longer as it was: the models, the judge's words, the gates, the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from honeyguide import __version__
from honeyguide.evals.judge import Judge
from honeyguide.evals.receipts import Receipt, compare
from honeyguide.evolution.gates import GateOptions
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm import ModelReply, ModelRequest, ModelRole
from honeyguide.prompts.targets import TargetKind
from honeyguide.storage.records import AttemptRecord
from honeyguide.workspace.core import Core
from honeyguide.workspace.preparing import models_for
from honeyguide.workspace.views.options import RunOptions


def stale_parts(core: Core, attempt: AttemptRecord, proof: Mapping[str, Any]) -> list[str]:
    """Recompute what of a receipt can have changed since, and say in sentences what did. Blocking."""
    try:
        recorded = Receipt.from_json(proof["receipt"])
    except InvalidInput as error:
        return [error.message]
    options = RunOptions.from_json(attempt.options) if attempt.options else RunOptions()
    models = models_for(core, options)
    gates = GateOptions(
        allow_looser=bool(core.settings.get("runs.allow_looser_gates")),
        allow_memorised=options.allow_memorised,
    )
    now = {
        "judge_model": str(models[ModelRole.JUDGE]),
        "judge_prompt": Judge(_Silent(), models[ModelRole.JUDGE]).prompt_hash,
        "executor_model": str(models[ModelRole.EXECUTOR]),
        "product": __version__,
        "program": __version__,
        "gates": fingerprint(gates.overridden(options.gate_options, TargetKind(attempt.target_kind)).to_json()),
    }
    parts = {name: now.get(name, value) for name, value in recorded.parts.items()}
    return list(compare(recorded, Receipt(parts)).reasons)


class _Silent:
    """Stands where no call may be made."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise InvalidInput("No call may be made here.")

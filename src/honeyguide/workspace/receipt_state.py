"""What of a proof's receipt is no longer as it was: texts, cases, models, the judge's words, gates, the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from honeyguide import __version__
from honeyguide.evals.examples import Dataset
from honeyguide.evals.judge import Judge
from honeyguide.evals.receipts import Receipt, compare
from honeyguide.evals.verifying import holdout_fingerprint
from honeyguide.evolution.presets import SETTINGS, Preset
from honeyguide.kernel.canonical import fingerprint, sha256_hex
from honeyguide.kernel.choice import sample
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm import ModelReply, ModelRequest, ModelRole
from honeyguide.storage.records import AttemptRecord, RunRecord
from honeyguide.workspace.core import Core
from honeyguide.workspace.preparing import gates_for, models_for
from honeyguide.workspace.together import refs_of_attempt
from honeyguide.workspace.views.options import RunOptions


def stale_parts(
    core: Core, attempt: AttemptRecord, run: RunRecord | None, dataset: Dataset | None, proof: Mapping[str, Any]
) -> list[str]:
    """Recompute every part of a receipt that can have changed since, and say in sentences what did. Blocking.

    Args:
        run: with the two texts, where they are stored.
        dataset: the attempt's, as it is stored now; without the examples of traces that were deleted since.
    """
    try:
        recorded = Receipt.from_json(proof["receipt"])
    except InvalidInput as error:
        return [error.message]
    options = RunOptions.from_json(attempt.options) if attempt.options else RunOptions()
    models = models_for(core, options)
    now = {
        "judge_model": str(models[ModelRole.JUDGE]),
        "judge_prompt": Judge(_Silent(), models[ModelRole.JUDGE]).prompt_hash,
        "executor_model": str(models[ModelRole.EXECUTOR]),
        "product": __version__,
        "program": __version__,
        "gates": fingerprint(_gates(core, attempt, options)),
    }
    if run is not None:
        now |= {"baseline": sha256_hex(run.baseline_text), "candidate": sha256_hex(run.winner_text)}
    if dataset is not None:
        now["holdout"] = _holdout(recorded, options, dataset)
    parts = {name: now.get(name, value) for name, value in recorded.parts.items()}
    return list(compare(recorded, Receipt(parts)).reasons)


def _gates(core: Core, attempt: AttemptRecord, options: RunOptions) -> dict[str, Any]:
    """Return the options of the gates as ``EvolutionRequest.gate_facts``."""
    refs = refs_of_attempt(attempt)
    by_ref = {str(ref): gates_for(core, options, ref.kind).to_json() for ref in refs}
    return by_ref if len(refs) > 1 else by_ref[str(refs[0])]


def _holdout(recorded: Receipt, options: RunOptions, dataset: Dataset) -> str:
    """Return the hash of the sealed examples: all of them, or the sample that the preset measures."""
    most = SETTINGS[Preset(options.preset)].holdout
    whole = holdout_fingerprint(dataset.holdout)
    if whole == recorded.parts.get("holdout") or most is None or most >= len(dataset.holdout):
        return whole
    return holdout_fingerprint(sample(options.seed, list(dataset.holdout), most, "holdout"))


class _Silent:
    """Stands where no call may be made."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise InvalidInput("No call may be made here.")

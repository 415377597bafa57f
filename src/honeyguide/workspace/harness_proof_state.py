"""The proof of a draft with its receipt: what it rests on, and which part of that is no longer as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from honeyguide import __version__
from honeyguide.evals.receipts import Receipt, compare
from honeyguide.harnesses.changes.proof import Replayable, recorded_input
from honeyguide.harnesses.changes.proof_receipt import replay_receipt
from honeyguide.harnesses.changes.proposal import Proposal
from honeyguide.harnesses.changes.queue import QueuedProposal
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.support import model_ref
from honeyguide.kernel.errors import InvalidInput


def with_receipt(
    proof: Mapping[str, Any], harness: Harness, proposal: Proposal, inputs: Sequence[Replayable]
) -> dict[str, Any]:
    """Return a proof bound to what it was measured on; one that measured nothing stays as it is."""
    if proof.get("state") != "measured":
        return dict(proof)
    tried = {str(trial["run_id"]) for trial in proof["trials"]}
    texts = {one.run_id: one.input for one in inputs if one.run_id in tried}
    receipt = replay_receipt(harness.version, proposal, texts, str(model_ref(harness.spec)), __version__)
    return {**proof, "receipt": receipt.to_json()}


def receipt_state(harness: Harness, row: QueuedProposal, runs: Sequence[RunSummary]) -> dict[str, Any]:
    """Compare a draft's receipt with the present. Blocking: reads the journals of the inputs.

    Returns:
        ``state``: ``none``, ``unknown`` (with ``problem``), ``current`` or ``stale``; ``changed``: part -> sentence;
        ``tasks``: run id -> how its input begins.
    """
    proof = row.proof or {}
    stored = proof.get("trials") or ()
    tried = {str(each.get("run_id")) for each in stored if isinstance(each, Mapping)}
    known = [run for run in runs if run.run_id in tried]
    found: dict[str, Any] = {"state": "none", "problem": "", "changed": {}, "tasks": {r.run_id: r.task for r in known}}
    if not proof.get("receipt"):
        return found
    try:
        recorded = Receipt.from_json(proof["receipt"])
        texts = {run.run_id: recorded_input(harness.trace_dir, run) for run in known}
        current = replay_receipt(_before(harness, row), row.parsed, texts, str(model_ref(harness.spec)), __version__)
    except InvalidInput as error:
        return found | {"state": "unknown", "problem": error.message}
    for name, value in current.parts.items():
        reasons = compare(recorded, Receipt({name: value})).reasons
        if reasons:
            found["changed"][name] = reasons[0]
    return found | {"state": "stale" if found["changed"] else "current"}


def _before(harness: Harness, row: QueuedProposal) -> str:
    """Return the version before the change: while the draft is live, the one that it was applied to."""
    result = row.apply_result or {}
    if harness.version == result.get("new_version_hash"):
        return str(row.drafted_at_version or result.get("old_version_hash"))
    return harness.version

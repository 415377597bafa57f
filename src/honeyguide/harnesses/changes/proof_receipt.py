"""What the proof of a draft rests on, part by part: a later look can say whether it still speaks of what is live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from honeyguide.evals.findings import Thresholds
from honeyguide.evals.receipts import Receipt
from honeyguide.harnesses.changes.proposal import Proposal
from honeyguide.kernel.canonical import fingerprint, sha256_hex


def replay_receipt(
    version: str,
    proposal: Proposal,
    inputs: Mapping[str, str],
    model: str,
    product: str,
    thresholds: Thresholds | None = None,
) -> Receipt:
    """Return the receipt of a replay; it holds hashes, no input.

    Args:
        version: hash of the harness before the change.
        inputs: run id -> recorded input, of every input that was run.
    """
    return Receipt(
        {
            "baseline": version,
            "candidate": fingerprint(proposal.to_json()),
            "inputs": fingerprint({run_id: sha256_hex(text) for run_id, text in inputs.items()}),
            "executor_model": model,
            "product": product,
            "thresholds": fingerprint(asdict(thresholds or Thresholds())),
        }
    )

"""What a decision on a harness's draft does to the problems that its suite showed red and green.

Only a proof of exactly this step counts: from the version that was live to the one that is live now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from honeyguide.feedback import FeedbackItem, FeedbackLog, FeedbackState
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import Conflict, HoneyguideError, NotFound
from honeyguide.suites.proof import improved_in
from honeyguide.workspace.harness_places import harness_name

_S = FeedbackState


def proof_path(state: Path, harness: Harness, proposal: str) -> Path:
    """Return where the proof of a draft is kept."""
    return state / "suite-proofs" / f"{sha256_hex(harness_name(harness))[:16]}-{proposal}.json"


def read_proof(path: Path) -> dict[str, Any] | None:
    """Return a stored proof; ``None`` for none, or one that cannot be read."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def target(log: FeedbackLog, record: dict[str, Any]) -> None:
    """Note that a draft waits for a person which was shown to solve these problems."""
    for id in improved_in(record):
        _move(log, id, _S.TARGETED, str(record["proposal_id"]))


def settle(log: FeedbackLog, state: Path, root: Path) -> None:
    """Put the problems of a harness into the state that follows from what is live and what was proved. Blocking."""
    try:
        harness = Harness.open(root)
        name, live = harness_name(harness), harness.version
    except HoneyguideError:
        return  # it cannot be read now; its problems stay as they are
    for item in log.read().items:
        if item.kind != "harness" or item.name != name or not item.run_id:
            continue
        wanted = _wanted(item, read_proof(proof_path(state, harness, item.run_id)), live)
        if wanted is not item.state:
            _move(log, item.id, wanted, item.run_id)


def _wanted(item: FeedbackItem, proof: dict[str, Any] | None, live: str) -> FeedbackState:
    if item.state is _S.TARGETED:
        if proof is None or item.id not in improved_in(proof):
            return _S.OPEN
        if live == proof.get("to"):
            return _S.RESOLVED
        return _S.TARGETED if live == proof.get("from") else _S.OPEN
    if item.state is _S.RESOLVED and proof is not None and live == proof.get("from"):
        return _S.OPEN  # that step was taken back
    return item.state


def reopen(log: FeedbackLog, proposal: str) -> None:
    """Open the problems again that waited for a draft which was rejected."""
    for item in log.read().items:
        if item.run_id == proposal and item.state is _S.TARGETED:
            _move(log, item.id, _S.OPEN, proposal)


def _move(log: FeedbackLog, id: str, state: FeedbackState, proposal: str) -> None:
    try:
        log.move(id, state, run_id=proposal)
    except (Conflict, NotFound):
        return  # decided otherwise meanwhile

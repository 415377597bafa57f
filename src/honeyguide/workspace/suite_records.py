"""What a run's suite said, as it is stored with the run, and whether it still speaks of what is there now."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.prompts.targets import TargetKind, TargetRef

if TYPE_CHECKING:
    from honeyguide.storage.records import AttemptRecord, RunRecord
    from honeyguide.workspace.core import Core
    from honeyguide.workspace.homes import Home, Homes


def suite_record(run: RunRecord | None) -> dict[str, Any] | None:
    """Return the record of ``suites.proof``; ``None`` for a run without a suite."""
    if run is None or not run.artifacts_json or '"suite"' not in run.artifacts_json:
        return None
    artifacts = json.loads(run.artifacts_json)
    found = artifacts.get("suite") if isinstance(artifacts, dict) else None
    return found if isinstance(found, dict) else None


async def shown_suite(
    core: Core, homes: Callable[[], Homes], attempt: AttemptRecord, run: RunRecord | None
) -> dict[str, Any] | None:
    """Return the record with ``receipt_state``, looked at anew; ``None`` for a run without a suite."""
    record = suite_record(run)
    if run is None or record is None:
        return None
    try:
        home = await homes().home(TargetRef(TargetKind(run.target_kind), run.target_name or ""))
        reasons = await core.in_thread(lambda: stale_suite_parts(core, home, attempt, run, record))
    except HoneyguideError as error:
        reasons = [error.message]
    return {**record, "receipt_state": {"stale": bool(reasons), "reasons": reasons}}


def stale_suite_parts(
    core: Core, home: Home, attempt: AttemptRecord | None, run: RunRecord, record: Mapping[str, Any]
) -> list[str]:
    """Return in words what the suite's proof rests on that is not as it was; nothing when it holds. Blocking."""
    from honeyguide import __version__
    from honeyguide.evals.receipts import Receipt, compare
    from honeyguide.workspace.preparing import models_for
    from honeyguide.workspace.suite_places import suite_of
    from honeyguide.workspace.views.options import RunOptions

    try:
        options = RunOptions.from_json(attempt.options) if attempt is not None and attempt.options else RunOptions()
        suite = suite_of(core, home)
        if suite is None:
            return ["The eval suite is gone."]
        models = models_for(core, options)
        now = suite.receipt(models, __version__, baseline=run.baseline_text, candidate=run.winner_text)
        return list(compare(Receipt.from_json(record.get("receipt")), now).reasons)
    except HoneyguideError as error:
        return [error.message]

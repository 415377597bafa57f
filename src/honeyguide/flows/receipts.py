"""The last results of each flow's suite, bound to what they rest on; and what may be said of them now."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from honeyguide.evals.receipts import Receipt
from honeyguide.flows.home import FlowHome
from honeyguide.kernel.errors import InvalidInput, Unreadable
from honeyguide.suites.trials import SuiteOutcome, TrialStatus
from honeyguide.versions.atomic import write_atomically
from honeyguide.versions.disk import LocalDisk


class SuiteVerdict(StrEnum):
    """What the last results say of the present text."""

    VERIFIED = "Verified"
    FAILING = "Failing"
    FLAKY = "Flaky"
    STALE = "Stale"
    UNVERIFIED = "Unverified"


@dataclass(frozen=True, slots=True)
class RecordedResults:
    """Stored results; ``is_full`` unless only some of the cases were run."""

    receipt: Receipt
    outcome: SuiteOutcome
    at: str
    is_full: bool


class ReceiptBook:
    """The last full results of each flow."""

    def __init__(self, home: FlowHome) -> None:
        self._home = home

    def read(self, flow_id: str) -> RecordedResults | None:
        """Return the last results. Raises Unreadable for a damaged file, which is left as it is."""
        path = self._home.receipts / f"{flow_id}.json"
        data = LocalDisk().read(path)
        if data is None:
            return None
        try:
            raw = json.loads(data)
            return RecordedResults(
                Receipt.from_json(raw["receipt"]),
                SuiteOutcome.from_json(raw["outcome"]),
                str(raw["at"]),
                raw["full"] is True,
            )
        except (ValueError, KeyError, TypeError, AttributeError, InvalidInput) as error:
            raise Unreadable(f"{path} is damaged.", hint="Remove it and run the suite again.") from error

    def write(self, flow_id: str, results: RecordedResults) -> None:
        """Store full results; partial ones never replace full ones. Raises Unreadable rather than overwrite damage."""
        known = self.read(flow_id)
        if not results.is_full and known is not None and known.is_full:
            return
        data = {
            "receipt": results.receipt.to_json(),
            "outcome": results.outcome.to_json(),
            "at": results.at,
            "full": results.is_full,
        }
        raw = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        write_atomically(self._home.receipts / f"{flow_id}.json", raw.encode())


def allows_automatic_work(results: RecordedResults | None, current: Receipt, targeted: Collection[str]) -> bool:
    """Say whether automatic work may build on the last results.

    They must be of exactly what is there now, stable, and either clean, or failing only in cases that are linked to the
    problems to be solved.
    """
    if results is None or not results.is_full or results.receipt.digest != current.digest:
        return False
    outcome = results.outcome
    if outcome.inputs_changed or outcome.flaky or outcome.count(TrialStatus.INCONCLUSIVE):
        return False
    if len(outcome.cases) != outcome.planned:
        return False
    failed = [case for case in outcome.cases if case.status is TrialStatus.FAIL]
    return all(set(case.case.evidence) & set(targeted) for case in failed)


def verdict_of(
    *,
    suite_exists: bool,
    is_inspectable: bool,
    has_drafts: bool,
    results: RecordedResults | None,
    current: str | None,
    is_bound: bool = True,
) -> tuple[SuiteVerdict, bool, str]:
    """Return what may be said, whether it is of the present text, and why.

    Args:
        current: the digest of the receipt as it would be now; ``None`` when it cannot be made.
        is_bound: whether the results were stored with a receipt at all.
    """
    v = SuiteVerdict
    if not suite_exists:
        return v.UNVERIFIED, False, "no eval suite beside the flow"
    if not is_inspectable:
        return v.UNVERIFIED, False, "the suite cannot be read without running it"
    if has_drafts:
        return v.UNVERIFIED, False, "some cases are drafts"
    if results is None:
        return v.UNVERIFIED, False, "the suite was never run"
    if not results.is_full:
        return v.UNVERIFIED, False, "only some of the cases were run"
    if not is_bound:
        return v.UNVERIFIED, False, "the results are not bound to what they rest on"
    if current is None:
        return v.UNVERIFIED, False, "nobody can say whether the results still hold"
    if results.receipt.digest != current:
        return v.STALE, False, "flow, imports, suite, configuration, engine or model changed since"
    outcome = results.outcome
    if outcome.flaky:
        return v.FLAKY, True, f"{outcome.flaky} case(s) passed and failed"
    if failed := outcome.count(TrialStatus.FAIL):
        return v.FAILING, True, f"{failed} case(s) failed"
    if unsure := outcome.count(TrialStatus.INCONCLUSIVE):
        return v.UNVERIFIED, True, f"{unsure} case(s) were inconclusive"
    if not outcome.is_clean:
        return v.UNVERIFIED, True, "the results are incomplete"
    return v.VERIFIED, True, f"{outcome.planned}/{outcome.planned} cases pass"


def as_json(results: RecordedResults | None) -> dict[str, Any] | None:
    """Return results as plain data."""
    if results is None:
        return None
    return {
        "at": results.at,
        "full": results.is_full,
        "receipt": results.receipt.to_json(),
        **results.outcome.to_json(),
    }

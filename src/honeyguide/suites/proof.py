"""Red and green for a text of any kind: the suite on the current text, then on the proposed one; what that proves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from honeyguide.evals.findings import LABELS, Finding
from honeyguide.evals.receipts import Receipt
from honeyguide.suites.comparing import Comparison, compare_sides, unfit_current
from honeyguide.suites.trials import SuiteOutcome

Side = Callable[[str, str], Awaitable[SuiteOutcome]]
"""Runs the suite on a text; the other argument is ``current`` or ``proposal``."""


@dataclass(frozen=True, slots=True)
class SuiteRecord:
    """What the suite said of a proposed text.

    Attributes:
        proposal: ``None`` when the current side could not be measured, so that nothing was spent on the other.
        planned: executions that both sides need at most.
        receipt: what it rests on.
    """

    comparison: Comparison
    current: SuiteOutcome
    proposal: SuiteOutcome | None
    planned: int
    receipt: Receipt

    @property
    def finding(self) -> Finding:
        """One of the product's outcomes."""
        return self.comparison.finding

    @property
    def invocations(self) -> int:
        """Executions that were made."""
        return self.current.invocations + (self.proposal.invocations if self.proposal else 0)

    def to_json(self) -> dict[str, Any]:
        """Return the record as it is stored with a run."""
        return {
            "outcome": self.finding.value,
            "label": LABELS[self.finding],
            "reasonCode": self.comparison.code.value,
            "reason": self.comparison.reason,
            "targetEvidenceIds": list(self.comparison.improved),
            "plannedInvocations": self.planned,
            "actualInvocations": self.invocations,
            "current": self.current.to_json(),
            "proposal": None if self.proposal is None else self.proposal.to_json(),
            "receipt": self.receipt.to_json(),
        }


class SuiteProof(Protocol):
    """A suite that belongs to a target."""

    @property
    def evidence(self) -> frozenset[str]:
        """Ids of the open problems that some case reproduces."""
        ...

    @property
    def calls(self) -> int:
        """Model calls that both sides take at most."""
        ...

    async def prove(self, live: str, text: str) -> SuiteRecord:
        """Run both sides. Raises BudgetExceeded or Interrupted."""
        ...


async def proved(
    live: str, text: str, side: Side, evidence: Collection[str], *, planned: int, receipt: Receipt
) -> SuiteRecord:
    """Run both sides and compare them; nothing is spent on a proposal that could not be compared."""
    current = await side(live, "current")
    unfit = unfit_current(current)
    if unfit is not None:
        return SuiteRecord(unfit, current, None, planned, receipt)
    proposal = await side(text, "proposal")
    return SuiteRecord(compare_sides(current, proposal, evidence), current, proposal, planned, receipt)


def improved_in(record: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the ids that a stored record shows solved; none unless its outcome says so."""
    if not record or record.get("outcome") != Finding.VERIFIED_IMPROVEMENT.value:
        return ()
    return tuple(str(id) for id in record.get("targetEvidenceIds", ()))

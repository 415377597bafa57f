"""The ledger of looks: every candidate that is tried on a sealed holdout raises the bar for the next one.

Look k must reach (1/alpha) k (k + 1). Since sum 1/(k (k + 1)) = 1, the chance that any of all looks ever promotes a
candidate that is no better stays under alpha (union bound over Ville's inequality). The count starts afresh when half
of the holdout has been replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import InvalidInput


def bar(alpha: float, look: int) -> float:
    """Return the e-value that look number ``look`` (from 1) has to reach."""
    if not 0.0 < alpha < 1.0 or look < 1:
        raise InvalidInput(f"There is no bar for alpha = {alpha} and look {look}.")
    return look * (look + 1) / alpha


@dataclass(frozen=True, slots=True)
class Look:
    """One measurement of one candidate on one holdout.

    Attributes:
        measurement: what was measured; the same measurement, resumed or repeated from its journal, is the same look.
        examples: the ids of the holdout.
    """

    measurement: str
    examples: frozenset[str]
    number: int


def measurement_key(baseline_sha256: str, candidate_sha256: str, repeats: int) -> str:
    """Return the key under which a measurement is known to the ledger; more repeats are another measurement."""
    return fingerprint([baseline_sha256, candidate_sha256, repeats])


@dataclass(frozen=True, slots=True)
class LookLedger:
    """All looks so far, oldest first."""

    looks: tuple[Look, ...] = ()

    def look(self, measurement: str, examples: Iterable[str]) -> tuple[Look, LookLedger]:
        """Return the look that this measurement is, and the ledger with it.

        A measurement that goes on with more examples keeps its number: its evidence simply continues.
        """
        ids = frozenset(examples)
        counted = [look for look in self.looks if 2 * len(look.examples & ids) > len(ids)]
        for known in counted:
            if known.measurement == measurement:
                return known, self
        number = 1 + max((look.number for look in counted), default=0)
        made = Look(measurement, ids, number)
        return made, LookLedger((*self.looks, made))

    def to_json(self) -> list[dict[str, Any]]:
        """Return the ledger as plain data."""
        return [
            {"measurement": look.measurement, "examples": sorted(look.examples), "number": look.number}
            for look in self.looks
        ]

    @classmethod
    def from_json(cls, data: Iterable[Mapping[str, Any]]) -> LookLedger:
        """Read what ``to_json`` wrote. Raises InvalidInput."""
        try:
            return cls(
                tuple(Look(str(d["measurement"]), frozenset(map(str, d["examples"])), int(d["number"])) for d in data)
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput("The ledger of looks cannot be read.") from error

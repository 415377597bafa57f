"""What the autonomous service remembers between two starts: in the database, as one small JSON value.

The budget of a day is written down before a run begins, as if all of it were used, and corrected afterwards: a process
that dies in between can never lead to more being spent than was allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from honeyguide.kernel.clock import iso, parse_iso
from honeyguide.storage import Store, Unit
from honeyguide.workspace.service_rules import backoff

KEY = "service.memory"
T = TypeVar("T")


@dataclass(slots=True)
class Memory:
    """The remembered facts.

    Attributes:
        day, calls, usd: what today's runs took, the reserve of one under way included.
        current: ``{"uuid", "target", "calls", "usd"}`` of the run under way, with what is reserved for it.
        failures: target to ``{"count", "until"}``.
        last_tick: the newest report.
    """

    day: str = ""
    calls: int = 0
    usd: float = 0.0
    current: dict[str, Any] | None = None
    failures: dict[str, dict[str, Any]] = field(default_factory=dict)
    last_tick: dict[str, Any] | None = None

    def begin_day(self, now: datetime) -> Memory:
        """Forget yesterday's spending. A clock that goes back to an earlier day does not open a new budget."""
        today = iso(now)[:10]
        if today > self.day:
            self.day, self.calls, self.usd = today, 0, 0.0
        return self

    def reserve(self, target: str, calls: int, usd: float) -> None:
        """Count the ceilings of a run that is about to begin as spent."""
        self.calls += calls
        self.usd += usd
        self.current = {"uuid": "", "target": target, "calls": calls, "usd": usd}

    def begun(self, uuid: str) -> None:
        """Note the id of the run that the reserve is for."""
        if self.current is not None:
            self.current = {**self.current, "uuid": uuid}

    def settle(self, calls: int | None, usd: float | None) -> None:
        """Correct the reserve to what was really spent; ``None`` leaves it as reserved."""
        if self.current is None:
            return
        self.calls -= max(self.current["calls"] - (self.current["calls"] if calls is None else calls), 0)
        self.usd -= max(self.current["usd"] - (self.current["usd"] if usd is None else usd), 0.0)
        self.current = None

    def failed(self, target: str, now: datetime, interval: float) -> None:
        """Let a target rest, longer after each failure in a row."""
        count = int(self.failures.get(target, {}).get("count", 0)) + 1
        until = datetime.fromtimestamp(now.timestamp() + backoff(count, interval), now.tzinfo)
        self.failures[target] = {"count": count, "until": iso(until)}

    def rest_of(self, target: str) -> tuple[datetime | None, int]:
        """Return until when a target rests, and after how many failures."""
        found = self.failures.get(target)
        return (None, 0) if found is None else (parse_iso(str(found["until"])), int(found["count"]))

    def to_json(self) -> dict[str, Any]:
        """Return what is stored."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def load(unit: Unit) -> Memory:
    """Return what is remembered."""
    stored = unit.settings.get(KEY) or {}
    return Memory(**{name: stored[name] for name in Memory.__dataclass_fields__ if name in stored})


async def change(store: Store, fn: Callable[[Memory], T]) -> T:
    """Change what is remembered, in one transaction."""

    def write(unit: Unit) -> T:
        memory = load(unit)
        result = fn(memory)
        unit.settings.put(KEY, memory.to_json())
        return result

    return await store.write(write, durable=True)

"""A run store in memory: keeps what it is given, in order."""

from __future__ import annotations

from honeyguide.evolution.requests import OrchestratorResult, RunRecord


class MemorySink:
    """Keeps runs and attempts; a run must be stored before its attempt is closed."""

    def __init__(self) -> None:
        self.runs: list[RunRecord] = []
        self.attempts: list[OrchestratorResult] = []

    async def store_run(self, run: RunRecord) -> None:
        assert len(self.runs) == len([a for a in self.attempts if a.run is not None])
        self.runs.append(run)

    async def close_attempt(self, result: OrchestratorResult) -> None:
        self.attempts.append(result)

"""Where the harness part of the application keeps its things and gets its models: in a workspace, or without one.

Harness commands work without a workspace, so that a gate in CI needs nothing but the folder. Trust, versions and the
registry then stand in the user's state folder.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_state_path

from honeyguide.harnesses.registry import Registry
from honeyguide.harnesses.trust import TrustStore
from honeyguide.kernel.clock import Clock, SystemClock, iso
from honeyguide.kernel.ids import IdFactory, new_uuid
from honeyguide.llm import (
    DEFAULT_MODELS,
    KeyStore,
    Ledger,
    ModelRef,
    ModelRegistry,
    ModelRole,
    ModelSettings,
    PriceTable,
)
from honeyguide.traces.redaction import Redactor
from honeyguide.versions import Deployer, VersionStore
from honeyguide.workspace.core import Core
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.workspace import Workspace

T = TypeVar("T")


@dataclass(slots=True)
class HarnessHome:
    """What harness work needs of its surroundings.

    Attributes:
        state: a folder for trust, registry, versions and journals of model calls.
        registry: the models; made when first asked for.
        max_usd, max_calls, max_tokens: ceilings for one piece of work.
        ledgers: ceilings that other work counts on too; made for each piece of work.
        on_proved: told of a draft that a suite was run on.
        on_decided: told of a folder that changed, or of a draft (by its id) that was rejected. Both block.
    """

    state: Path
    clock: Clock
    new_id: IdFactory
    environ: Mapping[str, str]
    registry: Callable[[], ModelRegistry]
    model_for: Callable[[ModelRole], ModelRef]
    redact: Callable[[str], str]
    max_usd: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    ledgers: Callable[[], tuple[Ledger, ...]] = tuple
    owned: ModelRegistry | None = None
    on_proved: Callable[[dict[str, Any]], None] = lambda record: None
    on_decided: Callable[[Path, str], None] = lambda root, rejected: None

    @classmethod
    def of(cls, core: Core) -> HarnessHome:
        """Return the home inside an open workspace."""
        state = core.layout.root / "harnesses"

        def proved(record: dict[str, Any]) -> None:
            from honeyguide.workspace.flow_desk import open_desk
            from honeyguide.workspace.harness_feedback import target

            target(open_desk(core, Origin.here()).feedback, record)

        def decided(root: Path, rejected: str) -> None:
            from honeyguide.workspace.flow_desk import open_desk
            from honeyguide.workspace.harness_feedback import reopen, settle

            log = open_desk(core, Origin.here()).feedback
            if rejected:
                reopen(log, rejected)
            settle(log, state, root)

        return cls(
            state=state,
            clock=core.clock,
            new_id=core.new_id,
            environ=core.environ,
            registry=lambda: core.registry,
            model_for=core.model_for,
            redact=core.outgoing_redactor().text,
            max_usd=core.settings.get("limits.usd_per_run"),
            max_calls=core.settings.get("limits.calls_per_run"),
            max_tokens=core.settings.get("limits.tokens_per_run"),
            ledgers=core.ledgers,
            on_proved=proved,
            on_decided=decided,
        )

    @classmethod
    def alone(cls, environ: Mapping[str, str] | None = None, state: Path | None = None) -> HarnessHome:
        """Return a home in the user's state folder, for work without a workspace."""
        environ = os.environ if environ is None else environ
        clock = SystemClock()

        def registry() -> ModelRegistry:
            if home.owned is None:
                home.owned = ModelRegistry(ModelSettings(), KeyStore(environ), PriceTable.load(), environ, clock=clock)
            return home.owned

        home = cls(
            state=state or user_state_path("honeyguide", appauthor=False) / "harnesses",
            clock=clock,
            new_id=new_uuid,
            environ=environ,
            registry=registry,
            model_for=lambda role: DEFAULT_MODELS[role],
            redact=Redactor(b"honeyguide-harnesses", personal=False).text,
        )
        return home

    @classmethod
    def of_workspace(cls, workspace: Workspace) -> HarnessHome:
        """Return the home inside an open workspace."""
        return cls.of(workspace._core)

    async def close(self) -> None:
        """Close the models of a home of its own."""
        if self.owned is not None:
            await self.owned.close()
            self.owned = None

    @property
    def trust(self) -> TrustStore:
        """What is trusted on this computer."""
        return TrustStore(self.state)

    @property
    def registered(self) -> Registry:
        """What is registered on this computer."""
        return Registry(self.state)

    @property
    def now(self) -> str:
        """The time, UTC, ISO 8601."""
        return iso(self.clock.now())

    def deployer(self, root: Path) -> Deployer:
        """Return what changes files inside one harness folder."""
        return Deployer(VersionStore(self.state / "versions", clock=self.clock), [root])

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run blocking work in a worker thread."""
        return await asyncio.to_thread(work)

"""What every part of the workspace works with: folder, store, settings, redaction, models, files."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from honeyguide.kernel.clock import Clock
from honeyguide.kernel.errors import Unreadable
from honeyguide.kernel.ids import IdFactory
from honeyguide.llm import DEFAULT_MODELS, ModelRef, ModelSettings, own_endpoints
from honeyguide.versions import Deployer, VersionStore

if TYPE_CHECKING:
    from honeyguide.llm import KeyStore, Ledger, ModelRegistry, ModelRole
    from honeyguide.storage import Store
    from honeyguide.traces.redaction import Redactor
    from honeyguide.versions import Repair
    from honeyguide.workspace.events import EventHub
    from honeyguide.workspace.layout import Layout
    from honeyguide.workspace.settings import Settings

T = TypeVar("T")
WORKERS = 4


@dataclass(slots=True)
class Core:
    """An open workspace's shared parts; the parts of the façade hold nothing else."""

    layout: Layout
    store: Store
    settings: Settings
    clock: Clock
    new_id: IdFactory
    environ: Mapping[str, str]
    keys: KeyStore
    redaction_key: bytes
    hub: EventHub
    workers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(WORKERS, thread_name_prefix="honeyguide-worker")
    )
    _registry: ModelRegistry | None = None

    @property
    def version_store(self) -> VersionStore:
        """The versions on disk."""
        return VersionStore(self.layout.versions, clock=self.clock)

    def deployer(self, *trusted: Path, on_repair: Callable[[Repair], None] = lambda repair: None) -> Deployer:
        """Return what changes files: inside the workspace, in ``trusted`` folders, and in those of the settings."""
        folders = [Path(folder).expanduser() for folder in self.settings.get("files.trusted_folders")]
        return Deployer(self.version_store, [*folders, *trusted], on_repair=on_repair)

    def redactor(self) -> Redactor:
        """Return a redactor for what is stored; equal secrets get equal placeholders."""
        from honeyguide.traces.redaction import Redactor

        return Redactor(self.redaction_key, personal=bool(self.settings.get("privacy.replace_personal")))

    def outgoing_redactor(self) -> Redactor:
        """Return a redactor for model calls: secrets only, for a prompt may rightly name a mail address."""
        from honeyguide.traces.redaction import Redactor

        return Redactor(self.redaction_key, personal=False)

    @property
    def registry(self) -> ModelRegistry:
        """The providers, opened once; nothing is imported or connected before the first call."""
        if self._registry is None:
            from honeyguide.llm import ModelRegistry, PriceTable

            prices = PriceTable.load(self.layout.root / "prices.json")
            self._registry = ModelRegistry(
                model_settings(self.settings),
                self.keys,
                prices,
                self.environ,
                clock=self.clock,
                gguf_command=[sys.executable, "serve-model-file"] if getattr(sys, "frozen", False) else None,
            )
        return self._registry

    async def renew_registry(self) -> None:
        """Forget the open providers after a setting changed; the next call opens new ones."""
        registry, self._registry = self._registry, None
        if registry is not None:
            await registry.close()

    def ledgers(self) -> tuple[Ledger, ...]:
        """Return what every piece of work with models counts on besides its own ceilings: the day and the workspace."""
        from honeyguide.storage import DayLedger
        from honeyguide.storage.records import SpendCeiling

        limit = self.settings.get
        ceiling = SpendCeiling(
            calls=limit("limits.calls_per_day"),
            tokens=limit("limits.tokens_per_day"),
            usd=limit("limits.usd_per_day"),
            total_calls=limit("limits.calls_in_all"),
            total_tokens=limit("limits.tokens_in_all"),
            total_usd=limit("limits.usd_in_all"),
        )
        return (DayLedger(self.store, ceiling),)

    def model_for(self, role: ModelRole) -> ModelRef:
        """Return the model of a role: as set, else as the executor's provider would have it, else the default."""
        named = self.settings.get(f"models.{role.value}")
        if named:
            return ModelRef.parse(named)
        executor = self.settings.get("models.executor")
        if executor and ModelRef.parse(executor).provider != DEFAULT_MODELS[role].provider:
            return ModelRef.parse(executor)
        return DEFAULT_MODELS[role]

    async def in_thread(self, fn: Callable[[], T]) -> T:
        """Run blocking work in a worker thread."""
        return await asyncio.get_running_loop().run_in_executor(self.workers, fn)

    async def close(self) -> None:
        """Close everything, in order."""
        if self._registry is not None:
            await self._registry.close()
        await self.hub.close()
        await self.store.aclose()
        self.workers.shutdown(wait=True, cancel_futures=True)


def model_settings(settings: Settings) -> ModelSettings:
    """Return what the settings say about models."""
    values: dict[str, Any] = {
        "base_urls": dict(settings.get("models.base_urls")),
        "gguf_files": {name: Path(path).expanduser() for name, path in settings.get("models.gguf_files").items()},
        "concurrency": settings.get("models.concurrency"),
        "proxy": settings.get("models.proxy"),
        "endpoints": {
            **own_endpoints("openai", settings.get("models.openai_servers")),
            **own_endpoints("anthropic", settings.get("models.anthropic_servers")),
        },
        "timeouts": {
            role: float(seconds)
            for role in DEFAULT_MODELS
            if (seconds := settings.get(f"models.timeout_{role.value}")) is not None
        },
    }
    ca_file = settings.get("models.ca_file")
    return ModelSettings(ca_file=Path(ca_file).expanduser() if ca_file else None, **values)


def redaction_key(path: Path) -> bytes:
    """Return the workspace's own key for placeholders, made at the first call (0600); it never leaves the workspace.

    Raises:
        Unreadable: the file is there and holds no key.
    """
    fresh = secrets.token_hex(32)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        stored = path.read_text(encoding="ascii").strip()
    else:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(fresh)
        stored = fresh
    try:
        key = bytes.fromhex(stored)
    except ValueError:
        key = b""
    if len(key) < 16:
        raise Unreadable(
            f"{path} does not hold a key.",
            hint="Remove it to get a new one; the same secret then gets another placeholder than before.",
        )
    return key

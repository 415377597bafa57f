"""Models, providers and keys as they are shown. Never a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RoleRow:
    """Which model does what.

    Attributes:
        role: ``executor``, ``judge``, ``mutator`` or ``maintainer``.
        model: ``PROVIDER:MODEL``.
        chosen: whether a person chose it; otherwise it is what would be used.
        costs_money: whether its calls are paid for.
        price: US dollars for a million tokens in and out; ``None`` when unknown, 0 when free.
    """

    role: str
    model: str
    chosen: bool
    title: str
    costs_money: bool
    price: tuple[float, float] | None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        price = None if self.price is None else {"input": self.price[0], "output": self.price[1]}
        return {
            "role": self.role,
            "model": self.model,
            "chosen": self.chosen,
            "title": self.title,
            "costs_money": self.costs_money,
            "usd_per_million": price,
        }


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """A provider that can be asked.

    Attributes:
        key: where its key is, in words.
        key_source: ``environment``, ``keyring``, ``session``, ``none`` (missing) or ``not-needed``.
        address: where calls go; empty for what runs on this computer without one.
        notes: what was put right in the address.
        models: names that are known without asking anybody.
        is_local: nothing leaves this computer.
    """

    name: str
    key: str
    key_source: str
    address: str
    notes: tuple[str, ...]
    models: tuple[str, ...]
    is_local: bool

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "name": self.name,
            "key": self.key,
            "key_source": self.key_source,
            "address": self.address,
            "notes": list(self.notes),
            "models": list(self.models),
            "local": self.is_local,
        }


@dataclass(frozen=True, slots=True)
class ModelsReport:
    """Roles, providers, and what a person should know about the choice.

    Attributes:
        prices_as_of: the day the price table was last checked.
        keyring: whether this computer can keep keys, in words.
        can_keep_keys: the same as yes or no.
    """

    roles: tuple[RoleRow, ...]
    providers: tuple[ProviderRow, ...]
    notes: tuple[str, ...]
    prices_as_of: str
    keyring: str
    can_keep_keys: bool

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "roles": [row.to_json() for row in self.roles],
            "providers": [row.to_json() for row in self.providers],
            "notes": list(self.notes),
            "prices_as_of": self.prices_as_of,
            "keyring": self.keyring,
        }


@dataclass(frozen=True, slots=True)
class ModelTest:
    """What came of one short question.

    Attributes:
        kind: ``ok`` or the cause: ``dns``, ``refused``, ``tls``, ``auth``, ``quota``, ``model-not-found``, …
        message: what was found.
        remedy: what to do about it; empty when all is well.
        suggestions: models that look like the one that was not found.
    """

    model: str
    ok: bool
    kind: str
    message: str
    remedy: str = ""
    latency_ms: int = 0
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "model": self.model,
            "ok": self.ok,
            "kind": self.kind,
            "message": self.message,
            "remedy": self.remedy,
            "latency_ms": self.latency_ms,
            "notes": list(self.notes),
            "suggestions": list(self.suggestions),
        }


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where a key is now.

    Attributes:
        variable: the environment variable that could hold it instead.
    """

    provider: str
    source: str
    message: str
    variable: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "provider": self.provider,
            "source": self.source,
            "message": self.message,
            "variable": self.variable,
        }

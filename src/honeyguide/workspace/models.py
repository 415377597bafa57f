"""Which models are used, where their keys are, and whether they answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from honeyguide.kernel.errors import HoneyguideError, InvalidInput
from honeyguide.llm import (
    Budget,
    Diagnosis,
    KeySource,
    ModelRef,
    ModelRegistry,
    ModelRole,
    diagnose,
    gguf_name,
    grades_itself,
)
from honeyguide.llm.addresses import is_loopback
from honeyguide.llm.settings import FREE_PROVIDERS
from honeyguide.workspace.core import Core
from honeyguide.workspace.settings import setting_named
from honeyguide.workspace.views.models import KeyPlace, ModelsReport, ModelTest, ProviderRow, RoleRow

KEYLESS = {
    "practice": "No key needed: the practice model is part of Honeyguide.",
    "gguf": "No key needed: a model file on this computer.",
    "replay": "No key needed: answers from a journal.",
}
SHOWN_PROVIDERS = ("anthropic", "openai", "ollama", "lmstudio", "llamacpp", "vllm", "gguf", "practice")
KEYRING, SESSION = "keyring", "session"


class Models:
    """The models of a workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def report(self) -> ModelsReport:
        """Return roles, providers and notes; opens no connection (may ask the system's key ring)."""
        return await self._core.in_thread(self._report)

    async def test(self, name: str | None = None) -> list[ModelTest]:
        """Ask a model, or every role's, one short question. Raises InvalidInput for what names no model.

        Args:
            name: ``PROVIDER:MODEL``, or a role.
        """
        if name is None:
            refs: Sequence[ModelRef] = list(dict.fromkeys(self._core.model_for(role) for role in ModelRole))
        else:
            refs = [self._core.model_for(ModelRole(name)) if name in set(ModelRole) else ModelRef.parse(name)]
        registry, budget = self._core.registry, Budget(shared=self._core.ledgers())
        try:
            found = await asyncio.gather(*(diagnose(ref, registry, budget) for ref in refs))
        finally:
            await self._core.in_thread(budget.close)
        return [_test(diagnosis) for diagnosis in found]

    async def list_models(self, provider: str) -> list[str]:
        """Ask a provider which models it offers. Raises ModelError, InvalidInput."""
        return [found.id for found in await self._core.registry.list_models(provider)]

    async def set_key(self, provider: str, key: str, *, where: str = KEYRING) -> KeyPlace:
        """Keep a key in the system's key ring, or for this session; say where it is now.

        Raises:
            InvalidInput: no such provider, one that needs no key, or a text that cannot be a key.
        """
        if where not in (KEYRING, SESSION):
            raise InvalidInput(f"A key cannot be kept in {where!r}.", hint="Use keyring or session.")
        if provider in FREE_PROVIDERS:
            raise InvalidInput(f"{provider} needs no key.")
        variable = self._core.registry.settings.endpoint(provider).key_variable
        keys = self._core.keys
        kept = await self._core.in_thread(lambda: keys.set(provider, key, session_only=where == SESSION))
        message = kept.where
        found = await self._core.in_thread(lambda: keys.find(provider, variable))
        if found is not None and found.source is KeySource.ENVIRONMENT:
            message += f" The environment variable {variable} is set too, and goes first."
        await self._core.renew_registry()
        return KeyPlace(provider, kept.source.value, message, variable)

    async def forget_key(self, provider: str) -> bool:
        """Remove a key from the key ring and this session; say whether there was one."""
        had = await self._core.in_thread(lambda: self._core.keys.forget(provider))
        await self._core.renew_registry()
        return had

    async def use(self, role: str, model: str) -> ModelsReport:
        """Choose the model of a role. Raises InvalidInput for a role, provider or model file nobody knows."""
        if role not in set(ModelRole):
            raise InvalidInput(f"{role!r} is not a role.", hint=f"Use one of: {', '.join(ModelRole)}.")
        ref = ModelRef.parse(model)
        registry = self._core.registry
        if ref.provider not in FREE_PROVIDERS:
            registry.settings.endpoint(ref.provider)
        if ref.provider == "gguf" and ref.model not in registry.settings.gguf_files:
            raise InvalidInput(
                f"No model file is known as {ref.model!r}.", hint="Add the file first, in the settings under Models."
            )
        await self._set(f"models.{role}", str(ref))
        return await self.report()

    async def add_file(self, path: Path) -> ModelRef:
        """Make a model file on this computer known by its name. Raises InvalidInput."""
        file = await self._core.in_thread(lambda: path.expanduser().absolute())
        if file.suffix != ".gguf" or not await self._core.in_thread(file.is_file):
            raise InvalidInput(f"{path} is not a model file.", hint="Choose a file that ends with .gguf.")
        name = gguf_name(file)
        await self._set("models.gguf_files", {**self._core.settings.get("models.gguf_files"), name: str(file)})
        return ModelRef("gguf", name)

    def costs_money(self, refs: Iterable[ModelRef]) -> bool:
        """Say whether calls to any of these models are paid for."""
        return any(self._core.registry.costs_money(ref) for ref in refs)

    # --- inside

    async def _set(self, key: str, value: object) -> None:
        await self._core.in_thread(lambda: self._core.settings.set(key, value))
        await self._core.renew_registry()
        await self._core.store.write(lambda unit: unit.events.append("setting:changed", key))

    def _report(self) -> ModelsReport:
        core, registry = self._core, self._core.registry
        chosen = {role: core.model_for(role) for role in ModelRole}
        roles = tuple(_role_row(core, registry, role, ref) for role, ref in chosen.items())
        names = dict.fromkeys((*SHOWN_PROVIDERS, *registry.settings.endpoints, *(r.provider for r in chosen.values())))
        providers = tuple(_provider_row(registry, name) for name in names)
        keyring = core.keys.keyring_status()
        return ModelsReport(
            roles=roles,
            providers=providers,
            notes=tuple(_notes(core, roles, chosen, {row.name: row for row in providers})),
            prices_as_of=registry.prices.as_of,
            keyring=keyring.sentence,
            can_keep_keys=keyring.is_available,
        )


def _role_row(core: Core, registry: ModelRegistry, role: ModelRole, ref: ModelRef) -> RoleRow:
    price = registry.prices.price(ref)
    paid = _costs_money(registry, ref)
    rates = None if price is None else (price.rates.input, price.rates.output)
    return RoleRow(
        role=role.value,
        model=str(ref),
        chosen=core.settings.is_set(f"models.{role.value}"),
        title=setting_named(f"models.{role.value}").title,
        costs_money=paid,
        price=rates if paid else (0.0, 0.0),
    )


def _provider_row(registry: ModelRegistry, name: str) -> ProviderRow:
    models = sorted(ref.model for ref in registry.prices.models if ref.provider == name)
    if name in FREE_PROVIDERS:
        own = {"practice": ["practice"], "gguf": sorted(registry.settings.gguf_files)}.get(name, [])
        return ProviderRow(name, KEYLESS[name], "not-needed", "", (), tuple(own), True)
    try:
        endpoint = registry.settings.endpoint(name)
        address = registry.settings.base_url(name, registry.environ)
    except HoneyguideError as error:
        return ProviderRow(name, error.message, "none", "", (), tuple(models), False)
    local = is_loopback(address.url)
    key = registry.keys.find(name, endpoint.key_variable)
    if key is not None:
        words, source = key.where, key.source.value
    elif local:
        words, source = "No key needed on this computer.", "not-needed"
    else:
        words, source = f"No key yet. Set one, or the environment variable {endpoint.key_variable}.", "none"
    return ProviderRow(name, words, source, address.url, address.notes, tuple(models), local)


def _notes(
    core: Core, roles: Sequence[RoleRow], chosen: dict[ModelRole, ModelRef], providers: dict[str, ProviderRow]
) -> Iterable[str]:
    used = list(dict.fromkeys(ref.provider for ref in chosen.values()))
    missing = [name for name in used if providers[name].key_source == "none"]
    if not any(row.chosen for row in roles) and missing:
        yield "No model is set up yet, so nothing is sent anywhere. Choose one, or use the practice model."
        return
    for name in missing:
        yield f"{name} is chosen and has no key yet."
    if grades_itself(chosen[ModelRole.EXECUTOR], chosen[ModelRole.JUDGE]):
        yield (
            f"The model grades itself: {chosen[ModelRole.JUDGE]} answers and judges. "
            "Choose another one to judge, and the grades say more."
        )
    if any(ref.provider == "practice" for ref in chosen.values()):
        yield "The practice model is a simulation for trying things out; its results say nothing about real models."
    if not core.settings.get("models.judge_exam_passed"):
        yield "The judge failed its exam: it may guide a search and may not prove a result."
    for row in roles:
        if row.costs_money and row.price is None and row.chosen:
            yield f"The price of {row.model} is unknown; a run with it needs a ceiling on calls."


def _costs_money(registry: ModelRegistry, ref: ModelRef) -> bool:
    try:
        return registry.costs_money(ref)
    except HoneyguideError:
        return True  # an address nobody understands is not known to be free


def _test(found: Diagnosis) -> ModelTest:
    return ModelTest(
        model=found.model,
        ok=found.is_ok,
        kind=found.kind,
        message=found.sentence,
        remedy=found.remedy,
        latency_ms=found.latency_ms,
        notes=found.notes,
        suggestions=found.suggestions,
    )

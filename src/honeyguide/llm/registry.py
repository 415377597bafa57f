"""From a name (``PROVIDER:MODEL``) to something that answers: providers, their prices, and whether they cost money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from honeyguide.kernel.clock import Clock, SystemClock
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.addresses import is_loopback
from honeyguide.llm.connections import Connection, HeaderListener
from honeyguide.llm.keys import KeyStore
from honeyguide.llm.limiter import Limiter
from honeyguide.llm.prices import FreeQuote, PriceTable, Quote, UnknownQuote
from honeyguide.llm.protocol import ModelRef
from honeyguide.llm.providers.outgoing import ModelListing, Provider
from honeyguide.llm.settings import FREE_PROVIDERS, ModelSettings


def costs_money(ref: ModelRef, base_url: str | None = None) -> bool:
    """Say whether calls to ``ref`` are paid for: all but practice, replay, model files and this computer's servers.

    Args:
        base_url: the address that is really used; the provider's own when not given.
    """
    if ref.provider in FREE_PROVIDERS:
        return False
    return not is_loopback(base_url or ModelSettings().base_url(ref.provider, {}).url)


def connection_for(ref: ModelRef, settings: ModelSettings, keys: KeyStore, environ: Mapping[str, str]) -> Connection:
    """Return how the provider of ``ref`` is reached. Raises InvalidInput for an unknown provider or a bad address."""
    endpoint = settings.endpoint(ref.provider)
    url = settings.base_url(ref.provider, environ).url

    def find_key() -> str | None:
        key = keys.find(ref.provider, endpoint.key_variable)
        return key.value if key else None

    return Connection(
        provider=ref.provider,
        dialect=endpoint.dialect,
        base_url=url,
        find_key=find_key,
        timeout=lambda role: settings.timeout(role, url),
        connect_timeout=settings.connect_timeout,
        ca_file=settings.ca_file,
        proxy=settings.proxy,
    )


def make_provider(
    ref: ModelRef,
    settings: ModelSettings,
    keys: KeyStore,
    environ: Mapping[str, str],
    *,
    on_headers: HeaderListener | None = None,
    gguf_command: Sequence[str] | None = None,
) -> Provider:
    """Return the innermost client for ``ref``. Imports no SDK, reads no key and opens no connection yet.

    Args:
        gguf_command: how the child that runs model files is started, in a frozen program.
    """
    if ref.provider == "practice":
        from honeyguide.llm.providers.practice import PracticeProvider

        return PracticeProvider()
    if ref.provider == "replay":
        return _replay(settings)
    if ref.provider == "gguf":
        return _gguf(ref, settings, gguf_command, on_headers)
    connection = connection_for(ref, settings, keys, environ)
    if connection.dialect == "anthropic":
        from honeyguide.llm.providers.anthropic import AnthropicProvider

        return AnthropicProvider(connection, on_headers)
    from honeyguide.llm.providers.openai import OpenAIProvider

    return OpenAIProvider(connection, on_headers)


def quote_for(
    ref: ModelRef, settings: ModelSettings, environ: Mapping[str, str], prices: PriceTable, *, batch: bool = False
) -> Quote:
    """Return what knows the price of calls to ``ref``; another vendor's address makes a known model's price unknown."""
    if ref.provider in FREE_PROVIDERS:
        return FreeQuote()
    url = settings.base_url(ref.provider, environ).url
    if is_loopback(url):
        return FreeQuote()
    if ref.provider in ("anthropic", "openai") and url != ModelSettings().base_url(ref.provider, {}).url:
        return UnknownQuote()
    return prices.quote(ref, batch=batch)


class ModelRegistry:
    """The providers of one program, each opened once and shared by all runs; one limiter for each of them.

    With nothing configured it does nothing: no import of an SDK, no look into the key ring, no connection.
    """

    def __init__(
        self,
        settings: ModelSettings,
        keys: KeyStore,
        prices: PriceTable,
        environ: Mapping[str, str],
        *,
        clock: Clock | None = None,
        gguf_command: Sequence[str] | None = None,
    ) -> None:
        self.settings = settings
        self.keys = keys
        self.prices = prices
        self.environ = environ
        self.clock = clock or SystemClock()
        self._gguf_command = gguf_command
        self._providers: dict[str, Provider] = {}
        self._limiters: dict[str, Limiter] = {}

    def provider(self, ref: ModelRef) -> Provider:
        """Return the open provider for ``ref``."""
        key = self._key(ref)
        if key not in self._providers:
            self._providers[key] = make_provider(
                ref,
                self.settings,
                self.keys,
                self.environ,
                on_headers=self.limiter(ref).observe,
                gguf_command=self._gguf_command,
            )
        return self._providers[key]

    def limiter(self, ref: ModelRef) -> Limiter:
        """Return the limiter that everybody shares who asks this provider."""
        key = self._key(ref)
        if key not in self._limiters:
            most = 1 if ref.provider == "gguf" else self.settings.concurrency
            self._limiters[key] = Limiter(most, clock=self.clock)
        return self._limiters[key]

    def quote(self, ref: ModelRef, *, batch: bool = False) -> Quote:
        """Return what knows the price of calls to ``ref``."""
        return quote_for(ref, self.settings, self.environ, self.prices, batch=batch)

    def takes_batches(self, ref: ModelRef) -> bool:
        """Say whether calls to ``ref`` can be handed in many at once, at the price for that."""
        return ref.provider not in FREE_PROVIDERS and hasattr(self.provider(ref), "submit_batch")

    def costs_money(self, ref: ModelRef) -> bool:
        """Say whether calls to ``ref`` are paid for, at the address that is really used."""
        if ref.provider in FREE_PROVIDERS:
            return False
        return costs_money(ref, self.settings.base_url(ref.provider, self.environ).url)

    def has_key(self, ref: ModelRef) -> bool:
        """Say whether ``ref`` can be called as far as keys go (may wait for the key ring: use a worker thread)."""
        if ref.provider in FREE_PROVIDERS:
            return True
        connection = connection_for(ref, self.settings, self.keys, self.environ)
        return not connection.needs_key or connection.find_key() is not None

    async def list_models(self, provider: str) -> list[ModelListing]:
        """Return what a provider offers. Raises ModelError, InvalidInput."""
        if provider == "gguf":
            return [ModelListing(name) for name in sorted(self.settings.gguf_files)]
        return await self.provider(ModelRef(provider, "")).list_models()

    async def close(self) -> None:
        """Close all connections and end all child processes."""
        providers, self._providers = list(self._providers.values()), {}
        for provider in providers:
            await provider.close()

    def _key(self, ref: ModelRef) -> str:
        return str(ref) if ref.provider == "gguf" else ref.provider


def gguf_name(path: Path) -> str:
    """Return the name a model file is called by: its file name without the ending, for no path may get into records."""
    return path.name.removesuffix(".gguf")


def _gguf(
    ref: ModelRef, settings: ModelSettings, command: Sequence[str] | None, on_headers: HeaderListener | None
) -> Provider:
    path = settings.gguf_files.get(ref.model)
    if path is None:
        known = ", ".join(sorted(settings.gguf_files)) or "none yet"
        raise InvalidInput(
            f"No model file is known as {ref.model!r}.", hint=f"Add the file under Models first. Known: {known}."
        )
    from honeyguide.llm.providers.gguf import GgufProvider

    return GgufProvider(
        path,
        context=settings.gguf_context,
        timeout=lambda role: settings.timeout(role, "http://127.0.0.1"),
        command=command,
        on_headers=on_headers,
    )


def _replay(settings: ModelSettings) -> Provider:
    if settings.replay_journal is None:
        raise InvalidInput("Replay needs a journal.", hint="Name the journal of a past run in the settings.")
    from honeyguide.llm.providers.replay import ReplayProvider

    return ReplayProvider(settings.replay_journal)

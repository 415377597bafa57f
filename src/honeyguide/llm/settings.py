"""What a person sets about models: which for what, where they are, how long to wait. Never a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.addresses import OFFICIAL, BaseUrl, Dialect, fix_base_url, is_loopback
from honeyguide.llm.protocol import ModelRef, ModelRole

DEFAULT_MODELS: Mapping[ModelRole, ModelRef] = {
    ModelRole.EXECUTOR: ModelRef("anthropic", "claude-haiku-4-5"),
    ModelRole.JUDGE: ModelRef("anthropic", "claude-haiku-4-5"),
    ModelRole.MUTATOR: ModelRef("anthropic", "claude-sonnet-5-5"),
    ModelRole.MAINTAINER: ModelRef("anthropic", "claude-sonnet-5-5"),
}
"""Used when a provider is set up and no model is named; writing prompts gets the stronger one."""

FREE_PROVIDERS = frozenset({"practice", "replay", "gguf"})
"""Providers whose calls cost nothing, wherever they run."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that models are asked from.

    Attributes:
        base_url: its address when the settings and the environment name none.
        key_variable: the environment variable that its key is read from.
    """

    dialect: Dialect
    base_url: str
    key_variable: str


ENDPOINTS: Mapping[str, Endpoint] = {
    "anthropic": Endpoint("anthropic", OFFICIAL["anthropic"], "ANTHROPIC_API_KEY"),
    "openai": Endpoint("openai", OFFICIAL["openai"], "OPENAI_API_KEY"),
    "ollama": Endpoint("openai", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY"),
    "lmstudio": Endpoint("openai", "http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY"),
    "llamacpp": Endpoint("openai", "http://127.0.0.1:8080/v1", "LLAMACPP_API_KEY"),
    "vllm": Endpoint("openai", "http://127.0.0.1:8000/v1", "VLLM_API_KEY"),
}
_URL_VARIABLES = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}
DEFAULT_TIMEOUTS: Mapping[ModelRole, float] = {
    ModelRole.EXECUTOR: 120.0,
    ModelRole.JUDGE: 120.0,
    ModelRole.MUTATOR: 300.0,
    ModelRole.MAINTAINER: 300.0,
}
"""Seconds that a call of a role may take when nobody said otherwise."""
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}")
LOCAL_TIMEOUT = 900.0
"""The same for any role at a server on this computer: small machines think long."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """All of it; the defaults need nothing and reach nobody.

    Attributes:
        base_urls: another address for a provider, as typed.
        endpoints: further providers by name, e.g. a server of the person's own.
        timeouts: seconds a call of a role may take, where a person set them; they hold on this computer too.
        connect_timeout: seconds until a connection must stand.
        ca_file: certificates trusted besides the system's, PEM.
        proxy: used for everything but this computer; else the system's and the environment's settings hold.
        concurrency: calls under way at one provider at most.
        gguf_files: model files on this computer by the name they are called here (``gguf:NAME``).
        gguf_context: tokens one conversation with such a model may have.
        replay_journal: where ``replay:PROVIDER:MODEL`` looks its answers up.
    """

    base_urls: Mapping[str, str] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    timeouts: Mapping[ModelRole, float] = field(default_factory=dict)
    connect_timeout: float = 10.0
    ca_file: Path | None = None
    proxy: str | None = None
    concurrency: int = 8
    gguf_files: Mapping[str, Path] = field(default_factory=dict)
    gguf_context: int = 4096
    replay_journal: Path | None = None

    def endpoint(self, provider: str) -> Endpoint:
        """Return the endpoint of a provider. Raises InvalidInput for a name nobody knows."""
        found = self.endpoints.get(provider) or ENDPOINTS.get(provider)
        if found is None:
            known = ", ".join(sorted({*ENDPOINTS, *self.endpoints, *FREE_PROVIDERS}))
            raise InvalidInput(f"{provider!r} is not a provider.", hint=f"Known are: {known}.")
        return found

    def base_url(self, provider: str, environ: Mapping[str, str]) -> BaseUrl:
        """Return the address of a provider: the environment's, else the settings', else its own; put right."""
        endpoint = self.endpoint(provider)
        typed = environ.get(_URL_VARIABLES.get(provider, ""), "").strip() or self.base_urls.get(provider, "").strip()
        return fix_base_url(endpoint.dialect, typed or endpoint.base_url)

    def timeout(self, role: ModelRole, url: str) -> float:
        """Return the seconds a call of this role to this address may take."""
        usual = LOCAL_TIMEOUT if is_loopback(url) else DEFAULT_TIMEOUTS[role]
        return self.timeouts.get(role, usual)


def own_endpoints(dialect: Dialect, servers: Mapping[str, str]) -> dict[str, Endpoint]:
    """Return the endpoints of a person's own servers. Raises InvalidInput for a name that cannot be a provider's.

    Args:
        servers: name to address.
    """
    found = {}
    for name, address in servers.items():
        if not _NAME.fullmatch(name) or name in ENDPOINTS or name in FREE_PROVIDERS:
            raise InvalidInput(
                f"{name!r} cannot be the name of a server.",
                hint="Use lower-case letters, digits, - and _, and none of the names that are known already.",
            )
        found[name] = Endpoint(dialect, address, f"{name.upper().replace('-', '_')}_API_KEY")
    return found


def grades_itself(executor: ModelRef, judge: ModelRef) -> bool:
    """Say whether the model would grade its own answers; whoever shows results says so too."""
    return executor == judge and executor.provider != "practice"

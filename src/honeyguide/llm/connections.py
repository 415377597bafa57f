"""How a provider's HTTP client is built: time-outs, proxies, certificates; the same for both SDKs."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import proxy_bypass

from honeyguide.kernel.errors import Unreadable
from honeyguide.llm.addresses import OFFICIAL, Dialect, host_of, is_loopback
from honeyguide.llm.answer_bounds import NO_COMPRESSION, bound_answer
from honeyguide.llm.protocol import ModelRole

HeaderListener = Callable[[Mapping[str, str]], None]
"""Told of every answer's headers; the limiter reads its allowances there."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Everything about reaching one provider, without the key itself.

    Attributes:
        find_key: called in a worker thread when the first call is made (a key ring may ask the person).
        needs_key: whether a call without a key makes no sense.
        timeout: seconds for a call of a role.
    """

    provider: str
    dialect: Dialect
    base_url: str
    find_key: Callable[[], str | None]
    timeout: Callable[[ModelRole], float]
    connect_timeout: float = 10.0
    ca_file: Path | None = None
    proxy: str | None = None

    @property
    def who(self) -> str:
        """The provider and its host, as a person would say it."""
        return f"{self.provider} ({host_of(self.base_url)})"

    @property
    def is_local(self) -> bool:
        """Whether it is on this computer."""
        return is_loopback(self.base_url)

    @property
    def is_official(self) -> bool:
        """Whether it is the provider's own address, so that its price list holds."""
        return self.base_url == OFFICIAL[self.dialect]

    @property
    def needs_key(self) -> bool:
        """Whether the server surely refuses calls without one."""
        return self.is_official

    def http_options(self) -> dict[str, Any]:
        """Return keyword arguments for the SDK's HTTP client.

        Redirects are not followed: an SDK sends its key along. This computer is never reached through a proxy.

        Raises:
            Unreadable: the CA file is none.
        """
        options: dict[str, Any] = {
            "follow_redirects": False,
            "headers": NO_COMPRESSION,
            "event_hooks": {"response": [bound_answer]},
        }
        if self.is_local:
            options["trust_env"] = False
        elif self.proxy and not proxy_bypass(host_of(self.base_url)):
            options["proxy"] = self.proxy
        if self.ca_file is not None:
            options["verify"] = _trusting(self.ca_file)
        return options


def _trusting(ca_file: Path) -> ssl.SSLContext:
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise Unreadable(
            f"The certificate file {ca_file.name} cannot be used.", hint="It must hold PEM certificates."
        ) from error
    return context

"""How a provider's HTTP client is built: time-outs, proxies, certificates; the same for both SDKs."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from honeyguide.kernel.errors import Unreadable
from honeyguide.llm.addresses import OFFICIAL, Dialect, host_of, is_loopback
from honeyguide.llm.answer_bounds import NO_COMPRESSION, bound_answer
from honeyguide.llm.failures import Failure, FailureKind, model_error
from honeyguide.llm.protocol import ModelRole
from honeyguide.llm.proxies import is_spoken, proxy_for

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
    def proxy_in_use(self) -> str | None:
        """The proxy between here and the provider, or ``None``. Raises ModelError for a kind that is not spoken."""
        found = proxy_for(self.base_url, self.proxy)
        if found is not None and not is_spoken(found):
            kind = urlsplit(found).scheme
            raise model_error(Failure(FailureKind.PROXY_KIND), who=self.who, said=f"its address begins with {kind}://")
        return found

    @property
    def needs_key(self) -> bool:
        """Whether the server surely refuses calls without one."""
        return self.is_official

    def http_options(self) -> dict[str, Any]:
        """Return keyword arguments for the SDK's HTTP client.

        Redirects are not followed: an SDK sends its key along. Reads certificates: call it in a worker thread.

        Raises:
            Unreadable: the CA file is none.
            ModelError: the proxy is of a kind that is not spoken.
        """
        return {
            "follow_redirects": False,
            "headers": NO_COMPRESSION,
            "event_hooks": {"response": [bound_answer]},
            "trust_env": False,  # what of the environment holds is decided here
            "proxy": self.proxy_in_use,
            "verify": _trusted(self.ca_file),
        }


def _trusted(ca_file: Path | None) -> ssl.SSLContext:
    """The system's certificates (``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` are heeded), and those of ``ca_file``."""
    import httpx2

    context = httpx2.create_ssl_context()
    if ca_file is None:
        return context
    try:
        context.load_verify_locations(cafile=str(ca_file))
    except (OSError, ssl.SSLError) as error:
        raise Unreadable(
            f"The certificate file {ca_file.name} cannot be used.", hint="It must hold PEM certificates."
        ) from error
    return context

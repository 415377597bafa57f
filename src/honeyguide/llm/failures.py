"""What can go wrong with a call, named once: its class of error, sentence and remedy, and whether to try again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from honeyguide.kernel.errors import AuthFailed, ModelError, ModelRefused, NoKey, RateLimited, Unreachable

RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
OVERLOAD_STATUSES = frozenset({429, 529})
SAID_LIMIT = 300
"""Characters of a provider's own words that are passed on."""
SHORTEST_SECRET = 6
"""Characters from which on a key is looked for literally; shorter ones are placeholders for servers that need none."""


class FailureKind(StrEnum):
    """The cause, as far as it can be told."""

    NO_KEY = "no-key"
    AUTH = "auth"
    FORBIDDEN = "forbidden"
    QUOTA = "quota"
    RATE_LIMIT = "rate-limit"
    OVERLOADED = "overloaded"
    MODEL_NOT_FOUND = "model-not-found"
    BAD_REQUEST = "bad-request"
    PARAMETER_DROPPED = "parameter-dropped"
    TOO_LARGE = "too-large"
    SERVER = "server"
    REDIRECT = "redirect"
    BAD_ANSWER = "bad-answer"
    TIMEOUT = "timeout"
    DNS = "dns"
    REFUSED = "refused"
    TLS = "tls"
    PROXY = "proxy"
    PROXY_KIND = "proxy-kind"
    CUT = "cut"
    CONNECTION = "connection"
    NOT_RECORDED = "not-recorded"
    NOT_INSTALLED = "not-installed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt.

    Attributes:
        status: the HTTP status, when there was an answer.
        retry_after: seconds the provider asked to wait, uncapped.
        may_be_billed: whether the provider may charge although no reply came (time-out, cut connection).
    """

    kind: FailureKind
    status: int | None = None
    retry_after: float | None = None
    may_be_billed: bool = False

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may succeed later. Decided by status and kind, never by words in a message."""
        if self.kind in (FailureKind.QUOTA, FailureKind.TLS):
            return False
        if self.kind is FailureKind.PARAMETER_DROPPED:
            return True
        if self.status is not None:
            return self.status in RETRYABLE_STATUSES
        return self.kind in _TRANSIENT_CONNECTIONS

    @property
    def is_unconnected(self) -> bool:
        """Whether the call reached nobody: no status, nothing that could be billed."""
        return self.status is None and not self.may_be_billed and self.kind in _TRANSIENT_CONNECTIONS

    @property
    def is_overload(self) -> bool:
        """Whether everybody who talks to this provider should slow down."""
        return self.status in OVERLOAD_STATUSES and self.kind is not FailureKind.QUOTA


_TRANSIENT_CONNECTIONS = frozenset(
    {
        FailureKind.TIMEOUT,
        FailureKind.DNS,
        FailureKind.REFUSED,
        FailureKind.PROXY,
        FailureKind.CUT,
        FailureKind.CONNECTION,
    }
)

_K = FailureKind
_WORDS: dict[FailureKind, tuple[type[ModelError], str, str]] = {
    _K.NO_KEY: (
        NoKey,
        "{who} needs a key, and none is known.",
        "Set one under Models, or with: honeyguide models set-key",
    ),
    _K.AUTH: (AuthFailed, "{who} refused the key.", "Check the key and its account; enter it again under Models."),
    _K.FORBIDDEN: (
        AuthFailed,
        "{who} does not let this key do that.",
        "Use a key of a project that may use this model.",
    ),
    _K.QUOTA: (
        RateLimited,
        "The account at {who} has no credit or quota left.",
        "Add credit or raise the limit in the provider's console, then resume.",
    ),
    _K.RATE_LIMIT: (
        RateLimited,
        "{who} says: too many requests.",
        "Wait a little and resume, or lower the number of parallel calls.",
    ),
    _K.OVERLOADED: (Unreachable, "{who} is overloaded.", "Wait a little and resume; nothing paid for is lost."),
    _K.MODEL_NOT_FOUND: (
        ModelRefused,
        "{who} does not know this model or address.",
        "Pick a model from the provider's list (honeyguide models list), or correct the base URL.",
    ),
    _K.BAD_REQUEST: (
        ModelRefused,
        "{who} refused the request.",
        "Look at the request in the outbox and correct the settings.",
    ),
    _K.PARAMETER_DROPPED: (
        ModelRefused,
        "{who} does not offer a setting that was asked for; it is left out from now on.",
        "Nothing to do.",
    ),
    _K.TOO_LARGE: (
        ModelRefused,
        "The request is too large for {who}.",
        "Shorten the prompt, or choose a model with a larger context.",
    ),
    _K.SERVER: (Unreachable, "{who} failed on its side.", "Wait a little and resume."),
    _K.REDIRECT: (
        Unreachable,
        "{who} redirects to another address.",
        "Enter the address it redirects to as the base URL.",
    ),
    _K.BAD_ANSWER: (
        Unreachable,
        "{who} answered with something that is not a model's reply.",
        "Check the base URL: it may lead to a web page, a proxy's login page or another program.",
    ),
    _K.TIMEOUT: (
        Unreachable,
        "{who} did not answer in time.",
        "Raise the time-out under Models, or ask for shorter replies.",
    ),
    _K.DNS: (
        Unreachable,
        "The address of {who} could not be found.",
        "Check the network and the spelling of the base URL.",
    ),
    _K.REFUSED: (
        Unreachable,
        "Nothing answers at {who}.",
        "Start the model server, or correct the host and port of the base URL.",
    ),
    _K.TLS: (
        Unreachable,
        "The certificate of {who} is not trusted.",
        "If your network inspects traffic, name its CA file under Models; otherwise check the clock and the address.",
    ),
    _K.PROXY: (
        Unreachable,
        "The proxy between here and {who} refused or failed.",
        "Check HTTPS_PROXY and its login, or add the host to NO_PROXY.",
    ),
    _K.PROXY_KIND: (
        Unreachable,
        "The proxy between here and {who} is of a kind that Honeyguide does not speak.",
        "Name an HTTP proxy (http://host:port) under Models or in HTTPS_PROXY, or add the host to NO_PROXY.",
    ),
    _K.CUT: (Unreachable, "{who} closed the connection before the reply was whole.", "Wait a little and resume."),
    _K.CONNECTION: (Unreachable, "{who} could not be reached.", "Check the network and the base URL."),
    _K.NOT_RECORDED: (
        ModelRefused,
        "The journal holds no reply to this request.",
        "Replay answers only what was asked before; choose a real model for anything new.",
    ),
    _K.NOT_INSTALLED: (
        ModelRefused,
        "Running a model file needs an extra part that is not installed.",
        "Install it with: pip install 'honeyguide[local]'",
    ),
    _K.CANCELLED: (Unreachable, "The call to {who} was broken off.", "Resume the run."),
}


_NO_CONNECTION = tuple(
    tuple(_WORDS[kind][1].split("{who}")) for kind in (_K.DNS, _K.REFUSED, _K.TLS, _K.PROXY, _K.CONNECTION, _K.TIMEOUT)
)
_UNREACHABLE = f"executor-failed: {Unreachable.code}"


def tells_of_no_connection(reason: str) -> bool:
    """Say whether the reason that a run stopped for is that the model could not be reached."""
    return _UNREACHABLE in reason or any(
        reason.startswith(before) and after.rstrip(".") in reason for before, after in _NO_CONNECTION
    )


def model_error(failure: Failure, *, who: str, said: str = "", secrets: tuple[str, ...] = ()) -> ModelError:
    """Return the error for ``failure``: a sentence, a remedy, and the facts in ``details``.

    Args:
        who: the provider and its host, as a person would say it.
        said: the provider's own words; shortened, and cleaned of ``secrets`` and of anything that looks like a key.
    """
    kind, sentence, remedy = _WORDS[failure.kind]
    details: dict[str, object] = {"kind": failure.kind.value}
    if failure.status is not None:
        details["status"] = failure.status
    if failure.retry_after is not None:
        details["retry_after"] = failure.retry_after
    if failure.may_be_billed:
        details["may_be_billed"] = True
    message = sentence.format(who=who)
    if cleaned := without_secrets(said, secrets):
        details["said"] = cleaned
        message = f"{message.rstrip('.')}: {cleaned}"
    return kind(message, hint=remedy, details=details)


def failure_of(error: ModelError) -> Failure:
    """Read the facts back from an error; a foreign one counts as not retryable and not billed."""
    details = error.details
    status, wait, name = details.get("status"), details.get("retry_after"), details.get("kind")
    known = isinstance(name, str) and name in _KINDS
    return Failure(
        kind=FailureKind(str(name)) if known else FailureKind.BAD_ANSWER,
        status=status if isinstance(status, int) else None,
        retry_after=float(wait) if isinstance(wait, int | float) else None,
        may_be_billed=details.get("may_be_billed") is True,
    )


def without_secrets(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return ``text`` on one line, at most SAID_LIMIT characters, with keys replaced by an ellipsis."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "…")
    text = _KEY_SHAPES.sub("…", " ".join(text.split()))
    return text if len(text) <= SAID_LIMIT else text[: SAID_LIMIT - 1] + "…"


_KINDS = frozenset(kind.value for kind in FailureKind)
_KEY_SHAPES = re.compile(r"\b(?:sk|pk|rk|gsk|xai)[-_][A-Za-z0-9_*.-]{6,}|(?<=Bearer )\S+", re.IGNORECASE)

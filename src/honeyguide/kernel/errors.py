"""The errors that a person may meet: each has a stable code, a sentence to act on, and a hint.

Front ends translate them: a dialog, an exit code with JSON, an HTTP status. The codes and exit
numbers are public.
"""

from __future__ import annotations

from typing import ClassVar


class HoneyguideError(Exception):
    """Something went wrong that can be said in one sentence.

    Attributes:
        code: stable machine-readable name, e.g. ``not-found``.
        exit_code: what the command line exits with.
        message: one sentence: what, where.
        hint: what the person can do now; may be empty.
        details: plain data to show beside the sentence (never a secret).
    """

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", details: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, object] = dict(details or {})

    def to_json(self) -> dict[str, object]:
        """Return ``{"code", "message", "hint"}`` plus the details, ready for JSON."""
        return {"code": self.code, "message": self.message, "hint": self.hint, **self.details}


class InternalError(HoneyguideError):
    """A failure that nobody foresaw."""


class InvalidInput(HoneyguideError):
    """Wrong usage, or data that breaks a rule; nothing was changed."""

    code = "invalid"
    exit_code = 2


class Unreadable(HoneyguideError):
    """A file that cannot be read or decoded."""

    code = "unreadable"
    exit_code = 2


class Unwritable(HoneyguideError):
    """A file that cannot be written: read-only, no permission, no space; what was there is still there."""

    code = "unwritable"
    exit_code = 1


class Unsupported(HoneyguideError):
    """Something valid that this program does not handle."""

    code = "unsupported"
    exit_code = 2


class NotFound(HoneyguideError):
    """A name or id that does not exist."""

    code = "not-found"
    exit_code = 3


class Conflict(HoneyguideError):
    """The thing is in a state that does not allow this."""

    code = "conflict"
    exit_code = 4


class Stale(Conflict):
    """The live text changed since the work on it began."""

    code = "stale"


class Locked(Conflict):
    """Somebody else is working on the same thing."""

    code = "locked"


class ModelError(HoneyguideError):
    """A model could not be reached or used; never a score."""

    code = "unreachable"
    exit_code = 5


class NoKey(ModelError):
    """The provider needs a key and none is known."""

    code = "no-key"


class AuthFailed(ModelError):
    """The provider refused the key."""

    code = "auth"


class Unreachable(ModelError):
    """No answer: DNS, refused connection, TLS, proxy, timeout, or a server error that stayed."""

    code = "unreachable"


class RateLimited(ModelError):
    """The provider says: too many requests, and went on saying so."""

    code = "rate-limited"


class ModelRefused(ModelError):
    """The provider refused the request itself (bad request, unknown model, too long)."""

    code = "model-refused"


class Refused(HoneyguideError):
    """A rule of ours forbids it."""

    code = "policy"
    exit_code = 6


class GateRefused(Refused):
    """A gate failed."""

    code = "gate"


class CapabilityRefused(Refused):
    """The change adds a capability that the current text does not have."""

    code = "capability"


class BudgetExceeded(Refused):
    """The ceiling on calls or money would be exceeded by the next call."""

    code = "budget"


class PolicyRefused(Refused):
    """The workspace's policy forbids it, or a needed confirmation is missing."""

    code = "policy"


class Untrusted(Refused):
    """Content that the person has not trusted would have to be executed."""

    code = "untrusted"


class Interrupted(HoneyguideError):
    """Stopped by the person; what was paid for is kept and a rerun resumes."""

    code = "interrupted"
    exit_code = 130

"""One reported problem: what it is about, how sure it is, and in which state it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from honeyguide.kernel.errors import Conflict, InvalidInput

MAX_MESSAGE_BYTES: Final = 4000
"""UTF-8 bytes that a message may have."""
MAX_ACTIONABLE: Final = 50
"""How many problems one proposal may be asked to solve; the oldest come first."""


class FeedbackType(StrEnum):
    """How a problem came to be known."""

    EXPLICIT = "explicit_feedback"
    RUN_FAILURE = "run_failure"
    QUICK_RERUN = "quick_rerun"
    """The same thing was run again at once. Nobody knows why, so it never authorises anything."""
    MANUAL_NOTE = "manual_note"


class FeedbackState(StrEnum):
    """Where a problem stands."""

    OPEN = "open"
    TARGETED = "targeted"
    """A run works on it, or a proposal that is about it waits for a person."""
    RESOLVED = "resolved"
    """A case that reproduced it turned from red to green, and that text is live."""
    DISMISSED = "dismissed"
    """A person said that it is none."""


class Confidence(StrEnum):
    """How sure it is that there is a problem."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class FailureClass(StrEnum):
    """Why an execution failed; only ``behavior`` says anything about the text."""

    BEHAVIOR = "behavior"
    PROVIDER = "provider"
    AUTH = "auth"
    TIMEOUT = "timeout"
    ENVIRONMENT = "environment"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


class Trigger(StrEnum):
    """What a policy may let work begin with."""

    EXPLICIT_FEEDBACK = "explicit-feedback"
    CLASSIFIED_FAILURE = "classified-failure"
    QUICK_RERUN = "quick-rerun"
    """Kept as an observation; it never begins work."""


@dataclass(frozen=True, slots=True)
class FeedbackDraft:
    """A problem before it is stored.

    Attributes:
        kind, name: the target (``flow`` and the flow's id, for a flow).
        path: the file it was about, to show; it may have moved since.
        text_sha256: of the target's file when it was reported.
        expected, actual: the output that was wanted, and the one that came.
        trace_id: the recorded execution it is about.
        input_hash, output_ref: where a run's input and redacted output can be found.
    """

    kind: str
    name: str
    message: str
    path: str = ""
    text_sha256: str | None = None
    type: FeedbackType = FeedbackType.EXPLICIT
    confidence: Confidence = Confidence.HIGH
    expected: str | None = None
    actual: str | None = None
    trace_id: int | None = None
    failure_class: FailureClass | None = None
    run_id: str | None = None
    input_hash: str | None = None
    output_ref: str | None = None


@dataclass(frozen=True, slots=True)
class FeedbackItem:
    """A stored problem; see ``FeedbackDraft``.

    Attributes:
        id: ``fb_`` and 32 hex digits; never used again.
        state, run_id: where it stands, and the run that put it there.
        created_at, changed_at: UTC, ISO 8601.
        case: ``SUITE:CASE`` that reproduces it, once a person linked one.
        merged_into: the problem that it says the same as, when a person merged them.
    """

    id: str
    kind: str
    name: str
    message: str
    created_at: str
    changed_at: str
    path: str = ""
    text_sha256: str | None = None
    type: FeedbackType = FeedbackType.EXPLICIT
    confidence: Confidence = Confidence.HIGH
    state: FeedbackState = FeedbackState.OPEN
    expected: str | None = None
    actual: str | None = None
    trace_id: int | None = None
    failure_class: FailureClass | None = None
    run_id: str | None = None
    input_hash: str | None = None
    output_ref: str | None = None
    case: str | None = None
    merged_into: str | None = None

    @property
    def target(self) -> str:
        """``KIND:NAME``."""
        return f"{self.kind}:{self.name}"

    def to_json(self) -> dict[str, Any]:
        """Return the problem as plain data."""
        return {
            "id": self.id,
            "target": self.target,
            "path": self.path or None,
            "text_sha256": self.text_sha256,
            "message": self.message,
            "type": self.type.value,
            "confidence": self.confidence.value,
            "state": self.state.value,
            "expected": self.expected,
            "actual": self.actual,
            "trace_id": self.trace_id,
            "failure_class": self.failure_class.value if self.failure_class else None,
            "run_id": self.run_id,
            "case": self.case,
            "merged_into": self.merged_into,
            "created_at": self.created_at,
            "changed_at": self.changed_at,
        }

    def moved(self, state: FeedbackState, at: str, *, run_id: str | None = None) -> FeedbackItem:
        """Return the problem in another state. Raises Conflict for a change that makes no sense."""
        if state is not self.state and state not in _MOVES[self.state]:
            raise Conflict(
                f"Feedback {self.id} is {self.state}; it cannot become {state}.",
                hint="Reopen it first." if self.state in (FeedbackState.RESOLVED, FeedbackState.DISMISSED) else "",
                details={"state": self.state.value},
            )
        return replace(self, state=state, changed_at=at, run_id=run_id if run_id is not None else self.run_id)

    def classified(self, failure: FailureClass, at: str) -> FeedbackItem:
        """Return the failed run with the reason that a person gave. Raises Conflict for anything else than one."""
        if self.type is not FeedbackType.RUN_FAILURE:
            raise Conflict(f"Feedback {self.id} is {self.type}; only a failed run is classified.")
        return replace(self, failure_class=failure, changed_at=at)


_S = FeedbackState
_MOVES: Final = {
    _S.OPEN: {_S.TARGETED, _S.DISMISSED},
    _S.TARGETED: {_S.OPEN, _S.RESOLVED, _S.DISMISSED},
    _S.RESOLVED: {_S.OPEN},
    _S.DISMISSED: {_S.OPEN},
}


def checked_message(message: str) -> str:
    """Return the message without outer white space. Raises InvalidInput when empty or over ``MAX_MESSAGE_BYTES``."""
    text = message.strip().strip("\ufeff").strip()
    if not text:
        raise InvalidInput("The feedback is empty.", hint="Say in a sentence what was wrong.")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InvalidInput("The feedback holds characters that are no text.", hint="Type it anew.") from error
    if size > MAX_MESSAGE_BYTES:
        raise InvalidInput(
            f"The feedback has {size} bytes; {MAX_MESSAGE_BYTES} are the limit.",
            hint="Say the one thing that was wrong; attach the outputs with --expected and --actual.",
        )
    return text


def actionable(
    items: Iterable[FeedbackItem],
    triggers: Collection[Trigger] = (Trigger.EXPLICIT_FEEDBACK, Trigger.CLASSIFIED_FAILURE),
    *,
    only: Collection[str] | None = None,
) -> tuple[FeedbackItem, ...]:
    """Return the problems that work may begin with, oldest first, at most ``MAX_ACTIONABLE``.

    A quick rerun is never among them, whatever the triggers say, and neither is a failure that nobody classified as
    one of behaviour.

    Args:
        only: ids to choose among; ``None`` for all.
    """
    chosen = [
        item
        for item in items
        if item.state in (FeedbackState.OPEN, FeedbackState.TARGETED)
        and item.merged_into is None
        and _may_begin_work(item, triggers)
        and (only is None or item.id in only)
    ]
    return tuple(sorted(chosen, key=lambda item: (item.created_at, item.id))[:MAX_ACTIONABLE])


def _may_begin_work(item: FeedbackItem, triggers: Collection[Trigger]) -> bool:
    if item.type in (FeedbackType.EXPLICIT, FeedbackType.MANUAL_NOTE):
        return Trigger.EXPLICIT_FEEDBACK in triggers
    if item.type is FeedbackType.RUN_FAILURE:
        return Trigger.CLASSIFIED_FAILURE in triggers and item.failure_class is FailureClass.BEHAVIOR
    return False

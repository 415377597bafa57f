"""What a reader is: bytes in, conversations and findings out. No files, no network, no clock, no store.

A module ``readers/<source>.py`` ends with ``SOURCE = …``, an object that keeps ``Source``; nothing else must
be told about it. What every reader promises:

* It streams: one conversation at a time goes out, and no more than that is held.
* Nothing is counted twice; keys of turns and traces are the same wherever a copy stands.
* Unknown is ``None``. The outcome is ``pending`` with ``outcome_detail="unknown"`` unless there is positive
  evidence; an infrastructure error is ``abandoned`` with ``outcome_detail="error: …"``.
* A line it cannot use is noted in ``context.health``; reading goes on.
* Text leaves as the source holds it: redaction comes after the reader, and before anything is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol, runtime_checkable

from honeyguide.kernel.errors import Interrupted
from honeyguide.traces.conversations import Conversation
from honeyguide.traces.health import HealthReport

HEAD_BYTES = 64 * 1024
"""How much of a file ``Source.sniff`` gets to see."""

LINE_LIMIT = 4 * 1024 * 1024
"""Longer lines (bytes) are kept shortened, with their true size."""


def _nothing(_: int) -> None:
    return None


def _never() -> bool:
    return False


def _unrelated(_: str) -> BinaryIO | None:
    return None


@dataclass(frozen=True, slots=True)
class ReadContext:
    """What a reader is told besides the bytes.

    Attributes:
        name: the file's name or path, for keys of last resort and for messages; may not decide the format.
        health: where problems are noted.
        progress: called now and then with the number of bytes consumed so far.
        is_cancelled: asked at least once per second; when true, ``check_cancelled`` raises.
        encoding: the code page that a person named for a file that is not UTF-8; ``None`` means UTF-8.
        mapping: column name to field name, for tables (``input``, ``output``, ``expected``, ``rating``, …).
        line_limit: bytes of a line that are kept.
        related: returns another session of the same source by its id, for sources whose files repeat the one
            they came from; ``None`` when it is not at hand. The reader closes it.
    """

    name: str = ""
    health: HealthReport = field(default_factory=HealthReport)
    progress: Callable[[int], None] = _nothing
    is_cancelled: Callable[[], bool] = _never
    encoding: str | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    line_limit: int = LINE_LIMIT
    related: Callable[[str], BinaryIO | None] = _unrelated

    def check_cancelled(self) -> None:
        """Raise ``Interrupted`` once the person has cancelled the import."""
        if self.is_cancelled():
            raise Interrupted("The import was cancelled.", hint="What was imported so far is complete and stays.")


@runtime_checkable
class Source(Protocol):
    """One format of recorded history."""

    @property
    def name(self) -> str:
        """The public name, e.g. ``claude-code``."""
        ...

    def sniff(self, head: bytes, name_hint: str) -> float:
        """Say how sure it is, from 0 to 1, that a file beginning with ``head`` is of this format.

        ``head`` is the first ``HEAD_BYTES`` of the file, so its last line may be cut. Decide by content;
        ``name_hint`` may only break a tie. Never raises.
        """
        ...

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        """Yield the conversations of a seekable stream.

        Raises:
            Unreadable: the file as a whole cannot be read in this format (and what would help).
            Interrupted: cancelled; conversations already yielded are whole.
        """
        ...

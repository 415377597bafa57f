"""Problems that people report, and their life: open, targeted, resolved or dismissed.

`items` says what a problem is and which changes of state make sense; `log` keeps problems in an append-only private
file; `reading` reads such a file, also one that mdflow wrote; `duplicates` finds problems that say the same; `drafts`
writes a test case that fails on purpose. Rooms from `suites` upward may import it.
"""

from honeyguide.feedback.drafts import draft_case
from honeyguide.feedback.duplicates import Duplicate, near_duplicates
from honeyguide.feedback.items import (
    MAX_MESSAGE_BYTES,
    Confidence,
    FailureClass,
    FeedbackDraft,
    FeedbackItem,
    FeedbackState,
    FeedbackType,
    Trigger,
    actionable,
)
from honeyguide.feedback.log import FeedbackLog
from honeyguide.feedback.reading import DamagedLine, LogContents, read_log

__all__ = [
    "MAX_MESSAGE_BYTES",
    "Confidence",
    "DamagedLine",
    "Duplicate",
    "FailureClass",
    "FeedbackDraft",
    "FeedbackItem",
    "FeedbackLog",
    "FeedbackState",
    "FeedbackType",
    "LogContents",
    "Trigger",
    "actionable",
    "draft_case",
    "near_duplicates",
    "read_log",
]

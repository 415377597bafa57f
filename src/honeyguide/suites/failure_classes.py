"""Why an execution ended with an error: first by its exit code, then by a structured error, then by error lines.

What the target *answered* is never read for this: an answer about a missing dependency is an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from honeyguide.feedback.items import FailureClass

_BY_EXIT_CODE: Final = {127: FailureClass.ENVIRONMENT, 126: FailureClass.ENVIRONMENT, 130: FailureClass.CANCELLED}
_STATUS: Final = {401: FailureClass.AUTH, 403: FailureClass.AUTH, 407: FailureClass.AUTH, 408: FailureClass.PROVIDER}
_WORDS: Final = (
    (
        FailureClass.AUTH,
        re.compile(
            r"\bunauthori[sz]ed\b|\bauthentication[ _]?(?:error|failed|required)\b|\b(?:invalid|missing) api[ -]?key\b"
            r"|\bnot logged in\b|\bpermission_error\b",
            re.IGNORECASE,
        ),
    ),
    (
        FailureClass.PROVIDER,
        re.compile(
            r"\brate[ _-]?limit|\btoo many requests\b|\boverloaded(?:_error)?\b|\bservice unavailable\b|\bapi_error\b"
            r"|\bECONN[A-Z]+\b|\bnetwork error\b|\bbad gateway\b|\bgateway timeout\b",
            re.IGNORECASE,
        ),
    ),
    (FailureClass.ENVIRONMENT, re.compile(r"\bcommand not found\b|\bmodule not found\b|\bcannot find module\b", re.I)),
)
_CODE = re.compile(r"(?<![\w.])([45]\d\d)(?![\w.])")
_ERROR_LINE = re.compile(r"^\W*(?:api |http |fatal |\w+)?(?:error|exception|failed)\b", re.IGNORECASE)
_MOST_LINES = 40


def failure_class(exit_code: int | None, stdout: str, stderr: str) -> FailureClass | None:
    """Return why an execution failed; ``None`` when it did not, ``UNKNOWN`` when nobody can say."""
    if exit_code == 0:
        return None
    if exit_code in _BY_EXIT_CODE:
        return _BY_EXIT_CODE[exit_code]
    for error in _structured(stderr, stdout):
        if (found := _of_text(error, codes=True)) is not None:
            return found
    for line in _error_lines(stderr, stdout):
        if (found := _of_text(line, codes=True)) is not None:
            return found
    return FailureClass.UNKNOWN


def _structured(*texts: str) -> Iterator[str]:
    """Yield what JSON error objects say; they may stand alone on a line or be the whole output."""
    for text in texts:
        for piece in (text.strip(), *(line.strip() for line in text.splitlines()[-_MOST_LINES:])):
            if not piece.startswith("{"):
                continue
            try:
                value = json.loads(piece)
            except (ValueError, RecursionError):
                continue
            error = value.get("error") if isinstance(value, dict) else None
            if error:
                yield _words_of(error) + " " + _words_of({k: value[k] for k in ("status", "code") if k in value})


def _words_of(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(str(value[key]) for key in ("type", "code", "status", "message") if key in value)
    return str(value)


def _error_lines(stderr: str, stdout: str) -> Iterator[str]:
    """Yield every line of stderr, and the lines of stdout that begin as an error message does."""
    yield from stderr.splitlines()[-_MOST_LINES:]
    yield from (line for line in stdout.splitlines()[-_MOST_LINES:] if _ERROR_LINE.match(line))


def _of_text(text: str, *, codes: bool) -> FailureClass | None:
    for kind, words in _WORDS:
        if words.search(text):
            return kind
    for found in _CODE.finditer(text) if codes else ():
        status = int(found[1])
        if status in _STATUS:
            return _STATUS[status]
        if status == 429 or status >= 500:
            return FailureClass.PROVIDER
    return None

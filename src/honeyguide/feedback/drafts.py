"""A test case drafted from a reported problem: it fails on purpose, until a person says what would be right.

A draft is no truth. It is marked ``draft: true``, its only check can never pass, and a suite that holds a draft is
refused at planning; so nothing that a machine wrote becomes the judge of later texts unread.
"""

from __future__ import annotations

import json
from typing import Final

from honeyguide.feedback.items import FeedbackItem

NAME_CHARACTERS: Final = 72
DRAFT_MARK: Final = "DRAFT_ONLY"
"""What the drafted check looks for; no answer should hold it."""

_TEMPLATE: Final = """\
# A draft of a test case, made from a reported problem. It fails on purpose.
#
# 1. Say below what a right answer shows: replace the check with ones of your own.
# 2. Remove the line "draft: true".
# 3. Copy the case into the suite. It counts from then on.
#
# {message}

cases:
  - name: {name}
    draft: true
    evidence: [{id}]
    input: {input}
{outputs}    checks:
      - contains: {mark}
"""


def draft_case(item: FeedbackItem) -> str:
    """Return the draft as YAML. ``item.expected`` and ``item.actual`` stand in it as comments."""
    first = " ".join(item.message.split())[:NAME_CHARACTERS].rstrip()
    return _TEMPLATE.format(
        message="\n# ".join(item.message.splitlines()),
        name=_scalar(f"{item.id} {first}"),
        id=item.id,
        input=_scalar(f"Show that this is solved: {' '.join(item.message.split())}"),
        outputs=_comments("wanted", item.expected) + _comments("came", item.actual),
        mark=_scalar(f"{DRAFT_MARK}: say what a right answer shows"),
    )


def _comments(title: str, text: str | None) -> str:
    if not text:
        return ""
    lines = text.splitlines()[:40]
    return "".join(f"    # {title}: {line}\n" if n == 0 else f"    #   {line}\n" for n, line in enumerate(lines))


def _scalar(text: str) -> str:
    """Return ``text`` as a double-quoted YAML scalar; JSON strings are such."""
    return json.dumps(text, ensure_ascii=False)

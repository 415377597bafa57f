"""Mark the words that differ between two versions of one line, the way a reader would."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from honeyguide.versions.diff.align import Change, align, slide
from honeyguide.versions.diff.limits import Work

Span = tuple[int, int]
"""A run of characters, ``line[start:end]``."""

# Scripts written without spaces are cut into single characters; an emoji keeps its modifiers and joiners.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(
    rf"\s+|[^\W{_UNSPACED}]+(?:['’][^\W{_UNSPACED}]+|[.,](?=\d)[^\W{_UNSPACED}]+)*"
    r"|.(?:[\u0300-\u036f\u0e31-\u0e3a\u0e47-\u0e4e\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|\u200d.)*",
    re.DOTALL,
)
_SENTENCE_END = frozenset(".!?…。！？:;")


@dataclass(frozen=True, slots=True)
class WordMarks:
    """Where two versions of a line differ.

    Attributes:
        before, after: the differing runs on each side, in order, never touching each other.
        equal: share of the longer side's visible characters that are the same on both sides, in [0, 1].
    """

    before: tuple[Span, ...]
    after: tuple[Span, ...]
    equal: float


def split_words(line: str) -> list[str]:
    """Return words, runs of blanks, and single signs; ``"".join`` of them is ``line``."""
    return _TOKEN.findall(line)


def mark_words(before: str, after: str, work: Work) -> WordMarks:
    """Compare two lines by words and clean the result up for reading.

    Equal runs between two changes that are only blanks, or shorter than three characters of Latin text, count as
    changed. A line that is too long for word marks is marked whole. Raises Interrupted when cancelled.
    """
    if before == after:
        return WordMarks((), (), 1.0)
    if max(len(before), len(after)) > work.limits.word_chars:
        work.check()
        return _whole(before, after)
    left, right = split_words(before), split_words(after)
    changes = align(left, right, work)
    if len(changes) > 1:
        changes = _without_crumbs(changes, left)
    changes = slide(changes, left, right, _cut_score)
    starts_left, starts_right = [0, *accumulate(map(len, left))], [0, *accumulate(map(len, right))]
    marks_before = tuple(
        (starts_left[c.before_start], starts_left[c.before_end]) for c in changes if c.before_end > c.before_start
    )
    marks_after = tuple(
        (starts_right[c.after_start], starts_right[c.after_end]) for c in changes if c.after_end > c.after_start
    )
    longest = max(_visible(before), _visible(after))
    changed = max(_marked(before, marks_before), _marked(after, marks_after))
    return WordMarks(marks_before, marks_after, 1.0 - changed / longest if longest else 0.0)


def _whole(before: str, after: str) -> WordMarks:
    return WordMarks(((0, len(before)),) if before else (), ((0, len(after)),) if after else (), 0.0)


def _without_crumbs(changes: list[Change], left: list[str]) -> list[Change]:
    result = changes[:1]
    for change in changes[1:]:
        last = result[-1]
        between = "".join(left[last.before_end : change.before_start]).strip()
        if not between or (len(between) < 3 and between.isascii()):
            result[-1] = Change(last.before_start, change.before_end, last.after_start, change.after_end)
        else:
            result.append(change)
    return result


def _cut_score(tokens: Sequence[str], at: int) -> int:
    """Prefer whole sentences, then words together with the blank that follows them."""
    if at in (0, len(tokens)):
        return 3
    if tokens[at - 1].isspace():
        return 4 if at > 1 and tokens[at - 2] in _SENTENCE_END else 2
    return 1 if tokens[at].isspace() else 0


def _visible(line: str) -> int:
    return len("".join(line.split()))


def _marked(line: str, spans: tuple[Span, ...]) -> int:
    return _visible(" ".join([line[start:end] for start, end in spans]))

"""Finds where a person was not satisfied, with the exact words that show it. Every hit is a suggestion until confirmed.

Pure functions over a ``Conversation`` that has been redacted already, so that spans fit the text that is stored.
Precision counts more than recall: each suggestion takes a person's attention.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from honeyguide.traces.conversations import Conversation, CorrectionSignal, Role, SignalKind, Turn
from honeyguide.traces.correction_cues import CUES, Cues, is_praise, likely_languages
from honeyguide.traces.records import Trace

CUE_DETECTOR = "cue-words"
DETECTORS: tuple[str, ...] = (
    *(kind.value for kind in SignalKind),
    *(f"{CUE_DETECTOR}-{cues.language}" for cues in CUES),
)
"""The names of all detectors; each language's cue words are one of their own, so that a bad list switches off alone."""

LOW_SCORE = 0.5
"""A person's score (0 to 1) below this speaks against the answer."""

LONGEST_SPAN = 300
_EDGE = 600
"""Cue words are looked for in the first and the last so many characters of a turn: the middle is mostly pasted."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One sign that a person was not satisfied.

    Attributes:
        detector: which detector found it, one of ``DETECTORS``.
        conversation: key of the conversation.
        trace_key: ``facts.source_key`` of the trace whose answer was not wanted.
        place: where the words stand: ``turn:KEY``, or the place in the source as its reader names it.
        text: the exact words; empty where the sign has none (a rating without a comment).
        start, end: where ``text`` stands in ``context``.
        context: the whole text around the words.
        language: two-letter code, where known.
        request: what the agent had been asked.
        prior_answer: the answer that was not wanted.
        replacement: what the person wanted instead, where the source holds it.
        rubric: a first wording of what an answer must do, for the person to edit.
    """

    detector: str
    conversation: str
    trace_key: str
    place: str
    text: str
    start: int
    end: int
    context: str
    language: str | None = None
    request: str = ""
    prior_answer: str = ""
    replacement: str | None = None
    rubric: str = ""


def find_corrections(conversation: Conversation, *, switched_off: Collection[str] = ()) -> tuple[Suggestion, ...]:
    """Return the suggestions in one conversation, in the order of the conversation, each place once.

    ``switched_off`` names detectors that stay silent (see ``correction_precision``).
    """
    book = _Book(conversation)
    found: list[Suggestion] = []
    seen: set[tuple[str, str, int, int]] = set()
    for suggestion in (*_from_signals(book), *_from_cues(book)):
        key = (suggestion.trace_key, suggestion.place, suggestion.start, suggestion.end)
        if suggestion.detector not in switched_off and key not in seen:
            seen.add(key)
            found.append(suggestion)
    order = {trace.facts.source_key: position for position, trace in enumerate(conversation.traces)}
    return tuple(sorted(found, key=lambda suggestion: order.get(suggestion.trace_key, len(order))))


class _Book:
    """A conversation with its turns and traces by key."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.traces: dict[str, Trace] = {trace.facts.source_key: trace for trace in conversation.traces}
        self.turns: dict[str, Turn] = {turn.key: turn for turn in conversation.turns if turn.role is Role.USER}

    def suggestion(
        self, detector: str, trace_key: str, place: str, context: str, start: int, end: int, **more: str | None
    ) -> Suggestion:
        """Return a suggestion about one trace."""
        trace = self.traces.get(trace_key)
        return Suggestion(
            detector=detector,
            conversation=self.conversation.key,
            trace_key=trace_key,
            place=place,
            text=context[start:end],
            start=start,
            end=end,
            context=context,
            language=more.get("language"),
            request=trace.payload.input if trace else "",
            prior_answer=trace.payload.output if trace else "",
            replacement=more.get("replacement") or None,
            rubric=more.get("rubric") or "",
        )


def _from_signals(book: _Book) -> Iterator[Suggestion]:
    low_rated = {
        signal.trace_key
        for signal in book.conversation.signals
        if signal.kind is SignalKind.SCORE and signal.score is not None and signal.score < LOW_SCORE
    }
    for signal in book.conversation.signals:
        suggestion = _from_signal(book, signal, low_rated)
        if suggestion is not None:
            yield suggestion


def _from_signal(book: _Book, signal: CorrectionSignal, low_rated: Collection[str]) -> Suggestion | None:
    context, place = signal.text, signal.where
    if signal.kind is SignalKind.REFUSAL and not context.strip():
        return None
    if signal.kind is SignalKind.INTERRUPT:
        turn = book.turns.get(signal.turn_key)
        if turn is None or not turn.text.strip():
            return None
        context, place = turn.text, f"turn:{turn.key}"
    if signal.kind is SignalKind.REWIND:
        if not signal.replacement.strip():
            return None
        context = signal.replacement
    if signal.kind is SignalKind.SCORE and (signal.score is None or signal.score >= LOW_SCORE):
        return None
    if signal.kind is SignalKind.ANNOTATION and (
        not context.strip() or (is_praise(context) and signal.trace_key not in low_rated)
    ):
        return None
    if signal.kind in (SignalKind.CORRECTION, SignalKind.PREFERENCE):
        context = context or signal.replacement
        if not context.strip():
            return None
    start, end = _trimmed(context)
    return book.suggestion(
        signal.kind.value,
        signal.trace_key,
        place or signal.kind.value,
        context,
        start,
        end,
        replacement=signal.replacement if signal.kind is not SignalKind.REWIND else None,
        rubric=_rubric(signal.kind, context[start:end], signal.replacement),
        language=_language(context),
    )


def _rubric(kind: SignalKind, words: str, replacement: str) -> str:
    if kind in (SignalKind.CORRECTION, SignalKind.PREFERENCE) and replacement:
        return f"The answer must agree with this one: {_short(replacement)}"
    if not words:
        return ""
    if kind is SignalKind.REFUSAL:
        return f"Must not do what was refused here; the reason given: {_short(words)}"
    return f"The earlier answer was not accepted. The answer must meet this: {_short(words)}"


def _from_cues(book: _Book) -> Iterator[Suggestion]:
    taken = {signal.turn_key for signal in book.conversation.signals if signal.turn_key}
    said = {signal.text.strip() for signal in book.conversation.signals if signal.text}
    answer: Turn | None = None
    answered_trace = ""
    for turn in book.conversation.turns:
        if turn.left_behind:
            continue
        if turn.role is Role.ASSISTANT:
            answer, answered_trace = turn, turn.trace_key or answered_trace
        elif turn.is_human:
            if answer is not None and turn.key not in taken and turn.text.strip() not in said:
                hit = find_cue(turn.text, after_question=_ends_with_question(answer.text))
                if hit is not None:
                    yield book.suggestion(
                        f"{CUE_DETECTOR}-{hit.language}",
                        answered_trace,
                        f"turn:{turn.key}",
                        turn.text,
                        hit.start,
                        hit.end,
                        language=hit.language,
                        rubric=_rubric(SignalKind.ANNOTATION, turn.text, ""),
                    )
            answer = None
            answered_trace = turn.trace_key or answered_trace


@dataclass(frozen=True, slots=True)
class CueHit:
    """Cue words in a turn: the language they are in, and the span from the cue to the end of its sentence."""

    language: str
    start: int
    end: int


def find_cue(text: str, *, after_question: bool = False) -> CueHit | None:
    """Return the first cue of dissatisfaction in a person's turn, or ``None``.

    Code, quotations and the middle of long turns are not looked at. ``after_question``: the agent had asked
    something, so a bare "no" is an answer.
    """
    prose = _prose(text)
    by_language = {cues.language: cues for cues in CUES}
    for language in likely_languages(prose):
        start = _cue_start(prose, by_language[language], after_question=after_question)
        if start is not None:
            return CueHit(language, start, _end_of_sentence(text, start))
    return None


def _cue_start(prose: str, cues: Cues, *, after_question: bool) -> int | None:
    opening = re.search(r"\S", prose)
    starts: list[int] = []
    if opening is not None and not cues.harmless.match(prose, opening.start()):
        at = opening.start()
        if cues.opening.match(prose, at):
            starts.append(at)
        denial = cues.denial.match(prose, at)
        if denial and not after_question and _is_denial(prose, denial):
            starts.append(at)
    found = cues.anywhere.search(prose)
    if found:
        starts.append(found.start() + len(found.group()) - len(found.group().lstrip()))
    return min(starts) if starts else None


def _is_denial(prose: str, denial: re.Match[str]) -> bool:
    """Say whether a "no" stands for itself: before a mark or the end, and not as the article of a noun."""
    rest = prose[denial.end() :]
    return not rest.strip() or rest.lstrip(" ")[:1] in ",.;:!-–—，。！、\n" or denial.group()[-1:] in "，。、! ,！"


_FENCE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|<[a-z][\w-]*>.*?</[a-z][\w-]*>", re.DOTALL | re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|\$ |#|at |File \"|\d{2,4}[-:.]\d\d).*$", re.MULTILINE)
_QUOTATION = re.compile(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|«[^»\n]{12,}»|「[^」\n]{8,}」")


def _prose(text: str) -> str:
    """Return ``text`` with code, quotations and the middle of a long text blanked; positions stay the same."""

    def blank(found: re.Match[str]) -> str:
        return " " * len(found.group())

    for pattern in (_FENCE, _QUOTED_LINE, _QUOTATION):
        text = pattern.sub(blank, text)
    if len(text) > 2 * _EDGE:
        text = text[:_EDGE] + " " * (len(text) - 2 * _EDGE) + text[-_EDGE:]
    return text


_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[。！？]|\n")


def _end_of_sentence(text: str, start: int) -> int:
    stop = min(len(text), start + LONGEST_SPAN)
    for found in _SENTENCE_END.finditer(text, start + 1, stop):
        end = found.start() if found.group() == "\n" else found.end()
        if end - start >= 12 or end >= len(text.rstrip()):
            return end
    return stop if stop < len(text) else len(text.rstrip())


def _ends_with_question(answer: str) -> bool:
    return answer.rstrip(" \n*_)\"'”»").endswith(("?", "？", ";")) or "?" in answer[-200:] or "？" in answer[-200:]


def _trimmed(text: str) -> tuple[int, int]:
    """Return where the words of ``text`` begin and end, at most ``LONGEST_SPAN`` characters."""
    stripped = text.strip()
    start = text.find(stripped) if stripped else 0
    return start, start + min(len(stripped), LONGEST_SPAN)


def _short(text: str, limit: int = 400) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def _language(text: str) -> str | None:
    languages = likely_languages(text) if text.strip() else ()
    return languages[0] if len(languages) == 1 else None

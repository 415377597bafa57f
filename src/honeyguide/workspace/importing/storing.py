"""Writes finished batches: whole conversations, one short transaction each, nothing that was not redacted."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.storage import Unit
from honeyguide.storage.records import CorrectionDraft, ImportCounts
from honeyguide.traces.corrections import Suggestion
from honeyguide.traces.preparing import Prepared

Known = tuple[str, str]
"""A trace by its source and the key it has there."""


def store_conversations(unit: Unit, conversations: Sequence[Prepared], *, replace_known: bool = False) -> ImportCounts:
    """Store conversations with their corrections and prompts, in the present transaction."""
    traces = [trace for conversation in conversations for trace in conversation.traces]
    counts = unit.trace_import.store(traces, replace_known=replace_known)
    ids: dict[Known, int] = {
        (trace.facts.source, trace.facts.source_key): number for trace, number in zip(traces, counts.ids, strict=True)
    }
    by_key = {key: number for (_, key), number in ids.items()}  # rows one program exported of another's sources
    drafts: list[CorrectionDraft] = []
    for conversation in conversations:
        _describe(unit, conversation)
        source = conversation.outline.source
        for suggestion in conversation.suggestions:
            number = ids.get((source, suggestion.trace_key)) or by_key.get(suggestion.trace_key, 0)
            if number:
                drafts.append(draft_of(suggestion, number))
    if drafts:
        unit.corrections.suggest(drafts)
    return counts


def draft_of(suggestion: Suggestion, trace_id: int) -> CorrectionDraft:
    """Return a suggestion as it is stored."""
    return CorrectionDraft(
        trace_id=trace_id,
        detector=suggestion.detector,
        place=suggestion.place,
        span_start=suggestion.start,
        span_end=suggestion.end,
        span_text=suggestion.text,
        context=suggestion.context,
        language=suggestion.language,
        suggestion=suggestion.rubric,
        replacement=suggestion.replacement,
    )


def _describe(unit: Unit, conversation: Prepared) -> None:
    outline = conversation.outline
    if conversation.prompts:
        unit.conversations.keep_prompt_texts((p.kind, p.name, p.text) for p in conversation.prompts)
    if (outline.title or outline.parent) and unit.conversations.get(outline.key) is not None:
        unit.conversations.describe(outline.key, title=outline.title, parent=outline.parent)

"""Keeping complaints about the structure of answers away from the instruction search.

The first stage settled the structure; a mutator that reads "add a reasoning field" would work against it.
Feedback is judged sentence by sentence, so that one such sentence does not cost the rest. Scores are never touched.
Source of the complaint kinds: first seed, section 4.4.
"""

from __future__ import annotations

import re

_FIELD = (
    r"\b(?:fields?|(?:required|json|schema|output)\s+propert(?:y|ies)"
    r"|(?:required|json|schema|output)\s+keys?|keys?(?=\s*(?:[.,;:!?]|$)))(?!\w)"
)
"""Key and property count only where they can hardly mean anything else ("the key point", "the property tax")."""
_NAMED = r"(?:(?:the|a|an|new|required|optional|output|json|[\"'`][^\"'`]{1,60}[\"'`]|[\w-]+)\s+){0,4}"
_STRUCTURAL = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:missing|lacks?|lacking|omits?)\s+{_NAMED}{_FIELD}",
        rf"{_FIELD}\s+(?:\w+\s+)?(?:is|are|was|were)?\s*missing\b",
        rf"\b(?:add|adds|added|adding|remove|removes|removed|removing|drop|rename|needs?)\s+{_NAMED}{_FIELD}",
        rf"\b(?:extra|unexpected|superfluous|unknown)\s+{_NAMED}{_FIELD}",
        r"\bwrong\s+(?:field\s+)?type\b",
        rf"\bwrong\s+(?:order\s+of\s+(?:the\s+)?(?:\w+\s+)?{_FIELD}|field\s+order)",
        r"\bfield\s+types?\s+(?:\w+\s+)?(?:mismatch|wrong)",
        rf"\bre-?order(?:s|ed|ing)?\s+{_NAMED}{_FIELD}",
        r"\bschema\s+(?:mismatch|violation|error)",
        r"\binvalid\s+json\b",
        r"\bmissing\s+required\s+property\b|\bproperty\s+missing\b",
        r"\b(?:output|answer|json)\s+shape\s+is\s+wrong\b|^\W*shape\s+is\s+wrong\b",
    )
)
# A sentence ends after ., ! or ? before a space, or after their full-width forms.
_SENTENCE = re.compile(r".+?(?:[.!?]+[\"')\]]*(?=\s)\s*|[。！？]+|$)")


def is_structural(sentence: str) -> bool:
    """Say whether ``sentence`` complains about fields, their types, their order, or the schema."""
    return any(pattern.search(sentence) for pattern in _STRUCTURAL)


def without_structure(feedback: str) -> str:
    """Return ``feedback`` without its structural sentences, trimmed; lines that lose everything disappear."""
    kept = []
    for line in feedback.splitlines():
        text = "".join(part for part in _SENTENCE.findall(line) if not is_structural(part)).strip()
        if text:
            kept.append(text)
    return "\n".join(kept)

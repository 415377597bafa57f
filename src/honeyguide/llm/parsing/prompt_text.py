"""The prompt inside a model's reply: without its reasoning, its chat, and the fence around it; or the reason why not.

Rules, in order: a cut-off reply is no prompt; reasoning goes; one fence around everything (or after a chatty lead-in)
is unwrapped, while fences that belong to the prompt stay; chat paragraphs at both ends go unless the present prompt
has them too; what is then empty, a refusal, ambiguous or unchanged is said to be so. Nothing is repaired by guessing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from honeyguide.llm.parsing.fences import Fence, outer_fences, whole_fence
from honeyguide.llm.parsing.reasoning import strip_reasoning


class PromptProblem(StrEnum):
    """Why a reply holds no new prompt."""

    TRUNCATED = "truncated"
    NO_ANSWER = "no-answer"
    EMPTY = "empty"
    REFUSAL = "refusal"
    AMBIGUOUS = "ambiguous"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class PromptReply:
    """A prompt, or the reason why there is none; exactly one of both."""

    text: str | None
    problem: PromptProblem | None = None


def clean_prompt_reply(reply: str, *, baseline: str = "", truncated: bool = False) -> PromptReply:
    """Return the prompt that ``reply`` offers.

    Args:
        baseline: the present prompt; the same text again is "unchanged", its own paragraphs are never taken for chat.
        truncated: whether the stop reason says that the reply was cut off.
    """
    if truncated:
        return PromptReply(None, PromptProblem.TRUNCATED)
    answer = strip_reasoning(reply)
    if not answer.is_complete:
        return PromptReply(None, PromptProblem.NO_ANSWER)
    text = _without_tag_around(answer.text.replace("\r\n", "\n").strip("\n"))
    unwrapped = _unwrap(text, _paragraphs(baseline))
    if isinstance(unwrapped, PromptProblem):
        return PromptReply(None, unwrapped)
    prompt = unwrapped.strip("\n").rstrip()
    if not prompt.strip():
        return PromptReply(None, PromptProblem.EMPTY)
    if _is_refusal(prompt):
        return PromptReply(None, PromptProblem.REFUSAL)
    if baseline and _normalised(prompt) == _normalised(baseline):
        return PromptReply(None, PromptProblem.UNCHANGED)
    return PromptReply(prompt)


def _unwrap(text: str, kept: frozenset[str]) -> str | PromptProblem:
    if (inside := whole_fence(text)) is not None:
        return inside
    fences = outer_fences(text)
    if fences and fences[0].start == 0 and not fences[0].is_closed:
        return PromptProblem.TRUNCATED
    lines = text.split("\n")
    if not fences:
        return _without_chat(text, kept)
    if not all(fence.is_closed for fence in fences):
        return _without_chat(text, kept) if _lead_in(lines, fences[0]) is None else PromptProblem.TRUNCATED
    lead = _lead_in(lines, fences[0])
    texts = [fence for fence in fences if fence.may_hold_prompt]
    if lead is None or not texts:
        return _without_chat(text, kept)
    if len(texts) == 1:
        if texts[0] is not fences[0]:
            return PromptProblem.AMBIGUOUS
        after = "\n".join(lines[texts[0].end :]).strip()
        return texts[0].body if not after or _is_chat(after, last=True) else _joined(text, lines, texts[0], kept)
    return _the_new_one(lines, texts)


def _joined(text: str, lines: list[str], fence: Fence, kept: frozenset[str]) -> str | PromptProblem:
    """A lead-in, a fence, and then more that is not plainly chat: take the fence if the rest comments on it."""
    after = [part for part in re.split(r"\n\s*\n", "\n".join(lines[fence.end :]).strip("\n")) if part.strip()]
    if after and (_COMMENTARY.match(after[0].strip()) or _is_chat(after[0], last=True)):
        return fence.body
    return PromptProblem.AMBIGUOUS


def _the_new_one(lines: list[str], fences: list[Fence]) -> str | PromptProblem:
    """Several blocks: the one labelled as the new one, if the labels tell."""
    chosen = []
    previous_end = 0
    for fence in fences:
        label = " ".join(lines[previous_end : fence.start]).strip()
        previous_end = fence.end
        if _NEW_LABEL.search(label) and not _OLD_LABEL.search(label):
            chosen.append(fence)
    return chosen[0].body if len(chosen) == 1 else PromptProblem.AMBIGUOUS


def _lead_in(lines: list[str], fence: Fence) -> str | None:
    """The text before a fence if it is no more than an introduction, else ``None``."""
    before = "\n".join(lines[: fence.start]).strip()
    if not before:
        return before
    if len(before) > 400:
        return None
    parts = [part.strip() for part in re.split(r"\n\s*\n", before) if part.strip()]
    return before if all(_is_chat(part, first=True) or _LABEL.fullmatch(part) for part in parts) else None


def _without_chat(text: str, kept: frozenset[str]) -> str:
    """Take chat paragraphs off both ends, and commentary off the end of a reply that began with chat."""
    parts = re.split(r"(\n\s*\n)", text)
    before = len(parts)
    while len(parts) > 2 and _normalised(parts[0]) not in kept and _is_chat(parts[0], first=True):
        parts = parts[2:]
    first_line, _, rest = parts[0].partition("\n")
    is_lead_line = rest.strip() and _normalised(first_line) not in kept and _is_chat(first_line, first=True)
    if is_lead_line:
        parts[0] = rest
    was_chatty = bool(is_lead_line) or len(parts) < before
    while len(parts) > 2 and _normalised(parts[-1]) not in kept and _is_chat(parts[-1], last=True):
        parts = parts[:-2]
    if was_chatty:
        parts = _without_rulers(_without_commentary(parts, kept))
    return "".join(parts)


def _without_commentary(parts: list[str], kept: frozenset[str]) -> list[str]:
    for index in range(2, len(parts), 2):
        if _normalised(parts[index]) not in kept and _COMMENTARY.match(parts[index].strip()):
            return parts[: index - 1]
    return parts


def _without_rulers(parts: list[str]) -> list[str]:
    while len(parts) > 1 and _RULER.fullmatch(parts[-1]):
        parts = parts[:-2]
    return parts[2:] if len(parts) > 2 and _RULER.fullmatch(parts[0]) else parts


def _is_chat(part: str, *, first: bool = False, last: bool = False) -> bool:
    part = part.strip()
    if len(part) > 300:
        return False
    if first and _OPENING_CHAT.match(part) and ("\n" not in part) and _ends_as_lead(part):
        return True
    return bool(last and _CLOSING_CHAT.match(part))


def _ends_as_lead(line: str) -> bool:
    line = line.strip().rstrip("*_ ")
    return line.endswith((":", "!")) or bool(_OFFERS_PROMPT.search(line))


def _is_refusal(text: str) -> bool:
    return len(text) < 400 and bool(_REFUSAL.match(text.strip()))


def _without_tag_around(text: str) -> str:
    found = _TAG_AROUND.fullmatch(text.strip())
    return found.group(2).strip("\n") if found else text


def _paragraphs(text: str) -> frozenset[str]:
    return frozenset(_normalised(part) for part in re.split(r"\n\s*\n", text.replace("\r\n", "\n")))


def _normalised(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n"))


_RULER = re.compile(r"\s*(?:-{3,}|\*{3,}|={3,})\s*")
_TAG_AROUND = re.compile(
    r"<((?:new_|improved_|revised_|updated_|evolved_)?(?:prompt|instructions?|system_prompt))>(.*)</\1>",
    re.DOTALL | re.IGNORECASE,
)
_NOUN = (
    r"(?:prompt|instructions?|version|text|variant|candidate|rewrite|draft|persona|section|description|skill|answer)"
)
_ADJECTIVE = r"(?:improved|revised|updated|new|better|rewritten|optimi[sz]ed|final|evolved|refined|enhanced|modified)"
_OFFERS_PROMPT = re.compile(rf"\b{_ADJECTIVE}\b[^.\n]*\b{_NOUN}\b", re.IGNORECASE)
_OPENING_CHAT = re.compile(
    rf"[#*_\s]*(?:(?:sure|certainly|of course|absolutely|okay|ok|great|got it|understood|alright)\b[ ,.!:—-]"
    rf"|(?:here(?:'s|’s| is| are)|below is|this is)\b.*\b{_NOUN}\b"
    rf"|(?:the |my )?{_ADJECTIVE}(?: \w+){{0,3}} {_NOUN}\b[^.]{{0,60}}:"
    rf"|(?:the )?{_ADJECTIVE} {_NOUN}\s*[*_]*$"
    rf"|i(?:'ve|’ve| have)\s+(?:\w+\s+)?(?:revised|rewritten|improved|updated|refined)\b)",
    re.IGNORECASE,
)
_CLOSING_CHAT = re.compile(
    r"[*_\s]*(?:(?:please )?let me know\b|(?:please )?feel free to\b|i hope (?:this|that|it)\b|hope this\b"
    r"|would you like me to\b|do you want me to\b"
    r"|if you(?:'d| would)? (?:like|want|need)\b.{0,80}\b(?:let me know|i can|just ask)\b"
    r"|this (?:version|revision|prompt|rewrite) (?:now |is |adds |addresses |keeps |makes |should )"
    r"|is there anything else\b|happy to (?:adjust|help|refine)\b)",
    re.IGNORECASE,
)
_COMMENTARY = re.compile(
    r"[#*_\s-]*(?:(?:key |main |summary of |list of )?(?:changes|improvements|modifications)(?: made| i made)?"
    r"|what (?:i )?changed|explanation|rationale|why this (?:works|is better)|notes on (?:the )?changes)\s*[*_]*:",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"[#*_\s]*(?=[^:]*\b(?:{_ADJECTIVE}|old|original|before|after|previous|current|baseline|prompt|version|variant"
    r"|candidate|rewrite|draft)\b)[\w' ]{1,40}[*_]*:[*_]*",
    re.IGNORECASE,
)
_NEW_LABEL = re.compile(rf"\b(?:{_ADJECTIVE}|after)\b", re.IGNORECASE)
_OLD_LABEL = re.compile(r"\b(?:old|original|before|previous|current|baseline)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"(?:i(?:'m| am) sorry|sorry|i apologi[sz]e|unfortunately)\b.{0,40}\b(?:can(?:no|')?t|unable|won't)\b"
    r"|i (?:can(?:not|'t|’t| not)|am unable to|won't|’m unable to|'m unable to|must decline)\b"
    r"|as an ai\b.{0,60}\b(?:can(?:no|')?t|unable)\b",
    re.IGNORECASE | re.DOTALL,
)

"""What a line of a Claude Code session is: who wrote it, what it says, and what it hangs on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from honeyguide.traces import health
from honeyguide.traces.conversations import PromptText
from honeyguide.traces.health import HealthReport
from honeyguide.traces.readers._machine_text import human_part
from honeyguide.traces.readers._values import content_key, list_of, moment, number, object_of, objects_of, text_of

_CONVERSATION = {"user", "assistant"}
_IGNORED = {
    "progress", "file-history-snapshot", "queue-operation", "last-prompt", "permission-mode", "pr-link",
    "worktree-state", "agent-name", "agent-color", "agent-setting", "tag", "mode", "saved_hook_context",
    "content-replacement", "attribution-snapshot", "speculation-accept", "task-summary", "relocated",
}  # fmt: skip
_TITLES = {"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle"}
LINE_TYPES = _CONVERSATION | _IGNORED | {"system", "attachment"} | _TITLES.keys()

INTERRUPTED = "[Request interrupted by user"
_REFUSED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
)
_REASON = re.compile(r"(?:the user said:|The user provided the following reason for the rejection:)\s*(.*)", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*/?(.*?)\s*</command-name>", re.DOTALL)
_COMMAND_ARGS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_SKILL = re.compile(r"Base directory for this skill:\s*(\S[^\n]*)\n+(.*)", re.DOTALL)
_SYNTHETIC = "<synthetic>"


class Kind(StrEnum):
    """What a line is to the reader."""

    HUMAN = "human"
    COMMAND = "command"
    """A slash command: a request, in the program's words."""
    MACHINE = "machine"
    INTERRUPT = "interrupt"
    RESULTS = "results"
    REPLY = "reply"
    API_ERROR = "api-error"
    LINK = "link"
    """Says nothing that is kept, but others hang on it."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool that the reply asked for."""

    id: str
    name: str
    args: Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back; ``refused`` with the person's ``reason`` when a person said no."""

    id: str
    content: Any
    is_error: bool | None
    refused: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line that is part of the conversation."""

    kind: Kind
    uuid: str
    parent: str | None
    session: str
    agent: str | None
    line: int
    at: str | None
    cwd: str | None
    text: str = ""
    thinking: str = ""
    uses: tuple[ToolUse, ...] = ()
    results: tuple[ToolResult, ...] = ()
    message_id: str = ""
    model: str | None = None
    usage: Mapping[str, Any] | None = None
    cost: float | None = None
    command: str = ""
    interrupts: bool = False

    @property
    def key(self) -> str:
        """The key of what a person or program said here; a copy in another file has the same.

        A uuid is not enough: programs that write sessions of this form number their lines anew in each. The text is
        no part of it, so that a redacted copy has the same key.
        """
        return f"{self.uuid}.{content_key(self.at)[:8]}"

    @property
    def reply_key(self) -> str:
        """The key of the reply that begins here, whatever lines follow."""
        return f"{self.message_id or self.uuid}.{content_key(self.uuid, self.at)[:8]}"


@dataclass(slots=True)
class Lines:
    """Collects the lines of one file; what cannot be used is noted with its line number.

    Attributes:
        entries: by uuid, in file order.
        titles: names of the session, with the uuid that a summary speaks about.
        durations: milliseconds of a turn, by the uuid of the line it hangs on.
        prompts: prompt texts that the session holds, by the uuid of their line.
    """

    health: HealthReport
    entries: dict[str, Entry] = field(default_factory=dict)
    titles: list[tuple[str, str]] = field(default_factory=list)
    durations: dict[str, int] = field(default_factory=dict)
    prompts: dict[str, PromptText] = field(default_factory=dict)

    def add(self, data: dict[str, Any], line: int) -> None:
        """Take one line."""
        kind = text_of(data.get("type"))
        if kind in _TITLES:
            title = text_of(data.get(_TITLES[kind]) or data.get("title"))
            if title:
                self.titles.append((text_of(data.get("leafUuid")), title))
        elif kind in _CONVERSATION:
            self._add_message(data, line, kind)
        elif kind == "system":
            self._add_system(data, line)
        elif kind == "attachment":
            self._add_attachment(data, line)
        elif kind not in _IGNORED:
            self.health.note(health.UNKNOWN_TYPE, line, example=kind)

    def _add_message(self, data: dict[str, Any], line: int, kind: str) -> None:
        message = data.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not _is_content(content):
            self.health.note(health.MALFORMED, line, example=kind)
            return
        uuid = text_of(data.get("uuid")) or content_key(data)
        if uuid in self.entries:
            self.health.note(health.DUPLICATE, line)
            return
        about = _envelope(data, uuid, line)
        if kind == "assistant":
            self.entries[uuid] = _reply(about, data, message, content)
        else:
            self.entries[uuid] = self._user(about, data, content)

    def _user(self, about: dict[str, Any], data: dict[str, Any], content: Any) -> Entry:
        """Tell a person's words from a program's, in this order: the first rule that fits decides."""
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)
        results = tuple(_result(block) for block in blocks if block.get("type") == "tool_result")
        texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
        interrupts = any(text.lstrip().startswith(INTERRUPTED) for text in texts)
        if results or data.get("toolUseResult") is not None or data.get("sourceToolAssistantUUID"):
            # What a person adds while refusing a tool stands beside its result.
            said = "\n".join(human_part(text) for text in texts).strip()
            if results and said and any(result.refused for result in results):
                return Entry(Kind.HUMAN, text=said, results=results, interrupts=interrupts, **about)
            return Entry(Kind.RESULTS, results=results, interrupts=interrupts, **about)
        if interrupts:
            return Entry(Kind.INTERRUPT, interrupts=True, **about)
        text = "\n".join(texts)
        if data.get("isCompactSummary") or data.get("isVisibleInTranscriptOnly"):
            return Entry(Kind.MACHINE, text=text, **about)
        command = _COMMAND.search(text)
        if command is not None and text.lstrip().startswith(("<command-name>", "<command-message>")):
            name = command.group(1).lstrip("/")
            args = _COMMAND_ARGS.search(text)
            words = f"/{name} {args.group(1).strip() if args else ''}".strip()
            return Entry(Kind.COMMAND, text=words, command=name, **about)
        if data.get("isMeta"):
            self._add_skill(about["uuid"], text)
            return Entry(Kind.MACHINE, text=text, **about)
        origin = text_of(object_of(data.get("origin")).get("kind"))
        rest = human_part(text)
        if not rest and any(block.get("type") == "image" for block in blocks):
            rest = "[image]"
        # What stands in a sub-agent's log was written by the agent that started it.
        if not rest or (origin and origin != "human") or about["agent"] is not None:
            return Entry(Kind.MACHINE, text=rest or text, **about)
        return Entry(Kind.HUMAN, text=rest, **about)

    def _add_skill(self, uuid: str, text: str) -> None:
        found = _SKILL.match(text.lstrip())
        if found:
            name = re.split(r"[/\\]", found.group(1).strip().rstrip("/\\"))[-1]
            self.prompts[uuid] = PromptText("skill-body", name, found.group(2).strip())

    def _add_system(self, data: dict[str, Any], line: int) -> None:
        uuid = text_of(data.get("uuid"))
        parent = text_of(data.get("parentUuid")) or text_of(data.get("logicalParentUuid"))
        milliseconds = number(data.get("durationMs"))
        if text_of(data.get("subtype")) == "turn_duration" and milliseconds is not None and parent:
            self.durations[parent] = round(milliseconds)
        if uuid and uuid not in self.entries:
            about = _envelope(data, uuid, line)
            self.entries[uuid] = Entry(Kind.LINK, **{**about, "parent": parent or None})

    def _add_attachment(self, data: dict[str, Any], line: int) -> None:
        uuid = text_of(data.get("uuid"))
        if not uuid or uuid in self.entries:
            return
        about = _envelope(data, uuid, line)
        inner = object_of(data.get("attachment"))
        kind = text_of(inner.get("type"))
        prompt = inner.get("prompt")
        if kind == "queued_command":
            blocks = [{"type": "text", "text": prompt}] if isinstance(prompt, str) else objects_of(prompt)
            text = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
            mode = text_of(inner.get("commandMode")) or "prompt"
            words = human_part(text) if mode == "prompt" and not inner.get("isMeta") else ""
            self.entries[uuid] = Entry(Kind.HUMAN if words else Kind.MACHINE, text=words or text, **about)
            return
        if kind == "nested_memory":
            body = inner.get("content")
            text = text_of(object_of(body).get("content")) or text_of(body)
            path = text_of(inner.get("path")) or text_of(object_of(body).get("path"))
            if text and path:
                self.prompts[uuid] = PromptText("instruction-file", path, text)
        self.entries[uuid] = Entry(Kind.LINK, **about)


def _envelope(data: dict[str, Any], uuid: str, line: int) -> dict[str, Any]:
    session = text_of(data.get("sessionId"))
    agent = text_of(data.get("agentId")) or ("sidechain" if data.get("isSidechain") is True else None)
    return {
        "uuid": uuid,
        "parent": text_of(data.get("parentUuid")) or text_of(data.get("logicalParentUuid")) or None,
        "session": session,
        "agent": agent if data.get("isSidechain") is True else None,
        "line": line,
        "at": moment(data.get("timestamp")),
        "cwd": text_of(data.get("cwd")) or None,
    }


def _is_content(content: object) -> bool:
    if isinstance(content, str):
        return True
    return isinstance(content, list) and (not content or any(isinstance(block, dict) for block in content))


def _reply(about: dict[str, Any], data: dict[str, Any], message: dict[str, Any], content: Any) -> Entry:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)
    texts = [text_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    model = text_of(message.get("model")) or None
    if data.get("isApiErrorMessage") or model == _SYNTHETIC:
        return Entry(Kind.API_ERROR, text="\n".join(texts), **about)
    message_id = text_of(message.get("id"))
    request = text_of(data.get("requestId"))
    usage = message.get("usage")
    return Entry(
        Kind.REPLY,
        text="\n".join(text for text in texts if text),
        thinking="\n".join(
            text_of(b.get("thinking")) for b in blocks if b.get("type") == "thinking" and b.get("thinking")
        ),
        uses=tuple(
            ToolUse(text_of(block.get("id")), text_of(block.get("name")), block.get("input"))
            for block in blocks
            if block.get("type") in ("tool_use", "server_tool_use")
        ),
        results=tuple(_result(b) for b in blocks if text_of(b.get("type")).endswith("_tool_result")),
        message_id=f"{message_id}:{request}" if message_id and request else message_id,
        model=model,
        usage=usage if isinstance(usage, dict) else None,
        cost=number(data.get("costUSD")),
        **about,
    )


def _result(block: dict[str, Any]) -> ToolResult:
    content = block.get("content")
    parts = objects_of(content)
    if parts and all(part.get("type") == "text" for part in parts):
        content = "\n".join(text_of(part.get("text")) for part in parts)
    elif parts:
        content = [part if part.get("type") != "image" else {"type": "image"} for part in list_of(content)]
    failed = block.get("is_error")
    is_error = failed if isinstance(failed, bool) else None
    # Only an error that *begins* so is a refusal: a file that quotes the sentence is not.
    refused = is_error is True and text_of(content).startswith(_REFUSED)
    reason = _REASON.search(text_of(content)) if refused else None
    return ToolResult(
        text_of(block.get("tool_use_id")), content, is_error, refused, reason.group(1).strip() if reason else ""
    )

"""What a program demands of a file's frontmatter: a name that follows its rule, a description, known keys, right types.

Sources: the Agent Skills specification and its reference validator; the documentation of Claude Code, Copilot,
Cursor, Windsurf, Dotprompt and Prompty (docs/targets.md).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.prompts.carriers.document import CarrierDocument
from honeyguide.prompts.carriers.findings import CarrierFinding, Severity
from honeyguide.prompts.carriers.lines import line_number
from honeyguide.prompts.kinds import FileKind

_SKILL_NAME = re.compile(r"[^\W_A-Z]+(?:-[^\W_A-Z]+)*")
_TAG = re.compile(r"<[A-Za-z/][^>\n]*>")
_STANDARD_SKILL_KEYS = ("name", "description", "license", "allowed-tools", "metadata", "compatibility")
_CLAUDE_SKILL_KEYS = (
    *("when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable", "context", "agent"),
    *("model", "effort", "hooks", "paths", "shell", "version"),
)
_SUBAGENT_KEYS = (
    *("name", "description", "tools", "disallowedTools", "model", "permissionMode", "maxTurns", "skills", "mcpServers"),
    *("hooks", "memory", "background", "isolation", "color", "effort", "initialPrompt"),
)
_COMMAND_KEYS = (*_STANDARD_SKILL_KEYS, *_CLAUDE_SKILL_KEYS)


@dataclass(frozen=True, slots=True)
class FieldRules:
    """The rules for one kind of file.

    Attributes:
        required: keys that must be there and not blank.
        known: keys that the program reads; empty when it reads any.
        text: keys whose value must be text.
    """

    required: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    text: tuple[str, ...] = ("name", "description")


_RULES: Mapping[FileKind, FieldRules] = {
    FileKind.AGENT_SKILL: FieldRules(("description",), (*_STANDARD_SKILL_KEYS, *_CLAUDE_SKILL_KEYS)),
    FileKind.CLAUDE_SUBAGENT: FieldRules(("name", "description"), _SUBAGENT_KEYS),
    FileKind.CLAUDE_COMMAND: FieldRules((), _COMMAND_KEYS),
    FileKind.CLAUDE_OUTPUT_STYLE: FieldRules(
        (), ("name", "description", "keep-coding-instructions", "force-for-plugin")
    ),
    FileKind.CLAUDE_RULE: FieldRules((), ("paths", "description")),
    FileKind.CURSOR_RULE: FieldRules((), ("description", "globs", "alwaysApply")),
    FileKind.COPILOT_SCOPED: FieldRules((), ("applyTo", "description", "name", "excludeAgent")),
    FileKind.COPILOT_AGENT: FieldRules(("description",)),
    FileKind.PROMPTY: FieldRules(("name",)),
}


def check(document: CarrierDocument, *, folder: str | None = None) -> tuple[CarrierFinding, ...]:
    """Return what the program that loads an opened file would object to.

    Args:
        document: the file; one with broken frontmatter has its own findings already and gets none here.
        folder: the name of the folder the file is in, which a skill's name must equal; ``None`` if unknown.
    """
    rules = _RULES.get(document.kind)
    block = document.frontmatter
    if rules is None or block is None or block.problem is not None or not block.is_mapping:
        return ()
    return tuple(_check(document, rules, folder))


def _check(document: CarrierDocument, rules: FieldRules, folder: str | None) -> Iterator[CarrierFinding]:
    fields = document.fields
    for key in rules.required:
        if key not in fields:
            yield _finding(document, "error", f"{key}-missing", "", f"The frontmatter has no {key!r}.", _NEEDED)
        elif isinstance(fields[key], str | None) and not (fields[key] or "").strip():
            yield _finding(document, "error", f"{key}-empty", key, f"{key!r} is empty.", _NEEDED)
    for key in rules.text:
        if key in fields and not isinstance(fields[key], str | None):
            message = f"{key!r} is {_type_name(fields[key])}, not text; put it in quotes."
            yield _finding(document, "warning", "field-not-text", key, message, _TYPES)
    for key in fields:
        if rules.known and key not in rules.known:
            message = f"{document.profile.program} does not know the key {key!r}."
            yield _finding(document, "info", "unknown-key", key, message, "It has no effect there; is it misspelled?")
    if document.kind is FileKind.AGENT_SKILL:
        yield from _check_skill(document, folder)


_NEEDED = "The program finds and chooses the file by it."
_TYPES = "Programs differ in what they make of it."


def _check_skill(document: CarrierDocument, folder: str | None) -> Iterator[CarrierFinding]:
    name = document.fields.get("name")
    if name is None:
        message = "The frontmatter has no 'name'; Claude Code takes the folder's, other programs refuse the skill."
        yield _finding(document, "warning", "name-missing", "", message, "The Agent Skills standard demands it.")
    elif isinstance(name, str):
        spelled = unicodedata.normalize("NFKC", name)
        if not _SKILL_NAME.fullmatch(spelled) or spelled != spelled.lower():
            message = f"The name {name!r} may hold only lower-case letters, digits and single hyphens between them."
            yield _finding(document, "error", "name-rule", "name", message, "Programs refuse to load it.")
        if folder is not None and spelled != unicodedata.normalize("NFKC", folder):
            message = f"The name {name!r} is not that of the folder, {folder!r}."
            yield _finding(document, "error", "name-folder", "name", message, "Programs refuse to load it.")
        if re.search(r"anthropic|claude", spelled, re.IGNORECASE):
            message = f"The name {name!r} holds a reserved word."
            yield _finding(document, "info", "name-reserved", "name", message, "The Claude platform refuses an upload.")
    for key in ("name", "description"):
        value = document.fields.get(key)
        if isinstance(value, str) and (tag := _TAG.search(value)):
            message = f"{key!r} holds the tag {tag.group()[:40]!r}."
            yield _finding(document, "warning", "tag-in-field", key, message, "The Claude platform refuses an upload.")


def _finding(
    document: CarrierDocument, severity: Severity, code: str, key: str, message: str, why: str
) -> CarrierFinding:
    return CarrierFinding(severity, code, line_of_field(document, key), message, why)


def line_of_field(document: CarrierDocument, key: str) -> int:
    """Return the 1-based line on which a top-level frontmatter key stands; 1 when it is not there."""
    block = document.frontmatter
    if block is None or not key:
        return 1
    text = document.source.text
    match = re.compile(rf"(?:(?<=[\r\n])|\A){re.escape(key)}[ \t]*:").search(text, block.start, block.end)
    return line_number(text, match.start()) if match else 1


def _type_name(value: Any) -> str:
    names = {bool: "true or false", int: "a number", list: "a list", dict: "a map"}
    return names.get(type(value), "something else")

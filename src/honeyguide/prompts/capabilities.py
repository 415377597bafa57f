"""What a prompt can make a program do: run a command, pull in a file, fetch an address, use more tools.

A new text may lose capabilities but gain none, unless a person allows it. Every change of an argument counts as
one lost and one gained, as a narrower-looking command can do more; only tool grants are compared by what they cover.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from honeyguide.kernel.canonical import canonical_json, sha256_hex
from honeyguide.prompts.carriers.document import CarrierDocument
from honeyguide.prompts.kinds import FileKind


class CapabilityKind(StrEnum):
    """The kinds of capability."""

    COMMAND = "command"
    """Run when the prompt is loaded: ``!`cmd` `` and Gemini's ``!{cmd}``."""
    IMPORT = "import"
    """A file pulled in: ``@path`` and Gemini's ``@{path}``."""
    EXECUTABLE_FENCE = "executable-fence"
    """A fenced block that is run: it begins with ``#!``, or its language is ``!``."""
    SHELL_FENCE = "shell-fence"
    """A fenced block in a shell's language, which an agent may take for a command to run."""
    URL = "url"
    TOOL = "tool"
    """A tool granted in the frontmatter; ``*`` where the program grants all by default."""
    UNDENIED_TOOL = "undenied-tool"
    """A tool that the old text denied and the new one does not."""
    SETTING = "setting"
    """A frontmatter value that widens what may be done: hooks, servers, permission mode, shell."""


@dataclass(frozen=True, slots=True)
class Capability:
    """One capability. ``text[start:end]`` shows it; both are -1 for one that stands in the frontmatter."""

    kind: CapabilityKind
    value: str
    start: int = -1
    end: int = -1

    @property
    def key(self) -> tuple[CapabilityKind, str]:
        """What makes two capabilities the same, wherever they stand."""
        return (self.kind, self.value)


_COMMAND = re.compile(r"!`([^`\n]+)`|!\{([^{}\n]+)\}")
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})([^\n`]*)\n(.*?)(?:^[ \t]*\2[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_BACKTICKS = re.compile(r"`+")
_URL = re.compile(r"\b(?:https?|ftp|wss?|file)://[^\s<>\"'`\])}]+", re.IGNORECASE)
_IMPORT = re.compile(r"(?<![\w@/.`:\\-])@(\{[^{}\n]+\}|(?:~/|\.{1,2}/|/)?[\w][\w./\\-]*|~?/[\w./\\-]+)")
_SHELLS = frozenset(
    ("sh", "bash", "zsh", "fish", "shell", "console", "powershell", "ps1", "pwsh", "cmd", "bat", "batch")
)
_GRANTS = ("allowed-tools", "tools", "mcpServers", "mcp-servers", "skills")
_DENIALS = ("disallowedTools", "disallowed-tools")
_SETTINGS = ("hooks", "permissionMode", "shell", "isolation", "background")
_INHERITS_TOOLS = frozenset((FileKind.CLAUDE_SUBAGENT, FileKind.COPILOT_AGENT))


def in_text(text: str) -> list[Capability]:
    """Return the capabilities that the text itself has, in order."""
    return list(_in_text(text))


@lru_cache(maxsize=8)
def _in_text(text: str) -> tuple[Capability, ...]:
    """Every candidate is compared with the same baseline."""
    found = [*_fences(text), *_commands(text), *_urls(text), *_imports(text)]
    return tuple(sorted(found, key=lambda capability: (capability.start, capability.kind)))


def in_fields(fields: Mapping[str, Any], kind: FileKind) -> list[Capability]:
    """Return the capabilities that frontmatter grants."""
    found = [Capability(CapabilityKind.TOOL, tool) for key in _GRANTS for tool in _entries(fields.get(key))]
    if kind in _INHERITS_TOOLS and "tools" not in fields:
        found.append(Capability(CapabilityKind.TOOL, "*"))
    settings = (key for key in _SETTINGS if fields.get(key) not in (None, "", False))
    found.extend(Capability(CapabilityKind.SETTING, f"{key}: {canonical_json(fields[key])}") for key in settings)
    return found


def in_document(document: CarrierDocument) -> list[Capability]:
    """Return the capabilities of an opened file: its frontmatter's, then its span's."""
    return [*in_fields(document.fields, document.kind), *in_text(document.text)]


def added(before: Sequence[Capability], after: Sequence[Capability]) -> tuple[Capability, ...]:
    """Return the capabilities of ``after`` that nothing in ``before`` covers, each value once."""
    known = {capability.key for capability in before}
    tools = {value for kind, value in known if kind is CapabilityKind.TOOL}
    found: dict[tuple[CapabilityKind, str], Capability] = {}
    for capability in after:
        covered = capability.kind is CapabilityKind.TOOL and _is_granted(capability.value, tools)
        if capability.key not in known and not covered:
            found.setdefault(capability.key, capability)
    return tuple(found.values())


def added_in_document(before: CarrierDocument, after: CarrierDocument) -> tuple[Capability, ...]:
    """Return what ``after`` may do beyond ``before``, lost denials of tools included."""
    denied_then = {tool for key in _DENIALS for tool in _entries(before.fields.get(key))}
    denied_now = {tool for key in _DENIALS for tool in _entries(after.fields.get(key))}
    undenied = sorted(tool for tool in denied_then if not _is_granted(tool, denied_now))
    return (
        *added(in_document(before), in_document(after)),
        *(Capability(CapabilityKind.UNDENIED_TOOL, tool) for tool in undenied),
    )


def _fences(text: str) -> Iterator[Capability]:
    if not _may_have_fences(text):
        return
    for match in _FENCE.finditer(text):
        language = (match.group(3).strip().split() or [""])[0].strip("{}").lower()
        code = match.group(4).strip()
        if language.startswith("!") or code.startswith("#!"):
            kind = CapabilityKind.EXECUTABLE_FENCE
        elif language in _SHELLS:
            kind = CapabilityKind.SHELL_FENCE
        else:
            continue
        first = code.splitlines()[0].strip() if code else ""
        yield Capability(kind, f"{first[:80]} [{sha256_hex(code)[:12]}]", match.start(), match.end())


def _may_have_fences(text: str) -> bool:
    """Most prompts have none of what the patterns look for, and saying so by a plain search takes no time."""
    return "```" in text or "~~~" in text


def _commands(text: str) -> Iterator[Capability]:
    for match in _COMMAND.finditer(text):
        yield Capability(CapabilityKind.COMMAND, (match.group(1) or match.group(2)).strip(), match.start(), match.end())


def _urls(text: str) -> Iterator[Capability]:
    if "://" not in text:
        return
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?*_~")
        yield Capability(CapabilityKind.URL, url, match.start(), match.start() + len(url))


def _imports(text: str) -> Iterator[Capability]:
    """Yield ``@path`` outside code; a bare word counts only if it looks like a file (a dot or a slash inside)."""
    if "@" not in text:
        return
    prose = _without_code_spans(_FENCE.sub(lambda m: _blank(m.group()), text))
    for match in _IMPORT.finditer(prose):
        value = match.group(1)
        path = value[1:-1].strip() if value.startswith("{") else value.rstrip(".,;:!?")
        if value.startswith("{") or "/" in path or re.search(r"\w\.\w", path):
            end = match.end() if value.startswith("{") else match.start(1) + len(path)
            yield Capability(CapabilityKind.IMPORT, path, match.start(), end)


def _without_code_spans(text: str) -> str:
    """Blank out what stands between two runs of the same number of backticks in one paragraph (CommonMark 6.1)."""
    runs = [match.span() for match in _BACKTICKS.finditer(text)]
    following: dict[int, int] = {}
    closing: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        length = runs[number][1] - runs[number][0]
        if length in following:
            closing[number] = following[length]
        following[length] = number
    pieces: list[str] = []
    position = number = 0
    while number < len(runs):
        start, end = runs[number][0], runs[closing.get(number, number)][1]
        if number in closing and "\n\n" not in text[start:end]:
            pieces += [text[position:start], _blank(text[start:end])]
            position, number = end, closing[number]
        number += 1
    return "".join(pieces) + text[position:]


def _entries(value: Any) -> list[str]:
    """Return the tools that a frontmatter value names: a list, a map, or text with commas or blanks between them."""
    if isinstance(value, str):
        return [part.strip() for part in re.findall(r"[^\s,(]+(?:\([^)]*\))?", value) if part.strip()]
    if isinstance(value, Mapping):
        return [f"{key}: {canonical_json(item)}" for key, item in value.items()]
    if isinstance(value, Sequence):
        return [item if isinstance(item, str) else canonical_json(item) for item in value]
    return []


def _is_granted(tool: str, granted: set[str]) -> bool:
    """Say whether ``tool`` is covered: by itself, by everything, or by the same tool without a restriction."""
    name = tool.partition("(")[0]
    return bool({tool, name, f"{name}(*)", "*"} & granted)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)

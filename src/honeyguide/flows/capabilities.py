"""What a flow can make a program do, and what a new prompt would add to it.

Looked at: the prompt as it stands, the same prompt after its template was filled in, the template itself where it could
print such characters, the part of a file that is taken, and everything in the frontmatter. Losing a capability is
always safe; anything gained is not, and a changed argument is one lost and one gained.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.flows.document import FlowDocument
from honeyguide.flows.imports import ActionKind, find_actions, sorted_as_utf16
from honeyguide.flows.liquid import LiquidError, render, variables
from honeyguide.kernel.canonical import canonical_json, sha256_hex

STAND_INS: Final = ("", "x", "0", "true")
"""What each variable is set to when the filled-in prompt is looked at."""
_TAG = re.compile(r"\{\{-?(.*?)-?\}\}|\{%-?(.*?)-?%\}", re.DOTALL)
_PLAIN_OUTPUT = re.compile(
    r"\s*_?[A-Za-z][\w.-]*(?:\s*\|\s*(?:q|shell_escape|strip|upcase|downcase|escape|json)\s*)*\s*"
)
_HARMLESS_TAG = re.compile(
    r"\s*(?:if|elsif|else|endif|unless|endunless|for|endfor|case|when|endcase|comment|endcomment)\b"
)
_SPECIAL = re.compile(r"[!`@#]|append|prepend|replace|join|split|slice|remove|url_decode|base64|newline_to_br|capture")
_NOT_CAPABILITIES: Final = frozenset(
    ("description", "route", "_mdflow_version", "_compat", "_flow_id", "context_window", "evolve", "_context_window",
     "_context_budget_tokens", "_max_prompt_tokens")
)  # fmt: skip
"""Frontmatter that says nothing of what may be done."""


@dataclass(frozen=True, slots=True)
class CapabilityChange:
    """What a new text adds and drops."""

    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def is_safe(self) -> bool:
        """Whether nothing is added."""
        return not self.added

    def to_json(self) -> dict[str, Any]:
        """Return ``{"added", "removed", "safe"}``."""
        return {"added": list(self.added), "removed": list(self.removed), "safe": self.is_safe}


def manifest(body: str) -> tuple[str, ...]:
    """Return the capabilities of a prompt as it stands, each once, sorted."""
    return tuple(sorted_as_utf16({entry for action in find_actions(body) for entry in action.entries}))


def full_manifest(document: FlowDocument, values: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Return everything that a flow can do: prompt, filled-in prompt, template, parts of files, frontmatter.

    Args:
        values: what the template is filled with in earnest, looked at beside the stand-ins.
    """
    entries = set(manifest(document.body))
    entries.update(_ranges(document.body))
    entries.update(_template(document.body))
    entries.update(rendered_entries(document.body, values))
    entries.update(frontmatter_entries(document.fields))
    return tuple(sorted_as_utf16(entries))


def compare(before: FlowDocument, after: FlowDocument, values: Mapping[str, Any] | None = None) -> CapabilityChange:
    """Return what ``after`` can do that ``before`` cannot, and the other way round.

    A whole file taken, where only a part of it was, is something gained.
    """
    old, new = set(full_manifest(before, values)), set(full_manifest(after, values))
    added = {entry for entry in new - old if not _is_covered(entry, old)}
    added |= {
        f"{entry}:whole"
        for entry in _whole_files(after.body)
        if entry in _partly_taken(before.body) - _whole_files(before.body)
    }
    return CapabilityChange(tuple(sorted_as_utf16(added)), tuple(sorted_as_utf16(old - new)))


def rendered_entries(body: str, values: Mapping[str, Any] | None = None) -> set[str]:
    """Return the capabilities of the prompt once its template is filled in, for several values of its variables."""
    if "{{" not in body and "{%" not in body:
        return set()
    try:
        names = variables(body)
        fillings: list[Mapping[str, Any]] = [dict.fromkeys(names, stand_in) for stand_in in STAND_INS]
        fillings.append({name: ["x"] for name in names})
        if values:
            fillings.append(values)
        return {entry for filling in fillings for entry in manifest(render(body, filling))}
    except LiquidError:
        return {f"template:unreadable:{sha256_hex(body)[:16]}"}


def frontmatter_entries(fields: Mapping[str, Any]) -> set[str]:
    """Return what the frontmatter grants: engine, flags, environment, hooks, steps, inputs."""
    return {
        f"frontmatter:{key}:{canonical_json(_plain(value))}"
        for key, value in fields.items()
        if key not in _NOT_CAPABILITIES
    }


def _ranges(body: str) -> set[str]:
    return {
        f"lines:{action.value}:{action.lines[0]}-{action.lines[1]}"
        for action in find_actions(body)
        if action.kind is ActionKind.FILE and action.lines
    }


def _whole_files(body: str) -> set[str]:
    actions = find_actions(body)
    return {entry for a in actions if a.kind is ActionKind.FILE and not a.lines for entry in a.entries}


def _partly_taken(body: str) -> set[str]:
    actions = find_actions(body)
    return {entry for a in actions if a.kind is ActionKind.FILE and a.lines for entry in a.entries}


def _is_covered(entry: str, old: set[str]) -> bool:
    """A narrower part of a file that was taken whole, or in a wider part, is nothing gained."""
    if not entry.startswith("lines:"):
        return False
    path, _, span = entry.removeprefix("lines:").rpartition(":")
    first, last = (int(number) for number in span.split("-"))
    parts = [other for other in old if other.startswith(f"lines:{path}:")]
    if not parts:
        return any(other.startswith("file:") and other.removesuffix(":flow").endswith(f":{path}") for other in old)
    spans = [tuple(int(n) for n in other.rpartition(":")[2].split("-")) for other in parts]
    return any(low <= first and last <= high for low, high in spans)


def _template(body: str) -> set[str]:
    """Return the template's own tricks: tags that can print characters which run or fetch something."""
    found: set[str] = set()
    for match in _TAG.finditer(body):
        output, tag = match[1], match[2]
        before, after = body[: match.start()][-1:], body[match.end() :][:1]
        inner = " ".join((output if output is not None else tag).split())
        if output is not None:
            if not _PLAIN_OUTPUT.fullmatch(output) and _SPECIAL.search(output):
                found.add(f"template:{inner}")
            if after == "`" or before in ("@", "!") or _in_action(body, match.start()):
                found.add(f"template-beside:{before if before in '@!' else ''}{inner}{after if after == '`' else ''}")
        elif not _HARMLESS_TAG.match(tag) and (
            _SPECIAL.search(tag) or re.match(r"\s*(?:assign|capture|raw|include|render)\b", tag)
        ):
            found.add(f"template:{inner}")
    return found


def _in_action(body: str, index: int) -> bool:
    """Say whether a tag stands inside a path, an address or a command."""
    start = max(body.rfind(mark, 0, index) for mark in (" ", "\n", "\t"))
    return body.find("@", start + 1, index) >= 0 or body.find("!`", start + 1, index) >= 0


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)

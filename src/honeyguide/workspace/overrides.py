"""The override files of the five kinds that a workspace deploys: what is in them, and how a new text gets in.

Built-in texts stand in ``base/`` and are never written; an override shadows one, and its removal brings it back.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import HoneyguideError, NotFound, Unreadable
from honeyguide.prompts.carriers import parse
from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.targets import SECTIONS, TargetKind, TargetRef
from honeyguide.versions import LiveFile
from honeyguide.workspace.layout import Layout


@dataclass(frozen=True, slots=True)
class OverrideKind:
    """How one kind is deployed."""

    kind: TargetKind
    folder: str
    suffix: str
    file_kind: FileKind
    reload_event: str


KINDS: dict[TargetKind, OverrideKind] = {
    row.kind: row
    for row in (
        OverrideKind(TargetKind.PERSONA, "personas", ".json", FileKind.PERSONA_OVERRIDE, "persona:reloaded"),
        OverrideKind(
            TargetKind.SECTION, "behavioral-overrides", ".json", FileKind.SECTION_OVERRIDE, "behavioral-spec:reloaded"
        ),
        OverrideKind(TargetKind.TOOL, "tool-overrides", ".json", FileKind.TOOL_OVERRIDE, "tool:reloaded"),
        OverrideKind(TargetKind.SKILL, "skill-overrides", ".md", FileKind.SKILL_OVERRIDE, "skill:reloaded"),
        OverrideKind(TargetKind.GENERIC, "generic-overrides", ".md", FileKind.GENERIC_OVERRIDE, "generic:reloaded"),
    )
}


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """What the agent ships with for one target: the text, and the facts that an override keeps."""

    ref: TargetRef
    text: str
    facts: dict[str, Any]
    data: bytes

    @property
    def title(self) -> str:
        """What people call it."""
        return str(self.facts.get("name") or self.ref.name)


class Overrides:
    """Reads built-in and override files; the live text is the override's where a readable one is there."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def names(self) -> list[TargetRef]:
        """Return every target that has a built-in text or an override, by kind and name."""
        found = {builtin.ref for builtin in self.builtins()}
        for row in KINDS.values():
            folder = self._layout.root / row.folder
            for file in sorted(folder.glob(f"*{row.suffix}")) if folder.is_dir() else ():
                found.add(TargetRef(row.kind, file.name.removesuffix(row.suffix)))
        order = list(KINDS)
        return sorted(found, key=lambda ref: (order.index(ref.kind), _section_order(ref), ref.name))

    def builtins(self) -> list[BuiltIn]:
        """Return everything in ``base/``. Raises Unreadable, naming the file."""
        found = [self._persona(file) for file in _files(self._layout.base_personas, ".json")]
        if self._layout.base_sections.is_file():
            for name, text in _json(self._layout.base_sections).items():
                found.append(_section(name, str(text)))
        found += [self._tool(file) for file in _files(self._layout.base_tools, ".json")]
        for kind, folder in (
            (TargetKind.SKILL, self._layout.base_skills),
            (TargetKind.GENERIC, self._layout.base_generic),
        ):
            for file in _files(folder, ".md"):
                data = file.read_bytes()
                text = parse(data, KINDS[kind].file_kind).text
                found.append(BuiltIn(TargetRef(kind, file.stem), text, {"name": file.stem}, data))
        return found

    def builtin(self, ref: TargetRef) -> BuiltIn | None:
        """Return what the agent ships with for one target."""
        return next((builtin for builtin in self.builtins() if builtin.ref == ref), None)

    def live_file(self, ref: TargetRef, builtin: BuiltIn | None) -> LiveFile:
        """Return where the target's text is live."""
        row = KINDS[ref.kind]
        return LiveFile(
            kind=ref.kind.value,
            name=ref.name,
            path=self._layout.override(row.folder, ref.name, row.suffix),
            keeps_bak=True,
            builtin=builtin.data if builtin else b"",
            fingerprint=lambda data: fingerprint(ref.kind, data),
        )

    def live_text(self, ref: TargetRef) -> str:
        """Return the text that an agent loads now. Raises NotFound for a target nobody knows."""
        builtin = self.builtin(ref)
        live = self.live_file(ref, builtin)
        if live.path.is_file():
            text = readable_text(ref.kind, live.path.read_bytes())
            if text:
                return text
        if builtin is None:
            raise NotFound(f"There is no {ref.kind.value} called {ref.name!r}.", hint="See 'honeyguide targets list'.")
        return builtin.text

    def _persona(self, file: Path) -> BuiltIn:
        facts = _json(file)
        name = str(facts.get("id") or file.stem)
        return BuiltIn(
            TargetRef(TargetKind.PERSONA, name), str(facts.get("systemPrompt", "")), facts, file.read_bytes()
        )

    def _tool(self, file: Path) -> BuiltIn:
        facts = _json(file)
        name = str(facts.get("name") or file.stem)
        return BuiltIn(TargetRef(TargetKind.TOOL, name), str(facts.get("description", "")), facts, file.read_bytes())


def composer(
    ref: TargetRef, builtin: BuiltIn | None, text: str, run_uuid: str | None, deployed_at: str
) -> Callable[[bytes | None], bytes]:
    """Return what makes the new override from the live one (or from the built-in file): only the text changes."""

    def compose(live: bytes | None) -> bytes:
        if ref.kind is TargetKind.SECTION:
            return _pretty({"section": ref.name, "text": text, "runUuid": run_uuid, "deployedAt": deployed_at})
        known = live if live is not None and readable_text(ref.kind, live) is not None else None
        source = known if known is not None else builtin.data if builtin is not None else _shell(ref)
        return parse(source, KINDS[ref.kind].file_kind).with_text(text)

    return compose


def readable_text(kind: TargetKind, data: bytes) -> str | None:
    """Return the text inside an override's bytes; ``None`` when it is malformed."""
    try:
        return parse(data, KINDS[kind].file_kind).text
    except HoneyguideError:
        return None


def fingerprint(kind: TargetKind, data: bytes) -> str:
    """Return the hash that a deploy compares: of the text, or of the bytes when no text can be read from them."""
    text = readable_text(kind, data)
    return sha256_hex(data if text is None else text)


def _section(name: str, text: str) -> BuiltIn:
    data = _pretty({"section": name, "text": text, "runUuid": None, "deployedAt": None})
    return BuiltIn(TargetRef(TargetKind.SECTION, name), text, {"name": name}, data)


def _shell(ref: TargetRef) -> bytes:
    """Return an empty override for a target that the agent does not ship with."""
    if ref.kind is TargetKind.PERSONA:
        return _pretty({"id": ref.name, "name": ref.name, "description": "", "icon": "", "systemPrompt": "-"})
    if ref.kind is TargetKind.TOOL:
        return _pretty({"name": ref.name, "description": "-"})
    return b"-\n"


def _section_order(ref: TargetRef) -> int:
    return SECTIONS.index(ref.name) if ref.kind is TargetKind.SECTION and ref.name in SECTIONS else len(SECTIONS)


def _files(folder: Path, suffix: str) -> list[Path]:
    return sorted(folder.glob(f"*{suffix}")) if folder.is_dir() else []


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path} cannot be read: {error}.", hint="Correct the file.") from error
    if not isinstance(value, dict):
        raise Unreadable(f"{path} does not hold a JSON object.", hint="Correct the file.")
    return value


def _pretty(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()

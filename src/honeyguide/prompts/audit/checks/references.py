"""References and imports that lead nowhere: links, ``@imports``, paths in backticks, skills named by a subagent."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from honeyguide.prompts import capabilities, rules
from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Prompt, Shelf
from honeyguide.prompts.capabilities import CapabilityKind
from honeyguide.prompts.kinds import Container, FileKind, profile

_LINK = re.compile(
    r"(?<!!)\[[^\]\n]{0,300}\]\([ \t]?<?([^)\s>]{1,300})>?(?:[ \t]{1,9}[\"'][^\"'\n]{0,300}[\"'])?[ \t]?\)"
)
_QUOTED_PATH = re.compile(r"`((?:\./)?(?:scripts|references|assets|resources|templates|examples)/[\w./-]+\.\w+)`")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_IMPORTING = frozenset((FileKind.CLAUDE_MEMORY, FileKind.CLAUDE_RULE, FileKind.CLAUDE_COMMAND, FileKind.GEMINI_MEMORY))
_DEEPEST_IMPORT = 5


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield references whose file is not there; nothing when nobody can say what is there."""
    exists = shelf.context.exists
    if exists is None:
        return
    for prompt in shelf.prompts:
        if profile(prompt.kind).container is not Container.TEXT:
            continue
        for target, line, is_import in _references(prompt):
            if not exists(_resolve(prompt, target)):
                yield _finding(prompt, target, line, is_import)
    yield from _unknown_skills(shelf)
    yield from _import_chains(shelf)


def _references(prompt: Prompt) -> Iterator[tuple[str, int, bool]]:
    for number, line in prompt.lines:
        for match in _LINK.finditer(line):
            target = unquote(match.group(1)).partition("#")[0]
            if target and not _SCHEME.match(target) and not re.search(r"[{}$<>*]", target):
                yield target, number, False
        if prompt.kind is FileKind.AGENT_SKILL:
            for match in _QUOTED_PATH.finditer(line):
                yield match.group(1), number, False
    if prompt.kind in _IMPORTING:
        for target, offset in _imports(prompt):
            yield target, prompt.line_at(offset), True


def _imports(prompt: Prompt) -> Iterator[tuple[str, int]]:
    """Yield the files that a text imports; ``@scope/package`` without an ending is taken for a package's name."""
    if "@" not in prompt.document.text:
        return
    for capability in capabilities.in_text(prompt.document.text):
        path = capability.value
        is_package = not path.startswith((".", "/", "~")) and not re.search(r"\.\w{1,8}$", path)
        if capability.kind is CapabilityKind.IMPORT and not is_package and "$" not in path:
            yield path, capability.start


def _resolve(prompt: Prompt, target: str) -> str:
    if target.startswith("~"):
        return target
    return posixpath.normpath(posixpath.join(str(prompt.folder), target))


def _finding(prompt: Prompt, target: str, line: int, is_import: bool) -> Finding:
    if is_import:
        why = "The program leaves the import out without a word."
        return Finding("error", "dead-import", prompt.path, line, f"The import @{target} leads to no file.", why)
    why = "The agent looks for it, loses a step, and goes on without it."
    return Finding("warning", "dead-reference", prompt.path, line, f"The reference {target!r} leads to no file.", why)


def _unknown_skills(shelf: Shelf) -> Iterator[Finding]:
    known = {prompt.name for prompt in shelf.documents if prompt.kind is FileKind.AGENT_SKILL}
    for prompt in shelf.documents:
        named = prompt.document.fields.get("skills")
        if prompt.kind is not FileKind.CLAUDE_SUBAGENT or not known:
            continue
        names = named if isinstance(named, list) else re.split(r"[,\s]+", named) if isinstance(named, str) else []
        for name in names:
            if isinstance(name, str) and name and name.rpartition(":")[2] not in known:
                line = rules.line_of_field(prompt.document, "skills")
                message = f"The subagent loads the skill {name!r}, which was not found."
                yield Finding("warning", "dead-skill", prompt.path, line, message, "It starts without that skill.")


def _import_chains(shelf: Shelf) -> Iterator[Finding]:
    by_path = {posixpath.normpath(p.path.replace("\\", "/")): p for p in shelf.documents if p.kind in _IMPORTING}
    imports = {
        path: [(_resolve(prompt, target), offset) for target, offset in _imports(prompt)]
        for path, prompt in by_path.items()
    }
    imported = {target for targets in imports.values() for target, _ in targets}
    for start, prompt in by_path.items():
        for target, offset in imports[start]:
            chain = [start, target]
            while chain[-1] in imports and imports[chain[-1]] and len(chain) <= _DEEPEST_IMPORT + 1:
                following = imports[chain[-1]][0][0]
                if following in chain:
                    if following == start:
                        message = f"The import @{posixpath.basename(target)} comes back to this file."
                        why = "The program stops somewhere in the circle."
                        yield Finding("warning", "import-cycle", prompt.path, prompt.line_at(offset), message, why)
                    break
                chain.append(following)
            if len(chain) - 1 > _DEEPEST_IMPORT and start not in imported:
                message = f"This import is the first of a chain of more than {_DEEPEST_IMPORT}."
                why = f"Claude Code follows imports {_DEEPEST_IMPORT} files deep and leaves out the rest."
                yield Finding("warning", "import-too-deep", prompt.path, prompt.line_at(offset), message, why)

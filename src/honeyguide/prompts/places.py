"""Where programs keep their prompts: the usual places, and what kind of file a path is.

Only paths are looked at here; `discovery` walks them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from honeyguide.prompts.kinds import PROFILES, FileKind
from honeyguide.prompts.targets import TargetKind

PROGRAM_FOLDERS = frozenset(
    (".claude", ".codex", ".agents", ".cursor", ".github", ".windsurf", ".gemini", ".copilot", ".claude-plugin")
)
"""Hidden folders that may hold prompts; others are not entered."""
SKIPPED_FOLDERS = frozenset(
    (
        *("node_modules", "__pycache__", "venv", "site-packages", "bower_components", "vendor", "dist", "build"),
        *("target", "shell-snapshots", "todos", "statsig", "file-history", "sessions", "archived_sessions"),
    )
)
"""Folders that hold other people's files, products or histories."""
_BY_NAME: Mapping[str, FileKind] = {
    "skill.md": FileKind.AGENT_SKILL,
    "claude.md": FileKind.CLAUDE_MEMORY,
    "claude.local.md": FileKind.CLAUDE_MEMORY,
    "agents.md": FileKind.AGENTS_MD,
    "agents.override.md": FileKind.AGENTS_MD,
    "gemini.md": FileKind.GEMINI_MEMORY,
    ".cursorrules": FileKind.CURSOR_LEGACY,
    ".windsurfrules": FileKind.WINDSURF_RULE,
    "copilot-instructions.md": FileKind.COPILOT_INSTRUCTIONS,
    "promptfooconfig.yaml": FileKind.PROMPTFOO,
    "promptfooconfig.yml": FileKind.PROMPTFOO,
}
_BY_ENDING: tuple[tuple[str, FileKind], ...] = (
    (".instructions.md", FileKind.COPILOT_SCOPED),
    (".prompt.md", FileKind.COPILOT_PROMPT),
    (".agent.md", FileKind.COPILOT_AGENT),
    (".chatmode.md", FileKind.COPILOT_AGENT),
    (".mdc", FileKind.CURSOR_RULE),
    (".prompty", FileKind.PROMPTY),
    (".prompt", FileKind.DOTPROMPT),
)
_BY_FOLDER: tuple[tuple[str, str, FileKind], ...] = (
    (".claude/agents", ".md", FileKind.CLAUDE_SUBAGENT),
    (".claude/commands", ".md", FileKind.CLAUDE_COMMAND),
    (".claude/output-styles", ".md", FileKind.CLAUDE_OUTPUT_STYLE),
    (".claude/rules", ".md", FileKind.CLAUDE_RULE),
    (".codex/prompts", ".md", FileKind.CODEX_PROMPT),
    (".cursor/rules", ".md", FileKind.CURSOR_RULE),
    (".github/agents", ".md", FileKind.COPILOT_AGENT),
    (".github/prompts", ".md", FileKind.COPILOT_PROMPT),
    (".github/instructions", ".md", FileKind.COPILOT_SCOPED),
    (".windsurf/rules", ".md", FileKind.WINDSURF_RULE),
    (".gemini/commands", ".toml", FileKind.GEMINI_COMMAND),
    ("personas", ".json", FileKind.PERSONA_OVERRIDE),
    ("behavioral-overrides", ".json", FileKind.SECTION_OVERRIDE),
    ("tool-overrides", ".json", FileKind.TOOL_OVERRIDE),
    ("skill-overrides", ".md", FileKind.SKILL_OVERRIDE),
    ("generic-overrides", ".md", FileKind.GENERIC_OVERRIDE),
)
_PROMPT_TEXT = re.compile(r"(?:^|[-_. ])(?:system[-_ ]?)?prompts?(?:[-_. ]|$)", re.IGNORECASE)
_DSPY = re.compile(rb'"signature"\s*:\s*\{')
_TOOL = re.compile(rb'"(?:inputSchema|input_schema|parameters)"\s*:\s*\{')


_PLAINEST: Mapping[TargetKind, FileKind] = {
    TargetKind.PERSONA: FileKind.PERSONA_OVERRIDE,
    TargetKind.SECTION: FileKind.SECTION_OVERRIDE,
    TargetKind.SKILL: FileKind.SKILL_OVERRIDE,
    TargetKind.INSTRUCTION_FILE: FileKind.CLAUDE_RULE,
    TargetKind.SUBAGENT: FileKind.CLAUDE_SUBAGENT,
    TargetKind.COMMAND: FileKind.CLAUDE_COMMAND,
}


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder where a program usually keeps prompts.

    Attributes:
        kind: what its files are when their own path does not say, as in a folder that the environment moved.
    """

    program: str
    path: Path
    kind: FileKind | None = None


def kind_of(path: str | PurePath) -> FileKind | None:
    """Return the kind of file that ``path`` is by its name and folders, or ``None``."""
    pure = PurePosixPath(path.as_posix() if isinstance(path, PurePath) else path.replace("\\", "/"))
    name = pure.name.lower()
    if kind := _BY_NAME.get(name):
        return kind
    folders = "/" + "/".join(part.lower() for part in pure.parts[:-1]) + "/"
    for folder, ending, kind in _BY_FOLDER:
        if name.endswith(ending) and f"/{folder}/" in folders:
            specific = next((found for end, found in _BY_ENDING if name.endswith(end)), None)
            return specific or kind
    for ending, kind in _BY_ENDING:
        if name.endswith(ending):
            return kind
    if "/.claude/plugins/" in folders and name.endswith(".md"):
        return {"agents": FileKind.CLAUDE_SUBAGENT, "commands": FileKind.CLAUDE_COMMAND}.get(pure.parent.name.lower())
    is_text = name.endswith((".txt", ".md", ".j2", ".jinja", ".jinja2", ".hbs", ".njk", ".mustache"))
    if is_text and (pure.parent.name.lower() == "prompts" or _PROMPT_TEXT.search(pure.stem)):
        return FileKind.PLAIN_TEXT
    return None


def kind_of_json(data: bytes) -> FileKind | None:
    """Return what a JSON file with an unknown name holds: a DSPy program, tool descriptions, or neither."""
    if _DSPY.search(data) and b'"instructions"' in data:
        return FileKind.DSPY_PROGRAM
    if _TOOL.search(data) and b'"name"' in data and b'"description"' in data:
        return FileKind.TOOL_JSON
    return None


def kind_for(path: str | PurePath, data: bytes, target: TargetKind | None = None) -> FileKind:
    """Return the kind of a file that a person adds, by its path, its content, and what they say its text is for.

    A path that says nothing, or something that does not fit ``target``, falls back on the plainest kind for it.
    """
    found = kind_of(path)
    is_json = str(path).lower().endswith(".json")
    if found is None and is_json:
        found = kind_of_json(data)
    if found is not None and (target is None or PROFILES[found].target is target):
        return found
    if target is None:
        return FileKind.PLAIN_TEXT
    if target is TargetKind.TOOL:
        return FileKind.TOOL_JSON if is_json else FileKind.PLAIN_TEXT
    return _PLAINEST.get(target, FileKind.PLAIN_TEXT)


def name_of(path: str | PurePath, kind: FileKind) -> str:
    """Return what a file's prompt is called when it does not say itself: a skill by its folder, else by its stem."""
    pure = PurePosixPath(path.as_posix() if isinstance(path, PurePath) else path.replace("\\", "/"))
    if kind is FileKind.AGENT_SKILL:
        return pure.parent.name or pure.stem
    name = pure.name
    for ending in (*(end for end, _ in _BY_ENDING), ".md", ".toml", ".json", ".yaml", ".yml", ".txt"):
        if name.lower().endswith(ending):
            return name[: -len(ending)] or name
    return name


def usual_places(
    home: Path, projects: tuple[Path, ...] = (), environment: Mapping[str, str] | None = None
) -> tuple[Place, ...]:
    """Return where to look for prompts: the programs' own folders in ``home``, and the given projects.

    Args:
        home: the person's home folder.
        projects: folders the person works in.
        environment: may move folders (``CLAUDE_CONFIG_DIR``, ``CODEX_HOME``).
    """
    variables = environment or {}
    claude = Path(variables.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex = Path(variables.get("CODEX_HOME") or home / ".codex")
    return (
        Place("Claude Code", claude / "CLAUDE.md"),
        Place("Claude Code", claude / "skills"),
        Place("Claude Code", claude / "agents", FileKind.CLAUDE_SUBAGENT),
        Place("Claude Code", claude / "commands", FileKind.CLAUDE_COMMAND),
        Place("Claude Code", claude / "output-styles", FileKind.CLAUDE_OUTPUT_STYLE),
        Place("Claude Code", claude / "rules", FileKind.CLAUDE_RULE),
        Place("Claude Code", claude / "plugins"),
        Place("Codex", codex / "AGENTS.md"),
        Place("Codex", codex / "AGENTS.override.md"),
        Place("Codex", codex / "prompts", FileKind.CODEX_PROMPT),
        Place("Codex", codex / "skills"),
        Place("Agent Skills", home / ".agents" / "skills"),
        Place("Gemini CLI", home / ".gemini" / "GEMINI.md"),
        Place("Gemini CLI", home / ".gemini" / "commands"),
        Place("Gemini CLI", home / ".gemini" / "skills"),
        Place("Cursor", home / ".cursor" / "rules"),
        Place("Copilot", home / ".copilot" / "agents", FileKind.COPILOT_AGENT),
        *(Place("project", project) for project in projects),
    )

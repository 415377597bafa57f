"""Where programs keep their prompts: the usual places, and what kind of file a path is.

Only paths are looked at here; `discovery` walks them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath

from honeyguide.prompts.kinds import FileKind

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


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder where a program usually keeps prompts."""

    program: str
    path: Path


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
    own = (
        *(("Claude Code", claude / part) for part in ("CLAUDE.md", "skills", "agents", "commands", "output-styles")),
        *(("Claude Code", claude / part) for part in ("rules", "plugins")),
        *(("Codex", codex / part) for part in ("AGENTS.md", "AGENTS.override.md", "prompts", "skills")),
        ("Agent Skills", home / ".agents" / "skills"),
        *(("Gemini CLI", home / ".gemini" / part) for part in ("GEMINI.md", "commands", "skills")),
        ("Cursor", home / ".cursor" / "rules"),
        ("Copilot", home / ".copilot" / "agents"),
    )
    return (
        *(Place(program, path) for program, path in own),
        *(Place("project", project) for project in projects),
    )

"""The kinds of prompt file, and what each is like: its program, its container, its frontmatter.

A `TargetKind` says what a text is for; a `FileKind` says in which program's file it sits. The table
below is the one place that knows all kinds; limits, places and span choices are keyed by the same enum.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from honeyguide.prompts.targets import TargetKind
from honeyguide.prompts.variables import Dialect


class FileKind(StrEnum):
    """Every kind of file whose text can evolve."""

    AGENT_SKILL = "agent-skill"
    CLAUDE_SUBAGENT = "claude-subagent"
    CLAUDE_COMMAND = "claude-command"
    CLAUDE_OUTPUT_STYLE = "claude-output-style"
    CLAUDE_MEMORY = "claude-memory"
    CLAUDE_RULE = "claude-rule"
    AGENTS_MD = "agents-md"
    CODEX_PROMPT = "codex-prompt"
    CURSOR_RULE = "cursor-rule"
    CURSOR_LEGACY = "cursor-legacy-rules"
    COPILOT_INSTRUCTIONS = "copilot-instructions"
    COPILOT_SCOPED = "copilot-scoped-instructions"
    COPILOT_PROMPT = "copilot-prompt"
    COPILOT_AGENT = "copilot-agent"
    WINDSURF_RULE = "windsurf-rule"
    GEMINI_MEMORY = "gemini-memory"
    GEMINI_COMMAND = "gemini-command"
    TOOL_JSON = "tool-json"
    DOTPROMPT = "dotprompt"
    PROMPTY = "prompty"
    PROMPTFOO = "promptfoo"
    DSPY_PROGRAM = "dspy-program"
    PERSONA_OVERRIDE = "persona-override"
    SECTION_OVERRIDE = "section-override"
    TOOL_OVERRIDE = "tool-override"
    SKILL_OVERRIDE = "skill-override"
    GENERIC_OVERRIDE = "generic-override"
    PLAIN_TEXT = "plain-text"


class Container(StrEnum):
    """The syntax around the text."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    TOML = "toml"


class FrontmatterRule(StrEnum):
    """What the program that loads the file does with a block between ``---`` lines."""

    NONE = "none"
    """It does not know frontmatter: such a block is part of the text."""
    OPTIONAL = "optional"
    REQUIRED = "required"
    LOOSE = "loose"
    """Read line by line as ``key: rest of the line``, not as YAML (Cursor)."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one kind of file.

    Attributes:
        label: what a person calls it.
        program: who loads it.
        target: the kind of target its text is.
        container: the syntax around the text.
        frontmatter: how the program treats a frontmatter block; only for `Container.TEXT`.
        dialect: how variables are written in it.
    """

    kind: FileKind
    label: str
    program: str
    target: TargetKind
    container: Container = Container.TEXT
    frontmatter: FrontmatterRule = FrontmatterRule.NONE
    dialect: Dialect = Dialect.ANY


_K, _T, _C, _F = FileKind, TargetKind, Container, FrontmatterRule
_ROWS = (
    Profile(_K.AGENT_SKILL, "Agent skill", "Claude Code", _T.SKILL, frontmatter=_F.REQUIRED),
    Profile(_K.CLAUDE_SUBAGENT, "Claude Code subagent", "Claude Code", _T.SUBAGENT, frontmatter=_F.REQUIRED),
    Profile(_K.CLAUDE_COMMAND, "Claude Code command", "Claude Code", _T.COMMAND, _C.TEXT, _F.OPTIONAL, Dialect.COMMAND),
    Profile(
        _K.CLAUDE_OUTPUT_STYLE, "Claude Code output style", "Claude Code", _T.INSTRUCTION_FILE, frontmatter=_F.OPTIONAL
    ),
    Profile(_K.CLAUDE_MEMORY, "CLAUDE.md", "Claude Code", _T.INSTRUCTION_FILE),
    Profile(_K.CLAUDE_RULE, "Claude Code rule", "Claude Code", _T.INSTRUCTION_FILE, frontmatter=_F.OPTIONAL),
    Profile(_K.AGENTS_MD, "AGENTS.md", "Codex", _T.INSTRUCTION_FILE),
    Profile(_K.CODEX_PROMPT, "Codex prompt", "Codex", _T.COMMAND, _C.TEXT, _F.OPTIONAL, Dialect.COMMAND),
    Profile(_K.CURSOR_RULE, "Cursor rule", "Cursor", _T.INSTRUCTION_FILE, frontmatter=_F.LOOSE),
    Profile(_K.CURSOR_LEGACY, ".cursorrules", "Cursor", _T.INSTRUCTION_FILE),
    Profile(_K.COPILOT_INSTRUCTIONS, "Copilot instructions", "Copilot", _T.INSTRUCTION_FILE),
    Profile(_K.COPILOT_SCOPED, "Copilot scoped instructions", "Copilot", _T.INSTRUCTION_FILE, frontmatter=_F.OPTIONAL),
    Profile(_K.COPILOT_PROMPT, "Copilot prompt", "Copilot", _T.COMMAND, frontmatter=_F.OPTIONAL),
    Profile(_K.COPILOT_AGENT, "Copilot agent", "Copilot", _T.SUBAGENT, frontmatter=_F.OPTIONAL),
    Profile(_K.WINDSURF_RULE, "Windsurf rule", "Windsurf", _T.INSTRUCTION_FILE, frontmatter=_F.OPTIONAL),
    Profile(_K.GEMINI_MEMORY, "GEMINI.md", "Gemini CLI", _T.INSTRUCTION_FILE),
    Profile(_K.GEMINI_COMMAND, "Gemini command", "Gemini CLI", _T.COMMAND, _C.TOML),
    Profile(_K.TOOL_JSON, "Tool description", "MCP or OpenAI client", _T.TOOL, _C.JSON),
    Profile(_K.DOTPROMPT, "Dotprompt", "Dotprompt", _T.GENERIC, _C.TEXT, _F.OPTIONAL, Dialect.DOTPROMPT),
    Profile(_K.PROMPTY, "Prompty", "Prompty", _T.GENERIC, _C.TEXT, _F.REQUIRED, Dialect.JINJA),
    Profile(_K.PROMPTFOO, "promptfoo prompt", "promptfoo", _T.GENERIC, _C.YAML, dialect=Dialect.NUNJUCKS),
    Profile(_K.DSPY_PROGRAM, "DSPy program", "DSPy", _T.GENERIC, _C.JSON),
    Profile(_K.PERSONA_OVERRIDE, "Persona", "this workspace", _T.PERSONA, _C.JSON),
    Profile(_K.SECTION_OVERRIDE, "Behavioural-spec section", "this workspace", _T.SECTION, _C.JSON),
    Profile(_K.TOOL_OVERRIDE, "Tool description", "this workspace", _T.TOOL, _C.JSON),
    Profile(_K.SKILL_OVERRIDE, "Skill", "this workspace", _T.SKILL, frontmatter=_F.OPTIONAL),
    Profile(_K.GENERIC_OVERRIDE, "Prompt", "this workspace", _T.GENERIC),
    Profile(_K.PLAIN_TEXT, "Plain text", "your program", _T.GENERIC),
)
PROFILES = MappingProxyType({row.kind: row for row in _ROWS})


def profile(kind: FileKind) -> Profile:
    """Return what is known of ``kind``."""
    return PROFILES[kind]

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from honeyguide.prompts.discovery import MAX_BYTES, discover, exists
from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.places import kind_for, kind_of, kind_of_json, name_of, usual_places
from honeyguide.prompts.targets import TargetKind
from tests.prompts.samples import SAMPLES

PATHS = {
    ".claude/skills/tidy/SKILL.md": FileKind.AGENT_SKILL,
    ".claude/agents/team/reviewer.md": FileKind.CLAUDE_SUBAGENT,
    ".claude/commands/git/explain.md": FileKind.CLAUDE_COMMAND,
    ".claude/output-styles/terse.md": FileKind.CLAUDE_OUTPUT_STYLE,
    ".claude/rules/tests.md": FileKind.CLAUDE_RULE,
    ".claude/plugins/p/agents/a.md": FileKind.CLAUDE_SUBAGENT,
    "CLAUDE.md": FileKind.CLAUDE_MEMORY,
    "sub/CLAUDE.local.md": FileKind.CLAUDE_MEMORY,
    "AGENTS.md": FileKind.AGENTS_MD,
    ".codex/prompts/sum.md": FileKind.CODEX_PROMPT,
    ".cursor/rules/style.mdc": FileKind.CURSOR_RULE,
    ".cursorrules": FileKind.CURSOR_LEGACY,
    ".github/copilot-instructions.md": FileKind.COPILOT_INSTRUCTIONS,
    ".github/instructions/py.instructions.md": FileKind.COPILOT_SCOPED,
    ".github/prompts/test.prompt.md": FileKind.COPILOT_PROMPT,
    ".github/agents/plan.agent.md": FileKind.COPILOT_AGENT,
    ".windsurf/rules/kind.md": FileKind.WINDSURF_RULE,
    "GEMINI.md": FileKind.GEMINI_MEMORY,
    ".gemini/commands/plan.toml": FileKind.GEMINI_COMMAND,
    "tools/orders.json": FileKind.TOOL_JSON,
    "greet.prompt": FileKind.DOTPROMPT,
    "greet.prompty": FileKind.PROMPTY,
    "promptfooconfig.yaml": FileKind.PROMPTFOO,
    "compiled.json": FileKind.DSPY_PROGRAM,
    "personas/guide.json": FileKind.PERSONA_OVERRIDE,
    "behavioral-overrides/coreLoop.json": FileKind.SECTION_OVERRIDE,
    "tool-overrides/find_order.json": FileKind.TOOL_OVERRIDE,
    "skill-overrides/tidy.md": FileKind.SKILL_OVERRIDE,
    "generic-overrides/hello.md": FileKind.GENERIC_OVERRIDE,
    "prompts/system.txt": FileKind.PLAIN_TEXT,
}
NOT_PROMPTS = ("README.md", "package.json", "src/main.py", ".claude/skills/tidy/reference.md", "notes.txt")


def shelf(root: Path) -> None:
    for path, kind in PATHS.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(SAMPLES[kind].encode() + b"\n" * (len(path) % 3))
    for path in NOT_PROMPTS:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}" if path.endswith(".json") else "x")


def test_every_kind_is_found_in_its_usual_place_and_nothing_else(tmp_path):
    shelf(tmp_path)
    found = discover([tmp_path])
    assert {f.path.relative_to(tmp_path).as_posix(): f.kind for f in found.files} == PATHS
    assert found.skipped == ()
    assert set(PATHS.values()) == set(FileKind)


def test_nothing_is_written(tmp_path):
    shelf(tmp_path)
    before = {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in tmp_path.rglob("*")}
    discover([tmp_path])
    assert {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in tmp_path.rglob("*")} == before


def test_a_named_file_of_unknown_kind_is_plain_text(tmp_path):
    file = tmp_path / "anything.xyz"
    file.write_text("You help.")
    assert [f.kind for f in discover([file]).files] == [FileKind.PLAIN_TEXT]


def test_packages_and_foreign_hidden_folders_are_not_entered(tmp_path):
    for folder in ("node_modules/x", ".git/x", "venv/x", ".cache"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "CLAUDE.md").write_text("x")
    assert discover([tmp_path]).files == ()


def test_what_cannot_be_looked_at_is_said(tmp_path):
    (tmp_path / "CLAUDE.md").write_bytes(b"x" * (MAX_BYTES + 1))
    found = discover([tmp_path, tmp_path / "missing"])
    assert [s.path.name for s in found.skipped] == ["CLAUDE.md", "missing"]
    assert discover([tmp_path / "missing"], must_exist=False).skipped == ()


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links and pipes")
def test_links_are_followed_once_and_pipes_are_not_opened(tmp_path):
    real = tmp_path / "real" / "tidy"
    real.mkdir(parents=True)
    (real / "SKILL.md").write_bytes(SAMPLES[FileKind.AGENT_SKILL].encode())
    (tmp_path / "link").symlink_to(real, target_is_directory=True)
    (real / "loop").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "AGENTS.md")
    found = discover([tmp_path])
    assert len(found.files) == 1
    assert [s.reason for s in found.skipped] == ["it is not a regular file"]


def test_windows_paths_are_understood():
    assert kind_of("C:\\Users\\x\\.claude\\agents\\a.md") is FileKind.CLAUDE_SUBAGENT
    assert name_of("C:\\x\\tidy\\SKILL.md", FileKind.AGENT_SKILL) == "tidy"


def test_json_is_told_by_its_content():
    assert kind_of_json(b'{"compilerOptions": {"parameters": {}}}') is None


def test_the_environment_moves_the_programs_folders(tmp_path):
    moved = {"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")}
    paths = [place.path for place in usual_places(tmp_path, (tmp_path / "work",), moved)]
    assert tmp_path / "c" / "skills" in paths
    assert tmp_path / "x" / "AGENTS.md" in paths
    assert paths[-1] == tmp_path / "work"
    assert not any(".claude" in path.parts for path in paths)


def test_a_moved_folder_still_says_what_its_files_are(tmp_path):
    (tmp_path / "moved" / "agents").mkdir(parents=True)
    (tmp_path / "moved" / "agents" / "reviewer.md").write_bytes(SAMPLES[FileKind.CLAUDE_SUBAGENT].encode())
    places = usual_places(tmp_path, environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    assert [f.kind for f in discover(places, must_exist=False).files] == [FileKind.CLAUDE_SUBAGENT]


@pytest.mark.parametrize(
    ("path", "data", "target", "kind"),
    [
        ("x/SKILL.md", b"", None, FileKind.AGENT_SKILL),
        ("x/notes.md", b"", None, FileKind.PLAIN_TEXT),
        ("x/notes.md", b"", TargetKind.SKILL, FileKind.SKILL_OVERRIDE),
        ("x/notes.md", b"", TargetKind.SUBAGENT, FileKind.CLAUDE_SUBAGENT),
        ("x/SKILL.md", b"", TargetKind.GENERIC, FileKind.PLAIN_TEXT),
        ("x/t.json", SAMPLES[FileKind.TOOL_JSON].encode(), None, FileKind.TOOL_JSON),
        ("x/t.json", b"{}", TargetKind.TOOL, FileKind.TOOL_JSON),
    ],
)
def test_a_person_can_say_what_a_text_is_for(path, data, target, kind):
    assert kind_for(path, data, target) is kind


def test_existence_understands_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "own.md").write_text("x")
    assert exists("~/own.md")
    assert not exists("~/other.md")

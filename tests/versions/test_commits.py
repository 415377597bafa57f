"""Committing a deployed file to its git repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Conflict, PolicyRefused
from honeyguide.versions.commits import commit_file, repository_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "AGENTS.md").write_text("old\n")
    (folder / "other.txt").write_text("old\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Start")
    return folder


def test_only_the_file_is_committed_whatever_else_is_staged(repository):
    (repository / "AGENTS.md").write_text("new\n")
    (repository / "other.txt").write_text("staged by the person\n")
    git(repository, "add", "other.txt")
    commit = commit_file(repository / "AGENTS.md", "Shorten AGENTS.md")
    assert (
        git(repository, "show", "--name-only", "--format=%H %s", commit).split("\n")[0] == f"{commit} Shorten AGENTS.md"
    )
    assert git(repository, "show", "--name-only", "--format=", commit).split() == ["AGENTS.md"]
    assert git(repository, "diff", "--cached", "--name-only").split() == ["other.txt"]


def test_a_file_git_has_never_seen_and_one_that_went_away_are_committed_too(repository):
    (repository / "SKILL [1].md").write_text("new\n")
    commit_file(repository / "SKILL [1].md", "Add a skill")
    (repository / "SKILL [1].md").unlink()
    commit_file(repository / "SKILL [1].md", "Remove it again")
    assert git(repository, "log", "--format=%s", "-2").splitlines() == ["Remove it again", "Add a skill"]


def test_nothing_to_commit_is_said(repository):
    with pytest.raises(Conflict):
        commit_file(repository / "AGENTS.md", "Nothing")


def test_a_hook_that_says_no_is_heard(repository):
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'prompts need a ticket' >&2\nexit 1\n")
    hook.chmod(0o755)
    (repository / "AGENTS.md").write_text("new\n")
    with pytest.raises(Conflict, match="prompts need a ticket"):
        commit_file(repository / "AGENTS.md", "Shorten")


def test_a_file_that_is_ignored_or_in_no_repository_is_refused(repository, tmp_path):
    (repository / ".gitignore").write_text("private.md\n")
    (repository / "private.md").write_text("x")
    (tmp_path / "loose.md").write_text("x")
    for path in (repository / "private.md", tmp_path / "loose.md"):
        with pytest.raises(PolicyRefused):
            commit_file(path, "No")


def test_the_repository_of_a_file_is_found(repository, tmp_path):
    assert repository_of(repository / "AGENTS.md") == repository.resolve()
    assert repository_of(tmp_path / "loose.md") is None


def test_an_environment_that_points_git_elsewhere_is_not_followed(repository, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert repository_of(repository / "AGENTS.md") == repository.resolve()

"""Small honest histories: Claude Code sessions line by line, and tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = "11111111-2222-4333-8444-55555555555{}"


def user(number: int, text: str, *, session: str = SESSION.format(0), cwd: str = "/home/ada/shop") -> dict[str, Any]:
    """Return what a person said; messages of a session form one chain."""
    return {**_line(number, session, cwd), "type": "user", "message": {"role": "user", "content": text}}


def assistant(
    number: int,
    text: str,
    *,
    session: str = SESSION.format(0),
    cwd: str = "/home/ada/shop",
    tool: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what the agent answered, with a tool call when one is given."""
    content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if tool is not None:
        content.append({"type": "tool_use", "id": f"t{number}", **tool})
    message = {
        "id": f"msg-{session}-{number}", "role": "assistant", "model": "claude-test", "content": content,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip
    return {**_line(number, session, cwd), "type": "assistant", "message": message}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    """Write lines as a session."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def conversation(path: Path, number: int = 0, *, complaint: str = "No, that is wrong. Use the metric system.") -> Path:
    """Write a session of two requests, in which the second one complains about the first answer."""
    session = SESSION.format(number)
    return write(
        path / f"{session}.jsonl",
        user(0, f"How tall is tower number {number}?", session=session),
        assistant(1, "It is 330 feet tall.", session=session),
        user(2, complaint, session=session),
        assistant(3, "It is 100 metres tall.", session=session, tool={"name": "Skill", "input": {"skill": "units"}}),
    )


def _line(number: int, session: str, cwd: str) -> dict[str, Any]:
    return {
        "uuid": _uuid(number, session), "parentUuid": _uuid(number - 1, session) if number else None,
        "sessionId": session, "cwd": cwd, "timestamp": f"2026-01-01T00:{number:02d}:00.000Z", "isSidechain": False,
        "version": "2.0.0", "userType": "external",
    }  # fmt: skip


def _uuid(number: int, session: str) -> str:
    return f"{session[:8]}-{session[-4:]}-4000-8000-{number:012d}"

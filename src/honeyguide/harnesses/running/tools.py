"""The tools of a run: the folder's own, the built-in ones, and those that read back a result too long to show."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.running.fetching import FetchRefused, fetch
from honeyguide.harnesses.running.host import CodeFailed, CodeHost, run_command
from honeyguide.harnesses.running.spilling import Spill
from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.references import BuiltinTool, CodeTool
from honeyguide.llm.tools import ToolCall, ToolSpec

MOST_READ_BYTES: Final = 1_000_000
MOST_NOTES: Final = 256
MOST_NOTE_BYTES: Final = 1024 * 1024
_NEWLINE: Final = "\n"
_TEXT: Final = {"type": "string"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call; ``retryable`` says whether the same call may succeed another time."""

    content: str
    is_error: bool = False
    artifacts: tuple[Mapping[str, Any], ...] = ()
    terminate: bool = False
    retryable: bool = True


class _Refused(Exception):
    """A call that our rules do not allow; the message is for the model."""


@dataclass(slots=True)
class RunHooks:
    """What tools need of the world around the run.

    Attributes:
        recall: earlier runs of this harness, newest first, as plain data.
        propose_memory: queues a lesson and returns (outcome, proposal id).
        tell: writes a journal event.
    """

    recall: Callable[[int, bool, str], Sequence[Mapping[str, Any]]] = lambda limit, output, scope: ()
    propose_memory: Callable[[Mapping[str, Any]], tuple[str, str]] = lambda entry: ("unavailable", "")
    tell: Callable[[str, Mapping[str, Any]], object] = lambda kind, payload: None


@dataclass(slots=True)
class Toolset:
    """The tools of one run. ``call`` blocks: use a worker thread."""

    spec: HarnessSpec
    root: Path
    host: CodeHost
    spill: Spill
    context: Mapping[str, Any]
    hooks: RunHooks
    specs: list[ToolSpec] = field(default_factory=list)
    tags: dict[str, frozenset[str]] = field(default_factory=dict)
    guidelines: list[str] = field(default_factory=list)
    _code: dict[str, tuple[CodeTool, bool]] = field(default_factory=dict)
    _builtin: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _notes: dict[str, str] = field(default_factory=dict)
    _proposed: int = 0

    def open(self) -> None:
        """Learn what the tools take; starts the child where there is code. Raises CodeFailed."""
        for tool in self.spec.tools:
            if isinstance(tool, BuiltinTool):
                self._builtin[tool.builtin] = tool.parameters
                self.tags[tool.builtin] = catalogue.TOOLS[tool.builtin].tags
                self.specs.append(self._builtin_spec(tool))
                continue
            found = self.host.call("describe", tool.file, tool.function)
            self._code[tool.function] = (tool, bool(found["wants_context"]))
            self.tags[tool.function] = frozenset(found["tags"])
            self.specs.append(ToolSpec(tool.function, tool.description, found["schema"]))
            if found["guidelines"]:
                self.guidelines.append(found["guidelines"])

    @property
    def offered(self) -> tuple[ToolSpec, ...]:
        """What the model may call now; the readers of spilled results only once there is one."""
        return (*self.specs, *(_READERS if self.spill.has_any else ()))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.offered)

    @property
    def notes_index(self) -> str:
        """The notes by name, size and first line, for the system prompt."""
        if not self._notes:
            return ""
        lines = [f"- {name}: {text.partition(_NEWLINE)[0][:80]}" for name, text in self._notes.items()]
        return "Your notes:\n" + "\n".join(lines)

    def call(self, call: ToolCall) -> Outcome:
        """Carry out one call; whatever goes wrong is an outcome the model can read."""
        try:
            if call.name in self._code:
                return self._call_code(call)
            if call.name == "read_tool_result":
                handle = str(call.arguments.get("handle"))
                return Outcome(self.spill.read(handle, _whole(call, "offset"), _whole(call, "limit")))
            if call.name == "search_tool_result":
                return Outcome(self.spill.search(str(call.arguments.get("handle")), str(call.arguments.get("query"))))
            if call.name in self._builtin:
                return _BUILTINS[call.name](self, self._builtin[call.name], call.arguments)
        except (_Refused, FetchRefused, KeyError) as error:
            return Outcome(f"tool error: {error}", is_error=True, retryable=False)
        except (CodeFailed, OSError, UnicodeDecodeError) as error:
            return Outcome(f"tool {error}" if isinstance(error, CodeFailed) else f"tool error: {error}", is_error=True)
        return Outcome(f"unknown tool '{call.name}'", is_error=True, retryable=False)

    def _call_code(self, call: ToolCall) -> Outcome:
        tool, wants_context = self._code[call.name]
        arguments = dict(call.arguments)
        if wants_context:
            arguments["run_context"] = dict(self.context)
        value = self.host.call("tool", tool.file, tool.function, arguments=arguments)
        return Outcome(
            str(value["content"]), bool(value["is_error"]), tuple(value["artifacts"]), bool(value["terminate"]),
            bool(value["retryable"]),
        )  # fmt: skip

    def _builtin_spec(self, tool: BuiltinTool) -> ToolSpec:
        description, properties, required = _DESCRIBED[tool.builtin]
        if tool.builtin == "shell":
            allowed = [" ".join(catalogue.shell_rule(r)[0]) for r in tool.parameters.get("commands") or []]
            description += f" Allowed: {'; '.join(allowed) or 'none'}."
        schema = {"type": "object", "properties": properties, "required": required}
        return ToolSpec(tool.builtin, description, schema)

    def inside(self, name: object) -> Path:
        """Return a file of the folder that tools may touch. Raises _Refused."""
        base = self.root.resolve()
        path = (base / str(name)).resolve()
        if not path.is_relative_to(base) or path == base:
            raise _Refused(f"{name} is outside the harness folder")
        parts = path.relative_to(base).parts
        secret = parts[-1].startswith(".env") and parts[-1] not in (".env.example", ".env.template")
        if parts[0] in (".hiveloom", ".git") or secret:
            raise _Refused(f"{name} is not for tools")
        return path


def _file_read(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    path = tools.inside(given["path"])
    if path.stat().st_size > MOST_READ_BYTES:
        raise _Refused(f"{given['path']} is larger than {MOST_READ_BYTES} bytes")
    return Outcome(path.read_text(encoding="utf-8"))


def _file_write(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    if not tools.spec.confinement.writable:
        raise _Refused("the folder is read-only for tools")
    path = tools.inside(given["path"])
    if path.suffix == ".py" or path.name == "harness.yaml":
        raise _Refused("code and the spec are not written by tools")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = str(given["content"])
    path.write_text(text, encoding="utf-8")
    return Outcome(f"wrote {len(text)} characters to {given['path']}")


def _load_skill(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    name = str(given["name"])
    if name not in tools.spec.skills:
        raise _Refused(f"there is no skill '{name}'; declared are: {', '.join(tools.spec.skills) or 'none'}")
    return Outcome((tools.root / "skills" / name / "SKILL.md").read_text(encoding="utf-8"))


def _shell(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    import shlex

    try:
        words = shlex.split(str(given["command"]))
    except ValueError as error:
        raise _Refused(str(error)) from error
    rules = [catalogue.shell_rule(rule) for rule in p.get("commands") or []]
    exact = any(tuple(words) == argv for argv, _ in rules)
    longer = any(extra and tuple(words[: len(argv)]) == argv and _plain(words[len(argv) :]) for argv, extra in rules)
    if not words or not (exact or longer):
        raise _Refused(f"the command is not on the allowlist: {given['command']}")
    limits = tools.spec.confinement
    code, said = run_command(tools.host, words, tools.root, limits.timeout_seconds, limits.max_output_bytes)
    if code is None:
        return Outcome(f"the command did not finish within {limits.timeout_seconds}s", is_error=True)
    return Outcome(said if code == 0 else f"exit {code}\n{said}", is_error=code != 0)


def _plain(words: Sequence[str]) -> bool:
    """Whether added arguments stay in the folder: no options that name files, no absolute or upward paths."""
    return all(not w.startswith(("/", "~")) and ".." not in w.split("/") and "=" not in w for w in words)


def _http_get(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    hosts = [str(host) for host in p.get("hosts") or []]

    def decided(host: str, allowed: bool) -> None:
        tools.hooks.tell("network_access_decision", {"host": host, "allowed": allowed, "source": "spec"})

    return Outcome(fetch(str(given["url"]), hosts, decided))


def _notes(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    action, name = str(given.get("action", "list")), str(given.get("name", ""))
    if action == "list":
        return Outcome("\n".join(tools._notes) or "no notes")
    if action == "read":
        if name not in tools._notes:
            raise _Refused(f"there is no note '{name}'")
        return Outcome(tools._notes[name])
    if action == "delete":
        tools._notes.pop(name, None)
        tools.hooks.tell("note_deleted", {"name": name})
        return Outcome(f"deleted {name}")
    text = str(given.get("content", ""))
    most = min(int(p.get("max_notes", 32)), MOST_NOTES)
    longest = int(p.get("max_note_bytes", 0)) or tools.spec.context.tool_results.max_inline_bytes or MOST_NOTE_BYTES
    if not name or len(text.encode()) > min(longest, MOST_NOTE_BYTES):
        raise _Refused(f"a note needs a name and at most {min(longest, MOST_NOTE_BYTES)} bytes")
    if name not in tools._notes and len(tools._notes) >= most:
        raise _Refused(f"at most {most} notes can be kept; delete one first")
    tools._notes[name] = text
    tools.hooks.tell("note_written", {"name": name, "bytes": len(text.encode())})
    return Outcome(f"kept note {name}")


def _recall(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    limit = max(1, min(int(p.get("limit", 3)), 10))
    rows = tools.hooks.recall(limit, bool(p.get("include_output", True)), str(p.get("scope", "harness")))
    query = {word for word in str(given.get("query", "")).casefold().split() if len(word) > 2}
    ranked = sorted(rows, key=lambda r: -len(query & set(str(r.get("task", "")).casefold().split())))
    return Outcome(json.dumps(list(ranked[:limit]), ensure_ascii=False, indent=1))


def _propose_memory(tools: Toolset, p: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    most = max(1, min(int(p.get("max_per_run", 3)), 10))
    if tools._proposed >= most:
        raise _Refused(f"at most {most} lessons can be proposed in a run")
    tools._proposed += 1
    entry = {key: str(given[key]) for key in ("id", "kind", "title", "content", "evidence") if key in given}
    outcome, proposal = tools.hooks.propose_memory(entry)
    tools.hooks.tell("memory_proposed", {**entry, "outcome": outcome, "proposal_id": proposal})
    return Outcome(f"the lesson is {outcome}; a person reviews it")


def _whole(call: ToolCall, name: str) -> int | None:
    value = call.arguments.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


_BUILTINS: Final[Mapping[str, Callable[[Toolset, Mapping[str, Any], Mapping[str, Any]], Outcome]]] = {
    "file_read": _file_read,
    "file_write": _file_write,
    "load_skill": _load_skill,
    "shell": _shell,
    "http_get": _http_get,
    "notes": _notes,
    "recall_runs": _recall,
    "propose_memory": _propose_memory,
}
_DESCRIBED: Final[Mapping[str, tuple[str, dict[str, Any], list[str]]]] = {
    "file_read": ("Read a UTF-8 text file of the working folder.", {"path": _TEXT}, ["path"]),
    "file_write": (
        "Write a UTF-8 text file in the working folder.", {"path": _TEXT, "content": _TEXT}, ["path", "content"],
    ),
    "load_skill": ("Read one of the declared skills in full.", {"name": _TEXT}, ["name"]),
    "shell": ("Run one of the allowed commands.", {"command": _TEXT}, ["command"]),
    "http_get": ("Fetch a page from one of the declared hosts.", {"url": _TEXT}, ["url"]),
    "notes": (
        "Keep notes for this run: action is write, read, list or delete.",
        {"action": {"type": "string", "enum": ["write", "read", "list", "delete"]}, "name": _TEXT, "content": _TEXT},
        ["action"],
    ),
    "recall_runs": ("Look up earlier runs of this harness.", {"query": _TEXT}, []),
    "propose_memory": (
        "Offer a durable lesson; a person reviews it.",
        {
            "id": _TEXT, "kind": {"type": "string", "enum": ["fact", "rule", "example"]}, "title": _TEXT,
            "content": _TEXT, "evidence": _TEXT,
        },
        ["id", "kind", "title", "content"],
    ),
}  # fmt: skip
_READERS: Final = (
    ToolSpec(
        "read_tool_result", "Read part of a result that was too long to show.",
        {
            "type": "object", "required": ["handle"],
            "properties": {"handle": _TEXT, "offset": {"type": "integer"}, "limit": {"type": "integer"}},
        },
    ),
    ToolSpec(
        "search_tool_result", "Find the lines of a result that contain some words.",
        {"type": "object", "required": ["handle", "query"], "properties": {"handle": _TEXT, "query": _TEXT}},
    ),
)  # fmt: skip

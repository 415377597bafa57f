"""Runs the code of a harness folder: tools, validators, guardrails. Started as a process of its own, by path.

It uses nothing but the standard library and imports nothing of this program. It reads one JSON request a line from
standard input and writes one JSON answer a line to the descriptor that standard output had; what the code prints goes
to standard error.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import json
import os
import sys
import traceback
import types
from pathlib import Path
from typing import Any, get_type_hints

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
_LONGEST = 4 * 1024 * 1024


def main(root: str, memory_mb: int) -> None:
    """Serve requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    _limit(memory_mb)
    sys.path.insert(0, root)
    os.chdir(root)
    if importlib.util.find_spec("hiveloom") is None:
        _stand_in()
    modules: dict[str, types.ModuleType] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"id": request["id"], "ok": True, "value": _serve(request, root, modules)}
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            answer = {"id": request["id"], "ok": False, "error": _said(error)}
        answers.write(json.dumps(answer, ensure_ascii=True, default=str)[:_LONGEST] + "\n")
        answers.flush()


def _serve(request: dict[str, Any], root: str, modules: dict[str, types.ModuleType]) -> Any:
    function = getattr(_module(request["file"], root, modules), request["function"])
    kind = request["kind"]
    if kind == "describe":
        return _described(function)
    if kind == "tool":
        return _tool_value(_called(function, (), request["arguments"]))
    if kind == "validator":
        wants_evidence = _positional(function) >= 3
        given = (request["output"], request["context"], _Evidence(request.get("evidence") or {}))
        return _verdict_value(_called(function, given if wants_evidence else given[:2], {}))
    return _decision_value(_called(function, (request["state"],), {}))


def _module(file: str, root: str, modules: dict[str, types.ModuleType]) -> types.ModuleType:
    if file not in modules:
        path = str(Path(root, file))
        name = "harness_" + "".join(c if c.isalnum() else "_" for c in file)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} is no Python module")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        sys.path.insert(0, str(Path(path).parent))
        spec.loader.exec_module(module)
        modules[file] = module
    return modules[file]


def _called(function: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
    value = function(*positional, **named)
    return asyncio.run(value) if inspect.iscoroutine(value) else value


def _described(function: Any) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    try:
        hints = get_type_hints(function)
    except Exception:  # noqa: BLE001 - hints may name anything; without them a parameter takes any value
        hints = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name == "run_context":
            continue
        hint: Any = hints.get(name)
        kind = _TYPES.get(getattr(hint, "__origin__", hint))
        properties[name] = {"title": name.replace("_", " ").title()} | ({"type": kind} if kind else {})
        if parameter.default is parameter.empty:
            required.append(name)
        else:
            try:
                json.dumps(parameter.default)
                properties[name]["default"] = parameter.default
            except (TypeError, ValueError):
                pass
    known = getattr(function, "__hiveloom_tool__", {})
    return {
        "schema": {"properties": properties, "required": required, "type": "object"},
        "tags": list(known.get("tags") or []),
        "guidelines": str(known.get("guidelines") or ""),
        "wants_context": "run_context" in inspect.signature(function).parameters,
    }


def _positional(function: Any) -> int:
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 3
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def _tool_value(value: Any) -> dict[str, Any]:
    if hasattr(value, "content") and hasattr(value, "is_error"):
        artifacts = [{"kind": str(a.kind), "data": a.data} for a in getattr(value, "artifacts", None) or []]
        return {
            "content": _text(value.content), "is_error": bool(value.is_error), "artifacts": artifacts,
            "terminate": bool(getattr(value, "terminate", False)), "retryable": bool(getattr(value, "retryable", True)),
        }  # fmt: skip
    return {"content": _text(value), "is_error": False, "artifacts": [], "terminate": False, "retryable": True}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _verdict_value(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"passed": bool(value.get("passed", False)), "feedback": str(value.get("feedback", ""))}
    if hasattr(value, "passed"):
        return {"passed": bool(value.passed), "feedback": str(getattr(value, "feedback", "") or "")}
    return {"passed": bool(value), "feedback": ""}


def _decision_value(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"decision": str(value.get("decision", "allow")).lower(), "reason": str(value.get("reason", ""))}
    if hasattr(value, "kind"):
        return {"decision": str(value.kind), "reason": str(getattr(value, "reason", ""))}
    return {"decision": "allow", "reason": ""}


def _said(error: BaseException) -> str:
    if type(error).__name__ == "ToolError":
        return f"tool error: {error}"
    traceback.print_exc(limit=-5)
    return f"raised {type(error).__name__}: {error}"


def _limit(memory_mb: int) -> None:
    try:
        import resource
    except ImportError:
        return
    if memory_mb > 0:
        size = memory_mb * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class _Evidence:
    """What a validator may look at beside the output: attributes of what the run did."""

    def __init__(self, data: dict[str, Any]) -> None:
        for name, value in data.items():
            setattr(self, name, tuple(_Evidence(v) if isinstance(v, dict) else v for v in value)
                    if isinstance(value, list) else value)  # fmt: skip


def _stand_in() -> None:
    """Offer the few names of hiveloom that folder code imports, where hiveloom is not installed."""

    class Artifact:
        def __init__(self, kind: str, data: Any = None) -> None:
            self.kind, self.data = kind, data

    class ToolResult:
        def __init__(self, content: str = "", is_error: bool = False, artifacts: Any = None, **more: Any) -> None:
            self.content, self.is_error, self.artifacts = content, is_error, list(artifacts or [])
            self.terminate, self.retryable = bool(more.get("terminate")), bool(more.get("retryable", True))

    class VerdictResult:
        def __init__(self, passed: bool, feedback: str = "", verifier: str = "") -> None:
            self.passed, self.feedback, self.verifier = passed, feedback, verifier

    class ToolError(Exception):
        pass

    def tool(function: Any = None, **known: Any) -> Any:
        def mark(inner: Any) -> Any:
            inner.__hiveloom_tool__ = known
            return inner

        return mark(function) if function is not None else mark

    names = {"Artifact": Artifact, "ToolResult": ToolResult, "VerdictResult": VerdictResult, "ToolError": ToolError}
    for module_name in ("hiveloom", "hiveloom.tools", "hiveloom.tools.registry", "hiveloom.verify", "hiveloom.errors"):
        module = types.ModuleType(module_name)
        module.__path__ = []
        for name, value in {**names, "tool": tool}.items():
            setattr(module, name, value)
        sys.modules[module_name] = module


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

"""Validators: whether an output is good enough, and what to tell the model when it is not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from honeyguide.harnesses.running.host import CodeFailed, CodeHost, run_command, shell_argv
from honeyguide.harnesses.running.json_paths import values_at
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.references import BuiltinValidator
from honeyguide.kernel.matching import Match, search

MOST_MISSING = 50


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one validator says."""

    verifier: str
    passed: bool
    feedback: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"passed": self.passed, "feedback": self.feedback, "verifier": self.verifier}


def verdicts_on(
    spec: HarnessSpec, root: Path, host: CodeHost, output: str, context: Mapping[str, Any], evidence: Mapping[str, Any]
) -> Iterator[Verdict]:
    """Yield the verdict of every validator, in the spec's order (blocking)."""
    for ref in spec.verify.validators:
        if isinstance(ref, BuiltinValidator):
            problem = _CHECKS[ref.builtin](ref.parameters, root, host, output, evidence, spec)
            yield Verdict(ref.builtin, not problem, problem)
            continue
        given = {**context, "output": output}
        try:
            said = host.call("validator", ref.file, ref.function, output=output, context=given, evidence=dict(evidence))
        except CodeFailed as error:
            yield Verdict(ref.function, False, f"the validator itself failed: {error}")
            continue
        yield Verdict(ref.function, bool(said["passed"]), str(said["feedback"]))


Parameters = Mapping[str, Any]


def _output_schema(p: Parameters, root: Path, host: CodeHost, output: str, evidence: Any, spec: HarnessSpec) -> str:
    path = root / str(p["schema_file"])
    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"schema file not usable: {p['schema_file']}"
    try:
        data = json.loads(output)
    except ValueError as error:
        return f"output is not valid JSON: {error}. Emit only a JSON object."
    try:
        jsonschema.validate(data, schema)
    except jsonschema.ValidationError as error:
        return f"output does not match schema: {error.message}"
    except jsonschema.SchemaError as error:
        return f"schema file not usable: {error.message}"
    return ""


def _regex_match(p: Parameters, root: Path, host: CodeHost, output: str, evidence: Any, spec: HarnessSpec) -> str:
    pattern = str(p["pattern"])
    found = search(pattern, output)
    if found is Match.INCONCLUSIVE:
        return f"matching /{pattern}/ took too long to tell"
    return "" if found is Match.FOUND else f"output must match /{pattern}/"


def _file_exists(p: Parameters, root: Path, host: CodeHost, output: str, evidence: Any, spec: HarnessSpec) -> str:
    return "" if (root / str(p["path"])).exists() else f"expected file '{p['path']}' to exist"


def _command(p: Parameters, root: Path, host: CodeHost, output: str, evidence: Any, spec: HarnessSpec) -> str:
    seconds = int(p.get("timeout", 600))
    argv = shell_argv(str(p["command"]))
    code, said = run_command(host, argv, root, seconds, spec.confinement.max_output_bytes)
    if code is None:
        return f"command did not finish within {seconds}s"
    return "" if code == 0 else f"command failed (exit {code}): {said}"


def _grounded(p: Parameters, root: Path, host: CodeHost, output: str, evidence: Any, spec: HarnessSpec) -> str:
    try:
        data = json.loads(output)
    except ValueError as error:
        return f"output is not valid JSON: {error}"
    known: set[str] = set()
    for entry in p["evidence_paths"]:
        for call in evidence.get("tool_calls", ()):
            if call["name"] == entry["tool"] and not call["is_error"]:
                known |= _spelled(values_at(_parsed(call["result"]), entry["path"]))
    missing = sorted(_spelled(values_at(data, str(p["output_path"]))) - known)
    if not missing:
        return ""
    shown = ", ".join(json.dumps(value) for value in missing[:MOST_MISSING])
    more = f" (+{len(missing) - MOST_MISSING} more)" if len(missing) > MOST_MISSING else ""
    return (f"selected references absent from approved tool evidence: {shown}{more}")[:2000]


def _spelled(values: Sequence[Any]) -> set[str]:
    return {
        str(v).lower() if isinstance(v, bool) else str(v)
        for v in values
        if isinstance(v, str | int | float) and v is not None
    }


def _parsed(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


_CHECKS = {
    "output_schema": _output_schema,
    "regex_match": _regex_match,
    "file_exists": _file_exists,
    "command_succeeds": _command,
    "grounded_references": _grounded,
}

"""Validates a harness by reading: the document, its fields, the files it names. Nothing is imported or run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.problems import Problem, Severity
from honeyguide.harnesses.spec.reading import Document, trap_of
from honeyguide.harnesses.spec.references import BuiltinRef, CodeRef
from honeyguide.kernel.errors import Unreadable

_TAGS = frozenset({"builtin", "code", "stdio", "http", "str", "Step"})
_LEAST_ARGUMENTS = {"tool": 1, "validator": 2, "guardrail": 1, "hook": 1}


@dataclass(frozen=True, slots=True)
class Checked:
    """A spec as far as it could be read; ``spec`` is ``None`` when a field breaks a rule."""

    spec: HarnessSpec | None
    problems: tuple[Problem, ...]

    @property
    def is_valid(self) -> bool:
        """Whether hiveloom would load it."""
        return self.spec is not None and not any(p.severity == "error" for p in self.problems)


def check(document: Document, root: Path | None = None) -> Checked:
    """Return the spec of a document and everything that is wrong with it; ``root`` adds the files it names."""
    problems = list(document.problems)
    try:
        spec = HarnessSpec.model_validate(_text_keys(document.data))
    except ValidationError as error:
        return Checked(None, (*problems, *_field_problems(error, document)))
    problems += _unknown_fields(spec, document)
    problems += _doubtful_values(spec, document)
    if root is not None:
        problems += file_problems(spec, document, root)
    return Checked(spec, tuple(problems))


def said_of(error: ValidationError) -> list[tuple[str, str]]:
    """Return (dotted path, message) of every broken rule."""
    said: list[tuple[str, str]] = []
    for found in error.errors(include_url=False, include_context=False):
        steps = [str(step) for step in found["loc"] if not _is_tag(step)]
        said.append((".".join(steps), found["msg"]))
    return said


def _is_tag(step: object) -> bool:
    return isinstance(step, str) and (step in _TAGS or ("-" in step and "[" in step))


def _field_problems(error: ValidationError, document: Document) -> Iterator[Problem]:
    for found in error.errors(include_url=False, include_context=False):
        path = ".".join(str(step) for step in found["loc"] if not _is_tag(step))
        line, column = document.place(path)
        message = found["msg"].removeprefix("Value error, ")
        kind = found["type"]
        trap = trap_of(document, path, found.get("input")) if found["type"] == "string_type" else ""
        remedy = trap or _remedy(kind, path, message)
        code = {"missing": "missing-field"}.get(kind, "yaml-trap" if trap else "invalid-value")
        sentence = f"{path or 'The spec'}: {message[0].lower() + message[1:]}." if message else f"{path} is not valid."
        yield Problem(code, path, sentence.replace("..", "."), remedy, line, column)


def _remedy(kind: str, path: str, message: str) -> str:
    name = path.rpartition(".")[2]
    if kind == "missing":
        return f"Add '{name}:' with a value."
    if kind.endswith(("_type", "_parsing")):
        return f"Give '{name}' a value of that kind."
    if kind == "literal_error":
        return "Use one of the values named."
    if "unknown" in message and "builtin" in message:
        return "Correct the name, or remove the entry."
    return "Correct the value at this place."


def _text_keys(value: Any) -> Any:
    """Spell keys that YAML made into something else as the texts they look like, so that the rest can be checked."""
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else _spelled(key): _text_keys(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_text_keys(item) for item in value]
    return value


def _spelled(key: object) -> str:
    if isinstance(key, bool):
        return "on" if key else "off"
    return str(key)


def unknown_paths(spec: HarnessSpec) -> list[str]:
    """Return the paths that are no fields of a harness."""
    return [path for path, _ in _extras(spec, "")]


def _unknown_fields(spec: HarnessSpec, document: Document) -> Iterator[Problem]:
    for path, known in _extras(spec, ""):
        line, column = document.place(path)
        name = path.rpartition(".")[2]
        near = _nearest(name, known)
        remedy = f"Did you mean '{near}'?" if near else "Remove it, or run the folder with what knows this field."
        yield Problem(
            "unknown-field", path, f"{path} is no field of a harness; it is kept, but hiveloom refuses it.", remedy,
            line, column,
        )  # fmt: skip


def _extras(value: Any, path: str) -> Iterator[tuple[str, Sequence[str]]]:
    if isinstance(value, BaseModel):
        fields = list(type(value).model_fields)
        if not isinstance(value, BuiltinRef):
            for name in value.model_extra or {}:
                yield (f"{path}.{name}" if path else name), fields
        for name in fields:
            yield from _extras(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _extras(item, f"{path}.{number}")


def _nearest(name: str, known: Sequence[str]) -> str:
    from rapidfuzz import process

    found = process.extractOne(name, known, score_cutoff=70)
    return found[0] if found else ""


def _doubtful_values(spec: HarnessSpec, document: Document) -> Iterator[Problem]:
    if spec.model.provider not in catalogue.PROVIDERS:
        line, column = document.place("model.provider")
        yield Problem(
            "unknown-provider", "model.provider", f"No provider is called {spec.model.provider!r} in hiveloom 1.3.",
            f"Known are: {', '.join(catalogue.PROVIDERS)}; others come from an extension.", line, column, "warning",
        )  # fmt: skip
    if spec.extensions:
        line, column = document.place("extensions")
        yield Problem(
            "extensions", "extensions", "Extensions run as code when hiveloom loads the folder; here they never do.",
            "Trust the folder only if you know them.", line, column, "warning",
        )  # fmt: skip
    if "version" in document.data:
        line, column = document.place("version")
        yield Problem(
            "legacy-field", "version", "The field 'version' is called 'schema_version' now.",
            "Rename it; the hash stays the same.", line, column, "warning",
        )  # fmt: skip


def file_problems(spec: HarnessSpec, document: Document, root: Path) -> Iterator[Problem]:
    """Yield what is wrong with the files that a spec names."""
    refs: list[tuple[str, str, Any]] = [(f"tools.{n}", "tool", r) for n, r in enumerate(spec.tools)]
    refs += [(f"guardrails.{n}", "guardrail", r) for n, r in enumerate(spec.guardrails)]
    refs += [(f"verify.validators.{n}", "validator", r) for n, r in enumerate(spec.verify.validators)]
    refs += [(f"hooks.{n}", "hook", r) for n, r in enumerate(spec.hooks)]
    for number, playbook in enumerate(spec.playbooks):
        at = f"playbooks.{number}"
        refs += [(f"{at}.validators.{n}", "validator", r) for n, r in enumerate(playbook.validators)]
        if playbook.prompt:
            yield from _file(root, playbook.prompt, f"{at}.prompt", document, "warning")
        for name in ("on_enter", "on_exit"):
            if (code := getattr(playbook, name)) and ":" in code:
                yield from _code(root, code, f"{at}.{name}", "hook", document, "warning")
    for path, kind, ref in refs:
        if isinstance(ref, CodeRef):
            yield from _code(root, ref.code, path, kind, document, "error")
        elif isinstance(schema := ref.parameters.get("schema_file"), str):
            yield from _file(root, schema, f"{path}.schema_file", document, "warning")
    for number, skill in enumerate(spec.skills):
        yield from _skill(root, skill, f"skills.{number}", document)


def _file(root: Path, name: str, path: str, document: Document, severity: Severity) -> Iterator[Problem]:
    line, column = document.place(path)
    real = _real(root, name)
    if real is None:
        yield Problem(
            "outside-folder", path, f"{name} leads out of the harness folder; the version hash does not see it.",
            "Move the file into the folder.", line, column, severity,
        )  # fmt: skip
    elif not real.is_file():
        yield Problem(
            "missing-file", path, f"There is no file {name}.", "Add the file, or correct its path.", line, column,
            severity,
        )  # fmt: skip


def _code(root: Path, code: str, path: str, kind: str, document: Document, severity: Severity) -> Iterator[Problem]:
    name, _, function = code.rpartition(":")
    before = list(_file(root, name, path, document, severity))
    if before:
        yield from before
        return
    line, column = document.place(path)
    try:
        tree = ast.parse((root / name).read_bytes(), filename=name)
    except (SyntaxError, ValueError, RecursionError) as error:
        said = f"{error.msg} (line {error.lineno})" if isinstance(error, SyntaxError) else str(error)
        yield Problem(
            "broken-code", path, f"{name} is not valid Python: {said}.", "Correct the file.", line, column, severity
        )
        return
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from error
    found = _definition(tree, function)
    if found is None:
        if not _may_define(tree, function):
            yield Problem(
                "missing-function", path, f"{name} has no function {function}.",
                "Correct the name after the colon.", line, column, severity,
            )  # fmt: skip
        return
    least = _LEAST_ARGUMENTS[kind]
    arguments = found.args
    positional = len(arguments.posonlyargs) + len(arguments.args)
    if positional < least and arguments.vararg is None:
        yield Problem(
            "too-few-arguments", path,
            f"{function} takes {positional} positional argument(s); a {kind} needs at least {least}.",
            f"Define it as def {function}({', '.join(['value', 'context'][:least])}).", line, column, severity,
        )  # fmt: skip


def _definition(tree: ast.Module, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    found = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            found = node
    return found


def _may_define(tree: ast.Module, name: str) -> bool:
    """Say whether the module may get the name in another way (an import, an assignment, a conditional definition)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import) and any(
            (alias.asname or alias.name) == name or alias.name == "*" for alias in node.names
        ):
            return True
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            return True
    return False


def _skill(root: Path, name: str, path: str, document: Document) -> Iterator[Problem]:
    file = f"skills/{name}/SKILL.md"
    found = list(_file(root, file, path, document, "error"))
    if found:
        yield from found
        return
    line, column = document.place(path)
    text = (root / file).read_text(encoding="utf-8")
    parts = text.split("---", 2) if text.startswith("---") else []
    try:
        front = yaml.safe_load(parts[1]) if len(parts) == 3 else None
    except yaml.YAMLError:
        front = None
    if not isinstance(front, dict) or not str(front.get("description") or "").strip():
        yield Problem(
            "skill-without-description", path, f"{file} has no description in its front matter.",
            "Begin it with --- description: … ---.", line, column,
        )  # fmt: skip


def _real(root: Path, name: str) -> Path | None:
    if PurePosixPath(name).is_absolute() or Path(name).is_absolute():
        return None
    base = root.resolve()
    real = (base / name).resolve()
    return real if real.is_relative_to(base) else None

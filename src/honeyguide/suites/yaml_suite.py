"""A declarative suite, ``<flow>.eval.yaml``: read, checked whole before anything runs, every fault with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema

from honeyguide.evals.checks import CheckRegistry
from honeyguide.evals.examples import CheckSpec
from honeyguide.kernel.errors import InvalidInput
from honeyguide.suites.cases import DEFAULT_TIMEOUT_MS, MAX_REPETITIONS, EvalCase, PlannedCase, Suite
from honeyguide.suites.context_checks import SUITE_CHECKS
from honeyguide.suites.suite_schema import CHECK_SCHEMA, SCHEMA_ID

SUFFIX: Final = ".eval.yaml"
MAX_BYTES: Final = 2_000_000
MAX_CASES: Final = 1000
MAX_TIMEOUT_MS: Final = 3_600_000
MAX_DEPTH: Final = 50
MAX_PLACES: Final = 200_000
"""Values in a suite, those of aliases counted each time."""
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SuiteProblem:
    """A fault of a suite; line and column count from 1."""

    line: int
    column: int
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return ``{"line", "column", "message"}``."""
        return {"line": self.line, "column": self.column, "message": self.message}


def read_suite(text: str, name: str, *, repetitions: int = 1, registry: CheckRegistry = SUITE_CHECKS) -> Suite:
    """Return the suite in ``text``.

    Args:
        name: of the file, for messages.
        repetitions: the policy's, for cases without their own.

    Raises:
        InvalidInput: with the first fault in the message and all of them in ``details["problems"]``.
    """
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"{name} is too long for a suite.", hint=f"{MAX_BYTES} characters are the limit.")
    places, value = _composed(text, name)
    try:
        model = SuiteModel.model_validate(value)
    except ValidationError as error:
        raise _invalid(name, [_problem(places, e["loc"], _sentence(e)) for e in error.errors()]) from error
    problems: list[SuiteProblem] = []
    cases = tuple(
        _case(case, model.defaults, ("cases", n), repetitions, registry, places, problems)
        for n, case in enumerate(model.cases)
    )
    seen: dict[str, int] = {}
    for n, case in enumerate(cases):
        if case.name in seen:
            line = places.get(("cases", seen[case.name], "name"), (1, 1))[0]
            problems.append(_problem(places, ("cases", n, "name"), f"line {line} has a case of this name already"))
        seen.setdefault(case.name, n)
    if problems:
        raise _invalid(name, problems)
    return Suite(cases)


def suite_json_schema() -> dict[str, Any]:
    """Return the JSON schema of a suite, as it is published for editors."""
    schema = SuiteModel.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID, **schema}


Text = Annotated[str, Field(strict=True)]
Whole = Annotated[int, Field(strict=True)]
Repetitions = Annotated[int, Field(strict=True, ge=1, le=MAX_REPETITIONS)]
Timeout = Annotated[int, Field(strict=True, ge=1, le=MAX_TIMEOUT_MS)]
EvidenceId = Annotated[str, Field(strict=True, pattern=r"^fb_[A-Za-z0-9_-]{1,100}$")]
Check = Annotated[dict[str, Any], WithJsonSchema(CHECK_SCHEMA)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", alias_generator=lambda name: name.replace("_", "-"), frozen=True)


class RubricModel(_Model):
    """A question for a judge, and the score from which its answer passes."""

    text: Text = Field(min_length=1, description="What an answer must or must not do.")
    least: float = Field(default=0.7, ge=0, le=1, description="The score from which it passes.")


class CaseModel(_Model):
    """One case: what goes in, and what must hold of what comes out."""

    name: Text = Field(min_length=1, max_length=200, description="Unique in the suite; joins old and new results.")
    input: Text | None = Field(default=None, description="What the target is given, by the way it takes it.")
    stdin: Text | None = Field(default=None, description="Piped in. For flows that use {{ _stdin }}.")
    prompt: Text | None = Field(
        default=None, description="The first argument. For flows that use {{ _1 }} or {{ _args }}."
    )
    evidence: list[EvidenceId] = Field(default_factory=list, description="Reported problems that it reproduces.")
    repetitions: Repetitions | None = Field(default=None, description="Trials; the policy's number when left out.")
    quorum: Repetitions | None = Field(default=None, description="Trials that must pass; all of them when left out.")
    timeout_ms: Timeout | None = Field(default=None, description="Milliseconds a trial may take.")
    cwd: Text | None = Field(default=None, description="A folder relative to the flow's; a fresh one when left out.")
    files: dict[Text, Text] = Field(default_factory=dict, description="Files to write first: path to text.")
    allow_non_zero: bool = Field(
        default=False, strict=True, description="Let the checks decide, whatever the exit code."
    )
    kind: Literal["deterministic", "stochastic", "networked", "repo-mutating"] | None = Field(
        None, description="A label for people."
    )
    draft: bool = Field(default=False, strict=True, description="Not finished by a person; blocks paid work.")
    checks: list[Check] = Field(default_factory=list, description="All of them must pass.")
    rubric: Text | RubricModel | None = Field(default=None, description="Asked of a judge, after the checks passed.")


class DefaultsModel(_Model):
    """What holds for every case that says nothing else."""

    repetitions: Repetitions | None = None
    quorum: Repetitions | None = None
    timeout_ms: Timeout | None = None
    allow_non_zero: bool = Field(default=False, strict=True)


class SuiteModel(_Model):
    """An eval suite of Honeyguide."""

    model_config = ConfigDict(title="Honeyguide eval suite")

    version: Literal[1] = 1
    defaults: DefaultsModel = Field(default_factory=lambda: DefaultsModel())
    cases: list[CaseModel] = Field(min_length=1, max_length=MAX_CASES)


def _case(
    model: CaseModel,
    defaults: DefaultsModel,
    place: Place,
    policy: int,
    registry: CheckRegistry,
    places: Mapping[Place, tuple[int, int]],
    problems: list[SuiteProblem],
) -> EvalCase:
    def wrong(key: str | None, message: str, n: str | int | None = None) -> None:
        where = place if key is None else (*place, key) if n is None else (*place, key, n)
        problems.append(_problem(places, where, message))

    repetitions = model.repetitions or defaults.repetitions or policy
    quorum = model.quorum or (defaults.quorum if model.repetitions is None else None) or repetitions
    if quorum > repetitions:
        wrong("quorum", f"a quorum of {quorum} cannot be reached with {repetitions} repetitions")
    if not model.name.strip():
        wrong("name", "the name is blank")
    given = [key for key in ("input", "stdin", "prompt") if getattr(model, key) is not None]
    if "input" in given and len(given) > 1:
        wrong(given[1], "use either input, or stdin and prompt")
    for key, path in [("cwd", model.cwd), *(("files", path) for path in model.files)]:
        if path is not None and not is_inside(path):
            wrong(key, f"{path!r} leads out of the folder", path if key == "files" else None)
    allow_non_zero = model.allow_non_zero or defaults.allow_non_zero
    checks = []
    for n, raw in enumerate(model.checks):
        spec = _check(raw, registry, partial(wrong, "checks", n=n))
        if spec is not None:
            checks.append(spec)
            if spec.kind == "exit-code" and not allow_non_zero and spec.value not in (0, [0]):
                wrong("checks", "another exit code than 0 needs 'allow-non-zero: true'", n)
    if not model.checks and model.rubric is None:
        wrong(None, "a case needs at least one check, or a rubric")
    rubric = RubricModel(text=model.rubric) if isinstance(model.rubric, str) else model.rubric
    return EvalCase(
        plan=PlannedCase(model.name, tuple(model.evidence), repetitions, min(quorum, repetitions), model.draft),
        input=model.input,
        stdin=model.stdin,
        prompt=model.prompt,
        cwd=model.cwd,
        files=dict(model.files),
        timeout_ms=model.timeout_ms or defaults.timeout_ms or DEFAULT_TIMEOUT_MS,
        allow_non_zero=allow_non_zero,
        checks=tuple(checks),
        rubric=rubric.text if rubric else None,
        rubric_pass=rubric.least if rubric else 0.7,
    )


def _check(raw: Mapping[str, Any], registry: CheckRegistry, wrong: Callable[[str], None]) -> CheckSpec | None:
    kinds = [key for key in raw if key != "name"]
    if len(kinds) != 1:
        wrong("a check has one kind and, if you like, a name")
        return None
    name = raw.get("name", "")
    if not isinstance(name, str):
        wrong("the name of a check must be text")
        return None
    spec = CheckSpec(kinds[0], raw[kinds[0]], name)
    try:
        registry.validate([spec])
    except InvalidInput as error:
        wrong(f"{error.message} {error.hint}".strip())
        return None
    return spec


def is_inside(path: str) -> bool:
    """Say whether a relative path stays in its folder."""
    pure = PurePosixPath(path.replace("\\", "/"))
    return bool(path) and "\0" not in path and not pure.is_absolute() and ".." not in pure.parts and ":" not in path


def _composed(text: str, name: str) -> tuple[dict[Place, tuple[int, int]], Any]:
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        places: dict[Place, tuple[int, int]] = {(): (1, 1)}
        repeated: list[SuiteProblem] = []
        if node is not None:
            _walk(node, (), places, repeated, 0)
        if repeated:
            raise _invalid(name, repeated)
        return places, None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise _invalid(name, [SuiteProblem(line, column, str(error.problem or error.context))]) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _invalid(name, [SuiteProblem(1, 1, " ".join(str(error).split())[:200])]) from error


def _walk(
    node: yaml.Node, place: Place, places: dict[Place, tuple[int, int]], repeated: list[SuiteProblem], depth: int
) -> None:
    if depth > MAX_DEPTH or len(places) > MAX_PLACES:
        raise ValueError("nested too deep, or too large")
    places[place] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, child in node.value:
            spelled = str(key.value)
            if spelled in seen:
                mark = key.start_mark
                repeated.append(SuiteProblem(mark.line + 1, mark.column + 1, f"{spelled!r} stands here twice"))
            seen.add(spelled)
            _walk(child, (*place, spelled), places, repeated, depth + 1)
            places[(*place, spelled, "#key")] = (key.start_mark.line + 1, key.start_mark.column + 1)
    elif isinstance(node, yaml.SequenceNode):
        for n, child in enumerate(node.value):
            _walk(child, (*place, n), places, repeated, depth + 1)


def _problem(places: Mapping[Place, tuple[int, int]], place: Sequence[str | int], message: str) -> SuiteProblem:
    where = tuple(place)
    if (*where, "#key") in places and where in places and message.startswith("there is no"):
        line, column = places[(*where, "#key")]
        return SuiteProblem(line, column, message)
    while where and where not in places:
        where = where[:-1]
    line, column = places.get(where, (1, 1))
    return SuiteProblem(line, column, message)


def _sentence(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"] if isinstance(part, str))
    last = next((str(part) for part in reversed(error["loc"]) if isinstance(part, str)), "")
    if error["type"] == "extra_forbidden":
        return f"there is no setting {last!r} here"
    if error["type"] == "missing":
        return f"{last!r} is missing"
    if error["type"] in ("model_type", "dict_type", "model_attributes_type"):
        return f"{where or 'a suite'} must be keys and values"
    return f"{where}: {error['msg'][0].lower()}{error['msg'][1:]}"


def _invalid(name: str, problems: Sequence[SuiteProblem]) -> InvalidInput:
    ordered = sorted(problems, key=lambda p: (p.line, p.column))
    first = ordered[0]
    more = f" ({len(ordered) - 1} more)" if len(ordered) > 1 else ""
    return InvalidInput(
        f"{name}:{first.line}:{first.column}: {first.message}{more}.",
        hint="docs/suites.md tells what a suite may hold.",
        details={"problems": [problem.to_json() for problem in ordered], "reason_code": "SUITE_INVALID"},
    )

"""The body of ``POST /run``: checked in the order of the first seed, each complaint naming its field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.kernel.errors import InvalidInput, PolicyRefused
from honeyguide.server import bodies
from honeyguide.workspace import RunOptions, TargetKind, TargetRef, Workspace

MOST_SEED = 2**53 - 1
PRESETS = ("thorough", "efficient", "quick")
GEPA_SIZES = ("microScreenSize", "miniEvalSize", "anchorEvalSize")
SCHEMA_SIZES = ("evalSize", "anchorEvalSize")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A checked request."""

    ref: TargetRef
    options: RunOptions


def read_run_request(body: Any, workspace: Workspace) -> RunRequest:
    """Return what is asked for.

    Raises:
        InvalidInput: naming the first field that is missing or wrong.
        PolicyRefused: a limit of the workspace would be loosened.
    """
    if not isinstance(body, Mapping):
        raise InvalidInput("The request body must be a JSON object.")
    kind = body.get("targetKind")
    if not isinstance(kind, str) or kind not in set(TargetKind):
        raise InvalidInput(f"targetKind must be one of: {', '.join(TargetKind)}.")
    name = _filled(body, "targetName")
    baseline = _filled(body, "baseline")
    schema = body.get("schemaBaseline")
    if not isinstance(schema, Mapping):
        raise InvalidInput("schemaBaseline must be an object.")
    if not isinstance(schema.get("name"), str) or not isinstance(schema.get("fields"), list):
        raise InvalidInput("schemaBaseline must have a name and a list of fields.")
    gepa, stage = _part(body, "gepa"), _part(body, "schema")
    seed = bodies.whole(gepa, "seed", 0, MOST_SEED, "gepa.")
    if seed is None:
        seed = bodies.whole(stage, "seed", 0, MOST_SEED, "schema.")
    options = RunOptions(
        preset=_preset(body),
        seed=1 if seed is None else seed,
        max_calls=bodies.whole(body, "maxCalls", 1, 10_000_000),
        max_usd=bodies.number(body, "maxUsd", lambda usd: 0 < usd < 1e6, "a positive number"),
        min_delta=_min_delta(body, workspace),
        population=bodies.whole(gepa, "populationSize", 1, 50, "gepa."),
        generations=bodies.whole(gepa, "generations", 0, 50, "gepa."),
        schema_population=bodies.whole(stage, "populationSize", 1, 50, "schema."),
        schema_generations=bodies.whole(stage, "generations", 0, 50, "schema."),
        sizes={"gepa": _sizes(gepa, GEPA_SIZES, "gepa."), "schema": _sizes(stage, SCHEMA_SIZES, "schema.")},
        concurrency=bodies.whole(gepa, "concurrency", 1, 64, "gepa.") or 4,
        gate_options=_part(body, "gateOptions"),
        schema_baseline=dict(schema),
        posted_baseline=baseline,
        together=_together(body),
        alone=_flag(body, "alone"),
    )
    return RunRequest(TargetRef(TargetKind(kind), name), options)


def _filled(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(f"{name} must be text that is not empty.")
    return value


def _part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} must be an object.")
    return dict(value)


def _together(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the other targets of the run, each ``KIND:NAME`` or ``NAME``."""
    named = body.get("together")
    if named is None:
        return ()
    if not isinstance(named, list) or not all(isinstance(name, str) and name.strip() for name in named):
        raise InvalidInput("together must be a list of targets.", hint="Write each as KIND:NAME.")
    return tuple(named)


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise InvalidInput(f"{name} must be true or false.")
    return bool(value)


def _sizes(part: Mapping[str, Any], names: tuple[str, ...], where: str) -> dict[str, int]:
    found = {name: bodies.whole(part, name, 1, 5000, where) for name in names}
    unknown = set(part) - {*names, "populationSize", "generations", "seed", "concurrency"}
    if unknown:
        raise InvalidInput(f"{where}{min(unknown)} is not known.", hint=f"Known are {', '.join(names)}.")
    return {name: value for name, value in found.items() if value is not None}


def _preset(body: Mapping[str, Any]) -> str:
    preset = body.get("preset")
    if preset is None:
        return PRESETS[0]
    if preset not in PRESETS:
        raise InvalidInput(f"preset must be one of: {', '.join(PRESETS)}.")
    return str(preset)


def _min_delta(body: Mapping[str, Any], workspace: Workspace) -> float:
    least = float(workspace.setting("runs.min_delta"))
    given = bodies.number(body, "minDelta", lambda share: -1 <= share <= 1, "a number from -1 to 1")
    if given is None:
        return least
    if given < least and not workspace.setting("runs.allow_looser_gates"):
        raise PolicyRefused(
            f"A minDelta of {given:g} is looser than this workspace's {least:g}.",
            hint="Ask for more, or change runs.min_delta or runs.allow_looser_gates in the settings.",
        )
    return given

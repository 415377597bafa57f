"""The search for a better text: schema search, instruction search, gates, proof, and the run that joins them.

Pure: no files, no database, no network, no window. Rooms above import what stands here: ``run_once`` with its request,
ports and result, ``make_plan``, the presets, the gates' options and results, and the port for other searches.
"""

from honeyguide.evolution.decision import AttemptOutcome
from honeyguide.evolution.gates import GateInput, GateOptions, GateResult, run_gates
from honeyguide.evolution.orchestrator import run_once
from honeyguide.evolution.plan import Plan, Reason, make_plan
from honeyguide.evolution.presets import SETTINGS, Preset, SearchSettings
from honeyguide.evolution.requests import (
    EvolutionRequest,
    OrchestratorResult,
    Phase,
    Progress,
    RunPorts,
    RunRecord,
    RunSink,
    Trigger,
)
from honeyguide.evolution.schema import Schema, default_schema, schema_from_json
from honeyguide.evolution.search import InstructionResult, InstructionSearch, InstructionTask, SearchPorts

__all__ = [
    "SETTINGS",
    "AttemptOutcome",
    "EvolutionRequest",
    "GateInput",
    "GateOptions",
    "GateResult",
    "InstructionResult",
    "InstructionSearch",
    "InstructionTask",
    "OrchestratorResult",
    "Phase",
    "Plan",
    "Preset",
    "Progress",
    "Reason",
    "RunPorts",
    "RunRecord",
    "RunSink",
    "Schema",
    "SearchPorts",
    "SearchSettings",
    "Trigger",
    "default_schema",
    "make_plan",
    "run_gates",
    "run_once",
    "schema_from_json",
]

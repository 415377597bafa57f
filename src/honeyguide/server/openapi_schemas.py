"""The shapes of the OpenAPI document. New keys may be added to answers, so none of them is closed."""

from __future__ import annotations

from typing import Any

from honeyguide.workspace import TargetKind

Json = dict[str, Any]
TEXT: Json = {"type": "string"}
MAYBE_TEXT: Json = {"type": ["string", "null"]}
WHOLE: Json = {"type": "integer"}
NUMBER: Json = {"type": "number"}
MAYBE_NUMBER: Json = {"type": ["number", "null"]}
FLAG: Json = {"type": "boolean"}
ANY_OBJECT: Json = {"type": "object"}
MAYBE_OBJECT: Json = {"type": ["object", "null"]}
KIND: Json = {"type": "string", "enum": [kind.value for kind in TargetKind]}


def _object(properties: Json, required: list[str] | None = None, **more: Any) -> Json:
    return {"type": "object", "properties": properties, "required": required or list(properties), **more}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


_RUN_COLUMNS: Json = {
    "id": {"type": ["integer", "null"]},
    "run_uuid": TEXT,
    "target_kind": KIND,
    "target_name": MAYBE_TEXT,
    "baseline_text": MAYBE_TEXT,
    "winner_text": MAYBE_TEXT,
    "winner_schema_json": MAYBE_TEXT,
    "delta_accuracy": MAYBE_NUMBER,
    "gate_verdict": {"enum": ["pass", "fail", None]},
    "gate_reasons_json": TEXT,
    "status": TEXT,
    "artifacts_json": MAYBE_TEXT,
    "user_note": MAYBE_TEXT,
    "failure_reason": MAYBE_TEXT,
    "created_at": TEXT,
    "decided_at": MAYBE_TEXT,
    "deployed_at": MAYBE_TEXT,
}
_SIZE: Json = {"type": "integer", "minimum": 1, "maximum": 5000}
_POPULATION: Json = {"type": "integer", "minimum": 1, "maximum": 50}
_GENERATIONS: Json = {"type": "integer", "minimum": 0, "maximum": 50}
_SEED: Json = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
_STATES = ("proposed", "accepted", "rejected", "deployed", "failed")

SCHEMAS: Json = {
    "Error": _object({"error": TEXT, "code": TEXT, "hint": TEXT}),
    "Event": _object(
        {"id": TEXT, "event": TEXT, "data": {"type": "string", "description": "One line of JSON."}}, ["event", "data"]
    ),
    "Health": _object({"status": {"const": "ok"}, "version": TEXT}),
    "Run": _object(_RUN_COLUMNS),
    "Gate": _object({"gate": TEXT, "verdict": {"enum": ["pass", "fail"]}, "reason": TEXT}),
    "Spend": _object(
        {
            "calls": WHOLE,
            "usd": MAYBE_NUMBER,
            "input_tokens": WHOLE,
            "output_tokens": WHOLE,
            "replayed_calls": WHOLE,
        }
    ),
    "Attempt": _object(
        {
            "uuid": TEXT,
            "target_kind": KIND,
            "target_name": MAYBE_TEXT,
            "state": TEXT,
            "status": TEXT,
            "reason": MAYBE_TEXT,
            "created_at": TEXT,
            "finished_at": MAYBE_TEXT,
        }
    ),
    "RunList": _object(
        {"runs": _list(_ref("Run")), "count": WHOLE, "attempts": _list(_ref("Attempt")), "total": WHOLE}
    ),
    "RunDetail": _object(
        {
            **_RUN_COLUMNS,
            "winnerSchema": {},
            "baselineSchema": MAYBE_OBJECT,
            "artifacts": {},
            "gateReasons": _list(_ref("Gate")),
            "verification": MAYBE_OBJECT,
            "lineage": _list(ANY_OBJECT),
            "spend": _ref("Spend"),
            "receipt": MAYBE_OBJECT,
        }
    ),
    "Diff": _object(
        {"before": TEXT, "after": TEXT, "hunks": _list(_object({"n": WHOLE, "before": TEXT, "after": TEXT}))}
    ),
    "Evidence": _object({"evidence": _list(ANY_OBJECT), "total": WHOLE}),
    "Cancelled": _object({"uuid": TEXT, "status": TEXT}),
    "Status": _object(
        {
            "counts": _object({state: {"type": "integer", "minimum": 0} for state in _STATES}),
            "pendingCount": {"type": "integer", "minimum": 0},
            "attempts": {"type": "object", "additionalProperties": WHOLE},
        }
    ),
    "SchemaField": _object(
        {
            "name": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,31}$"},
            "type": {"enum": ["string", "number", "boolean", "array", "object", "enum"]},
            "description": TEXT,
            "required": FLAG,
            "constraints": _list(ANY_OBJECT),
        },
        ["name"],
    ),
    "Schema": _object({"name": TEXT, "version": WHOLE, "fields": _list(_ref("SchemaField"))}, ["name", "fields"]),
    "Targets": _object(
        {
            "personas": _list(_object({"id": TEXT, "name": TEXT, "description": TEXT, "icon": TEXT})),
            "sections": _list(TEXT),
            "defaultSchema": _ref("Schema"),
            "targets": _list(_object({"name": TEXT, "kind": KIND, "path": MAYBE_TEXT, "chars": WHOLE})),
        }
    ),
    "Baseline": _object({"baseline": TEXT, "schemaBaseline": _ref("Schema")}),
    "Prompt": _object({"kind": KIND, "name": TEXT, "text": TEXT, "sha256": TEXT}),
    "Daemon": _object(
        {
            "enabled": FLAG,
            "why_off": TEXT,
            "running": MAYBE_OBJECT,
            "interval_seconds": NUMBER,
            "min_traces": WHOLE,
            "last_tick": MAYBE_OBJECT,
            "next_tick": MAYBE_TEXT,
            "spent": ANY_OBJECT,
            "calls_per_day": WHOLE,
            "usd_per_day": NUMBER,
            "targets": _list(_object({"target": TEXT, "last_run": MAYBE_TEXT, "new": WHOLE, "eligible": FLAG})),
        }
    ),
    "AcceptBody": _object(
        {
            "note": MAYBE_TEXT,
            "hunks": {"type": ["array", "null"], "items": WHOLE, "description": "Only these changes, by number."},
            "editedText": {**MAYBE_TEXT, "description": "Your own wording in place of the proposed one."},
        },
        [],
    ),
    "ContinueBody": _object(
        {
            "repeats": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": 16,
                "description": "Verdicts per case, as a new measurement; without it, cases that came since.",
            }
        },
        [],
    ),
    "RejectBody": _object({"reason": MAYBE_TEXT}, []),
    "RunBody": _object(
        {
            "targetKind": KIND,
            "targetName": {"type": "string", "pattern": r"\S"},
            "baseline": {"type": "string", "pattern": r"\S"},
            "schemaBaseline": _ref("Schema"),
            "minDelta": {"type": "number", "minimum": -1, "maximum": 1},
            "preset": {"enum": ["thorough", "efficient", "quick"]},
            "together": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Other targets, KIND:NAME, whose texts change in the same run.",
            },
            "alone": {**FLAG, "description": "Leave out the targets that stand with this one."},
            "maxCalls": {"type": "integer", "minimum": 1, "maximum": 10_000_000},
            "maxUsd": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1_000_000},
            "gepa": _object(
                {
                    "populationSize": _POPULATION,
                    "generations": _GENERATIONS,
                    "microScreenSize": _SIZE,
                    "miniEvalSize": _SIZE,
                    "anchorEvalSize": _SIZE,
                    "seed": _SEED,
                    "concurrency": {"type": "integer", "minimum": 1, "maximum": 64},
                },
                [],
                additionalProperties=False,
            ),
            "schema": _object(
                {
                    "populationSize": _POPULATION,
                    "generations": _GENERATIONS,
                    "evalSize": _SIZE,
                    "anchorEvalSize": _SIZE,
                    "seed": _SEED,
                },
                [],
                additionalProperties=False,
            ),
            "gateOptions": ANY_OBJECT,
        },
        ["targetKind", "targetName", "baseline", "schemaBaseline"],
    ),
    "RunResult": _object(
        {
            "uuid": TEXT,
            "outcome": {"enum": ["proposed", "skipped-trigger", "skipped-gates", "skipped-delta", "aborted"]},
            "reason": MAYBE_TEXT,
            "run": {"oneOf": [_ref("Run"), {"type": "null"}]},
            "gateResults": _list(_ref("Gate")),
            "composeSummary": MAYBE_OBJECT,
        }
    ),
}

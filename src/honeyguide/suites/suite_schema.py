"""The JSON schema of one check, for editors; the values are checked by the kinds themselves."""

from __future__ import annotations

from typing import Any, Final

SCHEMA_ID: Final = "urn:honeyguide:eval-suite:1"
_TEXT: Final[dict[str, Any]] = {"type": "string", "minLength": 1}
_FOLDED: Final = {
    "anyOf": [
        _TEXT,
        {
            "type": "object",
            "properties": {"text": _TEXT, "ignore_case": {"type": "boolean"}},
            "required": ["text"],
            "additionalProperties": False,
        },
    ]
}
_PATTERN: Final = {
    "anyOf": [
        _TEXT,
        {
            "type": "object",
            "properties": {"pattern": _TEXT, "flags": {"type": "string", "pattern": "^[ims]*$"}},
            "required": ["pattern"],
            "additionalProperties": False,
        },
    ]
}
_WITHIN: Final = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {
            "type": "object",
            "properties": {"min": {"type": "number"}, "max": {"type": "number"}},
            "minProperties": 1,
            "additionalProperties": False,
        },
    ]
}
_EXIT: Final = {"type": "integer", "minimum": 0, "maximum": 255}
CHECK_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "description": "One kind of check with its value, and a name if you like.",
    "minProperties": 1,
    "maxProperties": 2,
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "description": "Your own name for it."},
        "contains": {**_FOLDED, "description": "The output contains this text."},
        "not-contains": {**_FOLDED, "description": "The output does not contain this text."},
        "regex": {**_PATTERN, "description": "The output matches this pattern."},
        "not-regex": {**_PATTERN, "description": "The output does not match this pattern."},
        "equals": {**_FOLDED, "description": "The output is this text, but for white space around it."},
        "json-schema": {"type": ["object", "boolean"], "description": "The output is JSON that keeps this schema."},
        "json-path": {
            "type": "object",
            "description": "A place in JSON output exists, is equal to, or matches.",
            "properties": {"path": _TEXT, "equals": {}, "matches": {}, "exists": {"type": "boolean"}},
            "required": ["path"],
            "additionalProperties": False,
        },
        "length": {**_WITHIN, "description": "Characters: at most, or min and max."},
        "line-count": {**_WITHIN, "description": "Lines: at most, or min and max."},
        "similarity": {
            "type": "object",
            "description": "How alike the output is to a text.",
            "properties": {"to": {"type": "string"}, "min": {"type": "number", "minimum": 0, "maximum": 1}},
            "required": ["to"],
            "additionalProperties": False,
        },
        "file-exists": {**_TEXT, "description": "This file is there afterwards."},
        "file-changed": {**_TEXT, "description": "This file is not as it was before."},
        "exit-code": {
            "anyOf": [_EXIT, {"type": "array", "items": _EXIT, "minItems": 1}],
            "description": "The exit code is this, or one of these.",
        },
    },
}

"""The check kinds that every example may use. Suites add theirs (files, exit codes) with ``with_kind``."""

from __future__ import annotations

from typing import Final

from honeyguide.evals.checks import CheckRegistry
from honeyguide.evals.json_checks import json_path, json_schema
from honeyguide.evals.text_checks import (
    contains,
    contains_not,
    equals,
    length,
    line_count,
    matches,
    matches_not,
    similarity,
)

STANDARD_CHECKS: Final = CheckRegistry(
    {
        "contains": contains,
        "not-contains": contains_not,
        "regex": matches,
        "not-regex": matches_not,
        "equals": equals,
        "json-schema": json_schema,
        "json-path": json_path,
        "length": length,
        "line-count": line_count,
        "similarity": similarity,
    }
)

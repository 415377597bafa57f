"""Values and metrics as they are typed or piped in."""

from __future__ import annotations

import json
from typing import Any

from honeyguide.kernel.errors import InvalidInput


def parse_value(text: str) -> Any:
    """Read a value from the command line: JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def parse_metric_lines(text: str) -> list[dict[str, Any]]:
    """Read one JSON object, a list of them, or one a line. Raises InvalidInput, naming the line."""
    try:
        whole = json.loads(text)
        found = whole if isinstance(whole, list) else [whole]
    except ValueError:
        found = []
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                try:
                    found.append(json.loads(line))
                except ValueError as error:
                    raise InvalidInput(f"Line {number} is no JSON.", hint="One JSON object a line.") from error
    if not all(isinstance(item, dict) for item in found):
        raise InvalidInput("A metric is a JSON object.")
    return found

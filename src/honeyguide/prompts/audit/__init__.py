"""The shelf audit: what a whole set of prompts gets wrong, found without a model, a key or a network.

`audit` takes files as bytes and gives an `AuditReport`; `to_json`, `to_html` and `rows` show it. Any room above may
import the names below.
"""

from honeyguide.prompts.audit.findings import Finding, Quote
from honeyguide.prompts.audit.page import to_html
from honeyguide.prompts.audit.report import COLUMNS, AuditReport, audit, rows, to_json
from honeyguide.prompts.audit.shelf import AuditContext, SecretPlace, ShelfFile, Usage
from honeyguide.prompts.carriers.findings import Severity

__all__ = [
    "COLUMNS",
    "AuditContext",
    "AuditReport",
    "Finding",
    "Quote",
    "SecretPlace",
    "Severity",
    "ShelfFile",
    "Usage",
    "audit",
    "rows",
    "to_html",
    "to_json",
]

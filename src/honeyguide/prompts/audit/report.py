"""The audit's result, as rows for a table and as plain data for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.prompts.audit.checks import CHECKS, listings
from honeyguide.prompts.audit.findings import SEVERITIES, Finding, order
from honeyguide.prompts.audit.shelf import AuditContext, ShelfFile, open_shelf
from honeyguide.prompts.listing import ListingBudget


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found.

    Attributes:
        findings: errors first, then by place.
        files: how many files were looked at.
        kinds: how many of each kind.
        budgets: the listing budget of each program that lists something.
        not_run: checks that could not run, with what they need.
    """

    findings: tuple[Finding, ...]
    files: int
    kinds: Mapping[str, int]
    budgets: tuple[ListingBudget, ...]
    not_run: Mapping[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each severity."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}


def audit(files: Iterable[ShelfFile], context: AuditContext | None = None) -> AuditReport:
    """Look over a whole shelf of prompts: no model, no network, no writing.

    Args:
        files: what to look at; paths are shown as given, and references are resolved against them.
        context: what some checks need from outside.
    """
    context = context or AuditContext()
    listed = tuple(files)
    shelf = open_shelf(listed, context)
    findings = sorted({finding for check in CHECKS.values() for finding in check(shelf)}, key=order)
    return AuditReport(
        findings=tuple(findings),
        files=len(listed),
        kinds=dict(sorted(Counter(file.kind.value for file in listed).items())),
        budgets=listings.budgets(shelf),
        not_run=_not_run(context),
    )


def to_json(report: AuditReport) -> dict[str, Any]:
    """Return the report as plain data; a fix says what it changes, not the whole file."""
    return {
        "findings": [_finding_json(finding) for finding in report.findings],
        "total": len(report.findings),
        "counts": report.counts,
        "files": report.files,
        "kinds": dict(report.kinds),
        "listing": [
            {
                "program": budget.program,
                "used": budget.used,
                "maximum": budget.maximum,
                "hidden": list(budget.hidden),
                "entries": [{"name": e.name, "path": e.path, "shown": e.shown, "cut": e.cut} for e in budget.entries],
            }
            for budget in report.budgets
        ],
        "not_run": dict(report.not_run),
    }


COLUMNS = ("severity", "place", "code", "message", "fix")


def rows(report: AuditReport) -> list[tuple[str, str, str, str, str]]:
    """Return one row per finding, in the order of `COLUMNS`."""
    return [
        (f.severity, f"{f.path}:{f.line}", f.code, f.message, f.fix.title if f.fix else "") for f in report.findings
    ]


def _finding_json(finding: Finding) -> dict[str, Any]:
    fix = finding.fix
    return {
        "severity": finding.severity,
        "code": finding.code,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
        "why": finding.why,
        "fix": {"title": fix.title, "line": fix.line, "before": fix.before, "after": fix.after} if fix else None,
        "quotes": [{"path": quote.path, "line": quote.line, "text": quote.text} for quote in finding.quotes],
    }


def _not_run(context: AuditContext) -> dict[str, str]:
    needs = {
        "references": (context.exists, "nobody said which files exist"),
        "never-used": (context.usage, "no history is imported"),
        "secrets": (context.scan, "no secret scanner was given"),
    }
    return {name: reason for name, (need, reason) in needs.items() if need is None}

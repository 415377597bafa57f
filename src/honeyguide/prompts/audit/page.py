"""The audit as one HTML page that stands alone: no script, nothing loaded, every text escaped."""

from __future__ import annotations

from html import escape

from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.report import AuditReport

_WORDS = {"error": "Error", "warning": "Warning", "info": "Note"}
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 8px; }
article { padding: .8rem 1rem; margin: .8rem 0; }
h2 { font-size: 1rem; margin: 0; } p { margin: .3rem 0; }
.place, pre { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere; white-space: pre-wrap; }
.mark { display: inline-block; min-width: 4.5rem; font-weight: 600; }
.why { opacity: .8; }
pre { margin: .3rem 0; padding: .4rem .6rem; background: color-mix(in srgb, currentColor 7%, transparent); }
table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem 1rem .2rem 0; }
"""


def to_html(report: AuditReport, *, title: str = "Shelf audit", made_at: str = "") -> str:
    """Return the report as a page. ``made_at`` is shown as given; the caller knows the time."""
    counts = report.counts
    summary = f"{report.files:,} files, {counts['error']} errors, {counts['warning']} warnings, {counts['info']} notes"
    parts = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>",
        f"<p>{escape(summary)}{escape('. ' + made_at) if made_at else ''}</p>",
        _listing(report),
        *(_article(finding) for finding in report.findings),
        _not_run(report),
        "</body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _article(finding: Finding) -> str:
    quotes = "".join(f"<pre>{escape(q.path)}:{q.line}\n{escape(q.text)}</pre>" for q in finding.quotes)
    fix = ""
    if finding.fix:
        change = f"- {finding.fix.before}\n+ {finding.fix.after}"
        fix = f"<p>Safe fix: {escape(finding.fix.title)} (line {finding.fix.line})</p><pre>{escape(change)}</pre>"
    return (
        f'<article><h2><span class="mark">{_WORDS[finding.severity]}</span> {escape(finding.message)}</h2>'
        f'<p class="place">{escape(finding.path)}:{finding.line} · {escape(finding.code)}</p>'
        f'<p class="why">{escape(finding.why)}</p>{quotes}{fix}</article>'
    )


def _listing(report: AuditReport) -> str:
    if not report.budgets:
        return ""
    lines = "".join(
        f"<tr><td>{escape(b.program)}</td><td>{b.used:,} of {b.maximum:,} characters</td><td>{b.share:.0%}</td></tr>"
        for b in report.budgets
    )
    return f"<table><tr><th>Listing of</th><th>used</th><th></th></tr>{lines}</table>"


def _not_run(report: AuditReport) -> str:
    if not report.not_run:
        return ""
    items = "".join(f"<li>{escape(name)}: {escape(reason)}</li>" for name, reason in report.not_run.items())
    return f"<p>Not checked:</p><ul>{items}</ul>"

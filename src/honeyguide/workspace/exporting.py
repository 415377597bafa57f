"""One page with the whole proof of a run, to hand to a colleague: no script, nothing loaded, every text escaped."""

from __future__ import annotations

import difflib
import re
from html import escape
from typing import Any

from honeyguide.workspace.views.reviews import (
    EvidenceRow,
)
from honeyguide.workspace.views.runs import (
    RunDetail,
)
from honeyguide.workspace.views.versions import DiffView

PATCH = ".patch"
"""The ending of a change that ``patch`` and ``git apply`` read."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_STYLE = """
:root{color-scheme:light dark;--line:#8884;--good:#1a7f37;--bad:#b3261e;--ins:#2da44e33;--del:#cf222e26}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid var(--line);padding:.4rem;text-align:left;vertical-align:top}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:inherit}
.ins{background:var(--ins)}.del{background:var(--del);text-decoration:line-through}.num{text-align:right;font-variant-numeric:tabular-nums}
.badge{border:1px solid var(--line);border-radius:6px;padding:.1rem .5rem}small{opacity:.75}
"""

_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title><style>{style}</style><body>"""


def review_page(detail: RunDetail, diff: DiffView | None, evidence: list[EvidenceRow], made_at: str) -> str:
    """Return the page. ``made_at`` is shown as given."""
    data = detail.to_json()
    verification = data["verification"] or {}
    badge = str(verification.get("label") or data["status"])
    why = str(verification.get("sentence") or verification.get("because") or data.get("failure_reason") or "")
    name = str(data["target_name"])
    parts = [
        _HEAD.format(title=escape(f"{name}: {badge}"), style=_STYLE),
        f"<h1>{escape(name)}</h1><p><span class=badge>{escape(badge)}</span> {escape(why)}</p>",
        _facts(data, verification, made_at),
    ]
    if diff is not None:
        parts.append(f"<h2>What changes</h2><p>{escape(diff.summary)}</p>")
        parts += [
            f"<h3>{escape(text.target)}</h3><p>{escape(text.view.summary)}</p>{_diff(text.view)}" for text in diff.texts
        ]
        if not diff.texts:
            parts.append(_diff(diff))
    parts.append(_gates(data["gateReasons"]))
    if data["suite"]:
        parts.append(_suite(data["suite"]))
    if evidence:
        parts.append(_evidence(evidence))
    return "\n".join(parts) + "</body></html>\n"


def _facts(data: dict[str, Any], verification: dict[str, Any], made_at: str) -> str:
    spend = data["spend"]
    rows = {
        "Run": data["run_uuid"],
        "Status": data["status"],
        "Unseen cases": verification.get("n"),
        "Better / same / worse": "{} / {} / {}".format(
            verification.get("wins", "–"), verification.get("ties", "–"), verification.get("losses", "–")
        ),
        "Gain": _points(verification.get("delta")),
        "Interval": " to ".join(_points(x) for x in verification.get("interval") or []) or "unknown",
        "Model calls": spend["calls"],
        "Cost": "unknown" if spend["usd"] is None else f"${spend['usd']:.4f}",
        "Models": (data.get("attempt") or {}).get("model"),
        **({"Graded by": "the model that answered, itself"} if data.get("gradesItself") else {}),
        "Receipt": (verification.get("receipt") or {}).get("digest", "none")
        if isinstance(verification.get("receipt"), dict)
        else verification.get("receipt") or "none",
        "Page made": made_at,
    }
    return "<table>" + "".join(
        f"<tr><th>{escape(name)}</th><td>{escape('unknown' if value is None else str(value))}</td></tr>"
        for name, value in rows.items()
    ) + "</table>"  # fmt: skip


def _diff(diff: DiffView) -> str:
    rows = []
    for row in diff.rows:
        before, after = row.before, row.after
        left = "del" if before is not None and before != after else ""
        right = "ins" if after is not None and before != after else ""
        rows.append(
            f"<tr><td class='{left}'><pre>{escape(before or '')}</pre></td>"
            f"<td class='{right}'><pre>{escape(after or '')}</pre></td></tr>"
        )
    return "<table><tr><th>now</th><th>proposed</th></tr>" + "".join(rows) + "</table>"


def _gates(gates: list[dict[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td>{'✓' if gate['verdict'] == 'pass' else '✕'} {escape(str(gate['gate']))}</td>"
        f"<td>{escape(str(gate['reason']))}</td></tr>"
        for gate in gates
    )
    return f"<h2>Checks</h2><table>{rows}</table>" if rows else ""


def _suite(suite: dict[str, Any]) -> str:
    before = {case["name"]: case for case in suite["current"]["cases"]}
    after = {case["name"]: case for case in (suite["proposal"] or {"cases": []})["cases"]}
    rows = "".join(
        f"<tr><td>{escape(name)}<br><small>{escape(', '.join(case['evidence']))}</small></td>"
        f"<td>{_trials(case)}</td><td>{_trials(after.get(name))}</td></tr>"
        for name, case in before.items()
    )
    return (
        f"<h2>Eval suite</h2><p><span class=badge>{escape(suite['label'])}</span> {escape(suite['reason'])}</p>"
        f"<table><tr><th>case</th><th>text now</th><th>text proposed</th></tr>{rows}</table>"
    )


def _trials(case: dict[str, Any] | None) -> str:
    if case is None:
        return "not run"
    flaky = ", flaky" if case["flaky"] else ""
    return f"{escape(case['status'])} ({case['passCount']}/{len(case['trials'])}{flaky})"


def _evidence(evidence: list[EvidenceRow]) -> str:
    head = "<tr><th>input</th><th>expected</th><th>answer now</th><th>answer proposed</th><th>change</th></tr>"
    rows = "".join(
        f"<tr><td><pre>{escape(row.input)}</pre></td><td><pre>{escape(row.expected)}</pre></td>"
        f"<td><pre>{escape(row.before)}</pre><small>{escape(row.words_before)}</small></td>"
        f"<td><pre>{escape(row.after)}</pre><small>{escape(row.words_after)}</small></td>"
        f"<td class=num>{_points(row.change)}<br><small>{escape(row.verdict)}</small></td></tr>"
        for row in evidence
    )
    return f"<h2>Evidence</h2><table>{head}{rows}</table>"


def _points(share: Any) -> str:
    return f"{share * 100:+.1f} pts" if isinstance(share, int | float) else "unknown"


def patch_of(detail: RunDetail, diff: DiffView) -> str:
    """Return the change as a unified diff, named by its target; a last line without its end says so."""
    name = f"{detail.attempt.target_name or 'text'}.md"
    before, after = (_LINE.findall(text) for text in (diff.before, diff.after))
    lines = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

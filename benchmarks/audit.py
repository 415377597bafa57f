"""How long the shelf audit takes on 2,000 prompt files: finding, reading and checking, beside its budget of 5 s.

Run: ``python benchmarks/audit.py [--files N]``; prints seconds per step and the ratio to the budget, and exits 1 when
the ratio is above 1, on a machine as quick as the one that the budget was set on.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from honeyguide.kernel.choice import choose, index, unit
from honeyguide.prompts import discovery
from honeyguide.prompts.audit import AuditContext, ShelfFile, Usage, audit, to_html, to_json
from honeyguide.traces.redaction import scan

BUDGET_SECONDS = 5.0
REFERENCE_SECONDS = 0.06
"""What ``reference`` took where the budget was set."""
_SUBJECTS = (
    *("invoices", "meeting notes", "release notes", "pull requests", "test plans", "customer letters", "API pages"),
    *(
        "database migrations",
        "error reports",
        "onboarding mails",
        "design reviews",
        "budgets",
        "travel plans",
        "contracts",
    ),
)
_VERBS = ("write", "check", "sort", "shorten", "translate", "compare", "explain", "format", "archive", "summarise")
_MANNERS = (
    "in plain words",
    "with a table",
    "before each release",
    "for the support team",
    "in one page",
    "by urgency",
)
_OPENERS = ("Always", "Never", "Please", "Do not", "When asked,", "Before you answer,", "If unsure,", "Then")


def build(root: Path, count: int) -> None:
    """Write ``count`` files: mostly skills, with agents, commands, rules and instruction files among them."""
    for number in range(count):
        project = root / f"project-{number % 25:02}"
        name = f"{choose(1, _VERBS, 'n', number)}-{number}"
        sort = index(1, 10, "kind", number)
        if sort < 6:
            path = project / ".claude" / "skills" / name / "SKILL.md"
        elif sort < 8:
            path = project / ".claude" / "agents" / f"{name}.md"
        elif sort < 9:
            path = project / f"part-{number}" / choose(1, ("CLAUDE.md", "AGENTS.md"), "memory", number)
        else:
            path = project / ".cursor" / "rules" / f"{name}.mdc"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_head(name, number) + _body(number), encoding="utf-8")


def _head(name: str, number: int) -> str:
    colon = ": mostly" if unit(1, "broken", number) < 0.02 else ""
    sentence = f"{choose(1, _VERBS, 'd', number)}s {_subject(number, 0)} and {_subject(number, 1)}{colon}"
    return f"---\nname: {name}\ndescription: {sentence.capitalize()} {choose(1, _MANNERS, 'm', number)}.\n---\n\n"


def _subject(number: int, turn: int) -> str:
    return choose(1, _SUBJECTS, "subject", number, turn)


def _body(number: int) -> str:
    lines = [f"# {_subject(number, 2).capitalize()}", ""]
    for line in range(40):
        opener, verb = choose(1, _OPENERS, "o", number, line), choose(1, _VERBS, "v", number, line)
        manner = choose(1, _MANNERS, "m", number, line)
        lines.append(
            f"- {opener} {verb} the {_subject(number, 10 + line)} {manner}, step {index(1, 999, number, line)}."
        )
    lines += ["", "See [the guide](references/guide.md) and `scripts/run.py`.", "", "```bash", "make check", "```", ""]
    return "\n".join(lines)


def main() -> int:
    """Build the shelf, audit it, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2_000)
    count = parser.parse_args().files
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), count)
        began = time.perf_counter()
        found = discovery.discover([Path(folder)])
        read = time.perf_counter()
        files = [ShelfFile(file.path.as_posix(), file.kind, file.data) for file in found.files]
        report = audit(files, AuditContext(exists=discovery.exists, usage=Usage(500, {}), scan=scan))
        checked = time.perf_counter()
        size = len(to_html(report)) + len(str(to_json(report)))
        shown = time.perf_counter()
    total = shown - began
    slower = max(1.0, reference() / REFERENCE_SECONDS)
    print(f"{len(files):,} files, {len(report.findings):,} findings, {size:,} characters of report")
    print(f"find and read {read - began:.2f} s, check {checked - read:.2f} s, report {shown - checked:.2f} s")
    print(f"total {total:.2f} s of {BUDGET_SECONDS:.0f} s; ratio {total / BUDGET_SECONDS:.2f}")
    print(f"this machine is {slower:.2f} times as slow as the one that the budget was set on")
    return 0 if total <= BUDGET_SECONDS * slower else 1


def reference() -> float:
    """Return the seconds of a fixed piece of the same sort of work, the best of three: how quick the machine is now."""
    text = "Use at most three short sentences, and never promise a date to a customer. " * 2000
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        words = Counter(word for _ in range(10) for word in re.findall(r"\w+", text.lower()))
        best = min(best, time.perf_counter() - began)
        assert words["date"] == 20_000
    return best


if __name__ == "__main__":
    sys.exit(main())

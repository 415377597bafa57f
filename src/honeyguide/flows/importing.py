"""Runs and feedback that mdflow wrote, taken over to be looked at: as they were, with what must be doubted said.

Nothing is written where they come from. An imported run can be shown and pruned, never applied.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from honeyguide.feedback.items import FeedbackState
from honeyguide.feedback.reading import read_log
from honeyguide.flows.capabilities import compare
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.document import parse_flow
from honeyguide.flows.home import RUN_ID
from honeyguide.flows.runs import AT_WORK, FlowRun, RunStatus
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import HoneyguideError, InvalidInput, NotFound
from honeyguide.suites.comparing import improved_ids
from honeyguide.suites.trials import SuiteOutcome

MAX_FOLDERS: Final = 20_000
MAX_FILE: Final = 16 * 1024 * 1024
LOG_NAMES: Final = ("evidence.jsonl",)
_ARTIFACTS: Final = (
    "current.md", "proposal.md", "proposal.diff", "evidence.json", "plan.json", "decision.json", "current-results.json",
    "proposal-results.json", "capability-diff.json",
)  # fmt: skip


@dataclass(slots=True)
class ImportedRuns:
    """What was found.

    Attributes:
        runs, known: ids of runs that are new here; that were here already.
        feedback, feedback_known: the same for reported problems.
        problems: what could not be read, each with its place.
    """

    runs: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    feedback: list[str] = field(default_factory=list)
    feedback_known: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "imported": len(self.runs),
            "known": len(self.known),
            "runs": self.runs,
            "feedback": {"imported": len(self.feedback), "known": len(self.feedback_known)},
            "problems": self.problems,
        }


def import_runs(desk: FlowDesk, folder: Path) -> ImportedRuns:
    """Take over every run folder and feedback log below ``folder``. Blocking. Raises NotFound."""
    folder = folder.expanduser().absolute()
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", hint="Name the folder that holds runs/, or one above it.")
    report = ImportedRuns()
    for path in _found(folder):
        if path.name == "state.json":
            _take_run(desk, path.parent, report)
        else:
            _take_log(desk, path, report)
    if report.runs or report.feedback:
        desk.on_change("flow:runs-imported", {"runs": len(report.runs), "feedback": len(report.feedback)})
    return report


def _found(folder: Path) -> Iterator[Path]:
    """Yield states and logs, not following links and not going into copies of repositories."""
    waiting, seen = [folder], 0
    while waiting:
        current = waiting.pop()
        seen += 1
        if seen > MAX_FOLDERS:
            raise InvalidInput(f"{folder} holds too many folders.", hint="Name a folder nearer to the runs.")
        try:
            entries = sorted(current.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_symlink():
                continue
            if entry.is_dir():
                if entry.name not in ("workspaces", "node_modules", ".git"):
                    waiting.append(entry)
            elif entry.name == "state.json" or entry.name in LOG_NAMES:
                yield entry


def _take_run(desk: FlowDesk, folder: Path, report: ImportedRuns) -> None:
    try:
        state = json.loads(_bounded(folder / "state.json"))
        run = FlowRun.from_json(state)
        if not RUN_ID.fullmatch(run.id):
            raise InvalidInput(f"{run.id[:60]!r} is no id of a run.")
    except (ValueError, OSError, HoneyguideError) as error:
        report.problems.append(f"{folder.name}/state.json: {error}")
        return
    target = desk.home.run(run.id)
    if target.exists():
        report.known.append(run.id)
        return
    run = replace(run, is_imported=True, outcome=run.outcome or _outcome_of(folder))
    target.mkdir(parents=True, mode=0o700)
    for name in _ARTIFACTS:
        try:
            if (folder / name).is_file():
                desk.runs.artifact(run.id, name, desk_redacted(desk, name, _bounded(folder / name)), journaled=False)
        except (OSError, HoneyguideError) as error:
            report.problems.append(f"{run.id}/{name}: {error}")
    events = folder / "events.jsonl"
    if events.is_file():
        desk.runs.artifact(run.id, "events.jsonl", _bounded(events), journaled=False)
    desk.runs.artifact(run.id, "doubts.json", doubts(folder, run), journaled=False)
    (target / "state.json").write_text(json.dumps(run.to_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (target / "state.json").chmod(0o600)
    report.runs.append(run.id)


def desk_redacted(desk: FlowDesk, name: str, data: bytes) -> bytes:
    """Return an artifact without secrets; the flow's own text is kept byte for byte, for its hash is recorded."""
    if name.endswith(".md"):
        return data
    text = data.decode("utf-8", "surrogateescape")
    return desk.redact(text).encode("utf-8", "surrogateescape")


def doubts(folder: Path, run: FlowRun) -> list[str]:
    """Return what must be doubted of a recorded run, in sentences, by looking at its files anew."""
    found: list[str] = []
    current, proposal = _text(folder / "current.md"), _text(folder / "proposal.md")
    if current is not None and sha256_hex(current) != run.current_hash:
        found.append("current.md is not the text that the run recorded.")
    if proposal is not None and run.proposal_hash and sha256_hex(proposal) != run.proposal_hash:
        found.append("proposal.md is not the text that the run recorded.")
    sides = [_results(folder / f"{side}-results.json") for side in ("current", "proposal")]
    if run.status in AT_WORK:
        found.append(f"The run never ended: it was {run.status} when its program did.")
    claimed = run.outcome or _outcome_of(folder)
    if sides[0] is not None and sides[1] is not None and claimed == RunStatus.VERIFIED_IMPROVEMENT.value:
        shown = improved_ids(sides[0], sides[1], run.evidence_ids)
        if set(shown) != set(run.target_evidence_ids):
            found.append("The recorded results do not show red and then green for all problems it claims.")
        names = [case.case.name for case in sides[1].cases]
        if len(names) != len(set(names)):
            found.append("Several cases share a name, so nobody can say which one turned green.")
    if sides[1] is not None and claimed in ("verified_improvement", "regression_safe") and not sides[1].is_clean:
        found.append("The proposal's results were not complete and clean.")
    if run.status is RunStatus.APPLIED and set(run.evidence_ids) - set(run.target_evidence_ids):
        found.append("Problems were called resolved that no case showed solved.")
    if current is not None and proposal is not None:
        found += _text_doubts(current, proposal)
    return found


def _text_doubts(current: bytes, proposal: bytes) -> list[str]:
    found: list[str] = []
    try:
        before, after = parse_flow(current), parse_flow(proposal)
        if before.prefix != after.prefix or before.fields != after.fields:
            found.append("The proposal changes the flow's frontmatter.")
        change = compare(before, after)
        added = [entry for entry in change.added if not entry.startswith("frontmatter:")]
        if added:
            found.append(f"The proposal can do more than before: {', '.join(added[:5])}.")
    except HoneyguideError as error:
        found.append(error.message)
    return found


def _take_log(desk: FlowDesk, path: Path, report: ImportedRuns) -> None:
    try:
        contents = read_log(_bounded(path))
    except (OSError, HoneyguideError) as error:
        report.problems.append(f"{path.name}: {error}")
        return
    known = desk.feedback.read()
    report.problems += [f"{path.name}, line {damage.line}: {damage.problem}" for damage in contents.damaged]
    for item in contents.items:
        if known.get(item.id) is not None or item.id in report.feedback:
            report.feedback_known.append(item.id)
            continue
        state = FeedbackState.OPEN if item.state is FeedbackState.TARGETED else item.state
        desk.feedback.keep(replace(item, message=desk.redact(item.message), state=state))
        report.feedback.append(item.id)


def _outcome_of(folder: Path) -> str | None:
    try:
        decision = json.loads(_bounded(folder / "decision.json"))
        return str(decision["status"])
    except (OSError, ValueError, KeyError, TypeError, HoneyguideError):
        return None


def _results(path: Path) -> SuiteOutcome | None:
    try:
        return SuiteOutcome.from_json(json.loads(_bounded(path)))
    except (OSError, ValueError, KeyError, TypeError, HoneyguideError):
        return None


def _text(path: Path) -> bytes | None:
    try:
        return _bounded(path)
    except (OSError, HoneyguideError):
        return None


def _bounded(path: Path) -> bytes:
    if path.is_symlink() or path.stat().st_size > MAX_FILE:
        raise InvalidInput(f"{path.name} is a link, or too large.")
    return path.read_bytes()

"""What trials, cases and suites come to, as tables that can be checked by hand."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.examples import CheckSpec
from honeyguide.feedback import FailureClass
from honeyguide.kernel.errors import InvalidInput, PolicyRefused
from honeyguide.suites import Attempt, EvalCase, PlannedCase, SuiteOutcome, TrialStatus, run_suite
from honeyguide.suites.failure_classes import failure_class
from honeyguide.suites.runner import judged_by_exit
from honeyguide.suites.snapshots import is_secret_file, take_snapshot
from honeyguide.suites.trials import CaseResult, TrialResult
from honeyguide.suites.typescript import draft_ids, inspect

P, F, U = TrialStatus.PASS, TrialStatus.FAIL, TrialStatus.INCONCLUSIVE
C = FailureClass


@pytest.mark.parametrize(
    ("trials", "quorum", "status", "flaky"),
    [
        ([P], 1, P, False),
        ([F], 1, F, False),
        ([U], 1, U, False),
        ([P, P, F], 2, P, True),
        ([P, F, F], 2, F, True),
        ([P, U, U], 2, U, False),
        ([F, F, U], 2, F, False),
        ([P, P, U], 2, P, False),
        ([P, F, U], 2, U, True),
        ([U, U, F], 2, U, False),
        ([P, P, P], 3, P, False),
        ([P, P, U], 3, U, False),
    ],
)
def test_a_case_passes_with_its_quorum_and_mixed_trials_are_flaky(trials, quorum, status, flaky):
    result = CaseResult(PlannedCase("a", (), len(trials), quorum), tuple(TrialResult(t) for t in trials))
    assert (result.status, result.is_flaky) == (status, flaky)


@given(st.lists(st.sampled_from([P, F, U]), min_size=1, max_size=6), st.data())
def test_a_quorum_that_passes_never_failed_and_one_more_pass_never_hurts(trials, data):
    quorum = data.draw(st.integers(1, len(trials)))
    plan = PlannedCase("a", (), len(trials), quorum)
    before = CaseResult(plan, tuple(TrialResult(t) for t in trials)).status
    better = CaseResult(plan, (TrialResult(P), *(TrialResult(t) for t in trials[1:]))).status
    order = {F: 0, U: 1, P: 2}
    assert order[better] >= order[before] or trials[0] is P


@pytest.mark.parametrize(
    ("attempt", "allow", "status", "reason"),
    [
        (Attempt("", exit_code=1), False, F, "flow exited 1"),
        (Attempt("", exit_code=3), False, F, "flow exited 3"),
        (Attempt("", exit_code=3), True, None, ""),
        (Attempt("", exit_code=1, failure=C.AUTH), False, U, "auth failure (exit 1)"),
        (Attempt("", exit_code=1, failure=C.PROVIDER), True, None, ""),
        (Attempt("", exit_code=127), False, U, "environment failure (exit 127)"),
        (Attempt("", exit_code=130), False, U, "cancelled failure (exit 130)"),
        (Attempt("", exit_code=143, timed_out=True), True, U, "timed out after 180000ms"),
        (Attempt("", exit_code=0, failure=C.AUTH), False, None, ""),
        (Attempt("HTTP 429", stderr="error 429", exit_code=1), False, U, "provider failure (exit 1)"),
    ],
)
def test_the_way_an_execution_ended_is_looked_at_before_its_output(attempt, allow, status, reason):
    verdict = judged_by_exit(attempt, allow_non_zero=allow, timeout_ms=180_000)
    assert (verdict.status if verdict else None, verdict.reason if verdict else "") == (status, reason)


@pytest.mark.parametrize(
    ("exit_code", "stdout", "stderr", "expected"),
    [
        (0, "429 rate limit", "429", None),
        (127, "", "", C.ENVIRONMENT),
        (130, "", "", C.CANCELLED),
        (1, '{"type":"error","error":{"type":"overloaded_error","message":"x"}}', "", C.PROVIDER),
        (1, '{"error":{"code":401,"message":"nope"}}', "", C.AUTH),
        (1, "", "Error: invalid api key", C.AUTH),
        (1, "", "HTTP 503", C.PROVIDER),
        (1, "API Error: 429 too many requests", "", C.PROVIDER),
        (1, "", "sh: foo: command not found", C.ENVIRONMENT),
        (1, "The dependency is missing, error 401 in chapter 429.", "", C.UNKNOWN),
        (1, "You need a module that was not found; see rate limits.", "", C.UNKNOWN),
        (2, "", "line 4290 of 401.5", C.UNKNOWN),
    ],
)
def test_a_failure_is_classified_by_code_and_error_lines_never_by_the_answer(exit_code, stdout, stderr, expected):
    assert failure_class(exit_code, stdout, stderr) is expected


class _Scripted:
    """A subject that says what it was given to say, in order."""

    def __init__(self, *attempts: Attempt) -> None:
        self.attempts = list(attempts)
        self.folders: list[Path] = []

    async def run(self, case: EvalCase, folder: Path) -> Attempt:
        self.folders.append(folder)
        (folder / "made.txt").write_text("x")
        return self.attempts.pop(0)


def _case(name: str = "a", *checks: CheckSpec, **plan: object) -> EvalCase:
    return EvalCase(PlannedCase(name, **plan), checks=checks or (CheckSpec("contains", "GREEN"),))  # type: ignore[arg-type]


def _run(cases: list[EvalCase], subject: _Scripted, base: Path, **options: object) -> SuiteOutcome:
    return asyncio.run(run_suite(cases, subject, base=base, **options))  # type: ignore[arg-type]


def test_each_trial_runs_in_a_fresh_folder_that_is_removed(tmp_path):
    subject = _Scripted(Attempt("GREEN"), Attempt("GREEN"))
    outcome = _run([_case(repetitions=2, quorum=2)], subject, tmp_path)
    assert outcome.is_clean
    assert outcome.invocations == 2
    assert len(set(subject.folders)) == 2
    assert not any(folder.exists() for folder in subject.folders)


def test_files_and_exit_code_are_checked(tmp_path):
    checks = (CheckSpec("file-exists", "made.txt"), CheckSpec("file-changed", "made.txt"), CheckSpec("exit-code", 0))
    assert _run([_case("a", *checks)], _Scripted(Attempt("")), tmp_path).is_clean
    missing = _run([_case("a", CheckSpec("file-exists", "other.txt"))], _Scripted(Attempt("")), tmp_path)
    assert missing.cases[0].status is F
    (tmp_path / "link").symlink_to("/etc/hostname")
    linked = EvalCase(PlannedCase("a"), cwd=".", checks=(CheckSpec("file-exists", "link"),))
    assert _run([linked], _Scripted(Attempt("")), tmp_path).cases[0].status is F


def test_a_pattern_that_takes_too_long_is_no_verdict(tmp_path):
    check = CheckSpec("regex", r"(a|aa)+$")
    outcome = _run([_case("a", check)], _Scripted(Attempt("a" * 60_000 + "b")), tmp_path)
    assert outcome.cases[0].status is U
    assert not outcome.is_clean


def test_a_rubric_without_a_usable_judge_is_no_verdict(tmp_path):
    case = EvalCase(PlannedCase("a"), rubric="Is it polite?")
    assert _run([case], _Scripted(Attempt("x")), tmp_path).cases[0].status is U


def test_a_broken_seal_ends_the_suite_and_is_never_clean(tmp_path):
    seals = iter(["1", "1", "1", "2"])
    subject = _Scripted(Attempt("GREEN"), Attempt("GREEN"))
    outcome = _run([_case("a"), _case("b")], subject, tmp_path, seal=lambda: next(seals))
    assert outcome.inputs_changed
    assert not outcome.is_clean
    assert "EVAL_INPUTS_CHANGED" in outcome.failures[-1]
    assert len(subject.folders) == 1


def test_outcomes_survive_json(tmp_path):
    outcome = _run([_case("a", repetitions=2, quorum=1)], _Scripted(Attempt("GREEN"), Attempt("RED")), tmp_path)
    again = SuiteOutcome.from_json(outcome.to_json())
    assert again.to_json() | {"invocations": 2} == outcome.to_json()
    assert again.cases[0].is_flaky


def test_secrets_are_kept_out_of_results(tmp_path):
    redact = lambda text: text.replace("hunter2", "<secret>")  # noqa: E731
    outcome = _run([_case("a")], _Scripted(Attempt("hunter2 RED")), tmp_path, redact=redact)
    assert "hunter2" not in str(outcome.to_json())


# --- suites in TypeScript, never run


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('export default [{ name: "a", check: () => null }]', [("a", 1, 1)]),
        ("// x\nconst re = /[\"'`{]/g;\nexport default [{ name: 'a', repetitions: 2 }];", [("a", 2, 2)]),
        ("const t = `a${`b${1}`}`;\nexport default [{ name: `n` }] satisfies Case[]", [("n", 1, 1)]),
        (
            "const list: Case[] = <Case[]>[{ name: 'a', quorum: 1, repetitions: 0x2 }]\nexport default list",
            [("a", 2, 1)],
        ),
        ("export default [{ name: 'a', check: (c) => c.stdout / 2 / 1 ? null : 'x', repetitions: 3 }]", [("a", 3, 3)]),
        (
            "export default [{ name: 'a',\n async check(c) { return { repetitions: 9 } as any },\n quorum: 1 }]",
            [("a", 1, 1)],
        ),
        ("export default [{ name: '\\u0061\\x62' }]", [("ab", 1, 1)]),
    ],
)
def test_literals_are_seen_whatever_stands_around_them(source, expected):
    plan = inspect(source, "s.eval.ts")
    assert [(case.name, case.repetitions, case.quorum) for case in plan.cases] == expected


@pytest.mark.parametrize(
    "source",
    [
        "export default [", "export default `", "export default [{ name: 'a', repetitions: 2.5 }]",
        "export default [{ name: 'a', repetitions: 1n }]", "export default [{ name: '' }]",
        "export default [{ name: 'a', evidence: 'fb_1' }]", "export default cases",
        "const a = b; const b = a; export default a",
        "(" * 5000, "export default " + "[" * 5000, "`${" * 5000,
    ],
)  # fmt: skip
def test_what_cannot_be_known_without_running_it_is_refused(source):
    with pytest.raises(InvalidInput):
        inspect(source, "s.eval.ts")


def test_a_mark_of_a_draft_in_a_region_makes_the_suite_a_draft():
    source = """const cases: EvalCase[] = [
  // mdflow:case:start one
  { name: "one", check: () => "MDFLOW_DRAFT_CASE: say it" },
  // mdflow:case:end one
];
export default cases;"""
    assert draft_ids(source) == ("one",)
    assert inspect(source, "s").drafts == ("one",)
    damaged = source.replace("case:end one", "case:end two")
    assert inspect(damaged, "s").drafts == ("one",)


@given(st.text(alphabet="{}[]()`'\"/,:;.=<>a1 \n\\$-", max_size=60))
def test_no_text_makes_the_reader_run_wild(text):
    with contextlib.suppress(InvalidInput):
        inspect(f"export default {text}", "s")


# --- snapshots


def _git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "flows").mkdir(parents=True)
    (root / "flows" / "a.md").write_text("A")
    (root / ".gitignore").write_text("ignored.txt\n")
    (root / "ignored.txt").write_text("x")
    (root / "tool.sh").write_text("#!/bin/sh\n")
    (root / "tool.sh").chmod(0o755)
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "one")
    (root / "untracked.txt").write_text("new")
    (root / ".env").write_text("KEY=1")
    (root / ".env.example").write_text("KEY=")
    return root


def test_a_snapshot_has_what_is_tracked_and_new_but_nothing_ignored_secret_or_of_git(repository, tmp_path):
    (repository / "folderlink").symlink_to("flows")
    (repository / "filelink").symlink_to("flows/a.md")
    (repository / "dangling").symlink_to("nowhere")
    snapshot = take_snapshot(repository, tmp_path / "copy")
    root = snapshot.root
    names = {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}
    assert {"flows/a.md", "untracked.txt", ".env.example", "filelink", "tool.sh"} <= names
    assert not names & {"ignored.txt", ".env", "dangling"}
    assert not (root / ".git").exists()
    assert (root / "filelink").is_file() and not (root / "filelink").is_symlink()
    assert (root / "folderlink").resolve() == (root / "flows").resolve()
    assert os.access(root / "tool.sh", os.X_OK)
    assert root.stat().st_mode & 0o777 == 0o700
    assert any(".env" in line for line in snapshot.skipped)


@pytest.mark.parametrize("target", ["/etc/hostname", "../outside", "../"])
def test_a_link_that_leads_out_is_refused_and_nothing_stays(repository, tmp_path, target):
    (tmp_path / "outside").mkdir(exist_ok=True)
    (repository / "escape").symlink_to(target)
    with pytest.raises(PolicyRefused, match="leads out"):
        take_snapshot(repository, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_without_git_the_folder_is_walked(tmp_path):
    source = tmp_path / "plain"
    (source / "node_modules").mkdir(parents=True)
    (source / "node_modules" / "x").write_text("x")
    (source / "a.md").write_text("A")
    snapshot = take_snapshot(source, tmp_path / "copy")
    assert [path.name for path in snapshot.root.iterdir()] == ["a.md"]


def test_too_much_is_refused(repository, tmp_path):
    with pytest.raises(PolicyRefused, match="too large"):
        take_snapshot(repository, tmp_path / "copy", max_files=2)


@pytest.mark.parametrize(
    ("name", "secret"),
    [(".env", True), (".env.local", True), (".env.example", False), ("server.key", True), ("id_ed25519", True),
     ("id_ed25519.pub", False), ("keys.md", False), ("credentials.json", True), ("environment.md", False)],
)  # fmt: skip
def test_secret_files_are_known_by_name(name, secret):
    assert is_secret_file(name) is secret

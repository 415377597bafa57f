"""Suites in code: never run unread, run out of process, and only as they were planned."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from honeyguide.flows.evaluating import evaluate
from honeyguide.flows.fingerprints import suite_hash
from honeyguide.flows.runs import RunStatus
from honeyguide.kernel.errors import InvalidInput, Unsupported, Untrusted
from honeyguide.suites.code_suite import runtime_for
from tests.flows.conftest import Bench

NODE = shutil.which("node")
HOOKS = Path(__file__).parents[1] / "fakes" / "ts_hooks.mjs"
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")


@pytest.fixture
def coded(bench: Bench) -> Bench:
    """A bench with something that runs TypeScript, called bun."""
    register = f'data:text/javascript,import{{register}}from"node:module";register("{HOOKS.as_uri()}")'
    bun = bench.engine.folder / "bun"
    bun.write_text(f"#!/bin/sh\nshift\nexec {NODE} --no-warnings --import '{register}' \"$@\"\n")
    bun.chmod(0o755)
    return bench


def _suite(bench: Bench, text: str) -> None:
    bench.flow.with_name("color.eval.ts").write_text(text)


def _trusting(bench: Bench) -> None:
    digest = suite_hash(bench.flow.with_name("color.eval.ts"), bench.repo)
    bench.desk = replace(bench.desk, trusts_code=lambda known: known == digest)


def _evaluated(bench: Bench):
    return asyncio.run(evaluate(bench.desk, bench.plan(), confirmed=True))


def test_code_that_nobody_trusted_is_not_run(coded):
    ran = coded.root / "ran"
    _suite(coded, f'import {{ writeFileSync }} from "node:fs"; writeFileSync({json.dumps(str(ran))}, "x");\n'
                  'export default [{ name: "a", check: () => null }];')  # fmt: skip
    with pytest.raises(Untrusted):
        _evaluated(coded)
    assert not ran.exists()
    _trusting(coded)
    assert _evaluated(coded).is_clean
    assert ran.exists()
    _suite(coded, "export default [{ name: 'a', check: () => null }]; // edited")
    with pytest.raises(Untrusted):
        _evaluated(coded)


@pytest.mark.parametrize(
    ("check", "status", "reason"),
    [
        ("() => null", "pass", ""),
        ("({ stdout, exitCode }) => stdout.includes('BLUE') && exitCode === 0 ? null : 'no'", "pass", ""),
        ("() => 'expected GREEN'", "fail", "expected GREEN"),
        ("async () => 'later'", "fail", "later"),
        ("() => undefined", "fail", "the check did not return null"),
        ("() => true", "fail", "the check did not return null"),
        ("() => { throw new Error('x') }", "fail", "x"),
        ("() => { throw new Error('INCONCLUSIVE: no git') }", "inconclusive", "INCONCLUSIVE: no git"),
        ("() => { console.log('{\\'ok\\': true}'); return 'no' }", "fail", "no"),
        ("() => process.exit(0)", "inconclusive", "the suite's process ended or took too long"),
    ],
)
def test_only_null_passes(coded, check, status, reason):
    _suite(coded, f"export default [{{ name: 'a', check: {check} }}];")
    _trusting(coded)
    (case,) = _evaluated(coded).cases
    assert (case.status.value, case.reason) == (status, reason)


@pytest.mark.parametrize(
    ("setup", "status", "reason"),
    [
        ("() => { throw new Error('x') }", "fail", "setup failed: x"),
        (
            "() => { throw new Error('inconclusive: no git') }",
            "inconclusive",
            "setup inconclusive: inconclusive: no git",
        ),
    ],
)
def test_a_failed_setup_is_no_invocation(coded, setup, status, reason):
    _suite(coded, f"export default [{{ name: 'a', setup: {setup}, check: () => null }}];")
    _trusting(coded)
    outcome = _evaluated(coded)
    assert (outcome.cases[0].status.value, outcome.cases[0].reason) == (status, reason)
    assert outcome.invocations == 0
    assert coded.engine.calls == []


def test_a_suite_that_is_another_when_run_is_refused_before_any_call(coded):
    _suite(coded, "const base = { repetitions: 50 }; export default [{ ...base, name: 'a', check: () => null }];")
    _trusting(coded)
    assert coded.plan().eval_invocations == 1
    with pytest.raises(InvalidInput) as caught:
        _evaluated(coded)
    assert caught.value.details["reason_code"] == "SUITE_PLAN_CHANGED"
    assert coded.engine.calls == []


def test_red_and_green_are_proved_by_code_too(coded):
    item = coded.complain()
    _suite(coded, f"""import {{ wanted }} from "./wanted.ts";
export default [{{ name: "green", evidence: ["{item.id}"],
  setup: (dir) => wanted(dir), check: ({{ stdout }}) => stdout.includes("GREEN") ? null : "expected GREEN" }}];
""")  # fmt: skip
    coded.flow.with_name("wanted.ts").write_text("export const wanted = () => undefined;")
    _trusting(coded)
    coded.engine.reply("Say GREEN.")
    run = coded.propose()
    assert (run.status, run.target_evidence_ids) == (RunStatus.VERIFIED_IMPROVEMENT, (item.id,))
    coded.flow.with_name("wanted.ts").write_text("export const wanted = () => 1;")
    from honeyguide.kernel.errors import Stale

    with pytest.raises(Stale, match="suiteHash"):
        coded.apply(run)


def test_without_a_runtime_it_is_said(bench):
    with pytest.raises(Unsupported, match="bun"):
        runtime_for({"PATH": str(bench.root)})

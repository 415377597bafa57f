"""Plans: what may be done, in which order it is found out, what it costs; all of it free."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from honeyguide.evals.receipts import Receipt
from honeyguide.feedback import FailureClass, FeedbackState, FeedbackType, Trigger
from honeyguide.flows.after_run import NextStep, after_run
from honeyguide.flows.evaluating import evaluate
from honeyguide.flows.planning import PlanFacts, ReasonCode, decide_plan, planned_invocations
from honeyguide.flows.policy import Mode, Policy, resolve_policy
from honeyguide.flows.receipts import RecordedResults, allows_automatic_work
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.suites import CaseResult, PlannedCase, SuiteOutcome, TrialResult, TrialStatus
from tests.flows.conftest import FLOW, Bench

C = ReasonCode


def _code(bench: Bench, **options) -> str:
    return bench.plan(**options).decision.code.value


def test_the_codes_come_in_the_documented_order(bench):
    assert _code(bench) == "NO_SUITE"
    bench.write(FLOW.replace("description: answers with a colour", "evolve: off"))
    assert _code(bench) == "NO_SUITE"
    bench.green()
    assert _code(bench) == "POLICY_OFF"
    bench.write(FLOW)
    assert _code(bench) == "NO_ACTIONABLE_EVIDENCE"
    item = bench.complain()
    plan = bench.plan()
    assert (plan.decision.code, plan.planned, plan.decision.exit_code) == (C.READY, 3, 0)
    bench.write(FLOW.replace("description: answers with a colour", "evolve: {budget: {max-invocations: 2}}"))
    assert _code(bench) == "BUDGET_EXCEEDED"
    bench.write(FLOW.replace("description: answers with a colour", "_steps: [{id: a, run: hi}]"))
    assert _code(bench) == "WORKFLOW_UNSUPPORTED"
    bench.suite.unlink()
    assert _code(bench) == "WORKFLOW_UNSUPPORTED"
    assert bench.state(item) == "open"
    assert bench.runs == []
    assert bench.engine.calls == []
    with pytest.raises(NotFound):
        from honeyguide.flows.plans import make_plan

        make_plan(bench.desk, bench.flow.with_name("none.md"))


@pytest.mark.parametrize(
    ("suite", "code", "exit_code"),
    [
        ("cases: [{name: a, draft: true, checks: [{contains: x}]}]", "DRAFT_SUITE", 6),
        ("cases: [{name: a, checks: [{contains: x}]}, {name: a, checks: [{contains: y}]}]", "DUPLICATE_NAMES", 2),
        ("cases: [{name: a, input: hi, checks: [{contains: x}]}]", "INPUT_UNUSED", 2),
        ("cases: [{nam: a}]", "SUITE_INVALID", 2),
    ],
)
def test_a_suite_that_cannot_be_trusted_to_measure_is_refused(bench, suite, code, exit_code):
    bench.complain()
    bench.suite.write_text(suite)
    decision = bench.plan().decision
    assert (decision.code.value, decision.exit_code, decision.evolve) == (code, exit_code, False)


def test_a_code_suite_is_planned_without_being_run(bench):
    bench.complain()
    ran = bench.root / "ran"
    bench.flow.with_name("color.eval.ts").write_text(
        f'import {{ writeFileSync }} from "node:fs"; writeFileSync({json.dumps(str(ran))}, "x");\n'
        'export default [{ name: "a", repetitions: 3, check: () => null }, { name: "b", check: () => null }];\n'
    )
    plan = bench.plan()
    assert (plan.decision.code, plan.planned) == (C.READY, 9)
    assert not ran.exists()
    bench.flow.with_name("color.eval.ts").write_text("export default make();")
    assert _code(bench) == "DYNAMIC_SUITE"


@pytest.mark.parametrize(("invocations", "candidates", "planned"), [(1, 1, 3), (3, 1, 7), (4, 1, 9), (1, 3, 7)])
def test_the_arithmetic(invocations, candidates, planned):
    assert planned_invocations(invocations, candidates) == planned


def test_repetitions_of_the_policy_count(bench):
    bench.complain()
    bench.write(FLOW.replace("description: answers with a colour", "evolve: {gate: {repetitions: 3}}"))
    bench.green()
    assert bench.plan().planned == 7


def test_the_plan_says_everything_before_money_is_spent(bench):
    """Promise 1."""
    item = bench.complain()
    bench.green(item.id)
    data = bench.plan().to_json()
    assert data["calls"] == {"low": 1, "high": 3}
    assert data["usd"] == {"low": None, "high": None}
    assert data["maintainer"] == {"engine": "claude", "model": None, "source": "frontmatter", "isolated": True}
    assert "stays as it is" in data["writes"]
    assert "network" in data["notice"]
    assert data["coveredEvidenceIds"] == [item.id]
    assert json.dumps(data)


def test_a_flow_from_a_registry_is_not_trusted(bench):
    path = bench.repo / ".mdflow" / "registry" / "color.md"
    path.parent.mkdir(parents=True)
    path.write_text(FLOW)
    path.with_name("color.eval.yaml").write_text("cases: [{name: a, checks: [{contains: x}]}]")
    from honeyguide.flows.plans import make_plan

    assert make_plan(bench.desk, path).decision.code is C.UNTRUSTED_SIDECAR


def test_one_may_choose_what_to_work_on(bench):
    first, second = bench.complain("one"), bench.complain("two")
    bench.green()
    assert [item.id for item in bench.plan(only=[second.id]).evidence] == [second.id]
    bench.desk.feedback.move(first.id, FeedbackState.DISMISSED)
    with pytest.raises(NotFound):
        bench.plan(only=[first.id])


# --- automatic work

AUTO = PlanFacts(is_automatic=True, verification_is_current=True, actionable=1, planned=3)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (AUTO, C.READY),
        (replace(AUTO, verification_is_current=False), C.VERIFICATION_STALE),
        (replace(AUTO, uncovered=("fb_1",)), C.FEEDBACK_UNCOVERED),
        (replace(AUTO, uncovered=("fb_1",), policy=Policy(require_feedback_eval=False)), C.READY),
        (replace(AUTO, actionable=0), C.NO_ACTIONABLE_EVIDENCE),
        (replace(AUTO, runs_today=2), C.BUDGET_EXCEEDED),
        (replace(AUTO, cooldown_left_ms=1), C.BUDGET_EXCEEDED),
        (replace(AUTO, is_automatic=False, runs_today=9, cooldown_left_ms=9, verification_is_current=False), C.READY),
    ],
)
def test_automatic_work_needs_more_than_manual_work(facts, code):
    assert decide_plan(facts).code is code


def _results(receipt: Receipt, *cases: tuple[str, TrialStatus, tuple[str, ...]]) -> RecordedResults:
    results = tuple(CaseResult(PlannedCase(name, ids), (TrialResult(status),)) for name, status, ids in cases)
    return RecordedResults(receipt, SuiteOutcome(results, len(results)), "2026-01-01T00:00:00.000Z", True)


@pytest.mark.parametrize(
    ("cases", "allowed"),
    [
        ([("a", TrialStatus.PASS, ())], True),
        ([("a", TrialStatus.FAIL, ("fb_1",)), ("b", TrialStatus.PASS, ())], True),
        ([("a", TrialStatus.FAIL, ("fb_2",))], False),
        ([("a", TrialStatus.FAIL, ())], False),
        ([("a", TrialStatus.INCONCLUSIVE, ("fb_1",))], False),
    ],
)
def test_a_failing_receipt_allows_automatic_work_only_when_all_failures_are_the_targeted_ones(cases, allowed):
    receipt = Receipt({"flow": "1"})
    assert allows_automatic_work(_results(receipt, *cases), receipt, {"fb_1"}) is allowed
    assert not allows_automatic_work(_results(receipt, *cases), Receipt({"flow": "2"}), {"fb_1"})


def test_results_of_the_present_text_open_the_way_for_automatic_work_and_any_change_closes_it(bench):
    import asyncio

    item = bench.complain()
    bench.green(item.id)
    assert _code(bench, is_automatic=True) == "VERIFICATION_STALE"
    outcome = asyncio.run(evaluate(bench.desk, bench.plan(), confirmed=True))
    assert outcome.count(TrialStatus.FAIL) == 1
    plan = bench.plan(is_automatic=True)
    assert (plan.decision.code, plan.verdict[0]) == (C.READY, "Failing")
    bench.suite.write_text(bench.suite.read_text() + "# x\n")
    assert _code(bench, is_automatic=True) == "VERIFICATION_STALE"
    assert bench.plan().verdict[0] == "Stale"


def test_a_second_automatic_proposal_waits(bench):
    import asyncio

    item = bench.complain()
    bench.green(item.id)
    asyncio.run(evaluate(bench.desk, bench.plan(), confirmed=True))
    bench.engine.reply("Say RED.")
    bench.propose(is_automatic=True)
    assert _code(bench, is_automatic=True) == "BUDGET_EXCEEDED"
    bench.clock.advance(86_401)
    assert _code(bench, is_automatic=True) == "READY"


# --- receipts


def test_a_receipt_stays_when_times_or_places_change_and_falls_when_content_does(bench, tmp_path):
    bench.green()
    (bench.flow.parent / "part.md").write_text("words")
    bench.write(FLOW + "@./part.md\n")
    before = bench.desk.look(bench.flow).receipt(bench.desk).digest
    bench.flow.touch()
    assert bench.desk.look(bench.flow).receipt(bench.desk).digest == before
    moved = tmp_path / "elsewhere"
    bench.repo.rename(moved)
    there = moved / "flows" / "color.md"
    assert bench.desk.look(there).receipt(bench.desk).digest == before
    for path, text in ((moved / "flows" / "part.md", "other"), (moved / ".mdflow.yaml", "engine: claude\n")):
        path.write_text(text)
        changed = bench.desk.look(there).receipt(bench.desk).digest
        assert changed != before
        before = changed
    assert bench.desk.look(there, engine="codex").receipt(bench.desk).digest != before


# --- policy


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ([], Policy()),
        ([("c", {"mode": "suggest"}), ("f", {"budget": {"max-per-day": 5}})], {"mode": Mode.SUGGEST, "max_per_day": 5}),
        ([("c", {"gate": {"repetitions": 3}}), ("f", {"gate": {"allow-capability-delta": True}})],
         {"repetitions": 3, "allow_capability_delta": True}),
        ([("c", "off"), ("f", "propose")], {"mode": Mode.OFF}),
        ([("c", "propose"), ("f", None)], {"mode": Mode.OFF}),
        ([("f", False)], {"mode": Mode.OFF}),
        ([("f", "auto")], {"mode": Mode.PROPOSE}),
        ([("f", "apply")], {"mode": Mode.APPLY}),
        ([("f", {"maintainer": {"engine": "codex", "model": "m", "isolated": False, "timeout-ms": 5}})],
         {"engine": "codex", "model": "m", "isolated": False, "timeout_ms": 5}),
        ([("f", {"triggers": ["quick-rerun"]})], {"triggers": (Trigger.QUICK_RERUN,)}),
    ],
)  # fmt: skip
def test_policies_are_merged_key_by_key_and_off_wins(layers, expected):
    policy = resolve_policy(layers)
    if isinstance(expected, Policy):
        assert policy == expected
    else:
        assert {name: getattr(policy, name) for name in expected} == expected


@pytest.mark.parametrize("name", ["HONEYGUIDE_EVOLVE", "MDFLOW_EVOLVE"])
def test_the_switch_of_the_environment_wins_at_once(name):
    assert resolve_policy([("f", "propose")], {name: "off"}).mode is Mode.OFF


@pytest.mark.parametrize(
    "value",
    ["autp", True, 3, {"mode": "x"}, {"modus": "off"}, {"budget": {"max-invocations": 0}}, {"budget": 3},
     {"gate": {"repetitions": 1.5}}, {"gate": {"repetitions": True}}, {"triggers": "explicit-feedback"},
     {"maintainer": {"model": ""}}, {"apply": "yes"}, {"budget": {"max-per-day": -1}}],
)  # fmt: skip
def test_a_policy_that_makes_no_sense_is_refused(value):
    with pytest.raises(InvalidInput):
        resolve_policy([("f", value)])


def test_a_switch_in_the_projects_root_holds_without_git(bench, tmp_path):
    root = tmp_path / "plain"
    (root / "flows").mkdir(parents=True)
    (root / "flows" / "x.md").write_text(FLOW)
    (root / ".mdflow.yaml").write_text("evolve: off\n")
    assert bench.desk.look(root / "flows" / "x.md").policy.mode is Mode.OFF


def test_a_broken_configuration_is_told_and_left_out(bench):
    (bench.repo / ".mdflow.yaml").write_text("engin: x\n")
    bench.green()
    assert any("may hold" in warning for warning in bench.plan().warnings)


# --- after a run


@pytest.mark.parametrize(
    ("evolve", "feedback", "step"),
    [
        ("off", True, NextStep.NOTHING),
        ("observe", True, NextStep.NOTHING),
        ("suggest", True, NextStep.SUGGEST),
        ("suggest", False, NextStep.NOTHING),
        ("propose", False, NextStep.NOTHING),
        ("propose", True, NextStep.PROPOSE),
        ("apply", True, NextStep.PROPOSE),
        ("auto", True, NextStep.PROPOSE),
    ],
)
def test_what_follows_a_run_is_what_the_policy_says(bench, evolve, feedback, step):
    import asyncio

    bench.write(FLOW.replace("description: answers with a colour", f"evolve: {evolve}"))
    item = bench.complain() if feedback else None
    bench.green(*([item.id] if item else []))
    if evolve != "off":
        asyncio.run(evaluate(bench.desk, bench.plan(), confirmed=True))
    view = bench.desk.look(bench.flow)
    assert after_run(bench.desk, view, given={}, exit_code=0).step is step
    assert after_run(bench.desk, view, given={}, exit_code=0, no_evolve=True).step is NextStep.NOTHING
    assert after_run(bench.desk, view, given={}, exit_code=1, failure=FailureClass.PROVIDER).step is NextStep.NOTHING


def test_a_quick_rerun_is_noted_only_with_its_trigger_and_begins_nothing(bench):
    """Promise 2."""
    view = bench.desk.look(bench.flow)
    for evolve, noted in (("propose", 0), ("{mode: propose, triggers: [quick-rerun, explicit-feedback]}", 1)):
        bench.write(FLOW.replace("description: answers with a colour", f"evolve: {evolve}"))
        bench.green()
        view = bench.desk.look(bench.flow)
        bench.clock.advance(1000)
        after_run(bench.desk, view, given={"_1": "x"}, exit_code=0)
        bench.clock.advance(5)
        result = after_run(bench.desk, view, given={"_1": "x"}, exit_code=0)
        items = bench.desk.feedback.read().items
        assert len(items) == noted
        assert result.step is (NextStep.ASK if noted else NextStep.NOTHING)
    assert (items[0].confidence, items[0].type) == ("low", "quick_rerun")
    assert _code(bench) == "NO_ACTIONABLE_EVIDENCE"
    bench.clock.advance(5)
    assert after_run(bench.desk, view, given={"_1": "other"}, exit_code=0).observed is None


def test_damaged_results_are_an_error_and_stay_as_they_are(bench):
    import asyncio

    from honeyguide.kernel.errors import Unreadable

    bench.green()
    plan = bench.plan()
    path = bench.desk.home.receipts / f"{plan.view.place.flow_id}.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert any("damaged" in warning for warning in bench.plan().warnings)
    with pytest.raises(Unreadable):
        asyncio.run(evaluate(bench.desk, plan, confirmed=True))
    assert path.read_text() == "{"


def test_a_paid_judge_makes_a_free_flow_cost_money(bench):
    from honeyguide.llm.protocol import ModelRef

    class Models:
        def __init__(self, each):
            self.each = each

        def ref(self, named, role):
            return ModelRef("p", "m")

        def price(self, ref, chars):
            return self.each

    bench.write(FLOW.replace("engine: claude", "engine: practice"))
    bench.complain()
    bench.suite.write_text("cases: [{name: a, repetitions: 2, rubric: be polite}]")
    for each, is_free, high in ((0.5, False, 2.0), (0.0, True, 0.0), (None, False, None)):
        bench.desk = replace(bench.desk, models=Models(each))
        plan = bench.plan()
        assert (plan.is_free, plan.usd[1], plan.to_json()["calls"]["high"]) == (is_free, high, 5 + 4)


def test_a_failed_run_is_kept_once_and_begins_work_only_when_a_person_says_it_was_the_prompt(bench):
    bench.write(FLOW.replace("engine: claude", "engine: claude\nevolve: propose"))
    bench.green()
    view = bench.desk.look(bench.flow)

    def failed(failure: FailureClass | None = FailureClass.UNKNOWN) -> NextStep:
        return after_run(bench.desk, view, given={"_1": "x"}, exit_code=3, failure=failure).step

    assert failed(FailureClass.AUTH) is NextStep.NOTHING
    assert bench.desk.feedback.read().items == ()
    assert [failed(), failed()] == [NextStep.CLASSIFY, NextStep.CLASSIFY]
    (item,) = bench.desk.feedback.read().items
    assert (item.type, item.failure_class) == (FeedbackType.RUN_FAILURE, None)
    assert bench.plan().decision.code is ReasonCode.NO_ACTIONABLE_EVIDENCE
    assert "1 failed run(s) need to be classified first" in bench.plan().decision.reason
    bench.desk.feedback.classify(item.id, FailureClass.PROVIDER)
    assert bench.plan().decision.code is ReasonCode.NO_ACTIONABLE_EVIDENCE
    bench.desk.feedback.classify(item.id, FailureClass.BEHAVIOR)
    assert bench.plan().ready
    explicit = bench.complain()
    with pytest.raises(Conflict):
        bench.desk.feedback.classify(explicit.id, FailureClass.BEHAVIOR)


def test_observe_keeps_what_is_enabled_and_says_nothing(bench):
    bench.write(FLOW.replace("engine: claude", "engine: claude\nevolve: {mode: observe, triggers: [quick-rerun]}"))
    bench.green()
    view = bench.desk.look(bench.flow)
    assert after_run(bench.desk, view, given={}, exit_code=3).observed is None
    after_run(bench.desk, view, given={}, exit_code=0)
    again = after_run(bench.desk, view, given={}, exit_code=0)
    assert (again.step, again.message) == (NextStep.NOTHING, "")
    assert again.observed is not None and again.observed.confidence == "low"


def test_a_case_in_code_whose_input_the_flow_would_drop_is_refused(bench):
    bench.flow.with_name("color.eval.ts").write_text('export default [{ name: "a", prompt: "x", check: () => null }];')
    bench.complain()
    assert bench.plan().decision.code is ReasonCode.INPUT_UNUSED
    bench.write(FLOW.replace("Say BLUE.", "Say BLUE. {{ _1 }}"))
    bench.complain()
    assert bench.plan().decision.code is ReasonCode.READY


@pytest.mark.parametrize("load", ["import(name)", "require(`./${name}`)", 'import("./" + name)'])
def test_a_suite_that_loads_what_nobody_can_name_has_no_receipt(bench, load):
    bench.complain()
    suite = bench.flow.with_name("color.eval.ts")
    suite.write_text(
        f'const name = "x";\nconst m = () => {load};\nexport default [{{ name: "a", check: () => null }}];'
    )
    plan = bench.plan()
    assert plan.receipt is None
    assert "color.eval.ts:2" in plan.receipt_problem


def test_a_module_named_in_back_quotes_is_part_of_the_receipt(bench):
    helper = bench.flow.with_name("helper.ts")
    helper.write_text("export const a = 1;")
    bench.flow.with_name("color.eval.ts").write_text(
        'export const m = () => import(`./helper`);\nexport default [{ name: "a", check: () => null }];'
    )
    before = bench.plan().receipt
    helper.write_text("export const a = 2;")
    assert before is not None and bench.plan().receipt.digest != before.digest

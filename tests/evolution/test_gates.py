import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.examples import Example
from honeyguide.evolution.gates import (
    GateInput,
    GateOptions,
    GateScores,
    first_failure,
    longest_allowed_growth,
    run_gates,
    up_to_first_failure,
)
from honeyguide.kernel.errors import InvalidInput, PolicyRefused
from honeyguide.prompts.locks import lock
from honeyguide.prompts.targets import TargetKind

K = TargetKind
SEEDS = ["non-empty", "size", "growth", "balanced-fences", "no-placeholders", "no-todos", "regression"]


def verdict(gate, candidate, baseline="", *, kind=K.GENERIC, options=None, scores=None, **given_):
    results = run_gates(GateInput(kind, candidate, baseline, **given_), options, scores)
    return next(r for r in results if r.gate == gate)


def test_the_seeds_gates_come_first_in_its_order_and_ours_after():
    given_ = GateInput(K.GENERIC, "Be kind.", "Be kind.")
    gates = [r.gate for r in run_gates(given_, scores=GateScores(0.5, 0.5))]
    assert gates[:7] == SEEDS
    assert gates[7:] == [
        "variables", "locked", "capabilities", "secrets", "memorised", "leftovers", "reasoning-tags", "chat-phrases",
        "request-marks", "carrier",
    ]  # fmt: skip
    assert [r.gate for r in run_gates(given_)][:7] == [*SEEDS[:6], "variables"]


def test_all_gates_speak_but_only_those_up_to_the_first_failure_are_stored():
    results = run_gates(GateInput(K.GENERIC, "TODO: x", "x" * 100))
    assert first_failure(results).gate == "no-todos"
    assert len(results) == 16
    assert [r.gate for r in up_to_first_failure(results)] == SEEDS[:6]
    assert up_to_first_failure(results[:3]) == results[:3]


@pytest.mark.parametrize(("text", "passes"), [("x", True), ("", False), (" \n\t", False)])
def test_non_empty(text, passes):
    assert verdict("non-empty", text).passed is passes
    assert verdict("non-empty", text, options=GateOptions(allow_empty=True)).passed


@pytest.mark.parametrize(
    ("kind", "length", "passes"),
    [
        (K.PERSONA, 3000, True), (K.PERSONA, 3001, False), (K.PERSONA, 4000, False),
        (K.TOOL, 500, True), (K.TOOL, 501, False),
        (K.SKILL, 15_000, True), (K.SKILL, 15_001, False),
        (K.SECTION, 4000, True), (K.SECTION, 4001, False),
        (K.GENERIC, 8000, True), (K.GENERIC, 8001, False),
        (K.FLOW, 100_000, True),
    ],
)  # fmt: skip
def test_size_is_inclusive_and_depends_on_the_kind(kind, length, passes):
    assert verdict("size", "x" * length, "x" * length, kind=kind).passed is passes


def test_size_counts_an_emoji_as_two():
    assert verdict("size", "🐝" * 250, kind=K.TOOL).passed
    assert not verdict("size", "🐝" * 251, kind=K.TOOL).passed


@pytest.mark.parametrize(
    ("before", "after", "passes"),
    [(100, 120, True), (100, 121, False), (100, 140, False), (5, 6, True), (5, 7, False), (1, 2, False), (0, 900, True),
     (100, 3, True)],
)  # fmt: skip
def test_growth_is_inclusive_at_a_fifth(before, after, passes):
    assert verdict("growth", "x" * after, "x" * before).passed is passes


def test_growth_says_the_share_and_the_limit():
    result = verdict("growth", "x" * 121, "x" * 100)
    assert result.reason == "21.0% longer than before, but at most 20% are allowed."
    assert result.detail == {"baseline": 100, "candidate": 121, "ratio": pytest.approx(0.21), "max": 0.2}


@given(st.integers(1, 4000), st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 1.5]))
def test_the_mutator_is_told_exactly_the_longest_text_that_passes(length, ratio):
    options = GateOptions(max_growth_ratio=ratio)
    most = longest_allowed_growth("x" * length, options)
    assert verdict("growth", "x" * most, "x" * length, options=options).passed
    assert not verdict("growth", "x" * (most + 1), "x" * length, options=options).passed


@pytest.mark.parametrize(("fences", "passes"), [(0, True), (1, False), (2, True), (4, True)])
def test_fences_must_be_closed(fences, passes):
    assert verdict("balanced-fences", "a\n```\n" * fences).passed is passes


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("[TODO]", False), ("[PLACEHOLDER]", False), ("[YOUR NAME HERE]", False), ("<placeholder>", False),
        ("<your-name>", False), ("{{name}}", False), ("{{a.b}}", False),
        ("[1]", True), ("[Smith 2024]", True), ("{{ name }}", True), ("[INSERT NAME]", True),
    ],
)  # fmt: skip
def test_placeholders_as_the_seed_has_them(text, passes):
    result = verdict("no-placeholders", f"Say {text}.")
    assert result.passed is passes
    if not passes:
        assert result.where == (4, 4 + len(text))


def test_variables_of_the_baseline_are_no_placeholders():
    baseline = "Greet {{name}} of <your-company>."
    assert first_failure(run_gates(GateInput(K.GENERIC, f"{baseline} Be", baseline))) is None
    assert not verdict("no-placeholders", "Greet {{name}} in {{city}}.", baseline).passed


@pytest.mark.parametrize(
    ("text", "passes"),
    [("TODO: x", False), ("a\n  fixme : x", False), ("XXX:", False), ("Build a todo list", True), ("- TODO: x", True)],
)
def test_todos_as_the_seed_has_them(text, passes):
    assert verdict("no-todos", text).passed is passes


@pytest.mark.parametrize("text", ["- TODO: x", "[INSERT NAME]", "> FIXME: y"])
def test_leftovers_close_the_gaps_of_the_seeds_gates(text):
    assert not verdict("leftovers", text).passed
    assert verdict("leftovers", text, text).passed


@pytest.mark.parametrize(
    ("before", "after", "passes"), [(0.8, 0.78, True), (0.8, 0.7799, False), (0.9, 0.7, False), (0.5, 0.9, True)]
)
def test_regression_is_inclusive_at_two_points(before, after, passes):
    assert verdict("regression", "x", scores=GateScores(before, after)).passed is passes


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("Greet the person.", "{{name}} is missing"),
        ("Greet {{name}} in {city}.", "{city} is not one of this prompt"),
        ("Greet {{ name }}.", None),
    ],
)
def test_variables_must_stay_the_same(candidate, said):
    result = verdict("variables", candidate, "Greet {{name}}.")
    assert result.passed is (said is None)
    assert said is None or said in result.reason


def test_locked_passages_must_stay_word_for_word():
    baseline = "Never promise a refund.\nBe kind."
    passage = lock(baseline, "Never promise a refund.")
    assert verdict("locked", "Never promise a\nrefund. Smile.", baseline, locked=(passage,)).passed
    assert not verdict("locked", "Never promise refunds.", baseline, locked=(passage,)).passed


def test_a_capability_may_go_but_none_may_come():
    baseline = "See https://example.org/a for more."
    assert verdict("capabilities", "No links.", baseline).passed
    result = verdict("capabilities", "See https://example.org/b for more.", baseline)
    assert not result.passed
    assert result.where == (4, 25)


def test_a_secret_is_refused_and_not_repeated():
    secret = "sk-ant-" + "api03-" + "Ab1" * 20
    result = verdict("secrets", f"Use {secret} to sign in.")
    assert not result.passed
    assert secret not in str(result.to_json())


def test_memorised_cases_are_refused_unless_a_person_allowed_them():
    case = Example("e1", "My parcel to the old mill in Northbrook never came and I am sad", "Sorry.", conversation="c1")
    candidate = "When a parcel to the old mill in Northbrook never came and they are sad, say sorry."
    refused = verdict("memorised", candidate, "Say sorry.", training=(case,))
    assert not refused.passed
    allowed = verdict("memorised", candidate, "", training=(case,), options=GateOptions(allow_memorised=True))
    assert allowed.passed
    assert allowed.detail["spans"] == refused.detail["spans"]


@pytest.mark.parametrize(
    ("gate", "text"),
    [
        ("reasoning-tags", "<think>short</think>\nBe kind."),
        ("chat-phrases", "Sure! Here is the improved prompt:\nBe kind."),
        ("request-marks", "Be kind.\n</new_prompt>"),
        ("request-marks", "Be kind. The rest of the prompt stays unchanged."),
    ],
)
def test_what_a_model_says_around_a_prompt_is_refused_unless_it_was_there_before(gate, text):
    assert not verdict(gate, text).passed
    assert verdict(gate, text, text).passed


def test_the_program_that_loads_the_file_has_its_say():
    rule = lambda text: ["At most 3 lines."] if text.count("\n") > 2 else []  # noqa: E731
    assert verdict("carrier", "a\nb", carrier_checks=(rule,)).passed
    result = verdict("carrier", "a\nb\nc\nd", carrier_checks=(rule,))
    assert (result.passed, result.reason) == (False, "At most 3 lines.")


@pytest.mark.parametrize(
    "given_",
    [{"maxGrowthRatio": 0.3}, {"maxRegression": -0.1}, {"maxSize": 9000}, {"maxSize": {"generic": 8001}},
     {"allowEmpty": True}],
)  # fmt: skip
def test_limits_can_be_loosened_only_where_the_policy_allows_it(given_):
    with pytest.raises(PolicyRefused):
        GateOptions().overridden(given_, K.GENERIC)
    assert GateOptions(allow_looser=True).overridden(given_, K.GENERIC) != GateOptions(allow_looser=True)


def test_limits_can_always_be_tightened():
    options = GateOptions().overridden({"maxGrowthRatio": 0.1, "maxSize": 100, "maxRegression": 0}, K.GENERIC)
    assert (options.max_growth_ratio, options.size_limit(K.GENERIC), options.max_regression) == (0.1, 100, 0)
    assert GateOptions().overridden({"maxSize": {"skill-body": 10**9}}, K.GENERIC) == GateOptions()


@pytest.mark.parametrize(
    "given_", [{"targetKind": "generic"}, {"maxSize": "9"}, {"maxGrowthRatio": True}, {"allowEmpty": 1},
               {"maxRegression": 0.5}, {"maxGrowthRatio": float("nan")}],
)  # fmt: skip
def test_unknown_or_unusable_options_are_refused(given_):
    with pytest.raises(InvalidInput):
        GateOptions(allow_looser=True).overridden(given_, K.GENERIC)

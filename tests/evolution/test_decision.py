import pytest

from honeyguide.evals.findings import Finding
from honeyguide.evolution.decision import AttemptOutcome, decide, is_shorter, too_small

O = AttemptOutcome  # noqa: E741
LONG, SAME, SHORT = "x" * 100, "x" * 91, "x" * 90


@pytest.mark.parametrize(
    ("finding", "candidate", "allow_safe", "outcome", "stored", "note", "accept"),
    [
        (Finding.VERIFIED_IMPROVEMENT, SAME, False, O.PROPOSED, True, False, True),
        (Finding.REGRESSION_SAFE, SHORT, False, O.PROPOSED, True, False, True),
        (Finding.REGRESSION_SAFE, SAME, False, O.SKIPPED_DELTA, False, False, True),
        (Finding.REGRESSION_SAFE, SAME, True, O.PROPOSED, True, False, True),
        (Finding.INCONCLUSIVE, SAME, False, O.PROPOSED, True, True, True),
        (Finding.REJECTED, SHORT, True, O.SKIPPED_GATES, True, False, False),
        (Finding.CAPABILITY_REJECTED, SHORT, True, O.SKIPPED_GATES, True, False, False),
    ],
)
def test_from_finding_to_outcome(finding, candidate, allow_safe, outcome, stored, note, accept):
    made = decide(finding, "Because.", live=LONG, candidate=candidate, allow_safe=allow_safe)
    assert (made.outcome, made.is_stored, made.needs_note, made.can_accept) == (outcome, stored, note, accept)


def test_a_judge_that_cannot_be_used_bars_accepting():
    made = decide(
        Finding.INCONCLUSIVE, "Missing.", live="a", candidate="b", allow_safe=False, reason="judge-not-usable"
    )
    assert (made.outcome, made.can_accept) == (O.PROPOSED, False)
    assert made.reason == "inconclusive: judge not usable (Missing.)"


@pytest.mark.parametrize(("live", "candidate", "shorter"), [(LONG, SHORT, True), (LONG, SAME, False), ("", "", True)])
def test_shorter_means_by_a_tenth(live, candidate, shorter):
    assert is_shorter(live, candidate) is shorter


@pytest.mark.parametrize(
    ("delta", "differences", "said"),
    [
        (0.02, [0.02] * 4, ""),
        (0.0199, [0.0199] * 4, "gained 1.9 points on the cases it was tried on; under 2 points nothing is proposed."),
        (0.0, [0.0] * 4, "gained 0 points"),
        (0.1, [0.1], ""),
        (0.1, [0.4, 0.0, 0.0, 0.0], "gained 10 points on the 4 cases it was tried on; that may be chance"),
        (0.1, [0.1, 0.15, 0.05, 0.1], ""),
        (-0.1, [-0.1] * 3, "lost 10 points"),
    ],
)
def test_a_gain_must_reach_the_least_delta_and_stand_above_chance(delta, differences, said):
    found = too_small(delta, 0.02, differences, allow_safe=False)
    assert said in found
    assert bool(found) == bool(said)
    assert too_small(delta, 0.02, differences, allow_safe=True) == ""

from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.evolution.candidates import Measurement
from honeyguide.evolution.racing.grades import Grades


def graded(overall, answer="BILLING", example="e1"):
    score = None if overall is None else JudgeScore(overall, 1.0, 1.0, overall, 1.0, overall)
    return Evaluation(example, answer, Verdict(score))


def test_an_answer_that_comes_again_word_for_word_gets_the_middle_of_its_verdicts():
    grades = Grades()
    assert grades.settle(graded(1.0), ()) == (1.0, ())
    assert grades.settle(graded(0.0), ("wrong",)) == (0.0, ("wrong",)), "two verdicts have no middle"
    assert grades.settle(graded(1.0), ()) == (1.0, ())
    assert grades.settle(graded(0.0), ("wrong",)) == (0.5, ())
    assert grades.settle(graded(1.0), ()) == (1.0, ())


def test_other_answers_and_other_examples_keep_their_own_verdict():
    grades = Grades()
    for _ in range(3):
        grades.settle(graded(1.0), ())
    assert grades.settle(graded(0.0, answer="SALES"), ("wrong",)) == (0.0, ("wrong",))
    assert grades.settle(graded(0.0, example="e2"), ("wrong",)) == (0.0, ("wrong",))
    assert grades.settle(graded(None), ()) == (None, ())


def test_a_measurement_is_settled_by_all_verdicts_of_its_answers():
    grades = Grades()
    for _ in range(4):
        grades.settle(graded(1.0), ())
    measured = Measurement((graded(0.2), graded(0.2, example="e2"), graded(None, example="e3")))
    settled = grades.settled(measured)
    assert settled.scores == {"e1": 1.0, "e2": 0.2}
    assert settled.unscored == 1
    assert settled.evaluations[0].verdict.score.correctness == 1.0

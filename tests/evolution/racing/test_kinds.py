import pytest

from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.evolution.racing.kinds import KindBook
from honeyguide.evolution.racing.relevance import Relevance


def graded(feedback, overall=0.3, correctness=0.7, procedure=0.7, conciseness=0.7):
    score = None if overall is None else JudgeScore(correctness, procedure, conciseness, overall, 1.0, overall)
    return Evaluation("e", "answer", Verdict(score, feedback))


def test_complaints_in_other_words_are_one_kind_and_numbers_do_not_matter():
    book = KindBook()
    first = book.of(graded("The greeting is missing in line 4."))
    book.of(graded("The date has the wrong format."))
    assert book.of(graded("The greeting is missing in line 17.")) == first
    assert book.of(graded("Missing greeting.")) == first
    assert book.of(graded("The language is wrong.")) != first


def test_the_dimension_is_no_kind_once_the_judge_repeats_itself():
    book = KindBook()
    assert book.of(graded("No greeting.", procedure=0.1)) == ("no greeting.", "low procedure")
    assert book.of(graded("No greeting.", procedure=0.1)) == ("no greeting.",)


def test_an_answer_has_several_kinds_and_a_weak_dimension_is_one():
    found = KindBook().of(graded("No source is named. Far too long;\nno greeting", conciseness=0.2))
    assert len(found) == 4
    assert found[-1] == "low conciseness"


@pytest.mark.parametrize("overall", [None, 0.95, 1.0])
def test_good_and_unscored_answers_have_none(overall):
    assert KindBook().of(graded("Anything.", overall)) == ()


def test_a_weak_answer_without_a_word_still_failed():
    assert KindBook().of(graded("")) == ("imperfect",)


def test_a_line_speaks_about_the_inputs_that_share_its_rare_words():
    inputs = ["ticket about parcel", "ticket about invoice", "ticket about invoice late", "ticket about login"] * 2
    found = Relevance(inputs)
    assert found.focus("Asked about an invoice, be brief.") == {1, 2, 5, 6}
    assert found.focus("Every ticket gets an answer.") == frozenset()


def test_an_identifier_of_a_single_case_is_told_from_a_number_that_many_share():
    found = Relevance(["case 4711 open", "room 2024", "year 2024", "plain"])
    assert found.names_one_case("For 4711, say yes.")
    assert not found.names_one_case("Since 2024, say yes.")
    assert not found.names_one_case("Be plain.")

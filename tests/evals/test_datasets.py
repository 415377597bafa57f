from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.datasets import (
    DatasetOptions,
    build_dataset,
    build_judged_dataset,
    make_example,
    rubric_from_correction,
)
from honeyguide.evals.duplicates import SeenInputs
from honeyguide.evals.examples import Dataset, Example, ExpectationRole
from honeyguide.evals.language import language_of
from honeyguide.evals.signal import is_low_signal
from honeyguide.evals.splitting import Split, SplitRatios, split_conversations, split_counts
from honeyguide.kernel.errors import BudgetExceeded, InvalidInput, Unreachable
from honeyguide.traces.records import Trace, TraceFacts, TraceOutcome, TracePayload

OUTPUT = "It leaves on Monday morning."


def trace(
    text: str = "When does the train to Basel leave?",
    output: str = OUTPUT,
    outcome: TraceOutcome = TraceOutcome.SUCCESS,
    *,
    correction: str | None = None,
    conversation: str = "",
    id: int = 0,
    never_send: bool = False,
) -> Trace:
    return Trace(
        TracePayload(input=text, output=output, correction_feedback=correction),
        outcome,
        id=id,
        facts=TraceFacts(conversation=conversation or f"c-{text}", never_send=never_send),
    )


def only(dataset: Dataset) -> Example:
    [example] = [*dataset.train, *dataset.validation, *dataset.holdout]
    return example


def everything(dataset: Dataset) -> list[Example]:
    return [*dataset.train, *dataset.validation, *dataset.holdout]


# -- what becomes an example ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", [TraceOutcome.SUCCESS, TraceOutcome.VERIFIED])
def test_a_good_answer_is_a_reference(outcome):
    example = only(build_dataset([trace(outcome=outcome, id=7)]))
    assert (example.role, example.expected, example.rejected) == (ExpectationRole.REFERENCE, OUTPUT, None)
    assert example.metadata["traceId"] == 7
    assert example.metadata["source"] == "trace"
    assert example.metadata["language"] == "en"


def test_a_correction_is_a_rubric_with_the_bad_answer_as_its_negative():
    corrected = trace(outcome=TraceOutcome.CORRECTED, correction="You forgot the change in Olten")
    example = only(build_dataset([corrected]))
    assert example.role is ExpectationRole.RUBRIC
    assert example.rejected == OUTPUT
    assert example.expected.startswith("The earlier answer was wrong because")
    assert "You forgot the change in Olten." in example.expected
    assert example.metadata["source"] == "correction"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (trace(outcome=TraceOutcome.PENDING), "outcome-pending"),
        (trace(outcome=TraceOutcome.ABANDONED), "outcome-abandoned"),
        (trace(outcome=TraceOutcome.CORRECTED), "no-correction-text"),
        (trace(never_send=True), "never-send"),
        (trace("123456789"), "too-short-input"),
        (trace(output="Yes."), "too-short-output"),
        (trace("x " * 8000, "y " * 300), "too-long"),
        (trace("a" * 9 + "b"), "low-signal"),
        (trace("!!!!???....,,,;;;"), "low-signal"),
        (trace(output="......."), "low-signal"),
    ],
)
def test_every_dropped_row_has_a_reason(row, reason):
    dataset = build_dataset([row])
    assert (len(dataset), dataset.dropped, dataset.sourced) == (0, {reason: 1}, 1)


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        (trace("1234567890"), 1),
        (trace(output="Yes, 5"), 1),
        (trace("ab" * 8000, "cd" * 192), 1),
        (trace("ab" * 8000, "cd" * 192 + "e"), 0),
        (trace("a" * 8 + "bb"), 1),
        (trace("Когда уходит поезд?", "Утром в понедельник."), 1),
        (trace("如何申请退款", "请填写表格。"), 1),
        (trace("متى يغادر القطار؟", "صباح الاثنين."), 1),
    ],
)
def test_boundaries_of_length_and_signal(row, kept):
    assert len(build_dataset([row])) == kept


def test_corrections_can_be_left_out():
    rows = [trace(f"Question number {o.value}?", outcome=o, correction="No, on Sunday.") for o in TraceOutcome]
    dataset = build_dataset(rows, options=DatasetOptions(include_corrections=False))
    assert {e.metadata["outcome"] for e in everything(dataset)} == {"success", "verified"}
    assert dataset.dropped == {"outcome-abandoned": 1, "outcome-corrected": 1, "outcome-pending": 1}


# -- secrets -------------------------------------------------------------------------------------------------------


def test_rows_with_secrets_are_dropped_and_their_text_is_not_shown():
    key = "AKIA" + "Q7R2S9T4U1V6W3X8"
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    rows = [trace(f"My key is {key}, why?"), trace("What is my token?", f"It is {token}."), trace()]
    dataset = build_dataset(rows)
    assert dataset.sourced == 3
    assert len(dataset) == 1
    assert dataset.dropped == {"secret:aws-access-key": 1, "secret:github-pat": 1}
    assert not any(key in drop.preview or token in drop.preview for drop in dataset.drops)


def test_a_secret_in_the_rejected_answer_counts():
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    row = trace(output=f"Use {token}.", outcome=TraceOutcome.CORRECTED, correction="Never show a token.")
    assert build_dataset([row]).dropped == {"secret:github-pat": 1}


def test_what_may_not_be_sent_is_not_even_previewed():
    [drop] = build_dataset([trace("My private question here", never_send=True)]).drops
    assert (drop.reason, drop.preview) == ("never-send", "")


# -- duplicates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "verdict"),
    [
        ("WHEN does   the train to Basel leave?", "duplicate"),
        ("Ｗhen does the train to Basel leave?", "duplicate"),
        ("When does the train to Basel leave", "near-duplicate"),
        ("When does the train to Basel leave!!", "near-duplicate"),
        ("When does the trains to Basel leave?", "near-duplicate"),
        ("When does the train to Berne leave?", ""),
        ("Why does nobody answer the telephone?", ""),
    ],
)
def test_inputs_that_say_the_same_are_found(second, verdict):
    seen = SeenInputs()
    seen.repeats("When does the train to Basel leave?")
    assert seen.repeats(second) == verdict


def test_another_number_makes_another_case():
    seen = SeenInputs()
    seen.repeats("Where is my order number 44718 that I paid for last week?")
    assert seen.repeats("Where is my order number 44719 that I paid for last week?") == ""


def test_of_two_equal_inputs_the_first_is_kept_and_a_correction_is_kept_before_a_reference():
    first, second = trace(output="First answer."), trace(output="Second answer.")
    assert only(build_dataset([first, second])).expected == "First answer."
    corrected = trace(outcome=TraceOutcome.CORRECTED, correction="It leaves on Sunday.")
    dataset = build_dataset([first, corrected])
    assert only(dataset).role is ExpectationRole.RUBRIC
    assert dataset.dropped == {"duplicate": 1}


# -- the optional judge --------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_a_judge_may_drop_examples_and_drops_none_when_it_cannot_be_reached():
    async def judge(example: Example) -> str:
        if "Basel" in example.input:
            return "about trains"
        if "Berne" in example.input:
            raise Unreachable("down")
        return ""

    rows = [trace(f"When does the train to {town} leave, {town}?") for town in ("Basel", "Berne", "Chur")]
    dataset = await build_judged_dataset(rows, judge=judge)
    assert dataset.dropped == {"judge:about trains": 1}
    assert len(dataset) == 2


@pytest.mark.anyio
async def test_the_budget_ends_the_judging():
    async def judge(example: Example) -> str:
        raise BudgetExceeded("enough")

    with pytest.raises(BudgetExceeded):
        await build_judged_dataset([trace()], judge=judge)


# -- the split -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "ratios", "counts"),
    [
        (0, (0.6, 0.2, 0.2), (0, 0, 0)),
        (1, (0.6, 0.2, 0.2), (0, 0, 1)),
        (2, (0.6, 0.2, 0.2), (1, 0, 1)),
        (3, (0.6, 0.2, 0.2), (1, 0, 2)),
        (4, (0.6, 0.2, 0.2), (2, 0, 2)),
        (5, (0.6, 0.2, 0.2), (3, 1, 1)),
        (7, (0.6, 0.2, 0.2), (4, 1, 2)),
        (10, (0.6, 0.2, 0.2), (6, 2, 2)),
        (20, (0.6, 0.2, 0.2), (12, 4, 4)),
        (33, (0.6, 0.2, 0.2), (19, 6, 8)),
        (50, (0.8, 0.1, 0.1), (40, 5, 5)),
        (100, (0.6, 0.2, 0.2), (60, 20, 20)),
        (300, (0.6, 0.2, 0.2), (180, 60, 60)),
    ],
)
def test_quotas_are_exact(n, ratios, counts):
    assert split_counts(n, SplitRatios(*ratios)) == counts


@pytest.mark.parametrize(("ratios", "words"), [((0.5, 0.3, 0.3), "sum to 1.1"), ((1.2, -0.1, -0.1), "non-negative")])
def test_impossible_shares_are_refused(ratios, words):
    with pytest.raises(InvalidInput, match=words):
        SplitRatios(*ratios)


@given(st.sets(st.text(max_size=8), max_size=120), st.text(min_size=9, max_size=12), st.integers(0, 99))
def test_one_conversation_more_moves_two_others_at_each_boundary_at_most(names, newcomer, seed):
    before = split_conversations(sorted(names), SplitRatios(), seed)
    after = split_conversations([*sorted(names), newcomer], SplitRatios(), seed)
    assert sum(after[name] is not split for name, split in before.items()) <= 4


def test_the_turns_of_a_conversation_stay_together():
    rows = [
        trace(f"Question {turn} of person {talk}, about {talk * 17 + turn}?", conversation=f"talk-{talk}")
        for talk in range(40)
        for turn in range(3)
    ]
    dataset = build_dataset(rows, seed=3)
    homes: dict[str, set[str]] = {}
    for name in ("train", "validation", "holdout"):
        for example in getattr(dataset, name):
            homes.setdefault(example.conversation, set()).add(name)
    assert len(homes) == 40
    assert all(len(home) == 1 for home in homes.values())
    assert (len(dataset.train), len(dataset.validation), len(dataset.holdout)) == (72, 24, 24)


def test_three_hundred_conversations_give_a_holdout_of_sixty():
    rows = [trace(f"Question {i}: what about item {i * 37}?", conversation=f"t{i}") for i in range(300)]
    assert len(build_dataset(rows).holdout) == 60


def test_the_same_seed_gives_the_same_dataset_in_any_order_and_another_seed_another():
    rows = [trace(f"Question {i}: what about item {i * 37}?", conversation=f"t{i}") for i in range(50)]
    one, two, other = build_dataset(rows, seed=1), build_dataset(rows[::-1], seed=1), build_dataset(rows, seed=2)
    assert one.dataset_hash == two.dataset_hash != other.dataset_hash


def test_a_trace_without_conversation_stands_alone():
    split = split_conversations(["a", "a", "b"], SplitRatios(), 1)
    assert set(split) == {"a", "b"}
    assert set(split.values()) <= set(Split)


def test_extra_examples_go_through_the_same_sieve():
    good = make_example("How do I reset my phone?", "Hold both buttons.", conversation="f1")
    bad = make_example("short", "Hold both buttons.")
    dataset = build_dataset([], extra=[good, bad])
    assert only(dataset) == good
    assert dataset.dropped == {"too-short-input": 1}


# -- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I get to the station?", "en"),
        ("Wie komme ich bitte zum Bahnhof und was kostet das?", "de"),
        ("Comment est-ce que je vais à la gare avec vous ?", "fr"),
        ("¿Cómo puedo llegar a la estación por favor?", "es"),
        ("Como posso chegar na estação com meu carro?", "pt"),
        ("Come posso andare alla stazione con la mia auto?", "it"),
        ("Hoe kom ik met mijn fiets op het station?", "nl"),
        ("Как пройти на вокзал?", "ru"),
        ("Як пройти на вокзал, будь ласка, є тут?", "uk"),
        ("怎么去火车站", "zh"),
        ("駅への行き方を教えてください", "ja"),
        ("역에 어떻게 가나요", "ko"),
        ("كيف أصل إلى المحطة", "ar"),
        ("12345 !!!", "und"),
        ("", "und"),
    ],
)
def test_the_language_is_guessed_well_enough_to_make_slices(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("", True),
        ("ab", True),
        ("abc", False),
        ("aaaaaaaabb", False),
        ("aaaaaaaaab", True),
        ("🙂🙃🙂🙃", True),
        ("٣٤٥", False),
    ],
)
def test_low_signal(text, low):
    assert is_low_signal(text) is low


@pytest.mark.parametrize("said", ["No.", "不对。", "Wrong!", "Wrong"])
def test_a_correction_is_quoted_as_one_sentence(said):
    first = rubric_from_correction(said).splitlines()[0]
    assert said in first
    assert not first.endswith("..")

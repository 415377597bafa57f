"""The race alone, with answers and rewrites that are functions of texts and of a hash."""

import json
from collections import deque

import pytest

from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.racing.race import Race
from honeyguide.evolution.racing.settings import Odds, RacingSettings
from honeyguide.kernel.choice import choose, unit
from honeyguide.kernel.errors import InvalidInput
from tests.evolution.racing.towns import START, TOPICS, rule

INPUTS = [f"Guest {i} asks about {TOPICS[i % 6]}." for i in range(36)]


def town(job, seed):
    """Right with the rule, else one time in four; one verdict in thirty is wrong."""
    topic = TOPICS[job.example % 6]
    lot = unit(seed, job.parts[0], job.example, job.repetition)
    right = lot < (0.97 if rule(topic) in job.parts[0] else 0.25)
    return (1.0, ()) if right else (0.0, (f"no price for {topic}",))


def writer(job, seed):
    lines = job.current.split("\n")
    for kind in [kind for kind in job.kinds if kind.startswith("no price")][:2]:
        topic = kind.rsplit(" ", 1)[1]
        if unit(seed, "slip", job.number, kind) < 0.3:
            topic = choose(seed, TOPICS, "other", job.number)
        if rule(topic) not in lines:
            lines.append(rule(topic))
    if unit(seed, "idle", job.number) < 0.3:
        lines.append(f"Do your best, part {job.number}.")
    return "\n".join(lines)


def run(seed=1, answer=town, write=writer, log=None, parts=(START,), watch=None, **changes):
    settings = RacingSettings(**{"evaluations": 300, **changes})
    race = Race(settings, seed, parts, INPUTS, 18, DecisionLog() if log is None else log)
    runs, reflections, most = deque(), deque(), 0.0
    while True:
        while (wanted := race.next_reflection()) is not None:
            reflections.append(wanted)
            most = max(most, race.reflections / race.asked)
        while len(runs) < settings.ahead and (job := race.next_run()) is not None:
            runs.append(job)
        if watch is not None:
            watch(len(race.answers), len(reflections))
        if reflections and (not runs or race.is_due(reflections[0])):
            wanted = reflections.popleft()
            race.take_reflection(wanted, write(wanted, seed))
        elif runs:
            job = runs.popleft()
            race.take_answer(job, *answer(job, seed))
        else:
            return race, most


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_the_rules_that_are_missing_and_few_idle_ones(seed):
    race, _ = run(seed)
    lines = race.leader[0].split("\n")
    assert sum(rule(topic) in lines for topic in TOPICS) >= 5
    assert len(lines) <= 1 + 6 + 2


def test_at_most_one_reflection_for_eight_answers_asked_for_at_any_time():
    assert run()[1] <= 1 / 8


def test_slow_reflections_are_many_at_a_time_and_early_ones_are_waited_for():
    def most_open(lasts):
        late, early = [0], [0]

        def watch(answers, count):
            (early if answers < 40 else late if answers > 200 else [0]).append(count)

        run(evaluations=400, watch=watch, lasts=lasts, answer=lambda job, seed: (0.0, ("never right",)))
        return max(early), max(late)

    assert max(most_open(1.0)) <= 3
    early, late = most_open(40.0)
    assert early <= 4
    assert 5 <= late <= 8, "one in eight answers, each as long as 40 of them, keeps about seven of eight slots"


@pytest.mark.parametrize("seed", range(2))
def test_an_edit_that_helps_beside_another_alone_is_found_although_it_failed_before(seed):
    first, then = "- Look parking up in the list of today.", "- Quote the price of parking from the list."

    def answer(job, seed):
        text = job.parts[0]
        chance = 0.95 if first in text and then in text else 0.4 if first in text else 0.15
        right = unit(seed, text, job.example, job.repetition) < chance
        return (1.0, ()) if right else (0.0, ("no price for parking",))

    def write(job, seed):
        fresh = [line for line in (then, first) if line not in job.current and line not in job.avoid]
        idle = f"- Be kind about parking, part {job.number}."
        take_idle = not fresh or unit(seed, "idle", job.number) < 0.6
        return f"{job.current}\n{idle if take_idle else fresh[0]}"

    race, _ = run(seed, answer=answer, write=write, evaluations=500)
    assert {first, then} <= set(race.leader[0].split("\n"))


def test_the_end_is_for_what_is_kept_and_no_reflection_comes_too_late():
    open_at = {}
    race, _ = run(evaluations=300, watch=lambda answers, count: open_at.update({answers: count}), closing=0.2)
    kept = race.board.kept
    assert kept
    closing = race.answers[-50:]
    off = [sum(not answer.mask & switch.bit for switch in kept) for answer in closing]
    assert 0.05 * len(kept) < sum(off) / len(off) <= Odds().reviews
    assert not any(open_at.get(answers) for answers in range(260, 300))


def test_edits_wait_for_a_place_and_those_proposed_most_often_go_first():
    log = DecisionLog()

    def write(job, seed):
        fresh = [f"Do part {job.number}-{i} with care." for i in range(3)]
        return "\n".join([job.current, *fresh, *(["Be kind to everybody."] if job.number else [])])

    race, _ = run(write=write, log=log, trials=2, evaluations=200, odds=Odds(patience=10**6, drop_at=0.0, keep_at=1.1))
    assert len(race.board.trials) == 2
    records = [json.loads(line) for line in log]
    tried = [race.board.switches[r["edit"]].edit.new for r in records if r["decision"] == "trial"]
    assert len(tried) == 2, "nothing is decided, so nobody makes place"
    assert len([r for r in records if r["decision"] == "proposed"]) > 20
    race.board.room = 3
    race.board.admit()
    assert race.board.trials[-1].edit.new == "Be kind to everybody."


def test_it_asks_for_no_more_evaluations_than_it_may():
    race, _ = run(evaluations=77)
    assert race.asked == len(race.answers) == 77


@pytest.mark.parametrize("text", [None, "", "   \n"])
def test_an_empty_or_malformed_rewrite_changes_nothing(text):
    race, _ = run(write=lambda job, seed: text, dry=10**6)
    assert race.board.switches == []
    assert {job.mask for job in race.answers} == {0}


def test_it_ends_when_the_mutator_has_nothing_new():
    race, _ = run(write=lambda job, seed: job.current, dry=3)
    assert race.is_dry
    assert len(race.answers) < 150


def test_it_ends_when_nothing_fails():
    race, _ = run(answer=lambda job, seed: (1.0, ()))
    assert race.is_perfect
    assert len(race.answers) <= 40
    assert race.leader == (START,)


def test_it_ends_when_what_is_left_can_change_nothing():
    race, _ = run(write=lambda job, seed: None, evaluations=60, dry=10**6, odds=Odds(least=10))
    assert race.asked == 51, "fewer than ten answers are left and nothing is on trial"


def test_edits_that_change_nothing_seldom_reach_the_text():
    """Answers are a coin whatever the text: of 20 searches few return another text than the present one at length."""
    kept = []
    for seed in range(20):
        race, _ = run(seed, lambda job, s: town(replaced(job), s), idle, evaluations=150)
        kept.append(len(race.leader[0].split("\n")) - 1)
    assert sum(kept) / len(kept) <= 1.0


def idle(job, seed):
    return f"{job.current}\nMind point {job.number} well."


class replaced:
    """The job with a text that no rule is in, but as a sample of its own."""

    def __init__(self, job):
        self.parts, self.example, self.repetition = (f"#{hash_of(job.parts[0])}",), job.example, job.repetition


def hash_of(text):
    return int(unit(0, text) * 10**9)


def test_harm_is_found_and_not_kept():
    bad = "- Never name a price."

    def answer(job, seed):
        score, kinds = town(job, seed)
        return (
            (0.0, ("rude", *kinds))
            if bad in job.parts[0] and unit(seed, "bad", *job.parts, job.example) < 0.8
            else (score, kinds)
        )

    def write(job, seed):
        text = writer(job, seed)
        return text if bad in text else f"{text}\n{bad}"

    race, _ = run(answer=answer, write=write)
    assert bad not in race.leader[0]


def test_a_line_that_names_a_single_case_is_not_even_tried():
    race, _ = run(write=lambda job, seed: f"{job.current}\nFor room 4711x, say yes.", dry=4)
    assert race.board.switches, "an identifier that stands in no input is no memory"
    log = DecisionLog()
    INPUTS[3] = "Guest in room 4711x asks about breakfast."
    try:
        race, _ = run(write=lambda job, seed: f"{job.current}\nFor room 4711x, say yes.", dry=4, log=log)
    finally:
        INPUTS[3] = "Guest 3 asks about breakfast."
    assert race.board.switches == []
    assert '"decision":"memorised"' in log.to_text()


def test_unscored_answers_teach_nothing():
    race, _ = run(answer=lambda job, seed: (None, ()), evaluations=60)
    assert race.board.switches == []
    assert race.reflections == 0


def test_the_same_seed_writes_the_same_log_and_another_seed_another():
    logs = [DecisionLog() for _ in range(3)]
    for log, seed in zip(logs, (4, 4, 5), strict=True):
        run(seed, log=log)
    assert logs[0].to_text() == logs[1].to_text() != logs[2].to_text()


def test_parts_are_reflected_on_one_at_a_time_and_keep_to_themselves():
    def answer(job, seed):
        ok = "- second" in job.parts[1]
        return (1.0, ()) if ok or unit(seed, *job.parts, job.example, job.repetition) < 0.3 else (0.0, ("bad second",))

    def write(job, seed):
        return f"{job.current}\n- {'first' if job.part == 0 else 'second'}"

    race, _ = run(answer=answer, write=write, parts=("one", "two"), evaluations=200)
    assert race.leader[1] == "two\n- second"
    assert "- second" not in race.leader[0]


@pytest.mark.parametrize("wrong", [{"trials": 0}, {"ahead": 0}, {"odds": Odds(keep_at=0.1, drop_at=0.2)}])
def test_senseless_numbers_are_refused(wrong):
    with pytest.raises(InvalidInput):
        RacingSettings(**wrong)

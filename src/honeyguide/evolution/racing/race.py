"""The race: which combination of edits to run on which example next, what to ask the mutator, what to keep.

Pure and synchronous. Results are handed in in the order in which they were asked for, so the race decides the same
whatever finished first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.racing.edits import Edit, apply, edits_between, says_the_same
from honeyguide.evolution.racing.relevance import Relevance, words
from honeyguide.evolution.racing.settings import RacingSettings
from honeyguide.evolution.racing.switches import Answer, Channel, State, Switch
from honeyguide.kernel.choice import unit

HISTORY = 300
"""How many earlier answers a new comparison looks back on."""
NOISE = 0.06
"""A kind of failure rarer than this is not reflected on while there are others."""
AVOIDED = 30
UNNAMED = 0.6
"""More evidence is asked of an edit that names neither cases nor a kind of failure."""


@dataclass(frozen=True, slots=True)
class RunJob:
    """Run ``parts`` on one example."""

    parts: tuple[str, ...]
    mask: int
    example: int
    repetition: int


@dataclass(frozen=True, slots=True)
class ReflectJob:
    """Ask for a better version of one part.

    Attributes:
        failures, good: numbers of answers in the order of their results.
    """

    number: int
    part: int
    current: str
    kinds: tuple[str, ...]
    failures: tuple[int, ...]
    good: tuple[int, ...]
    avoid: tuple[str, ...]


@dataclass(slots=True)
class _ExampleRecord:
    runs: int = 0
    asked: int = 0
    total: float = 0.0
    last: int = -1


@dataclass(slots=True)
class Race:
    """The state of one search.

    Attributes:
        parts: the present text.
        inputs: what the examples ask, training examples first.
        train: how many of them the mutator may see.
    """

    settings: RacingSettings
    seed: int
    parts: tuple[str, ...]
    inputs: Sequence[str]
    train: int
    log: DecisionLog
    switches: list[Switch] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    asked: int = 0
    reflections: int = 0
    open_reflections: int = 0
    empty_in_a_row: int = 0
    leader_mask: int = 0
    _kept: int = 0
    _arm: list[RunJob] = field(default_factory=list)
    _records: list[_ExampleRecord] = field(init=False)
    _relevance: Relevance = field(init=False)
    _texts: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _repetitions: Counter[tuple[int, int]] = field(default_factory=Counter)
    _level: float = 0.5
    _kind_asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    _part_gain: Counter[int] = field(default_factory=Counter)
    _part_asked: Counter[int] = field(default_factory=Counter)
    _part_of: dict[int, int] = field(default_factory=dict)
    _arms: int = 0
    _share: float = 0.0
    _seen_kinds: set[str] = field(default_factory=set)
    _decided: list[Switch] = field(default_factory=list)
    _together: dict[tuple[int, int], int] = field(default_factory=dict)
    _fresh_failures: int = 0

    def __post_init__(self) -> None:
        self._records = [_ExampleRecord() for _ in self.inputs]
        self._relevance = Relevance(self.inputs)
        self._share = self.settings.prior

    # ---- what to do next -------------------------------------------------------------------------------------

    def next_reflection(self) -> ReflectJob | None:
        """Return a reflection that is due, or ``None``."""
        s = self.settings
        if len(self.answers) < min(s.first_look, self.train):
            return None
        if (self.reflections + 1) * s.calls_per_reflection > self.asked:
            return None
        if len(self._trials()) + 2 * self.open_reflections >= s.trials:
            return None
        job = self._reflection()
        if job is not None:
            self.reflections += 1
            self.open_reflections += 1
        return job

    def next_run(self) -> RunJob | None:
        """Return the next combination and example, or ``None`` when all evaluations were asked for."""
        if self.asked >= self.settings.evaluations:
            return None
        if not self._arm:
            self._arm = self._draw_arm()
        job = self._arm.pop(0)
        self.asked += 1
        self._records[job.example].asked += 1
        return job

    # ---- what came of it -------------------------------------------------------------------------------------

    def take_answer(self, job: RunJob, score: float | None, kinds: Sequence[str]) -> None:
        """Enter a result. An unscored answer teaches nothing and is not counted as a failure."""
        record = self._records[job.example]
        if score is None:
            self.answers.append(Answer(job.example, job.mask, -1.0, frozenset(), 0.0))
            return
        expected = (record.total + 2 * self._level) / (record.runs + 2)
        answer = Answer(job.example, job.mask, score, frozenset(kinds), expected)
        record.runs += 1
        record.total += score
        record.last = len(self.answers)
        self._level += (score - self._level) / min(len(self.answers) + 1, 30)
        self.answers.append(answer)
        self._seen_kinds.update(kinds)
        for switch in self.switches:
            if switch.state is not State.DROPPED:
                switch.add(answer, recent=len(self.answers) > switch.born)
        if len(self.answers) % 4 == 0:
            self._judge()

    def take_reflection(self, job: ReflectJob, text: str | None) -> None:
        """Enter a rewrite; ``None`` for none. No evaluation is spent on it as such, only on its edits."""
        self.open_reflections -= 1
        self._part_asked[job.part] += 1
        fresh = 0
        for edit in edits_between(job.part, job.current, text) if text is not None and text.strip() else ():
            fresh += self._propose(edit, job)
        self.empty_in_a_row = 0 if fresh else self.empty_in_a_row + 1
        for kind in job.kinds:
            self._kind_asked[kind, job.part] += 1
        self.log.add("reflection", n_reflection=job.number, part=job.part, kinds=list(job.kinds), edits=fresh)

    def text_of(self, mask: int) -> tuple[str, ...]:
        """Return the parts with the edits of ``mask`` made."""
        known = self._texts.get(mask)
        if known is None:
            known = apply(self.parts, [s.edit for s in self.switches if mask & s.bit])
            self._texts[mask] = known
        return known

    # ---- edits -----------------------------------------------------------------------------------------------

    def _propose(self, edit: Edit, job: ReflectJob) -> int:
        known = self._known(edit)
        if known is not None:
            return self._again(known, job)
        if edit.is_move and any(s.state is State.TRIAL and s.edit.new == edit.new for s in self.switches):
            return 0
        own = next(
            (s for s in self.switches if s.state is State.KEPT and edit.old is not None and s.edit.new == edit.old),
            None,
        )
        if own is not None and (edit.new is None or edit.is_rewording):
            own.doubts += 1
            return 0
        trial = next(
            (s for s in self.switches if s.state is State.TRIAL and edit.old is not None and s.edit.new == edit.old),
            None,
        )
        if trial is not None and (edit.new is None or edit.is_rewording):
            return 0
        if edit.new is not None and not edit.is_move and self._relevance.names_one_case(edit.new):
            self.log.add("memorised", line=edit.new)
            return 0
        line = edit.new if edit.new is not None else edit.old or ""
        kinds, named = self._kinds_of(line, job)
        switch = Switch(
            len(self.switches), edit, self._relevance.focus(line), {k: Channel() for k in kinds}, named
        )
        switch.born = len(self.answers)
        self.switches.append(switch)
        self._texts.clear()
        self._part_of[switch.number] = job.part
        self._look_back(switch)
        self.log.add(
            "trial",
            edit=switch.number,
            part=edit.part,
            old=edit.old,
            new=edit.new,
            kinds=sorted(switch.kinds),
            focus=len(switch.focus),
        )
        return 1

    def _known(self, edit: Edit) -> Switch | None:
        for switch in self.switches:
            mine = switch.edit
            if mine.key == edit.key:
                return switch
            if edit.new is not None and not edit.is_move and not mine.is_move and (mine.part, mine.new) == (edit.part, edit.new):
                return switch
        return None

    def _again(self, switch: Switch, job: ReflectJob) -> int:
        """It was proposed before: one more vote, and another chance for what was dropped without being refuted."""
        switch.votes += 1
        if switch.state is not State.DROPPED or switch.is_refuted or self._clashes_with_kept(switch):
            return 0
        if switch.votes < self.settings.insist * switch.drops and switch.chances(self._prior(switch))[0] < 0.25:
            return 0
        switch.state = State.TRIAL
        switch.fade(0.5)
        line = switch.edit.new if switch.edit.new is not None else switch.edit.old or ""
        kinds, switch.named = self._kinds_of(line, job)
        fresh = {kind: Channel(need=self._kept) for kind in kinds if kind not in switch.kinds}
        if fresh:
            for answer in self.answers[-HISTORY:]:
                if answer.score >= 0:
                    for kind, channel in fresh.items():
                        channel.count(kind, answer, switch.bit)
            switch.kinds.update(fresh)
        self.log.add("again", edit=switch.number, votes=switch.votes)
        return 1

    def _clashes_with_kept(self, switch: Switch) -> bool:
        return any(o.state is State.KEPT and self._clash(switch, o) and o.edit.old == switch.edit.old for o in self.switches)

    def _kinds_of(self, line: str, job: ReflectJob) -> tuple[list[str], frozenset[str]]:
        """Return the kinds of failure that an edit may have been made for, and those that its line names.

        It names a kind when they share a word that most other kinds do not have.
        """
        shown = Counter(kind for n in job.failures for kind in self.answers[n].kinds)
        often = [kind for kind, count in sorted(shown.items(), key=lambda item: (-item[1], item[0])) if count >= 2]
        spoken = words(line)
        uses = Counter(word for kind in self._seen_kinds for word in words(kind))
        named = [
            kind for kind in sorted(self._seen_kinds)
            if any(uses[word] <= max(2, len(self._seen_kinds) // 3) for word in words(kind) & spoken)
        ]
        return list(dict.fromkeys((*named, *job.kinds, *often[: self.settings.candidates]))), frozenset(named)

    def _look_back(self, switch: Switch) -> None:
        """Count what is known already: answers without it under the edits that are kept now."""
        related = [s for s in self.switches if s.state is State.KEPT]
        for s in related:
            if switch.focus & s.focus:
                switch.narrow.need |= s.bit
        for channel in switch.kinds.values():
            channel.need = self._kept
        for answer in self.answers[-HISTORY:]:
            if answer.score >= 0:
                switch.add(answer, recent=False)

    def _judge(self) -> None:
        s = self.settings
        for switch in self._trials():
            on = switch.tried
            if on < s.least:
                continue
            good, harm = switch.chances(self._prior(switch))
            if good >= s.keep_at:
                self._keep(switch, good)
            elif good <= s.drop_at or on >= s.patience * (0.5 if switch.focus else 1.0):
                if good >= s.hope and on < 3 * s.patience:
                    continue
                self._drop(switch, good)
        for switch in [w for w in self.switches if w.state is State.KEPT]:
            good, harm = switch.chances(self._prior(switch))
            switch.fade(s.forget)
            if good < s.stay_at and (switch.narrow if switch.focus else switch.whole).off.n >= s.least / 2:
                self._drop(switch, good)
        mask = self._kept
        for switch in self._trials():
            if switch.tried >= 3 and switch.chances(self._prior(switch))[0] >= s.lead_at:
                mask |= switch.bit
        self.leader_mask = mask
        last = self._decided[-s.memory :]
        kept = sum(w.state is State.KEPT for w in last)
        self._share = min(max((kept + s.prior * s.doubtful) / (len(last) + s.doubtful), 0.08), 0.6)

    def _prior(self, switch: Switch) -> tuple[float, float, float]:
        if switch.state is State.KEPT:
            good = self.settings.kept_prior
            return good, (1 - good) * 0.6, (1 - good) * 0.4
        good = self._share if switch.focus or switch.named else self._share / 2
        good = min(good * (1 + self.settings.vote * (switch.votes - 1)), 0.6)
        return good, (1 - good) * 0.6, (1 - good) * 0.4

    def _keep(self, switch: Switch, z: float) -> None:
        switch.state = State.KEPT
        switch.narrow_kinds()
        switch.fade(0.5)
        self._kept |= switch.bit
        self._part_gain[switch.edit.part] += 1
        for other in list(self.switches):
            if other is switch or other.state is not State.TRIAL:
                continue
            if self._clash(switch, other):
                self._drop(other, 0.0)
        self._decided.append(switch)
        self.log.add("keep", edit=switch.number, z=z, on=switch.tried, answers=len(self.answers))

    def _drop(self, switch: Switch, z: float) -> None:
        switch.state = State.DROPPED
        self._kept &= ~switch.bit
        switch.drops += 1
        switch.is_refuted = switch.is_refuted or (z < 0.02 and switch.tried >= self.settings.least)
        if switch not in self._decided:
            self._decided.append(switch)
        self.log.add("drop", edit=switch.number, z=z, on=switch.tried, answers=len(self.answers))

    def _trials(self) -> list[Switch]:
        return [s for s in self.switches if s.state is State.TRIAL]

    @staticmethod
    def _clash(one: Switch, other: Switch) -> bool:
        a, b = one.edit, other.edit
        if a.part != b.part:
            return False
        if a.old is not None and a.old == b.old:
            return True
        return a.new is not None and b.new is not None and says_the_same(a.new, b.new)

    # ---- which combination on which example ------------------------------------------------------------------

    def _draw_arm(self) -> list[RunJob]:
        first = self.settings.first_look
        if self.asked < min(first, self.train):
            mask = self._kept
        else:
            mask = self._combination()
        self._arms += 1
        chosen = self._examples(mask)
        parts = self.text_of(mask)
        jobs = []
        for example in chosen:
            repetition = self._repetitions[hash(parts), example]
            self._repetitions[hash(parts), example] += 1
            jobs.append(RunJob(parts, mask, example, repetition))
        return jobs

    def _combination(self) -> int:
        """Draw which edits are on; of a few draws take the one that best breaks up pairs that went together so far."""
        trials = self._trials()
        chance = [min(max(t.chances(self._prior(t))[0] + self.settings.optimism, 0.35), 0.75) for t in trials]
        best: tuple[float, list[Switch]] | None = None
        for draw in range(self.settings.draws):
            on: list[Switch] = []
            for switch, p in zip(trials, chance, strict=True):
                if unit(self.seed, "on", self._arms, draw, switch.number) < p and not any(self._clash(switch, o) for o in on):
                    on.append(switch)
            cost = self._imbalance(trials, on)
            if best is None or cost < best[0]:
                best = (cost, on)
        on = best[1] if best else []
        for i, one in enumerate(trials):
            for other in trials[:i]:
                pair = (other.number, one.number)
                self._together[pair] = self._together.get(pair, 0) + (1 if (one in on) == (other in on) else -1)
        mask = self._kept
        for switch in on:
            mask |= switch.bit
        for switch in self._reviewed():
            mask &= ~switch.bit
        return mask

    def _reviewed(self) -> list[Switch]:
        """Return at most ``reviews`` kept edits that are off this time, the doubtful ones more often."""
        off = []
        for switch in self.switches:
            if switch.state is State.KEPT:
                doubt = self.settings.review + (1.0 - switch.chances(self._prior(switch))[0]) * self.settings.trust
                lot = unit(self.seed, "review", self._arms, switch.number)
                if lot < min(doubt, 0.35):
                    off.append((lot / doubt, switch.number, switch))
        return [switch for _, _, switch in sorted(off)[: self.settings.reviews]]

    def _imbalance(self, trials: list[Switch], on: list[Switch]) -> float:
        cost = 0.0
        for i, one in enumerate(trials):
            for other in trials[:i]:
                known = self._together.get((other.number, one.number), 0)
                cost += known if (one in on) == (other in on) else -known
        return cost

    def _examples(self, mask: int) -> list[int]:
        first = self.asked < min(self.settings.first_look, self.train)
        asked_about = [
            s for s in self.switches
            if s.focus and (s.state is State.TRIAL or (s.state is State.KEPT and not mask & s.bit))
        ]
        scored = []
        for number in range(self.train if first else len(self.inputs)):
            record = self._records[number]
            need = 0.0
            for switch in asked_about:
                if number in switch.focus:
                    side = switch.narrow.on if mask & switch.bit else switch.narrow.off
                    need += (1.0 if switch.state is State.TRIAL else 2.0) / (1 + side.n)
            scored.append((need - 0.35 * record.asked + 0.5 * unit(self.seed, "example", self._arms, number), number))
        scored.sort(reverse=True)
        return [number for _, number in scored[: self.settings.arm]]

    # ---- reflection ------------------------------------------------------------------------------------------

    def _reflection(self) -> ReflectJob | None:
        s = self.settings
        recent: list[int] = []
        seen: Counter[int] = Counter()
        for number in range(len(self.answers) - 1, max(-1, len(self.answers) - 200), -1):
            answer = self.answers[number]
            if answer.example < self.train and answer.score >= 0 and seen[answer.example] < 2:
                seen[answer.example] += 1
                recent.append(number)
        fails: dict[str, list[int]] = {}
        related = {s_.number: s_ for s_ in self.switches if s_.state is State.KEPT}
        for number in recent:
            answer = self.answers[number]
            for kind in answer.kinds:
                if all(answer.mask & k.bit or kind not in k.kinds for k in related.values()):
                    fails.setdefault(kind, []).append(number)
        if not fails:
            return None
        part = self._part()
        ranked = sorted(
            fails,
            key=lambda k: (
                -(len(fails[k]) + 2 * unit(self.seed, "kind", self.reflections, k))
                / (1 + self._kind_asked[k, part] * 0.5 + 1.5 * sum(k in t.kinds for t in self._trials())),
                k,
            ),
        )
        strong = [k for k in ranked if len(fails[k]) >= max(2, NOISE * len(recent))]
        kinds = (strong or ranked)[: s.kinds]
        chosen: list[int] = []
        at = 0
        while len(chosen) < s.shown and any(len(fails[k]) > at for k in kinds):
            for kind in kinds:
                if at < len(fails[kind]) and fails[kind][at] not in chosen and len(chosen) < s.shown:
                    chosen.append(fails[kind][at])
            at += 1
        good = [n for n in recent if not self.answers[n].kinds and n not in chosen]
        good.sort(key=lambda n: unit(self.seed, "good", self.reflections, n))
        leader = self._kept
        for switch in self._trials():
            if switch.chances(self._prior(switch))[0] > 0.5 * self.settings.prior:
                leader |= switch.bit
        avoid = [
            s_.edit.new for s_ in self.switches
            if s_.state is State.DROPPED and s_.edit.new and not s_.edit.is_move and s_.is_refuted
        ]
        return ReflectJob(
            self.reflections, part, self.text_of(leader)[part], tuple(kinds), tuple(chosen), tuple(good[: s.good]),
            tuple(dict.fromkeys(avoid[-AVOIDED:])),
        )  # fmt: skip

    def _part(self) -> int:
        count = len(self.parts)
        if count == 1:
            return 0
        gains = [
            (1 + self._part_gain[i]) / (2 + self._part_asked[i]) + 0.5 * unit(self.seed, "part", self.reflections, i)
            for i in range(count)
        ]
        return max(range(count), key=lambda i: gains[i])


def _phi(z: float) -> float:
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))

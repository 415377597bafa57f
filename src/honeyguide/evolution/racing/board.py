"""All edits of a search: which are on trial, kept or dropped, and which of them make up the text so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.racing.edits import Edit, apply, says_the_same
from honeyguide.evolution.racing.likelihood import Comparison
from honeyguide.evolution.racing.relevance import Relevance, words
from honeyguide.evolution.racing.settings import Odds
from honeyguide.evolution.racing.switches import Answer, State, Switch, count_kind

HISTORY = 300
"""How many earlier answers a new comparison looks back on."""
TEXTS = 512
"""How many combinations' texts are remembered."""
REFUTED = 0.02
"""A chance under which a dropped edit is refuted."""
INSIST = 2
INSIST_REFUTED = 4
"""An edit that looked hopeless, or was refuted, comes back once it was proposed so many times for each drop."""
HOPELESS = 0.25
LEAST_SHARE, MOST_SHARE = 0.08, 0.6
MOST_BY_VOTES = 0.45
"""However often an edit is proposed, that alone never makes it more likely to help than not."""
LEAST_FOR_LEAD = 3


@dataclass(slots=True)
class Board:
    """The edits.

    Attributes:
        parts: the present text, on which all edits are made.
        allowed: whether a text may be tried at all; asked for the text of an edit beside what is kept.
        answers: the answers so far, which a new edit looks back on.
        refused: texts that were not allowed.
        last_source: the strategy behind the edit that was kept last.
    """

    odds: Odds
    parts: tuple[str, ...]
    relevance: Relevance
    log: DecisionLog
    allowed: Callable[[tuple[str, ...]], bool] = lambda parts: True
    answers: list[Answer] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    refused: list[tuple[str, ...]] = field(default_factory=list)
    last_source: str = "baseline"
    kept_mask: int = 0
    leader_mask: int = 0
    part_gains: Counter[int] = field(default_factory=Counter)
    source_gains: Counter[str] = field(default_factory=Counter)
    _trials: list[Switch] = field(default_factory=list)
    _kept: list[Switch] = field(default_factory=list)
    _clashes: dict[tuple[int, int], bool] = field(default_factory=dict)
    _share: float = field(init=False)
    _decided: list[Switch] = field(default_factory=list)
    _seen_kinds: set[str] = field(default_factory=set)
    _kind_words: Counter[str] = field(default_factory=Counter)
    _rewordings: Counter[tuple[object, ...]] = field(default_factory=Counter)
    _sources: dict[int, str] = field(default_factory=dict)
    _texts: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._share = self.odds.prior

    # ---- reading ---------------------------------------------------------------------------------------------

    @property
    def trials(self) -> list[Switch]:
        """The edits on trial, in order."""
        return list(self._trials)

    @property
    def kept(self) -> list[Switch]:
        """The edits that are kept, in order."""
        return list(self._kept)

    @property
    def refuted_lines(self) -> list[str]:
        """Lines that were tried in vain, the latest last."""
        lines = [s.edit.new for s in self.switches if s.state is State.DROPPED and s.is_refuted and not s.edit.is_move]
        return list(dict.fromkeys(line for line in lines if line))

    def text_of(self, mask: int) -> tuple[str, ...]:
        """Return the parts with the edits of ``mask`` made."""
        known = self._texts.get(mask)
        if known is None:
            if len(self._texts) >= TEXTS:
                self._texts.clear()
            known = self._texts[mask] = apply(self.parts, [s.edit for s in self.switches if mask & s.bit])
        return known

    def without_rivals(self, mask: int) -> int:
        """Return ``mask`` without the kept edits that an edit on trial in it would replace."""
        trials = [switch for switch in self.trials if mask & switch.bit]
        for kept in self.kept:
            if mask & kept.bit and any(self.clash(kept, trial) for trial in trials):
                mask &= ~kept.bit
        return mask

    # ---- entering --------------------------------------------------------------------------------------------

    def enter(self, answer: Answer) -> None:
        """Count an answer for every edit that is not dropped."""
        self.answers.append(answer)
        for kind in answer.kinds - self._seen_kinds:
            self._seen_kinds.add(kind)
            self._kind_words.update(words(kind))
        for switch in (*self._trials, *self._kept):
            switch.add(answer, recent=True)

    def propose(self, edit: Edit, kinds: Sequence[str], source: str) -> bool:
        """Put ``edit`` on trial. Returns whether that is news.

        Args:
            kinds: the kinds of failure that it may have been made for.
            source: the strategy that brought it.
        """
        known = self._known(edit)
        if known is not None:
            return self._again(known, kinds)
        if self._is_noise(edit):
            return False
        line = edit.new if edit.new is not None else edit.old or ""
        if edit.new is not None and not edit.is_move and self.relevance.names_one_case(edit.new):
            self.log.add("memorised", line=edit.new)
            return False
        switch = Switch(len(self.switches), edit, self.relevance.focus(line), born=len(self.answers))
        if not self.allowed(apply(self.text_of(self.kept_mask), [edit])):
            self.refused.append(apply(self.text_of(self.kept_mask), [edit]))
            self.log.add("refused", part=edit.part, old=edit.old, new=edit.new)
            return False
        self.switches.append(switch)
        self._trials.append(switch)
        self._sources[switch.number] = source
        switch.named = self._named(line)
        switch.kinds = {kind: Comparison(self.kept_mask) for kind in (*sorted(switch.named), *kinds)}
        for kept in self.kept:
            if switch.focus & kept.focus:
                switch.narrow.need |= kept.bit
        for answer in self.answers[-HISTORY:]:
            switch.add(answer, recent=False)
        switch.look(self._prior(switch))
        self.log.add(
            "trial", edit=switch.number, part=edit.part, old=edit.old, new=edit.new, focus=len(switch.focus),
            kinds=list(switch.kinds), named=sorted(switch.named),
        )  # fmt: skip
        return True

    def clash(self, one: Switch, other: Switch) -> bool:
        """Whether two edits stand for the same line, so that only one of them may be on."""
        pair = (one.number, other.number) if one.number < other.number else (other.number, one.number)
        known = self._clashes.get(pair)
        if known is None:
            known = self._clashes[pair] = clash(one.edit, other.edit)
        return known

    def judge(self) -> None:
        """Look at every edit; keep, drop, and say which text would be returned now."""
        odds = self.odds
        for switch in self.trials:
            if switch.state is not State.TRIAL:
                continue
            switch.look(self._prior(switch))
            if switch.tried < odds.least:
                continue
            patience = odds.patience * (0.5 if switch.focus else 1.0)
            spent = switch.tried - switch.tried_before
            if switch.chance >= odds.keep_at:
                self._keep(switch)
            elif (switch.chance <= odds.drop_at and spent >= odds.least / 2) or (
                spent >= patience and (switch.chance < odds.hope or spent >= 3 * odds.patience)
            ):
                self._drop(switch)
        for switch in self.kept:
            switch.look(self._prior(switch))
            switch.fade(odds.forget)
            if switch.chance < odds.stay_at and switch.main.off.n >= odds.least / 2:
                self._drop(switch)
        self.leader_mask = self._leader()
        last = self._decided[-odds.memory :]
        found = sum(switch.state is State.KEPT for switch in last) + odds.prior * odds.prior_weight
        self._share = min(max(found / (len(last) + odds.prior_weight), LEAST_SHARE), MOST_SHARE)

    # ---- deciding --------------------------------------------------------------------------------------------

    def _leader(self) -> int:
        odds = self.odds
        chosen = [s for s in self.kept if s.chance >= odds.lead_kept]
        chosen += [s for s in self.trials if s.tried >= LEAST_FOR_LEAD and s.chance >= odds.lead_at]
        mask = self.without_rivals(sum(s.bit for s in chosen))
        for switch in sorted(chosen, key=lambda s: (s.chance, -s.number)):
            if self.allowed(self.text_of(mask)):
                break
            mask &= ~switch.bit
        return mask

    def _prior(self, switch: Switch) -> float:
        odds = self.odds
        if switch.state is State.KEPT:
            return odds.kept_prior if switch.speaks else odds.kept_prior - odds.unnamed_toll
        good = self._share if switch.speaks else self._share / 2
        return max(good, min(good * (1 + odds.vote * (switch.votes - 1)), MOST_BY_VOTES))

    def _keep(self, switch: Switch) -> None:
        self._move(switch, State.KEPT)
        switch.watch_own_kinds()
        switch.fade(0.5)
        self.kept_mask |= switch.bit
        self.part_gains[switch.edit.part] += 1
        self.last_source = self._sources[switch.number]
        self.source_gains[self.last_source] += 1
        self.log.add("keep", edit=switch.number, chance=switch.chance, tried=switch.tried, answers=len(self.answers))
        for other in (*self.trials, *self.kept):
            if other is not switch and self.clash(switch, other):
                self._drop(other)
        self._note(switch)

    def _drop(self, switch: Switch) -> None:
        was_on_trial = switch.state is State.TRIAL
        self._move(switch, State.DROPPED)
        self.kept_mask &= ~switch.bit
        switch.drops += 1
        if switch.chance < REFUTED and switch.tried >= self.odds.least and was_on_trial:
            switch.is_refuted = True
        self.log.add("drop", edit=switch.number, chance=switch.chance, tried=switch.tried, answers=len(self.answers))
        self._note(switch)

    def _move(self, switch: Switch, state: State) -> None:
        switch.state = state
        self._trials = [s for s in self.switches if s.state is State.TRIAL]
        self._kept = [s for s in self.switches if s.state is State.KEPT]

    def _note(self, switch: Switch) -> None:
        if switch not in self._decided:
            self._decided.append(switch)

    # ---- proposals -------------------------------------------------------------------------------------------

    def _known(self, edit: Edit) -> Switch | None:
        for switch in self.switches:
            mine = switch.edit
            if mine.key == edit.key:
                return switch
            is_line = edit.new is not None and not edit.is_move and not mine.is_move
            if is_line and (mine.part, mine.new) == (edit.part, edit.new):
                return switch
        return None

    def _again(self, switch: Switch, kinds: Iterable[str]) -> bool:
        """It was proposed before: one more vote, and another chance for what was dropped without being refuted."""
        switch.votes += 1
        if switch.state is not State.DROPPED:
            return False
        switch.look(self._prior(switch))
        insists = switch.votes >= (INSIST_REFUTED if switch.is_refuted else INSIST) * switch.drops
        if not insists and (switch.is_refuted or switch.chance < HOPELESS):
            return False
        self._move(switch, State.TRIAL)
        switch.fade(self.odds.recall)
        switch.tried_before = switch.tried
        line = switch.edit.new if switch.edit.new is not None else switch.edit.old or ""
        switch.named = self._named(line)
        fresh = [kind for kind in (*sorted(switch.named), *kinds) if kind not in switch.kinds]
        for kind in dict.fromkeys(fresh):
            comparison = switch.kinds[kind] = Comparison(self.kept_mask)
            for answer in self.answers[-HISTORY:]:
                if answer.mask & comparison.need == comparison.need:
                    count_kind(comparison, kind, answer, is_on=bool(answer.mask & switch.bit))
        switch.look(self._prior(switch))
        self.log.add("again", edit=switch.number, votes=switch.votes)
        return True

    def _is_noise(self, edit: Edit) -> bool:
        """A rewrite loses and rewords lines by the way: that counts against our own edits only when it is repeated."""
        if edit.is_move:
            return any(s.edit.new == edit.new for s in self.trials)
        if edit.old is None or (edit.new is not None and not edit.is_rewording):
            return False
        owner = next((s for s in (*self.kept, *self.trials) if s.edit.new == edit.old), None)
        if owner is None:
            return False
        if owner.state is State.TRIAL or edit.new is None:
            return True
        self._rewordings[edit.key] += 1
        return self._rewordings[edit.key] < 2

    def _named(self, line: str) -> frozenset[str]:
        """The kinds of failure that share a word with ``line`` which most other kinds do not have."""
        spoken = words(line) & self._kind_words.keys()
        rare = {word for word in spoken if self._kind_words[word] <= max(2, len(self._seen_kinds) // 3)}
        return frozenset(kind for kind in self._seen_kinds if words(kind) & rare) if rare else frozenset()


def clash(a: Edit, b: Edit) -> bool:
    """Whether two edits replace the same line, or bring lines of which one holds all words of the other."""
    if a.part != b.part:
        return False
    if a.old is not None and a.old == b.old:
        return True
    return a.new is not None and b.new is not None and says_the_same(a.new, b.new)

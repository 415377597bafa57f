"""All edits of a search: which are on trial, kept or dropped, and which of them make up the text so far."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.racing.edits import Edit, apply, clash
from honeyguide.evolution.racing.history import History
from honeyguide.evolution.racing.likelihood import Numbers
from honeyguide.evolution.racing.luck import Luck
from honeyguide.evolution.racing.pieces import bare
from honeyguide.evolution.racing.relevance import Relevance
from honeyguide.evolution.racing.settings import Odds
from honeyguide.evolution.racing.switches import Answer, State, Switch
from honeyguide.evolution.racing.tally import KINDS, Record, Tally
from honeyguide.evolution.racing.texts import Texts

REFUTED = 0.02
"""A chance under which a dropped edit is refuted."""
INSIST = 2
INSIST_REFUTED = 4
"""An edit that looked hopeless, or was refuted, comes back once it was proposed so many times for each drop."""
HOPELESS = 0.25
MOST_BY_VOTES = 0.45
"""However often an edit is proposed, that alone never makes it more likely to help than not."""
LEAST_FOR_LEAD = 3
MOST_WAITING = 12
"""How many edits wait for a trial; a wait that is too long makes them stale."""
REFUTED_LINES = 30
"""How many lines that were tried in vain are remembered for the mutator."""


@dataclass(slots=True)
class Board:
    """The edits.

    Attributes:
        parts: the present text, on which all edits are made.
        allowed: whether a text may be tried at all; asked for the text of an edit beside what is kept.
        room: most edits on trial at once.
        refused: texts that were not allowed.
        answers: the answers so far.
        last_source: the strategy behind the edit that was kept last.
    """

    odds: Odds
    parts: tuple[str, ...]
    relevance: Relevance
    log: DecisionLog
    allowed: Callable[[tuple[str, ...]], bool] = lambda parts: True
    room: int = 10
    history: History = field(default_factory=History)
    switches: list[Switch] = field(default_factory=list)
    refused: list[tuple[str, ...]] = field(default_factory=list)
    last_source: str = "baseline"
    kept_mask: int = 0
    leader_mask: int = 0
    part_gains: Counter[int] = field(default_factory=Counter)
    source_gains: Counter[str] = field(default_factory=Counter)
    tally: Tally = field(init=False)
    answers: list[Answer] = field(init=False)
    _texts: Texts = field(init=False)
    _share: float = field(init=False)
    _by_key: dict[object, Switch] = field(default_factory=dict)
    _luck: Luck = field(init=False)
    _refuted: deque[str] = field(default_factory=lambda: deque(maxlen=REFUTED_LINES))
    _rewordings: Counter[tuple[object, ...]] = field(default_factory=Counter)
    _waiting: list[Switch] = field(default_factory=list)
    _uncounted: list[Answer] = field(default_factory=list)
    _priors: Numbers | None = None

    def __post_init__(self) -> None:
        self._share = self.odds.prior
        self.answers = self.history.answers
        self._luck = Luck(self.odds)
        self.tally = Tally(self.relevance.count)
        self._texts = Texts(self.parts)

    # ---- reading ---------------------------------------------------------------------------------------------

    @property
    def trials(self) -> list[Switch]:
        """The edits on trial."""
        return self.tally.rows[: self.tally.trials]

    @property
    def kept(self) -> list[Switch]:
        """The edits that are kept."""
        return self.tally.rows[self.tally.trials :]

    @property
    def refuted_lines(self) -> list[str]:
        """Lines that were tried in vain, the latest last."""
        return list(self._refuted)

    def text_of(self, mask: int) -> tuple[str, ...]:
        """Return the parts with the edits of ``mask`` made."""
        return self._texts.of(mask)

    def without_rivals(self, mask: int) -> int:
        """Return ``mask`` without the kept edits that an edit on trial in it would replace."""
        for bit, rivals in self.tally.rivals:
            if mask & rivals:
                mask &= ~bit
        return mask

    # ---- entering --------------------------------------------------------------------------------------------

    def enter(self, answer: Answer) -> None:
        """Take in an answer; it is counted at the next look, for every edit that is not dropped."""
        self.history.add(answer)
        self._uncounted.append(answer)

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
        if edit.new is not None and not edit.is_move and self.relevance.names_one_case(edit.new):
            self.log.add("memorised", line=edit.new)
            return False
        beside = apply(self.text_of(self.kept_mask), [edit])
        if not self.allowed(beside):
            self.refused.append(beside)
            self.log.add("refused", part=edit.part, old=edit.old, new=edit.new)
            return False
        switch = Switch(len(self.switches), edit, source=source)
        switch.focus = self.relevance.focus(switch.line)
        switch.state = State.WAITING
        switch.kinds = tuple(kinds)
        self.switches.append(switch)
        self._remember(switch)
        self._waiting.append(switch)
        self.log.add("proposed", edit=switch.number, part=edit.part, old=edit.old, new=edit.new, source=source)
        return True

    def admit(self) -> None:
        """Put waiting edits on trial while there is room: those proposed most often first, then the latest."""
        while self._waiting and self.tally.trials < self.room:
            switch = max(self._waiting, key=lambda s: (s.votes, s.number))
            self._waiting.remove(switch)
            if self.allowed(apply(self.text_of(self.kept_mask), [switch.edit])):
                self._try(switch)
        while len(self._waiting) > MOST_WAITING:
            self._waiting.remove(min(self._waiting, key=lambda s: (s.votes, s.number)))

    def judge(self) -> None:
        """Look at every edit; keep, drop, and say which text would be returned now."""
        odds, tally = self.odds, self.tally
        self._look()
        for switch in self.trials:
            if switch.state is not State.TRIAL or switch.tried < odds.least:
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
            if switch.chance < odds.stay_at and switch.compared >= odds.least / 2:
                self._drop(switch)
        tally.fade_kept(odds.forget)
        self.leader_mask = self._leader()
        share = self._luck.share
        if share != self._share:
            self._share, self._priors = share, None

    # ---- deciding --------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Count what came since the last look, and weigh all evidence anew."""
        tally = self.tally
        self._count()
        if self._priors is None:
            self._priors = np.array([self._prior(switch) for switch in tally.rows])
        tally.look(self._priors)

    def _count(self) -> None:
        self.tally.count(self._uncounted)
        self._uncounted.clear()

    def _leader(self) -> int:
        odds = self.odds
        chosen = [s for s in self.kept if s.chance >= odds.lead_kept]
        contested = 0  # what would replace a kept edit has to be kept itself first
        for _, rivals in self.tally.rivals:
            contested |= rivals
        chosen += [
            s for s in self.trials
            if s.tried >= LEAST_FOR_LEAD and s.chance >= odds.lead_at and not s.bit & contested
        ]  # fmt: skip
        mask = self.without_rivals(sum(s.bit for s in chosen))
        if self.allowed(self.text_of(mask)):
            return mask
        for switch in sorted(chosen, key=lambda s: (s.chance, -s.number)):
            mask &= ~switch.bit
            if self.allowed(self.text_of(mask)):
                break
        return mask

    def _prior(self, switch: Switch) -> float:
        odds = self.odds
        if switch.state is State.KEPT:
            return odds.kept_prior if switch.speaks else odds.kept_prior - odds.unnamed_toll
        good = self._share if switch.speaks else self._share / 2
        return max(good, min(good * (1 + odds.vote * (switch.votes - 1)), MOST_BY_VOTES))

    def _keep(self, switch: Switch) -> None:
        rivals = [s for s in self.tally.rows if s is not switch and clash(s.edit, switch.edit)]
        switch.state = State.KEPT
        self.tally.keep(switch, 0.5)
        self.kept_mask |= switch.bit
        self.part_gains[switch.edit.part] += 1
        self.last_source = switch.source
        self.source_gains[switch.source] += 1
        self.log.add("keep", edit=switch.number, chance=switch.chance, tried=switch.tried, answers=len(self.answers))
        self._changed()
        for rival in rivals:
            self._drop(rival)
        self._reopen(switch)
        self._luck.decided(switch)

    def _reopen(self, kept: Switch) -> None:
        """What was refuted beside another text may help beside the new one, where both speak of the same."""
        for switch in self.switches:
            if switch.is_refuted and (switch.focus & kept.focus or switch.named & kept.named):
                switch.is_refuted = False
                line = bare(switch.edit.new or "")
                if line in self._refuted:
                    self._refuted.remove(line)

    def _drop(self, switch: Switch) -> None:
        was_on_trial = switch.state is State.TRIAL
        switch.state = State.DROPPED
        self.tally.leave(switch)
        self.kept_mask &= ~switch.bit
        switch.drops += 1
        if switch.chance < REFUTED and switch.tried >= self.odds.least and was_on_trial:
            switch.is_refuted = True
            line = bare(switch.edit.new or "")
            if line and not switch.edit.is_move and line not in self._refuted:
                self._refuted.append(line)
        self.log.add("drop", edit=switch.number, chance=switch.chance, tried=switch.tried, answers=len(self.answers))
        self._changed()
        self._luck.decided(switch)

    def _changed(self) -> None:
        self._priors = None
        self._texts.follow(self.kept, self.trials)

    def _try(self, switch: Switch) -> None:
        record = switch.record
        switch.named = self.history.named_by(switch.line)
        if record is None:
            switch.kinds = _watched(switch.named, switch.kinds)
            needed = sum(kept.bit for kept in self.kept if switch.focus & kept.focus)
            record = self.history.record_of(switch, self.kept_mask, needed)
        self._put_on_trial(switch, record)
        self.log.add(
            "trial", edit=switch.number, focus=len(switch.focus), kinds=list(switch.kinds), votes=switch.votes,
            named=sorted(switch.named),
        )  # fmt: skip

    def _put_on_trial(self, switch: Switch, record: Record) -> None:
        """``record``: what is known of it before the answers that have not been counted yet."""
        self._count()
        switch.state = State.TRIAL
        rivals = [s for s in self.tally.rows if clash(s.edit, switch.edit)]
        switch.chance = self._prior(switch)
        self.tally.enter(switch, record, switch.chance, rivals)
        self._changed()

    # ---- proposals -------------------------------------------------------------------------------------------

    def _known(self, edit: Edit) -> Switch | None:
        found = self._by_key.get(edit.key)
        if found is None and edit.new is not None and not edit.is_move:
            found = self._by_key.get((edit.part, edit.new))
        return found

    def _remember(self, switch: Switch) -> None:
        edit = switch.edit
        self._by_key[edit.key] = switch
        if edit.new is not None and not edit.is_move:
            self._by_key.setdefault((edit.part, edit.new), switch)

    def _again(self, switch: Switch, kinds: Iterable[str]) -> bool:
        """It was proposed before: one more vote, and another chance for what was dropped without being refuted."""
        switch.votes += 1
        self._priors = None
        if switch.state is State.WAITING and switch not in self._waiting:
            self._waiting.append(switch)
            return True
        if switch.state is not State.DROPPED:
            return False
        insists = switch.votes >= (INSIST_REFUTED if switch.is_refuted else INSIST) * switch.drops
        if not insists and (switch.is_refuted or switch.chance < HOPELESS):
            return False
        record = switch.record
        record.fade(self.odds.recall)
        before = len(switch.kinds)
        switch.named = self.history.named_by(switch.line)
        switch.kinds = _watched(switch.kinds, _watched(switch.named, kinds))
        self.history.count_kinds(record, switch, range(before, len(switch.kinds)), self.kept_mask)
        switch.tried *= self.odds.recall
        switch.tried_before = switch.tried
        switch.state = State.WAITING
        self._waiting.append(switch)
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


def _watched(first: Iterable[str], then: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of failure that an edit is watched on: ``first``, in order, and others."""
    ordered = sorted(first) if isinstance(first, frozenset) else first
    return tuple(dict.fromkeys((*ordered, *then)))[:KINDS]

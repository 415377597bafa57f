"""What a reflection is about: a few kinds of failure, answers that show them, and answers without fault beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from honeyguide.evolution.racing.board import Board
from honeyguide.evolution.racing.lots import lots
from honeyguide.evolution.racing.settings import RacingSettings
from honeyguide.evolution.strategies import STRATEGIES, Strategy
from honeyguide.kernel.choice import unit

RECENT = 200
"""How many answers back evidence is taken from."""
EACH = 2
"""How many answers to the same example are evidence."""
NOISE = 0.06
"""A kind of failure in a smaller share of the answers is left alone while there are others."""
CURIOUS = 0.5


@dataclass(frozen=True, slots=True)
class ReflectJob:
    """Ask for a better version of one part.

    Attributes:
        current: the part with what is kept and what looks promising.
        parts: all parts so, for what is shown beside it.
        kinds: the kinds of failure that it is about.
        watched: kinds of failure that were shown often and may be what it answers.
        failures, good: numbers of answers.
        avoid: lines that were tried in vain.
    """

    number: int
    part: int
    current: str
    strategy: Strategy
    kinds: tuple[str, ...]
    watched: tuple[str, ...]
    failures: tuple[int, ...]
    good: tuple[int, ...]
    avoid: tuple[str, ...]
    parts: tuple[str, ...] = ()


@dataclass(slots=True)
class Reflecting:
    """Chooses the evidence. Kinds that are on trial already, and kinds asked about in vain, wait."""

    settings: RacingSettings
    seed: int
    board: Board
    train: int
    about: Sequence[frozenset[int]] = ()
    asked: int = 0
    _kinds_asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    _parts_asked: Counter[int] = field(default_factory=Counter)
    _strategies_asked: Counter[str] = field(default_factory=Counter)

    def next(self) -> ReflectJob | None:
        """Return the next reflection, or ``None`` when nothing fails."""
        board, settings = self.board, self.settings
        recent = self._recent()
        failing = self._failing(recent)
        if not failing:
            return None
        part, failing = self._part(failing)
        kinds = self._kinds(failing, part, len(recent))
        shown = self._shown(failing, kinds)
        good = [n for n in recent if not board.answers[n].kinds and self._is_about(n, part)]
        order = lots(self.seed, "good", self.asked, len(good)).argsort()[: settings.good]
        counts = Counter(kind for n in shown for kind in board.answers[n].kinds)
        often = [k for k, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= 2]
        hopeful = sum(s.bit for s in board.trials if s.chance > settings.odds.prior / 2)
        strategy = self._strategy()
        parts = board.text_of(board.without_rivals(board.kept_mask | hopeful))
        job = ReflectJob(
            self.asked,
            part,
            parts[part],
            strategy,
            tuple(kinds),
            tuple(dict.fromkeys((*kinds, *often[: settings.candidates]))),
            tuple(shown),
            tuple(good[place] for place in order.tolist()),
            tuple(board.refuted_lines),
            parts,
        )
        self.asked += 1
        self._parts_asked[part] += 1
        self._strategies_asked[strategy.value] += 1
        self._kinds_asked.update((kind, part) for kind in kinds)
        return job

    def _recent(self) -> list[int]:
        """Training answers, the latest first, at most ``EACH`` of an example."""
        answers, seen, found = self.board.answers, [0] * self.train, []
        for number in range(len(answers) - 1, max(-1, len(answers) - 1 - RECENT), -1):
            example, _, score, _, _ = answers[number]
            if example < self.train and score is not None and seen[example] < EACH:
                seen[example] += 1
                found.append(number)
        return found

    def _failing(self, recent: list[int]) -> dict[str, list[int]]:
        """Kind -> answers that show it although the edits kept against it were on."""
        against: dict[str, int] = {}
        for switch in self.board.kept:
            for kind in switch.kinds:
                against[kind] = against.get(kind, 0) | switch.bit
        found: dict[str, list[int]] = {}
        for number in recent:
            answer = self.board.answers[number]
            for kind in sorted(answer.kinds):
                if not against.get(kind, 0) & ~answer.mask:
                    found.setdefault(kind, []).append(number)
        return found

    def _kinds(self, failing: dict[str, list[int]], part: int, answers: int) -> list[str]:
        watched = Counter([kind for switch in self.board.trials for kind in switch.kinds])
        numbers = lots(self.seed, "kind", self.asked, len(failing)).tolist()
        by_kind: dict[str, float] = dict(zip(sorted(failing), numbers, strict=True))

        def urgency(kind: str) -> float:
            waiting = 0.5 * self._kinds_asked[kind, part] + 1.5 * watched[kind]
            return (len(failing[kind]) + 2 * by_kind[kind]) / (1 + waiting)

        ranked = sorted(failing, key=lambda kind: (-urgency(kind), kind))
        strong = [kind for kind in ranked if len(failing[kind]) >= max(2.0, NOISE * answers)]
        return (strong or ranked)[: self.settings.kinds]

    def _shown(self, failing: dict[str, list[int]], kinds: list[str]) -> list[int]:
        """Take answers of each kind in turn."""
        chosen: list[int] = []
        for turn in range(max(len(failing[kind]) for kind in kinds)):
            for kind in kinds:
                if turn < len(failing[kind]) and failing[kind][turn] not in chosen:
                    chosen.append(failing[kind][turn])
        return chosen[: self.settings.shown]

    def _is_about(self, number: int, part: int) -> bool:
        """Whether an answer is to a case that speaks about a part; one that speaks about none speaks about all."""
        about = self.about[self.board.answers[number].example] if self.about else None
        return not about or part in about

    def _part(self, failing: dict[str, list[int]]) -> tuple[int, dict[str, list[int]]]:
        """Choose a part, and what fails where it is spoken about; parts without failures of their own wait.

        The part whose edits were kept more often is asked about more often.
        """
        own: dict[int, dict[str, list[int]]] = {}
        for part in range(len(self.board.parts)):
            about = {kind: [n for n in numbers if self._is_about(n, part)] for kind, numbers in failing.items()}
            own[part] = {kind: numbers for kind, numbers in about.items() if numbers}
        parts = [part for part, found in own.items() if found] or list(own)
        chosen = self._most_worth(parts)
        return chosen, own[chosen] or failing

    def _most_worth(self, parts: Sequence[int]) -> int:
        gains = self.board.part_gains
        return max(
            parts,
            key=lambda i: (
                (1 + gains[i]) / (2 + self._parts_asked[i]) + CURIOUS * unit(self.seed, "part", self.asked, i), -i
            ),
        )  # fmt: skip

    def _strategy(self) -> Strategy:
        """The strategy whose edits were kept more often is used more often; feedback has the lead at first."""
        gains = self.board.source_gains

        def worth(strategy: Strategy) -> float:
            head = 2.0 if strategy is Strategy.TARGETED_FEEDBACK else 1.0
            lot = unit(self.seed, "strategy", self.asked, strategy.value)
            return (head + gains[strategy.value]) / (2 + self._strategies_asked[strategy.value]) + CURIOUS * lot

        return max(STRATEGIES, key=worth)

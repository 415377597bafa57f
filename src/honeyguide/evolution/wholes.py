"""What of a run's text is what: one text, or several joined ones, and where the structure of answers stands in it.

The structure stands behind the first text that says how an answer looks; a tool description, for one, does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from honeyguide.evals.executor import SCHEMA_SEPARATOR, executor_system
from honeyguide.evolution.answer_structure import read_section
from honeyguide.evolution.mutation import Keep, TextLimits
from honeyguide.evolution.schema import Schema
from honeyguide.prompts.joined import Joined, mark
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.versions.diff import Comparison, compare, compare_pieces

UNSTRUCTURED_KINDS = frozenset({TargetKind.TOOL, TargetKind.HARNESS, TargetKind.FLOW})
"""Kinds whose text does not say how an answer looks, so that the search for a structure has nothing to do."""


@dataclass(frozen=True, slots=True)
class TextRules:
    """What one text of several has to keep to."""

    target: TargetRef
    limits: TextLimits = field(default_factory=TextLimits)
    keep: Keep = field(default_factory=Keep)


@dataclass(frozen=True, slots=True)
class Whole:
    """The form of a run's text; ``joined`` is ``None`` for a single one."""

    joined: Joined | None = None

    def structured(self, kind: TargetKind) -> TargetKind:
        """Return the kind of the text that the structure stands behind; ``kind`` is that of the run's target."""
        if self.joined is None:
            return kind
        return self.joined.refs[self._place].kind

    def read(self, text: str) -> tuple[str, Schema | None, str]:
        """Return the text without its structure, the structure that it says, and the section that says it."""
        if self.joined is None:
            instruction, said = read_section(text)
            return instruction, said, text[len(instruction) :].strip("\n") if said else ""
        texts = list(self.joined.split(text))
        own = texts[self._place]
        texts[self._place], said = read_section(own)
        section = own[len(texts[self._place]) :].strip("\n") if said else ""
        return self.joined.join(texts), said, section

    def put(self, instruction: str, section: str) -> str:
        """Return ``instruction`` with ``section`` behind the text that it belongs to; as it is without one."""
        if not section:
            return instruction
        if self.joined is None or not self.joined.is_whole(instruction):
            return executor_system(instruction.rstrip(), section)
        texts = list(self.joined.split(instruction))
        texts[self._place] = executor_system(texts[self._place].rstrip(), section)
        return self.joined.join(texts)

    def less(self, rules: tuple[TextRules, ...], section: str) -> tuple[TextRules, ...]:
        """Return the rules with what ``section`` takes from the text that it stands behind."""
        if not section or not rules:
            return rules
        own = rules[self._place]
        left = TextRules(own.target, own.limits.less(len(section) + len(SCHEMA_SEPARATOR)), own.keep)
        return (*rules[: self._place], left, *rules[self._place + 1 :])

    def says_the_same(self, text: str, deployed: str) -> bool:
        """Whether ``text`` is the deployed one but for blanks at the end of a text."""
        if self.joined is None or not self.joined.is_whole(text):
            return text == deployed.rstrip()
        return [own.rstrip() for own in self.texts(text)] == [own.rstrip() for own in self.texts(deployed)]

    def texts(self, text: str) -> tuple[str, ...]:
        """Return the texts in ``text``. Raises InvalidInput when a joined one does not fall into them."""
        return (text,) if self.joined is None else self.joined.split(text)

    def of(self, texts: tuple[str, ...]) -> str:
        """Return the text that ``texts`` make; the other way round from ``texts``."""
        return texts[0] if self.joined is None else self.joined.join(texts)

    def applied(self, text: str) -> str:
        """Return what a model is given."""
        return text if self.joined is None else self.joined.applied(text)

    def compare(self, before: str, after: str) -> Comparison:
        """Compare two such texts by lines; no change reaches from one joined text into the next."""
        if self.joined is None:
            return compare(before, after)
        return compare_pieces(self._cut(before), self._cut(after))

    def others(self, texts: tuple[str, ...], number: int) -> tuple[str, ...]:
        """Return what a model that changes text ``number`` is shown of the others, each under its target's name."""
        if self.joined is None:
            return ()
        named = zip(self.joined.refs, texts, strict=True)
        return tuple(f"{ref}\n{own}" for place, (ref, own) in enumerate(named) if place != number)

    def _cut(self, text: str) -> list[str]:
        """Return each text between the line over it and the break behind it, so that it compares as it does alone."""
        assert self.joined is not None
        named = zip(self.joined.refs, self.joined.split(text), strict=True)
        return [piece for ref, own in named for piece in (f"{mark(ref)}\n", own, "\n")]

    @property
    def _place(self) -> int:
        refs = self.joined.refs if self.joined is not None else ()
        return next((place for place, ref in enumerate(refs) if ref.kind not in UNSTRUCTURED_KINDS), 0)


SINGLE = Whole()
"""One text that is nothing but itself."""

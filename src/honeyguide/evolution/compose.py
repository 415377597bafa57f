"""Both searches in a row: the answer structure first, then the instruction that goes with it.

The structure that won stands behind the instruction in everything that the second search runs, and in what gets
deployed. The gain of both together is measured on the same examples, never added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from honeyguide.evals.examples import Example
from honeyguide.evals.executor import SCHEMA_SEPARATOR
from honeyguide.evolution.answer_structure import AnswerStyle, render_section
from honeyguide.evolution.feedback_filter import without_structure
from honeyguide.evolution.mutation import Keep, TextLimits
from honeyguide.evolution.schema import Schema, default_schema
from honeyguide.evolution.schema_search import SchemaResult, SchemaSearch, SchemaTask
from honeyguide.evolution.search import (
    Finalist,
    GenerationRecord,
    InstructionResult,
    InstructionSearch,
    InstructionTask,
    SearchPorts,
)
from honeyguide.evolution.wholes import SINGLE, UNSTRUCTURED_KINDS, TextRules, Whole
from honeyguide.prompts.targets import TargetKind, TargetRef


@dataclass(frozen=True, slots=True)
class ComposeTask:
    """What is to be improved.

    Attributes:
        live: the whole text as it is deployed now.
        schema: the structure that the live text stands for, unless it says one itself.
        limits: for the whole text.
        whole, rules: the form of ``live`` where it is several texts, and what each of them has to keep to.
        about: which of them an example speaks about, by its id.
    """

    target: TargetRef
    live: str
    train: tuple[Example, ...]
    validation: tuple[Example, ...]
    schema: Schema | None = None
    limits: TextLimits = field(default_factory=TextLimits)
    keep: Keep = field(default_factory=Keep)
    style: AnswerStyle = AnswerStyle.PROSE
    seed: int = 1
    whole: Whole = SINGLE
    rules: tuple[TextRules, ...] = ()
    about: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComposeResult:
    """What both stages found.

    Attributes:
        schema_stage: ``None`` when the structure was left alone.
        section: the structure that stands behind every finalist's instruction; empty for none.
        schema: the structure that goes with the finalists; ``None`` without a section.
        schema_note: why the first stage's winner was taken over or not.
    """

    schema_stage: SchemaResult | None
    section: str
    schema: Schema | None
    schema_note: str
    instruction_stage: InstructionResult

    @property
    def finalists(self) -> tuple[Finalist, ...]:
        return self.instruction_stage.finalists

    @property
    def generations(self) -> tuple[GenerationRecord, ...]:
        first = self.schema_stage.generations if self.schema_stage else ()
        return (*first, *self.instruction_stage.generations)

    def delta(self, finalist: Finalist) -> float:
        """What ``finalist`` gained over the live text on the same validation examples."""
        return finalist.means.overall - self.instruction_stage.live_means.overall

    def summary(self) -> dict[str, Any]:
        """Return the seed's ``composeSummary``. ``combinedDelta`` is the winner against the live text, measured."""
        schema, instruction = self.schema_stage, self.instruction_stage
        schema_improved = schema is not None and schema.improved and bool(self.section)
        return {
            "combinedDelta": round(self.delta(instruction.winner), 6),
            "fullyImproved": schema_improved and instruction.improved,
            "schemaImproved": schema_improved,
            "schemaDelta": round(schema.delta, 6) if schema is not None else 0.0,
            "instructionImproved": instruction.improved,
            "instructionDelta": round(instruction.delta, 6),
            "winnerId": instruction.winner.candidate.id,
        }


@dataclass(frozen=True, slots=True)
class ComposedSearch:
    """Runs both stages; ``schema_search`` with no generations leaves the structure alone."""

    schema_search: SchemaSearch
    instruction_search: InstructionSearch

    async def search(self, task: ComposeTask, ports: SearchPorts) -> ComposeResult:
        """Run both. Raises TooManyUnscored, BudgetExceeded, Interrupted, or InvalidInput without examples."""
        instruction, said, section = task.whole.read(task.live)
        schema = said or task.schema or default_schema()
        stage, note = None, "The structure was left alone."
        if self._has_schema_stage(task.whole.structured(task.target.kind)):
            stage = await self._structure(task, instruction, schema, ports)
            section, schema, note = self._adopted(task, stage, section, schema, ports)
            ports = replace(ports, feedback=without_structure)
        searched = await self.instruction_search.search(
            InstructionTask(
                target=task.target,
                instruction=instruction,
                deployed=task.live,
                train=task.train,
                validation=task.validation,
                section=section,
                limits=task.limits.less(len(section) + len(SCHEMA_SEPARATOR)) if section else task.limits,
                keep=_keep_of(task.keep, instruction),
                seed=task.seed,
                form=task.whole,
                about=task.about,
                rules=_rules_of(task.whole.less(task.rules, section), task.whole, instruction),
            ),
            ports,
        )
        return ComposeResult(stage, section, schema if section else None, note, searched)

    def calls(
        self, kind: TargetKind, train: Sequence[Example], validation: Sequence[Example]
    ) -> dict[str, tuple[int, int]]:
        """Return the fewest and the most calls of each stage."""
        stages = {"schema": self.schema_search.calls(train, validation)} if self._has_schema_stage(kind) else {}
        second = self.instruction_search.calls(train, validation, live_may_differ=bool(stages))
        return {**stages, "instruction": second}

    def _has_schema_stage(self, kind: TargetKind) -> bool:
        return self.schema_search.settings.generations > 0 and kind not in UNSTRUCTURED_KINDS

    async def _structure(self, task: ComposeTask, instruction: str, schema: Schema, ports: SearchPorts) -> SchemaResult:
        return await self.schema_search.search(
            SchemaTask(instruction, task.live, schema, task.train, task.validation, task.style, task.seed, task.whole),
            ports,
        )

    def _adopted(
        self, task: ComposeTask, stage: SchemaResult, section: str, schema: Schema, ports: SearchPorts
    ) -> tuple[str, Schema, str]:
        """Take the winner over when its gain is worth a section that every prompt has to carry from now on."""
        winner = stage.winner
        worth = self.schema_search.settings.adopt_delta
        if winner.id == stage.baseline.id or winner.schema is None or stage.delta <= 0:
            note = "No structure was better than the present one."
            adopted = False
        elif stage.delta < worth:
            note = f"The best structure gained {stage.delta:.3f}, less than the {worth:.3f} that is worth a section."
            adopted = False
        else:
            note = f"The structure gained {stage.delta:.3f}."
            adopted = True
        ports.log.add("structure", adopted=adopted, winner=winner.id, delta=stage.delta)
        if not adopted or winner.schema is None:
            return section, schema, note
        return render_section(winner.schema, task.style), winner.schema, note


def _keep_of(keep: Keep, instruction: str) -> Keep:
    """What stands in the section is kept by itself; the mutator is told of the rest."""
    return Keep(
        tuple(name for name in keep.variables if name in instruction),
        tuple(passage for passage in keep.passages if " ".join(passage.split()) in " ".join(instruction.split())),
    )


def _rules_of(rules: tuple[TextRules, ...], whole: Whole, instruction: str) -> tuple[TextRules, ...]:
    if not rules:
        return ()
    return tuple(
        replace(own, keep=_keep_of(own.keep, text)) for own, text in zip(rules, whole.texts(instruction), strict=True)
    )

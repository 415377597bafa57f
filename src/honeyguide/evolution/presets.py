"""How much a run may look at: the seed's numbers, a small search, and the efficient one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from honeyguide.evolution.compose import ComposedSearch
from honeyguide.evolution.instruction_search import GenerationalSearch, InstructionSettings
from honeyguide.evolution.preset import Preset as Preset
from honeyguide.evolution.racing import RacingSearch
from honeyguide.evolution.schema_search import SchemaSearch, SchemaSettings
from honeyguide.evolution.search import InstructionSearch
from honeyguide.kernel.errors import InvalidInput

QUICK_CALLS = 120
"""The most calls of a ``quick`` run, verification included."""
MAX_POPULATION = 50
MAX_GENERATIONS = 50
MAX_EXAMPLES = 5000


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The numbers of one run.

    Attributes:
        holdout: how many holdout examples are measured; ``None`` for all.
        repeats: verdicts per side and example on the holdout.
        races: whether the instruction is searched by racing, with as many evaluations as ``instruction`` allows.
    """

    schema: SchemaSettings = field(default_factory=SchemaSettings)
    instruction: InstructionSettings = field(default_factory=InstructionSettings)
    holdout: int | None = None
    repeats: int = 2
    races: bool = False

    def searches(self, search: InstructionSearch | None = None) -> ComposedSearch:
        """Return both stages with these numbers; ``search`` stands in for the instruction search of the settings."""
        own = RacingSearch.sized if self.races else GenerationalSearch
        return ComposedSearch(SchemaSearch(self.schema), search or own(self.instruction))

    def with_sizes(
        self,
        *,
        population: int | None = None,
        generations: int | None = None,
        schema_population: int | None = None,
        schema_generations: int | None = None,
    ) -> SearchSettings:
        """Return the settings with what a person set on top. Raises InvalidInput beyond the bounds."""
        for name, value, most in (
            ("population", population, MAX_POPULATION),
            ("generations", generations, MAX_GENERATIONS),
            ("schema population", schema_population, MAX_POPULATION),
            ("schema generations", schema_generations, MAX_GENERATIONS),
        ):
            least = 1 if "population" in name else 0
            if value is not None and not least <= value <= most:
                raise InvalidInput(f"The {name} {value} is out of bounds.", hint=f"Use {least} to {most}.")
        return replace(
            self,
            instruction=replace(
                self.instruction,
                population=self.instruction.population if population is None else population,
                generations=self.instruction.generations if generations is None else generations,
            ),
            schema=replace(
                self.schema,
                population=self.schema.population if schema_population is None else schema_population,
                generations=self.schema.generations if schema_generations is None else schema_generations,
            ),
        )


SETTINGS: dict[Preset, SearchSettings] = {
    Preset.THOROUGH: SearchSettings(),
    Preset.EFFICIENT: SearchSettings(
        schema=SchemaSettings(population=3, generations=1, eval_size=12, anchor=24),
        instruction=InstructionSettings(population=4, generations=3, micro=12, mini=24, anchor=60, finalists=2),
        races=True,
    ),
    Preset.QUICK: SearchSettings(
        schema=SchemaSettings(generations=0),
        instruction=InstructionSettings(population=3, generations=1, micro=4, mini=4, anchor=4, finalists=1),
        holdout=17,
        repeats=1,
    ),
}

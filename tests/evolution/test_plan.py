import pytest

from honeyguide.evals.examples import CheckSpec, Dataset, Example, ExpectationRole
from honeyguide.evolution.plan import Reason, development_examples, make_plan
from honeyguide.evolution.presets import QUICK_CALLS, SETTINGS, Preset, SearchSettings
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.prices import FreeQuote, ModelPrice, Rates, TableQuote, UnknownQuote
from honeyguide.llm.protocol import ModelRole
from honeyguide.prompts.targets import TargetKind
from tests.evolution.worlds import dataset, examples

FREE = dict.fromkeys(ModelRole, FreeQuote())
PAID = dict.fromkeys(ModelRole, TableQuote(ModelPrice(Rates(1.0, 5.0, 0.1, 1.25))))


def plan(preset=Preset.THOROUGH, data=None, quotes=FREE, kind=TargetKind.GENERIC, **others):
    settings = SETTINGS[preset]
    given = dataset() if data is None else data
    return make_plan(kind, "Be kind.", given, settings.searches(), settings, quotes, **others)


def test_the_seeds_numbers_on_a_large_dataset_add_up():
    made = plan(data=dataset(600, 400, 60))
    stages = {s.name: (s.low, s.high) for s in made.stages}
    assert stages["schema"] == (2 * (4 * 32 + 100), 2 * (16 * 32 + 6 * 100))
    assert stages["instruction"] == (
        2 * (64 + 15 * 50 + 3 * 14 + 2 * 400) + 15,
        2 * (64 + 15 * 64 + 17 * 400) + 15,
    )
    assert stages["verification"] == (0, 2 * 2 * 60 * 2)
    assert made.to_json()["calls"] == {
        "low": sum(low for low, _ in stages.values()),
        "high": sum(high for _, high in stages.values()),
    }


def test_quick_stays_under_its_ceiling_whatever_the_dataset():
    for data in (dataset(600, 400, 300), dataset(5, 2, 2), dataset(40, 10, 17)):
        assert plan(Preset.QUICK, data).calls.high <= QUICK_CALLS


def test_examples_with_nothing_but_checks_need_no_judge():
    checked = tuple(
        Example(e.id, e.input, "", ExpectationRole.CHECKS, checks=(CheckSpec("contains", "x"),)) for e in examples(10)
    )
    data = Dataset((), (), checked, seed=1)
    assert [s.high for s in plan(data=data).stages] == [2 * 2 * 10]


def test_a_tool_description_has_no_schema_stage():
    assert [s.name for s in plan(kind=TargetKind.TOOL).stages] == ["instruction", "verification"]


def test_a_given_text_is_measured_and_proven_only():
    made = plan(has_candidate=True)
    assert [(s.name, s.low, s.high) for s in made.stages] == [
        ("development", 2 * 2 * 8, 2 * 2 * 8),
        ("verification", 0, 2 * 2 * 2 * 14),
    ]


def test_the_price_is_a_range_nothing_for_free_models_and_unknown_when_any_is():
    free, paid = plan(quotes=FREE).usd, plan(quotes=PAID).usd
    assert (free.low, free.high) == (0, 0)
    assert 0 < paid.low < paid.high
    unknown = {**PAID, ModelRole.MUTATOR: UnknownQuote()}
    assert plan(quotes=unknown).to_json()["usd"] is None
    assert plan(quotes={}).usd is None


def test_reasons_say_why_a_run_cannot_begin():
    none = plan(data=Dataset((), (), (), seed=1))
    assert (none.ready, [r.code for r in none.reasons]) == (False, ["no-examples", "no-holdout"])
    few = plan(data=dataset(holdout=11))
    assert (few.ready, [r.code for r in few.reasons]) == (True, ["small-holdout"])
    busy = plan(reasons=[Reason("locked", "A run is under way.")])
    assert busy.to_json()["reasons"] == [{"code": "locked", "message": "A run is under way."}]
    assert not busy.ready


def test_the_document_has_the_contracts_keys():
    assert list(plan().to_json()) == ["ready", "reasons", "calls", "usd", "tokens", "stages"]
    assert list(plan().to_json()["stages"][0]) == ["name", "calls"]


def test_few_validation_examples_are_joined_by_training_examples_never_by_the_holdout():
    train, validation = development_examples(dataset(10, 3, 5))
    assert [e.id for e in validation] == ["v0", "v1", "v2", *(f"t{i}" for i in range(10))]
    assert len(train) == 10
    train, validation = development_examples(dataset(10, 8, 5))
    assert [e.id for e in validation] == [f"v{i}" for i in range(8)]


def test_sizes_can_be_set_within_bounds():
    settings = SearchSettings().with_sizes(population=2, generations=0, schema_population=3, schema_generations=1)
    assert (settings.instruction.population, settings.instruction.generations) == (2, 0)
    assert (settings.schema.population, settings.schema.generations) == (3, 1)
    assert SearchSettings().with_sizes() == SearchSettings()
    with pytest.raises(InvalidInput):
        SearchSettings().with_sizes(population=0)
    with pytest.raises(InvalidInput):
        SearchSettings().with_sizes(schema_generations=51)

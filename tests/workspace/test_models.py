"""Which models are used, where keys are, and whether a model answers."""

from __future__ import annotations

import pytest

from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm import KeyStore, ModelRef
from honeyguide.workspace.models import Models
from tests.fakes.model_server import ModelServer
from tests.llm.support import MemoryKeyring

pytestmark = pytest.mark.anyio
KEY = "sk-ant-api03-thisIsAMarkerKeyForTests"


def with_keys(core, environ: dict[str, str] | None = None) -> Models:
    core.environ = environ or {}
    core.keys = KeyStore(core.environ, MemoryKeyring())
    return Models(core)


async def test_with_nothing_set_up_it_says_that_nothing_is_sent(core):
    core.environ, core.keys = {}, KeyStore({})
    report = await Models(core).report()
    data = report.to_json()
    assert [row["role"] for row in data["roles"]] == ["executor", "judge", "mutator", "maintainer"]
    assert data["notes"] == [
        "No model is set up yet, so nothing is sent anywhere. Choose one, or use the practice model."
    ]
    anthropic = next(p for p in data["providers"] if p["name"] == "anthropic")
    assert (anthropic["key_source"], anthropic["local"]) == ("none", False)
    assert "ANTHROPIC_API_KEY" in anthropic["key"]
    assert "key ring" in data["keyring"]


async def test_the_place_of_a_key_is_said_and_the_key_never(core):
    models = with_keys(core)
    place = await models.set_key("anthropic", KEY)
    assert (place.source, place.provider) == ("keyring", "anthropic")
    assert KEY not in str(place.to_json())
    report = await models.report()
    assert KEY not in str(report.to_json()) + repr(report)
    assert next(p for p in report.providers if p.name == "anthropic").key_source == "keyring"
    assert all(KEY.encode() not in path.read_bytes() for path in core.layout.root.rglob("*") if path.is_file())
    assert await models.forget_key("anthropic")
    assert not await models.forget_key("anthropic")


async def test_a_key_in_the_environment_goes_first_and_that_is_said(core):
    models = with_keys(core, {"ANTHROPIC_API_KEY": "sk-other"})
    place = await models.set_key("anthropic", KEY, where="session")
    assert place.source == "session"
    assert "ANTHROPIC_API_KEY is set too" in place.message


@pytest.mark.parametrize(
    ("provider", "key", "where"),
    [
        ("nobody", KEY, "keyring"),
        ("practice", KEY, "keyring"),
        ("anthropic", "two words", "keyring"),
        ("openai", "", "keyring"),
        ("openai", KEY, "file"),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(core, provider, key, where):
    with pytest.raises(InvalidInput) as refused:
        await with_keys(core).set_key(provider, key, where=where)
    assert KEY not in refused.value.message


async def test_a_chosen_model_is_stored_told_and_used_at_once(core):
    models = with_keys(core)
    last = await core.store.read(lambda unit: unit.events.last_id())
    report = await models.use("executor", "practice")
    assert {row.model for row in report.roles} == {"practice:practice"}
    assert [row.chosen for row in report.roles] == [True, False, False, False]
    assert "simulation" in report.notes[0]
    assert not models.costs_money([ModelRef("practice", "practice")])
    events = core.store.events_since(last)
    assert [(event.name, event.subject) for event in events] == [("setting:changed", "models.executor")]


@pytest.mark.parametrize(
    ("role", "model"),
    [("boss", "practice"), ("judge", "haiku"), ("judge", "nobody:x"), ("judge", "gguf:unknown")],
)
async def test_a_choice_nobody_knows_is_refused(core, role, model):
    with pytest.raises(InvalidInput):
        await with_keys(core).use(role, model)
    assert not core.settings.is_set("models.judge")


async def test_a_model_that_grades_itself_is_named(core):
    models = with_keys(core, {"ANTHROPIC_API_KEY": "sk-other"})
    await models.use("executor", "anthropic:claude-haiku-4-5")
    report = await models.use("judge", "anthropic:claude-haiku-4-5")
    assert any(note.startswith("The model grades itself: anthropic:claude-haiku-4-5") for note in report.notes)
    better = await models.use("judge", "anthropic:claude-sonnet-5-5")
    assert not any("grades itself" in note for note in better.notes)


async def test_an_unknown_price_of_a_chosen_model_is_said(core):
    models = with_keys(core, {"OPENAI_API_KEY": "sk-other"})
    report = await models.use("mutator", "openai:brand-new-model")
    assert any("The price of openai:brand-new-model is unknown" in note for note in report.notes)
    assert models.costs_money([ModelRef("openai", "brand-new-model")])


async def test_a_model_file_becomes_known_by_its_name(core, tmp_path):
    models = with_keys(core)
    file = tmp_path / "small-1b.gguf"
    with pytest.raises(InvalidInput):
        await models.add_file(file)
    file.write_bytes(b"GGUF")
    assert await models.add_file(file) == ModelRef("gguf", "small-1b")
    report = await models.use("executor", "gguf:small-1b")
    assert next(p for p in report.providers if p.name == "gguf").models == ("small-1b",)


async def test_the_practice_model_answers_and_a_missing_key_is_explained(core):
    models = with_keys(core)
    await models.use("executor", "practice")
    results = await models.test()
    assert [(result.model, result.ok) for result in results] == [("practice:practice", True)]
    (failed,) = await models.test("anthropic:claude-haiku-4-5")
    assert (failed.ok, failed.kind) == (False, "no-key")
    assert failed.remedy
    with pytest.raises(InvalidInput):
        await models.test("what")


async def test_a_server_on_this_computer_is_asked_without_a_key(core):
    with ModelServer(models=("local-model",)) as server:
        core.settings.set("models.base_urls", {"llamacpp": f"{server.url}/v1"})
        models = with_keys(core)
        (result,) = await models.test("llamacpp:local-model")
        row = next(p for p in (await models.report()).providers if p.name == "llamacpp")
        assert await models.list_models("llamacpp") == ["local-model"]
        (unknown,) = await models.test("llamacpp:local-modell")
        await core.renew_registry()
    assert result.ok, result.message
    assert (unknown.ok, unknown.suggestions) == (False, ("local-model",))
    assert (row.key_source, row.is_local) == ("not-needed", True)


async def test_servers_of_ones_own_stand_beside_the_known_ones(workspace, monkeypatch):
    with ModelServer(key="own-key-123456") as server:
        await workspace.set_setting("models.anthropic_servers", {"house": server.url})
        await workspace.set_setting("models.openai_servers", {"lab-1": f"{server.url}/api"})
        rows = {row.name: row for row in (await workspace.models()).providers}
        assert rows["house"].is_local
        assert rows["lab-1"].notes == ("Replaced /api by /v1: that is where this server speaks the OpenAI way.",)
        await workspace.set_key("house", "own-key-123456", where="session")
        (refused,) = await workspace.test_models("lab-1:m")
        assert refused.kind == "auth"
        (found,) = await workspace.test_models("house:m")
        assert found.ok, found


@pytest.mark.parametrize("name", ["openai", "practice", "a:b", "Big", "", "x" * 50])
async def test_a_server_has_a_name_of_its_own(workspace, name):
    with pytest.raises(InvalidInput, match="name of a server"):
        await workspace.set_setting("models.openai_servers", {name: "http://127.0.0.1:1"})

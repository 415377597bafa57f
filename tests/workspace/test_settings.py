"""Settings: checked, kept in a readable file, and nothing that is unknown gets lost."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import InvalidInput, Unreadable
from honeyguide.workspace.settings import OWN_SERVERS, SETTINGS, Settings, setting_named

VALUES = {
    "text": st.text(st.characters(codec="utf-8"), max_size=40),
    "whole": st.integers(1, 60),
    "number": st.floats(0, 1),
    "switch": st.booleans(),
    "texts": st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=4),
    "table": st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1, max_size=10), st.text(max_size=20)),
}

SERVERS = st.dictionaries(st.from_regex(r"my-[a-z0-9_]{1,8}", fullmatch=True), st.text(max_size=20))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
@given(data=st.data())
def test_a_value_that_was_set_is_read_back_from_the_file(tmp_path_factory, setting, data):
    drawn = SERVERS if setting.key in OWN_SERVERS else VALUES.get(setting.type)
    value = data.draw(st.sampled_from(setting.choices) if setting.choices else drawn)
    if setting.type == "number" and setting.least is not None and setting.most is not None:
        value = setting.least + value * (setting.most - setting.least)
    if setting.type == "whole" and setting.least is not None:
        value = max(value, int(setting.least))
    path = tmp_path_factory.mktemp("settings") / "honeyguide.toml"
    Settings(path).set(setting.key, value)
    assert Settings(path).get(setting.key) == value
    tomllib.loads(path.read_text(encoding="utf-8"))


def test_every_setting_has_a_default_that_fits_its_own_rule(tmp_path):
    settings = Settings(tmp_path / "honeyguide.toml")
    for setting in SETTINGS:
        if setting.default is not None:
            settings.set(setting.key, setting.default)
        assert settings.get(setting.key) == setting.default
        assert setting.title
        assert setting.help


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("runs.preset", "huge"),
        ("models.concurrency", 0),
        ("models.concurrency", 65),
        ("models.concurrency", True),
        ("limits.usd_per_day", -1),
        ("models.timeout_judge", 0.5),
        ("privacy.replace_personal", "yes"),
        ("files.trusted_folders", "a"),
        ("models.base_urls", {"openai": 3}),
    ],
)
def test_a_value_that_does_not_fit_is_refused_and_nothing_changes(tmp_path, key, value):
    settings = Settings(tmp_path / "honeyguide.toml")
    with pytest.raises(InvalidInput, match=key.replace(".", r"\.")):
        settings.set(key, value)
    assert settings.get(key) == setting_named(key).default


def test_entries_of_a_newer_version_survive_writing(tmp_path):
    path = tmp_path / "honeyguide.toml"
    path.write_text('[runs]\npreset = "quick"\nfuture = 3\n', encoding="utf-8")
    Settings(path).set("runs.min_delta", 0.1)
    assert tomllib.loads(path.read_text(encoding="utf-8"))["runs"] == {"preset": "quick", "future": 3, "min_delta": 0.1}


def test_none_goes_back_to_the_default(tmp_path):
    settings = Settings(tmp_path / "honeyguide.toml")
    settings.set("runs.preset", "quick")
    settings.set("runs.preset", None)
    assert settings.get("runs.preset") == "efficient"
    assert not settings.is_set("runs.preset")


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "honeyguide.toml"
    path.write_text("[runs\n", encoding="utf-8")
    with pytest.raises(Unreadable, match=r"honeyguide\.toml"):
        Settings(path)


def test_an_unknown_setting_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="no setting"):
        Settings(tmp_path / "honeyguide.toml").get("runs.colour")

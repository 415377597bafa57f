"""The one locator of shipped files: wheel, checkout, frozen app."""

from __future__ import annotations

import pytest

from honeyguide.kernel.errors import InternalError
from honeyguide.kernel.resources import resource, resource_root


def test_a_wheel_holds_its_resources_inside_the_package(tmp_path):
    package = tmp_path / "site-packages" / "honeyguide"
    (package / "resources").mkdir(parents=True)
    assert resource_root(package) == package / "resources"


def test_a_checkout_holds_them_beside_src(tmp_path):
    package = tmp_path / "src" / "honeyguide"
    package.mkdir(parents=True)
    (tmp_path / "resources").mkdir()
    assert resource_root(package) == tmp_path / "resources"


def test_a_frozen_app_unpacks_them(tmp_path):
    (tmp_path / "honeyguide" / "resources").mkdir(parents=True)
    assert resource_root(tmp_path / "nowhere", frozen=tmp_path) == tmp_path / "honeyguide" / "resources"


def test_a_broken_installation_is_said_in_one_sentence(tmp_path):
    with pytest.raises(InternalError, match="missing") as failure:
        resource_root(tmp_path / "a" / "b" / "c")
    assert "Install it again" in failure.value.hint


def test_a_missing_file_is_named():
    assert resource("practice", "behaviours.json").is_file()
    with pytest.raises(InternalError, match=r"no/such\.file"):
        resource("no", "such.file")

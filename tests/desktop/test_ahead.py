"""Imports in threads: what another thread has half imported is waited for, anything else is an error at once."""

from __future__ import annotations

import pytest

from honeyguide.desktop import ahead


def test_a_module_that_another_thread_has_half_imported_is_asked_for_again(monkeypatch):
    monkeypatch.setattr(ahead, "SETTLES_S", 0.0)
    left = [ImportError("cannot import name 'x' from partially initialized module 'y'")] * 3

    def do() -> None:
        if left:
            raise left.pop()

    ahead.import_settled(do)
    assert not left


def test_a_module_that_is_missing_is_an_error_at_once():
    asked = []

    def do() -> None:
        asked.append(1)
        raise ModuleNotFoundError("No module named 'nowhere'")

    with pytest.raises(ModuleNotFoundError):
        ahead.import_settled(do)
    assert asked == [1]

"""Every short name of the engine that a person sees has its words."""

from __future__ import annotations

import ast
import inspect

import pytest

from honeyguide.desktop.theme.code_words import detector_words, friction_words, health_words, part_words, way_words
from honeyguide.harnesses.evidence import friction
from honeyguide.prompts.limits import Unit
from honeyguide.traces import health
from honeyguide.traces.corrections import DETECTORS
from honeyguide.workspace import doctor


def test_what_an_import_could_not_use_has_words(qapp):
    codes = [value for name, value in vars(health).items() if name.isupper() and isinstance(value, str)]
    assert len(codes) > 12
    assert not [code for code in codes if health_words(code) == code.replace("-", " ")]


def test_how_a_correction_was_found_has_words(qapp):
    assert not [name for name in DETECTORS if detector_words(name) == name.replace("-", " ")]


def test_what_gets_in_the_way_of_a_run_has_words(qapp):
    tree = ast.parse(inspect.getsource(friction))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "self._add"]
    kinds = [call.args[1] for call in calls]
    names = {inner.value for kind in kinds for inner in ast.walk(kind) if isinstance(inner, ast.Constant)}
    assert len(names) >= 7
    names |= {"guardrail_halt", "guardrail_block"}  # chosen before
    assert not [name for name in names if friction_words(str(name)) == name]


def test_what_the_check_of_the_installation_looks_at_has_words(qapp):
    tree = ast.parse(inspect.getsource(doctor))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "Check"]
    names = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert len(names) >= 7
    own = {"python", "git"}
    assert not [name for name in names - own if part_words(str(name)) == str(name).replace("-", " ")]


@pytest.mark.parametrize("way", ["window", "command line", "http", "mcp", "daemon", "python", "noticed"])
def test_ways_have_words(qapp, way):
    assert way_words(way) != way


def test_units_are_few(qapp):
    from honeyguide.desktop.theme.code_words import unit_words

    assert {unit_words(unit.value) for unit in Unit} == {"characters", "bytes", "lines"}

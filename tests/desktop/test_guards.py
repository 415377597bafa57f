"""The guards themselves: what a test leaves behind is found."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

LEAKS = {
    "a timer": """
        from PySide6.QtCore import QTimer
        KEPT = []
        def test_it(qapp):
            timer = QTimer()
            timer.start(1000)
            KEPT.append(timer)
    """,
    "a window": """
        from PySide6.QtWidgets import QWidget
        KEPT = []
        def test_it(qapp):
            KEPT.append(QWidget())
            KEPT[0].show()
    """,
    "logged": """
        import logging
        def test_it(qapp):
            logging.getLogger("x").warning("stray")
    """,
    "tasks were left": """
        import asyncio
        def test_it(qloop):
            async def begin():
                KEPT.append(asyncio.get_running_loop().create_task(asyncio.sleep(60), name="sleeper"))
            qloop.run(begin())
        KEPT = []
    """,
    "errors were lost": """
        import asyncio, gc
        def test_it(qloop):
            async def fail():
                raise ValueError("lost")
            async def begin():
                asyncio.get_running_loop().create_task(fail())
                await asyncio.sleep(0.05)
            qloop.run(begin())
            gc.collect()
    """,
    "Qt messages": """
        from PySide6.QtCore import qWarning
        def test_it(qapp):
            qWarning("something is wrong")
    """,
}


def test_what_is_left_behind_fails_the_test_that_left_it(pytester: pytest.Pytester, monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", str(root))
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\nqt_api = "pyside6"\nqt_log_level_fail = "WARNING"\n')
    pytester.makeconftest("from tests.desktop.conftest import *")
    pytester.makepyfile(**{f"test_{number}": source for number, source in enumerate(LEAKS.values())})
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")
    outcomes = result.parseoutcomes()
    assert outcomes.get("errors", 0) + outcomes.get("failed", 0) == len(LEAKS), result.stdout.str()
    for what in LEAKS:
        result.stdout.fnmatch_lines_random([f"*{what}*"])


CIRCLE = """
import gc
import weakref

import pytest
from PySide6.QtCore import QTimer

left = []


class Circle:
    pass


@pytest.fixture
def circle():
    made = Circle()
    made.itself, made.timer = made, QTimer()
    left.append(weakref.ref(made))
    return made


def test_uses_it(circle):
    assert not gc.isenabled()
"""
NEXT = """
import gc

import test_a


def test_next():
    assert gc.isenabled() and test_a.left[0]() is None
"""


def test_what_a_fixture_held_in_a_circle_is_collected_before_a_test_of_another_folder(pytester, monkeypatch):
    """A worker thread of that test would collect it otherwise, and with it Qt objects of this thread."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\nqt_api = "pyside6"\n')
    pytester.makeconftest("from tests.desktop.conftest import *")
    for folder, name, source in (("desktop", "a", CIRCLE), ("storage", "b", NEXT)):
        place = pytester.path / "tests" / folder
        place.mkdir(parents=True)
        (place / f"test_{name}.py").write_text(source)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov")
    result.assert_outcomes(passed=2)

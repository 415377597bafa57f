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

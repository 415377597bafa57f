"""The short tour: offered once after the sample, beside the work and never in its way."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget

from honeyguide.desktop.theme import motion_ms
from honeyguide.desktop.window import SMALLEST
from tests.desktop.drivers import AppDriver, focus, key, press, until


def _tour(app: AppDriver) -> Any:
    commands = app.application._commands
    assert commands is not None
    return commands.tour


def _place(app: AppDriver, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(app.window.centralWidget(), widget.rect().topLeft()), widget.size())


def test_the_sample_offers_the_tour_once_and_does_not_take_the_focus(
    qapp: QApplication, qloop: Any, tmp_path: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, tmp_path / "new").start(ready=False)
        await until(lambda: app.window.findChild(QWidget, "welcome-sample") is not None, "the welcome")
        app.press("welcome-sample")
        await until(app.application.ready.is_set, "the sample")
        tour = _tour(app)
        await until(lambda: tour.is_on, "the offer")
        assert tour.at is None and not tour.card.isAncestorOf(app.window.focusWidget())
        press(tour.card.end)
        assert not tour.is_on
        tour.offer()
        assert not tour.is_on, "it was offered twice"
        await app.close()
        again = await AppDriver(qapp, tmp_path / "new").start()
        _tour(again).offer()
        assert not _tour(again).is_on, "the next start forgot that it was offered"
        await again.close()

    qloop.run(story(), timeout=90)


def test_the_tour_frames_the_real_controls_and_decides_nothing(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    wide, high = SMALLEST

    async def story() -> None:
        app = await AppDriver(qapp, proposed, wide=wide, high=high).start()
        await app.inbox.review_of("support", "proposed")
        await until(lambda: not app.window.reason_against("tour"), "the runs to be counted")
        before = dict(app.inbox.states)
        review, tour = app.inbox.page.review, _tour(app)
        review.show_tab("journal")
        assert app.window.trigger("tour")
        await until(lambda: tour.at == 0, "the first stop")
        await app.come_forward()
        await until(tour.card.next.hasFocus, "the focus on Next")
        said = set()
        wanted: list[QWidget | None] = [None, review.parts, review.parts, review.parts, None, None]
        wanted[4], wanted[5] = review.decision.accept, app.window.sidebar.button("targets")
        for number, widget in enumerate(wanted):
            assert tour.at == number and tour.frame.isVisible()
            await asyncio.sleep(0.2)
            frame = tour.frame.geometry()
            if widget is not None:
                assert frame.contains(_place(app, widget).center()), (number, frame)
            assert app.window.centralWidget().rect().contains(tour.card.geometry()), "the card is cut"
            assert tour.card.height() >= tour.card.minimumSizeHint().height()
            assert tour.card.said() in tour.card.accessibleDescription()
            said.add(tour.card.said())
            if number == 2:
                assert review.tabs.currentIndex() == 1
            if number == 3:
                assert review.tabs.currentIndex() == 3
                press(tour.card.back)
                assert tour.at == 2
                key(tour.card.next, Qt.Key.Key_Space)
            key(tour.card.next, Qt.Key.Key_Space)
        assert len(said) == 6 and not tour.is_on and not tour.frame.isVisible()
        assert review.tabs.currentIndex() == 5, "the review is not as it was"
        assert app.inbox.states == before
        await app.close()

    qloop.run(story(), timeout=90)


def test_the_window_works_on_during_the_tour_and_escape_ends_it(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        await app.inbox.review_of("support", "proposed")
        await until(lambda: not app.window.reason_against("tour"), "the runs to be counted")
        await app.desk.workspace.set_setting("window.reduced_motion", True)
        await until(lambda: not motion_ms(), "the setting to hold")
        tour = _tour(app)
        app.window.trigger("tour")
        await until(lambda: tour.at == 0, "the first stop")
        assert tour.card.graphicsEffect() is None, "it moves where no motion is wanted"
        app.go("traces")
        await asyncio.sleep(0.3)
        assert tour.is_on and not tour.frame.isVisible(), "a frame around nothing"
        press(tour.card.next)
        assert app.window.front == "inbox"
        await focus(app.inbox.page.table)
        key(app.inbox.page.table, Qt.Key.Key_Escape)
        assert not tour.is_on
        app.window.trigger("tour")
        await until(lambda: tour.at == 0, "the tour again")
        await app.close()

    qloop.run(story(), timeout=90)


def test_a_workspace_without_runs_says_why_there_is_no_tour(qapp: QApplication, qloop: Any, sample: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        await asyncio.sleep(0.3)
        assert "no run to show" in app.window.reason_against("tour")
        assert not app.window.trigger("tour") and "no run to show" in app.said()
        await app.close()

    qloop.run(story(), timeout=60)

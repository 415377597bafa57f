"""What a run tells while it goes on: a run that was stopped is not shown as done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from honeyguide.desktop.said import read_phrasebook, said_file
from honeyguide.desktop.widgets.run_progress import RunProgress
from honeyguide.evolution.scoring import TooManyUnscored


def test_a_stopped_run_stays_at_the_step_it_reached(shown: Callable[..., Any]) -> None:
    progress = shown(RunProgress())
    progress.take({"phase": "compose", "message": "Searching."})
    progress.take({"phase": "done", "message": "aborted"})
    progress.take({"phase": "done", "message": "The run was stopped."})
    assert progress.phases.phase == "compose"
    assert progress.phases.accessibleName() == "Stopped at step 2 of 5: search"
    assert progress._said.raw_text() == "The run was stopped."
    progress.set_run(0, None, is_paused=False)
    progress.take({"phase": "done", "message": "proposed"})
    assert progress.phases.phase == "done"
    assert "proposed" not in progress._said.raw_text()


def test_a_model_that_cannot_judge_is_said_in_words_with_what_to_do() -> None:
    words = str(TooManyUnscored(5, 5, {"judge-unparseable": 5}))
    assert "choose another model to judge" in words
    german = read_phrasebook(Path(said_file("de"))).translated(f"inconclusive: judge not usable ({words})")
    assert "wählen Sie einen anderen" in german
    assert "judge" not in german

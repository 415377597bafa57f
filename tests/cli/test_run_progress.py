"""A person reads phases and the state of the search, not the names of its steps."""

from __future__ import annotations

from honeyguide.cli.run_progress import ProgressTeller
from honeyguide.workspace import ProgressEvent


def test_phases_are_told_and_steps_only_now_and_then(capsys):
    moment = [0.0]
    tell = ProgressTeller(lambda: moment[0])
    tell(ProgressEvent("u", "dataset", "Collecting examples."))
    for number in range(50):
        moment[0] += 0.1
        step = {"candidate": {"id": "g1"}, "calls": 10 * number, "usd": 0.01 * number}
        tell(ProgressEvent("u", "compose", "add_output_field", step))
    tell(ProgressEvent("u", "done", "skipped-delta"))
    said = capsys.readouterr().err.splitlines()
    assert [line.split(maxsplit=1) for line in said] == [
        ["dataset", "Collecting examples."],
        ["compose", "0 calls so far"],
        ["compose", "200 calls so far, $0.20"],
        ["compose", "400 calls so far, $0.40"],
    ]

"""Public samples and trials hold no secret; what is taken for one there is a false alarm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from honeyguide.traces.redaction import scan

SHARED = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
FALSE_ALARMS_PER_MEGABYTE = 0.5

pytestmark = pytest.mark.skipif(not (SHARED / "traces").is_dir(), reason="the shared samples are not here")


def test_false_alarms_on_the_samples_stay_rare():
    characters = 0
    alarms: list[str] = []
    for folder in ("traces", "hiveloom", "trials"):
        for path in sorted((SHARED / folder).rglob("*")):
            if not path.is_file() or path.stat().st_size > 3_000_000:
                continue
            try:
                text = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
            characters += len(text)
            alarms.extend(f"{path.name}: {hit.kind}" for hit in scan(text, personal=True))
    assert characters > 500_000
    assert len(alarms) / (characters / 1_000_000) < FALSE_ALARMS_PER_MEGABYTE, alarms

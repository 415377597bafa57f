"""Hiveloom's own database: read where it adds something about the runs of a folder, and never written."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import Conflict, NotFound
from honeyguide.workspace import Origin
from honeyguide.workspace.harness_views import Harnesses, HarnessEvolving, HarnessHome
from tests.fakes.harness_folders import Scribe, write_folder
from tests.fakes.hiveloom_database import HiveloomDatabase

ORIGIN = Origin("python", "tester")
CHANGE = {"rationale": "r", "yaml_changes": [{"path": "system_prompt", "value": "Say the drawer.\n", "rationale": ""}]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_folder(tmp_path / "desk")
    scribe = Scribe(root)
    scribe.run(run_id="run_a")
    scribe.run("verify_failed", run_id="run_b")
    return root


def filled(path: Path, root: Path, *, wal: bool = True) -> HiveloomDatabase:
    harness = Harness.open(root)
    made = HiveloomDatabase(path, wal=wal)
    made.outcome("run_a", "failure")
    made.outcome("run_of_another_copy", "failure")
    made.metric("run_b", "recall", 0.5)
    made.metric("run_of_another_copy", "recall", 0.1)
    made.evolution(harness.identity, "000000000000", harness.version)
    made.evolution(harness.identity, "111111111111", "222222222222")
    made.evolution("somebody-else", "000000000000", harness.version)
    made.proposal("prop_there", harness.identity, harness.version, CHANGE)
    made.proposal("prop_done", harness.identity, harness.version, CHANGE, status="applied")
    return made


def home(tmp_path: Path, database: Path) -> HarnessHome:
    return HarnessHome.alone({"HIVELOOM_DB": str(database)}, tmp_path / "state")


def stats(home: HarnessHome, root: Path) -> dict[str, Any]:
    return asyncio.run(Harnesses(home).stats(root)).to_json()


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("wal", [True, False])
@pytest.mark.parametrize("is_open", [True, False])
def test_what_it_knows_of_the_runs_here_counts_and_not_a_byte_of_it_changes(root, tmp_path, wal, is_open):
    place = tmp_path / "hiveloom"
    place.mkdir()
    made = filled(place / "hive.db", root, wal=wal)
    if not is_open:
        made.close()
    before = everything_in(place)
    at = home(tmp_path, made.path)
    data = stats(at, root)
    assert (data["outcomes"]["labelled_runs"], data["outcomes"]["failures"]) == (1, 1)
    assert {k: data["hive"][k] for k in ("outcomes", "metrics", "evolutions", "proposals")} == {
        "outcomes": 1, "metrics": 1, "evolutions": 1, "proposals": 1,
    }  # fmt: skip
    assert [m["run_id"] for m in asyncio.run(Harnesses(at).metrics(root)).to_json()["metrics"]] == ["run_b"]
    assert len(asyncio.run(Harnesses(at).assess(root)).to_json()["assessments"]) == 1
    asyncio.run(HarnessEvolving(at).reject(root, "prop_there", "no", ORIGIN))
    asyncio.run(Harnesses(at).hive(root, keep=True))
    assert everything_in(place) == before


def test_the_folder_has_the_last_word_when_its_label_is_newer(root, tmp_path):
    made = filled(tmp_path / "hive.db", root)
    at = home(tmp_path, made.path)
    asyncio.run(Harnesses(at).label(root, "run_a", "success", source="me", detail=""))
    assert stats(at, root)["outcomes"]["successes"] == 1


def test_a_proposal_that_waits_there_is_reviewed_and_applied_here(root, tmp_path):
    made = filled(tmp_path / "hive.db", root)
    evolving = HarnessEvolving(home(tmp_path, made.path))
    listed = asyncio.run(evolving.proposals(root)).to_json()["proposals"]
    assert [(p["id"], p["status"], p["kept_in"]) for p in listed] == [("prop_there", "pending", "hiveloom's database")]
    shown = asyncio.run(evolving.proposal(root, "prop_there")).to_json()
    assert "Say the drawer." in shown["diff"]["after"]
    done = asyncio.run(evolving.apply(root, "prop_there", ORIGIN)).to_json()
    assert (done["status"], done["changed"]) == ("applied", True)
    listed = asyncio.run(evolving.proposals(root)).to_json()["proposals"]
    assert [(p["id"], p["status"], p["kept_in"]) for p in listed] == [("prop_there", "applied", "the folder")]
    with pytest.raises(Conflict):
        asyncio.run(evolving.apply(root, "prop_there", ORIGIN))


def test_keeping_makes_the_folder_complete_and_twice_adds_nothing(root, tmp_path):
    made = filled(tmp_path / "hive.db", root)
    harnesses = Harnesses(home(tmp_path, made.path))
    first = asyncio.run(harnesses.hive(root, keep=True)).to_json()
    again = asyncio.run(harnesses.hive(root, keep=True)).to_json()
    assert first["only_there"] == {"outcomes": 1, "metrics": 1, "evolutions": 1, "proposals": 1}
    assert set(again["only_there"].values()) == {0}
    without = HarnessHome.alone({}, tmp_path / "state")
    assert stats(without, root)["outcomes"]["failures"] == 1
    assert len(asyncio.run(Harnesses(without).assess(root)).to_json()["assessments"]) == 1
    assert len(asyncio.run(HarnessEvolving(without).proposals(root)).to_json()["proposals"]) == 1


def test_a_database_that_is_none_is_named_and_does_no_harm(root, tmp_path):
    broken = tmp_path / "hive.db"
    broken.write_bytes(b"this is no database" * 100)
    data = stats(home(tmp_path, broken), root)
    assert data["total_runs"] == 2
    assert "cannot be read" in data["hive"]["problem"]


def test_without_a_database_there_is_nothing_to_keep(root, tmp_path):
    at = home(tmp_path, tmp_path / "nothing.db")
    assert stats(at, root)["hive"] is None
    with pytest.raises(NotFound):
        asyncio.run(Harnesses(at).hive(root))

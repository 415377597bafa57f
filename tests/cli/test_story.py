"""The main job from the command line: plan, evolve, look, accept, roll back; each answer in the contract's shape."""

from __future__ import annotations

import json

from honeyguide.kernel.clock import parse_iso

SEED_COLUMNS = {
    "id", "run_uuid", "target_kind", "target_name", "baseline_text", "winner_text", "winner_schema_json",
    "delta_accuracy", "gate_verdict", "gate_reasons_json", "status", "artifacts_json", "user_note", "failure_reason",
    "created_at", "decided_at", "deployed_at",
}  # fmt: skip
VERIFICATION_KEYS = [
    "outcome", "label", "n", "repeats", "baseline", "candidate", "delta", "interval", "confidence", "p_value",
    "noise_floor", "unscored", "wins", "ties", "losses", "receipt",
]  # fmt: skip


def test_the_whole_story(cli, folder):
    plan = cli("plan", "writer", "--json").json
    assert plan["ready"]
    assert set(plan) >= {"ready", "reasons", "calls", "usd", "tokens", "stages"}

    evolved = cli("evolve", "writer", "--seed", 1, "--json")
    assert evolved.exit_code == 0
    result = evolved.json
    assert result["outcome"] == "proposed"
    assert list(result["verification"])[:16] == VERIFICATION_KEYS
    assert set(result["composeSummary"]) == {
        "combinedDelta", "fullyImproved", "schemaImproved", "schemaDelta", "instructionImproved", "instructionDelta",
        "winnerId",
    }  # fmt: skip
    assert set(result["run"]) == SEED_COLUMNS
    assert result["model"] == "practice"
    uuid = result["uuid"]

    listed = cli("runs", "list", "--json").json
    assert listed["count"] == len(listed["runs"]) == 1
    assert listed["runs"][0]["run_uuid"] == uuid

    shown = cli("runs", "show", uuid, "--json").json
    assert set(shown) >= SEED_COLUMNS | {"winnerSchema", "artifacts", "gateReasons", "verification", "lineage", "spend"}
    assert [gate["gate"] for gate in shown["gateReasons"]][:7] == [
        "non-empty", "size", "growth", "balanced-fences", "no-placeholders", "no-todos", "regression",
    ]  # fmt: skip
    assert set(shown["artifacts"]) >= {
        "runSeed",
        "generations",
        "paretoFrontSize",
        "exampleCount",
        "history",
        "finalists",
    }

    diff = cli("runs", "diff", uuid, "--json").json
    assert (diff["before"], diff["after"]) == (shown["baseline_text"], shown["winner_text"])
    assert [hunk["n"] for hunk in diff["hunks"]] == list(range(1, len(diff["hunks"]) + 1))

    assert cli("runs", "status", "--json").json["pendingCount"] == 1

    accepted = cli("runs", "accept", uuid, "--note", "reads well", "--json")
    assert (accepted.exit_code, accepted.json["status"]) == (0, "deployed")
    parse_iso(accepted.json["deployed_at"])
    override = folder / "personas" / "writer.json"
    assert json.loads(override.read_text(encoding="utf-8"))["systemPrompt"] == shown["winner_text"]

    again = cli("runs", "accept", uuid, "--json")
    assert (again.exit_code, again.json["error"]["code"]) == (4, "conflict")

    versions = cli("versions", "list", "writer", "--json").json
    assert [v["origin"] for v in versions["versions"]] == ["found", "accepted"]
    assert [v["current"] for v in versions["versions"]] == [False, True]
    assert cli("versions", "rollback", "writer", "--json").exit_code == 0
    assert not override.exists()
    assert cli("targets", "show", "writer", "--json").json["text"] == shown["baseline_text"]


def test_events_are_one_json_object_a_line_and_end_with_done(cli):
    said = cli("evolve", "planner", "--events", "--json")
    assert said.exit_code == 0
    names = [line["event"] for line in said.lines]
    assert set(names[:-1]) == {"progress"}
    assert names[-1] == "done"
    phases = [line["data"]["phase"] for line in said.lines[:-1]]
    assert phases[0] == "dataset"
    assert phases[-2:] == ["skipped", "done"]
    assert said.lines[-1]["data"]["outcome"] == "skipped-delta"


def test_a_dataset_is_written_as_rows(cli, tmp_path):
    out = tmp_path / "rows.jsonl"
    report = cli("dataset", "build", "support", "--out", out, "--json").json
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sum(report["examples"].values()) == len(rows)
    assert report["examples"]["holdout"] >= 60
    assert all(set(row) == {"input", "expected_output", "metadata"} for row in rows)
    rubrics = [row for row in rows if row["metadata"]["role"] == "rubric"]
    assert rubrics
    assert all(row["expected_output"] and row["metadata"]["rejected"] for row in rubrics)


def test_the_same_seed_builds_the_same_dataset_and_another_may_not(cli):
    first, second, other = (cli("dataset", "build", "writer", "--seed", seed, "--json").json for seed in (1, 1, 2))
    assert first["dataset_hash"] == second["dataset_hash"] != other["dataset_hash"]


def test_a_note_is_needed_where_the_proof_cannot_tell(cli, tmp_path):
    text = cli("targets", "show", "writer", "--json").json["text"]
    slightly_better = tmp_path / "slightly-better.md"
    slightly_better.write_text(f"{text}\n- State the word count at the end.", encoding="utf-8")
    result = cli("evolve", "writer", "--candidate", slightly_better, "--preset", "quick", "--json").json
    assert (result["outcome"], result["verification"]["outcome"]) == ("proposed", "inconclusive")
    refused = cli("runs", "accept", result["uuid"], "--json")
    assert (refused.exit_code, refused.json["error"]["code"]) == (6, "policy")
    assert cli("runs", "accept", result["uuid"], "--note", "I trust it", "--json").json["status"] == "deployed"


def test_a_request_can_be_seen_before_it_leaves(cli):
    said = cli("plan", "writer", "--show-request", "--json").json
    assert "newsletters" in said["requests"][0]["text"]


def test_text_output_is_for_people(cli):
    assert "characters" in cli("targets", "list").out
    assert "calls" in cli("plan", "writer").out
    said = cli("evolve", "planner")
    assert "practice model" in said.out
    assert "\x1b[" not in said.out

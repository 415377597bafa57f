"""The eight endpoints of the first seed, as a client meets them."""

from __future__ import annotations

import json

import pytest

from honeyguide.workspace import RunOptions
from tests.server.servers import PERSONA, proposed, run_body

BASE = "/api/evolution"
SECTIONS = ["coreLoop", "qualityRules", "behavioralRules", "workPatterns", "intelligenceDefaults"]
COLUMNS = {
    "id", "run_uuid", "target_kind", "target_name", "baseline_text", "winner_text", "winner_schema_json",
    "delta_accuracy", "gate_verdict", "gate_reasons_json", "status", "artifacts_json", "user_note", "failure_reason",
    "created_at", "decided_at", "deployed_at",
}  # fmt: skip


# --- reading


def test_runs_are_listed_with_every_column(reader, proposal):
    body = reader.get(f"{BASE}/runs").json()
    assert body["count"] == len(body["runs"]) == 1
    assert set(body["runs"][0]) == COLUMNS
    assert body["runs"][0]["run_uuid"] == proposal
    assert body["attempts"] == []


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"status": "proposed"}, 1),
        ({"status": ["rejected", "proposed"]}, 1),
        ({"status": "deployed"}, 0),
        ({"status": "no-such-state"}, 0),
        ({"targetKind": PERSONA, "targetName": "writer"}, 1),
        ({"targetName": "coder"}, 0),
        ({"since": "2000-01-01"}, 1),
        ({"since": "2999-01-01T00:00:00Z"}, 0),
        *[({"limit": limit}, 1) for limit in ("0", "-5", "abc", "9999", "1.5", "")],
        ({"offset": "1"}, 0),
        ({"offset": "abc"}, 1),
    ],
)
def test_runs_can_be_filtered(reader, proposal, query, count):
    response = reader.get(f"{BASE}/runs", params=query)
    assert response.status_code == 200
    assert response.json()["count"] == count


def test_a_since_that_is_no_moment_is_refused(reader):
    assert reader.get(f"{BASE}/runs", params={"since": "yesterday"}).status_code == 400


def test_a_run_is_shown_with_its_decoded_parts(reader, proposal):
    body = reader.get(f"{BASE}/runs/{proposal}").json()
    assert {*COLUMNS, "winnerSchema", "artifacts", "gateReasons", "verification", "lineage", "spend"} <= set(body)
    assert body["artifacts"] == json.loads(body["artifacts_json"])
    assert [gate["gate"] for gate in body["gateReasons"]][:3] == ["non-empty", "size", "growth"]
    assert body["model"] == "practice"


@pytest.mark.parametrize("path", ["", "/diff", "/evidence", "/events"])
def test_an_unknown_run_is_not_found(reader, path):
    response = reader.get(f"{BASE}/runs/no-such-run{path}")
    assert response.status_code == 404
    assert response.json()["error"] == "Run not found"


def test_diff_and_evidence_of_a_run_can_be_read(reader, proposal):
    diff = reader.get(f"{BASE}/runs/{proposal}/diff").json()
    assert diff["hunks"] and diff["before"] != diff["after"]
    evidence = reader.get(f"{BASE}/runs/{proposal}/evidence").json()
    assert evidence["total"] == len(evidence["evidence"]) > 0


def test_targets_are_personas_sections_and_a_schema(reader):
    body = reader.get(f"{BASE}/targets").json()
    assert {persona["id"] for persona in body["personas"]} == {"analyst", "coder", "planner", "support", "writer"}
    assert body["sections"] == SECTIONS
    schema = body["defaultSchema"]
    assert (schema["name"], schema["version"]) == ("generic_baseline", 1)
    assert [(field["name"], field["required"]) for field in schema["fields"]] == [
        ("reasoning", False),
        ("answer", True),
    ]
    assert {row["kind"] for row in body["targets"]} >= {PERSONA, "tool-description", "skill-body"}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 400),
        ({"kind": PERSONA}, 400),
        ({"name": "writer"}, 400),
        ({"kind": "", "name": "writer"}, 400),
        ({"kind": "poem", "name": "writer"}, 400),
        ({"kind": PERSONA, "name": "nobody"}, 404),
        ({"kind": "behavioral-spec-section", "name": "nothing"}, 404),
        ({"kind": PERSONA, "name": "../writer"}, 400),
        ({"kind": "skill-body", "name": "release-notes"}, 200),
        ({"kind": "behavioral-spec-section", "name": "coreLoop"}, 200),
    ],
)
def test_a_baseline_needs_a_kind_and_a_name_that_exist(reader, query, status):
    response = reader.get(f"{BASE}/baseline", params=query)
    assert response.status_code == status
    if status == 200:
        assert response.json()["schemaBaseline"]["name"] == f"{query['kind'].replace('-', '_')}_baseline"


def test_status_counts_the_five_states(reader, proposal):
    body = reader.get(f"{BASE}/status").json()
    assert body["counts"] == {"proposed": 1, "accepted": 0, "rejected": 0, "deployed": 0, "failed": 0}
    assert body["pendingCount"] == 1
    assert reader.get(f"{BASE}/status", params={"targetName": "coder"}).json()["pendingCount"] == 0


def test_a_list_that_did_not_change_is_not_sent_again(reader, proposal):
    first = reader.get(f"{BASE}/runs")
    again = reader.get(f"{BASE}/runs", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = reader.get(f"{BASE}/runs", params={"status": "failed"}, headers={"If-None-Match": first.headers["etag"]})
    assert other.status_code == 200


def test_the_service_says_how_it_stands(reader):
    body = reader.get(f"{BASE}/daemon").json()
    assert body["enabled"] is False
    assert body["why_off"]
    assert {target["target"] for target in body["targets"]} >= {f"{PERSONA}:coder"}


def test_health_and_unknown_paths(reader):
    assert reader.get("/healthz").json()["status"] == "ok"
    assert reader.get("/api/nothing").status_code == 404
    assert reader.get("/api/nothing").json()["error"]
    assert reader.post(f"{BASE}/runs").status_code == 405


# --- the body of a run

GOOD = {
    "targetKind": PERSONA,
    "targetName": "writer",
    "baseline": "You write.",
    "schemaBaseline": {"name": "s", "version": 1, "fields": [{"name": "answer", "type": "string"}]},
}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (None, "body"),
        ([], "body"),
        ("text", "body"),
        ({}, "targetKind"),
        ({"targetKind": 5}, "targetKind"),
        ({"targetKind": "poem", "targetName": "", "baseline": ""}, "targetKind"),
        ({"targetKind": PERSONA, "baseline": ""}, "targetName"),
        ({**GOOD, "targetName": "  ", "baseline": ""}, "targetName"),
        ({**GOOD, "targetName": ["writer"]}, "targetName"),
        ({**GOOD, "baseline": "\n ", "schemaBaseline": None}, "baseline"),
        ({**GOOD, "baseline": 7}, "baseline"),
        ({**GOOD, "schemaBaseline": None}, "schemaBaseline"),
        ({**GOOD, "schemaBaseline": []}, "schemaBaseline"),
        ({**GOOD, "schemaBaseline": {"fields": []}}, "schemaBaseline"),
        ({**GOOD, "schemaBaseline": {"name": "s", "fields": {}}}, "schemaBaseline"),
        ({**GOOD, "minDelta": "much"}, "minDelta"),
        ({**GOOD, "minDelta": 3}, "minDelta"),
        ({**GOOD, "gepa": []}, "gepa"),
        ({**GOOD, "gepa": {"populationSize": 0}}, "gepa.populationSize"),
        ({**GOOD, "gepa": {"generations": "many"}}, "gepa.generations"),
        ({**GOOD, "gepa": {"concurrency": 1000}}, "gepa.concurrency"),
        ({**GOOD, "gepa": {"judge": "mine"}}, "gepa.judge"),
        ({**GOOD, "schema": {"evalSize": 1.5}}, "schema.evalSize"),
        ({**GOOD, "schema": {"anchorEvalSize": True}}, "schema.anchorEvalSize"),
        ({**GOOD, "gateOptions": 3}, "gateOptions"),
        ({**GOOD, "gateOptions": {"skip": True}}, "skip"),
        ({**GOOD, "maxCalls": 0}, "maxCalls"),
        ({**GOOD, "preset": "endless"}, "preset"),
    ],
)
def test_a_wrong_body_is_refused_and_the_field_is_named(reader, body, named):
    response = reader.post(f"{BASE}/run", json=body)
    assert response.status_code == 400
    assert named in response.json()["error"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"targetKind": NaN}', 400),
        (b'{"minDelta": 1e999}', 400),
        (b'{"targetName": "\\ud800"}', 400),
        (b"\xff\xfe", 400),
        (b"9" * 5000, 400),
        (b" " * (10 * 1024 * 1024 + 1), 413),
    ],
)
def test_a_body_that_is_no_sound_json_is_refused(reader, content, status):
    response = reader.post(f"{BASE}/run", content=content, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert response.json()["error"]


def test_a_body_of_another_media_type_is_refused(reader):
    response = reader.post(f"{BASE}/run", content=b"{}", headers={"content-type": "text/plain"})
    assert response.status_code == 415


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"targetName": "nobody"}, 404),
        ({"targetName": "../writer"}, 400),
        ({"schemaBaseline": {"name": "s", "version": 1, "fields": []}}, 400),
        ({"gateOptions": {"maxGrowthRatio": 5}}, 403),
        ({"gateOptions": {"maxSize": 10**6}}, 403),
        ({"gateOptions": {"maxRegression": -0.5}}, 403),
        ({"gateOptions": {"allowEmpty": True}}, 403),
        ({"minDelta": 0.001}, 403),
    ],
)
def test_a_request_cannot_loosen_what_the_workspace_demands(reader, changes, status):
    response = reader.post(f"{BASE}/run", json={**GOOD, **changes})
    assert response.status_code == status, response.json()


# --- running and deciding


def test_a_run_is_answered_with_its_result(client):
    body = client.post(f"{BASE}/run", json=run_body(client, preset="efficient")).json()
    assert body["outcome"] == "proposed"
    assert body["run"]["status"] == "proposed"
    assert set(body["run"]) == COLUMNS
    assert set(body["composeSummary"]) >= {
        "combinedDelta", "fullyImproved", "schemaImproved", "schemaDelta", "instructionImproved", "instructionDelta",
        "winnerId",
    }  # fmt: skip
    assert body["model"] == "practice"


def test_a_baseline_that_is_not_the_live_text_is_told(client):
    body = client.post(f"{BASE}/run", json=run_body(client, baseline="Something older.")).json()
    assert any("baseline differs" in note for note in body["notes"])


def test_texts_that_belong_together_are_run_accepted_and_shown_as_one(client, server):
    tool = "tool-description:search_orders"
    asked = run_body(client, "support", preset="efficient", together=[tool])
    run = client.post(f"{BASE}/run", json=asked).json()
    assert (run["outcome"], "notes" in run) == ("proposed", False)
    uuid = run["uuid"]
    diff = client.get(f"{BASE}/runs/{uuid}/diff").json()
    assert [text["target"] for text in diff["texts"]] == [f"{PERSONA}:support", tool]
    done = client.post(f"{BASE}/runs/{uuid}/accept", json={"note": "both"}, headers=server.auth).json()
    assert (done["status"], [text["version"] for text in done["texts"]]) == ("deployed", [2, 2])
    live = [server.workspace.active_prompt(*text["target"].split(":")) for text in diff["texts"]]
    assert live == [text["after"] for text in diff["texts"]]


@pytest.mark.parametrize("wrong", ["search_orders", [1], [""]])
def test_what_changes_together_is_a_list_of_targets(reader, wrong):
    response = reader.post(f"{BASE}/run", json={**GOOD, "together": wrong})
    assert (response.status_code, "together" in response.json()["error"]) == (400, True)


def test_a_target_without_history_is_skipped_not_failed(client, server):
    extra = server.workspace.path / "base" / "personas" / "poet.json"
    extra.write_text(json.dumps({"id": "poet", "name": "Poet", "systemPrompt": "Write poems."}), encoding="utf-8")
    response = client.post(f"{BASE}/run", json=run_body(client, "poet"))
    assert (response.status_code, response.json()["outcome"]) == (200, "skipped-trigger")


def test_accept_deploys_and_the_text_is_live(waiting, client, server):
    run = proposed(client)
    done = client.post(f"{BASE}/runs/{run['run_uuid']}/accept", json={"note": "as measured"}, headers=server.auth)
    assert (done.status_code, done.json()["status"]) == (200, "deployed")
    live = client.get(f"{BASE}/baseline", params={"kind": PERSONA, "name": "writer"}).json()["baseline"]
    assert live == run["winner_text"]
    again = client.post(f"{BASE}/runs/{run['run_uuid']}/accept", json={}, headers=server.auth)
    assert again.status_code == 409
    assert again.json()["error"] == 'Run is in status "deployed" — only proposed runs can be accepted'
    rejected = client.post(f"{BASE}/runs/{run['run_uuid']}/reject", headers=server.auth)
    assert rejected.status_code == 409
    personas = [persona["id"] for persona in client.get(f"{BASE}/targets").json()["personas"]]
    assert sorted(personas) == sorted(set(personas))
    decisions = client.get(f"{BASE}/runs/{run['run_uuid']}").json()["decisions"]
    assert [(d["decision"], d["way"]) for d in decisions] == [("accepted", "http")]


def test_the_evidence_of_a_proposal_goes_on_with_the_token(client, server):
    live = client.get(f"{BASE}/baseline", params={"kind": PERSONA, "name": "writer"}).json()["baseline"]
    options = RunOptions(preset="quick", candidate_text=f"{live} ", min_delta=-1)
    uuid = server.ask(server.workspace.evolve("writer", options)).uuid
    before = client.get(f"{BASE}/runs/{uuid}").json()["verification"]
    path = f"{BASE}/runs/{uuid}/continue"
    assert client.post(path).status_code == 401
    after = client.post(path, headers=server.auth)
    assert after.status_code == 200
    assert after.json()["verification"]["n"] > before["n"]
    done = client.post(path, headers=server.auth)
    assert (done.status_code, "no unseen cases" in done.json()["error"]) == (409, True)
    again = client.post(path, json={"repeats": 2}, headers=server.auth).json()["verification"]
    assert (again["repeats"], again["evidence"]["look"]) == (2, 2)
    assert client.post(path, json={"repeats": 99}, headers=server.auth).status_code == 400
    assert client.post(f"{BASE}/runs/no-such-run/continue", headers=server.auth).status_code == 404


def test_reject_keeps_the_reason(waiting, client, server):
    run = proposed(client)
    done = client.post(f"{BASE}/runs/{run['run_uuid']}/reject", json={"reason": "too short"}, headers=server.auth)
    assert (done.json()["status"], done.json()["user_note"]) == ("rejected", "too short")
    assert client.get(f"{BASE}/status").json()["counts"]["rejected"] == 1


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("accept", {"note": 5}, 400),
        ("accept", {"hunks": "all"}, 400),
        ("accept", {"hunks": [True]}, 400),
        ("accept", [], 400),
        ("reject", {"reason": []}, 400),
        ("accept", {}, 404),
        ("reject", {}, 404),
        ("cancel", None, 404),
    ],
)
def test_decisions_are_checked(reader, shared, path, body, status):
    response = reader.post(f"{BASE}/runs/no-such-run/{path}", json=body, headers=shared.auth)
    assert response.status_code == status


def test_a_deploy_that_throws_is_answered_with_the_failed_run(waiting, client, server):
    run = proposed(client)
    (server.workspace.path / "personas").write_text("a file where a folder has to be", encoding="utf-8")
    done = client.post(f"{BASE}/runs/{run['run_uuid']}/accept", json={"note": "ok"}, headers=server.auth)
    assert (done.status_code, done.json()["status"]) == (200, "failed")
    assert done.json()["failure_reason"]


def test_a_file_that_changed_meanwhile_is_a_conflict_and_the_run_stays_proposed(waiting, client, server):
    run = proposed(client)
    file = server.workspace.path / "personas" / "writer.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"id": "writer", "systemPrompt": "Mine."}), encoding="utf-8")
    done = client.post(f"{BASE}/runs/{run['run_uuid']}/accept", json={"note": "ok"}, headers=server.auth)
    assert (done.status_code, done.json()["code"]) == (409, "stale")
    assert client.get(f"{BASE}/runs/{run['run_uuid']}").json()["status"] == "proposed"

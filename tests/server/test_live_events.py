"""Event streams of runs and of live prompts, read as an EventSource client reads them."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time

import pytest

from honeyguide.server import frames
from honeyguide.storage import Store
from honeyguide.storage.records import AttemptRecord
from honeyguide.workspace import RunOptions, Workspace
from tests.fakes.model_server import ModelServer
from tests.server.servers import PERSONA, Event, RunningServer, events_of, proposed, run_body

BASE = "/api/evolution"
STREAM = {"Accept": "text/event-stream"}
VERDICT = '{"correctness": 5, "procedure": 5, "conciseness": 5, "feedback": "It could be warmer."}'


@pytest.fixture
def slow_model(folder):
    """A free model on this computer that takes its time, as the workspace's model for everything."""
    with ModelServer(lambda text: VERDICT, delay=0.04) as model:
        roles = "\n".join(f'{role} = "openai:slow"' for role in ("executor", "judge", "mutator"))
        settings = f'[models]\n{roles}\nbase_urls = {{ openai = "{model.url}/v1" }}\n'
        (folder / "honeyguide.toml").write_text(settings, encoding="utf-8")
        yield model


def streamed(client, **more):
    return client.stream("POST", f"{BASE}/run", json=run_body(client, **more), headers=STREAM)


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_a_run_is_streamed_from_open_to_done(client):
    with streamed(client, preset="efficient") as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-cache, no-transform"
        assert response.headers["x-accel-buffering"] == "no"
        events = [event for event in events_of(response) if isinstance(event, Event)]
    assert events[0].name == "open"
    assert (events[0].data["targetKind"], events[0].data["targetName"]) == (PERSONA, "writer")
    progress = [event.data for event in events if event.name == "progress"]
    assert {"dataset", "compose", "gates", "persist"} <= {data["phase"] for data in progress}
    details = [data["detail"] for data in progress if data["detail"] and "candidate" in data["detail"]]
    assert {"stage", "generation", "candidate", "front", "calls", "usd"} <= set(details[0])
    assert events[-1].name == "done"
    assert events[-1].data["outcome"] == "proposed"
    assert events[-1].data["composeSummary"]
    ids = [event.id for event in events]
    assert len(set(ids)) == len(ids)


def test_frames_are_written_as_the_seed_writes_them(client):
    with streamed(client) as response:
        first = next(response.iter_raw()).decode()
    assert "\r" not in first
    assert "event: open\ndata: {" in first


def test_a_wrong_body_is_refused_before_the_stream_begins(client):
    response = client.post(f"{BASE}/run", json={}, headers=STREAM)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/json"


def test_the_run_goes_on_when_its_reader_goes_away(slow_model, client, server):
    with streamed(client) as response:
        uuid = next(event for event in events_of(response)).data["uuid"]
    wait_until(lambda: client.get(f"{BASE}/runs/{uuid}").json()["attempt"]["state"] != "running")
    assert client.get(f"{BASE}/runs/{uuid}").json()["attempt"]["state"] in ("skipped-delta", "proposed")


def test_a_reader_comes_again_where_it_left_off(slow_model, client):
    with streamed(client) as response:
        seen = list(itertools.islice(events_of(response), 4))
    with client.stream(
        "GET", f"{BASE}/runs/{seen[0].data['uuid']}/events", headers={"Last-Event-ID": seen[-1].id}
    ) as again:
        rest = [event for event in events_of(again) if isinstance(event, Event)]
    assert not {event.id for event in seen} & {event.id for event in rest}
    number = int(seen[-1].id.rpartition("-")[2])
    assert [int(event.id.rpartition("-")[2]) for event in rest] == list(range(number + 1, number + 1 + len(rest)))
    assert rest[-1].name == "done"


@pytest.mark.parametrize("last", ["", "ffffffff-3", "99999999999999999999"])
def test_an_unknown_last_event_tells_everything_from_the_start(client, last):
    with streamed(client) as response:
        uuid = next(events_of(response)).data["uuid"]
    with client.stream("GET", f"{BASE}/runs/{uuid}/events", headers={"Last-Event-ID": last}) as again:
        events = list(events_of(again))
    assert (events[0].name, events[-1].name) == ("open", "done")


def test_two_readers_hear_the_same(slow_model, client):
    with streamed(client) as response:
        stream = events_of(response)
        uuid = next(stream).data["uuid"]
        with client.stream("GET", f"{BASE}/runs/{uuid}/events") as other:
            second = [event for event in events_of(other) if isinstance(event, Event)]
        first = [event for event in stream if isinstance(event, Event)]
    assert first == second[1:]


def test_a_run_of_another_program_can_be_followed(slow_model, client, folder):
    slow_model.delay = 0.2

    async def run_elsewhere():
        async with await Workspace.open(folder) as other:
            await other.evolve("coder", RunOptions(preset="quick"))

    elsewhere = threading.Thread(target=lambda: asyncio.run(run_elsewhere()))
    elsewhere.start()
    try:
        wait_until(lambda: client.get(f"{BASE}/runs").json()["attempts"])
        uuid = client.get(f"{BASE}/runs").json()["attempts"][0]["uuid"]
        with client.stream("GET", f"{BASE}/runs/{uuid}/events") as response:
            events = [event for event in events_of(response) if isinstance(event, Event)]
    finally:
        elsewhere.join()
    assert events[0].data == {"targetKind": PERSONA, "targetName": "coder", "uuid": uuid}
    assert {event.name for event in events[1:-1]} == {"progress"}
    assert events[-1].name == "done"
    assert events[-1].data["outcome"] == "skipped-delta"


def test_a_result_is_the_same_after_a_restart(make_server):
    first: RunningServer = make_server()
    with first.client() as client:
        told = client.post(f"{BASE}/run", json=run_body(client, baseline="another text")).json()
    first.stop()
    with (
        make_server().client() as client,
        client.stream("GET", f"{BASE}/runs/{told['uuid']}/events", headers={"Last-Event-ID": "0-5"}) as response,
    ):
        again = list(events_of(response))[-1].data
    assert again["composeSummary"]["winnerId"]
    assert again["notes"] == ["The posted baseline differs from the live text; the live text was used."]
    for part in ("spend", "verification"):  # more of them is stored than told, or the other way round
        ours, theirs = told.pop(part), again[part]
        assert {key: theirs[key] for key in ours if key in theirs} == {key: ours[key] for key in ours if key in theirs}
    assert {key: again[key] for key in told} == told


def test_a_run_whose_program_died_is_told_as_interrupted(monkeypatch, client, folder):
    monkeypatch.setattr("honeyguide.server.live_runs.LOOK_FOR_DEATH_SECONDS", 0.1)
    with Store.open(folder / "honeyguide.db") as dead:
        dead.write_now(lambda unit: unit.attempts.start(AttemptRecord("left", PERSONA, "writer")))
    with client.stream("GET", f"{BASE}/runs/left/events") as response:
        events = [event for event in events_of(response) if isinstance(event, Event)]
    assert [event.name for event in events] == ["open", "error"]
    assert "runs resume" in events[-1].data["hint"]


def test_an_ended_run_is_told_from_the_database_after_a_restart(waiting, client):
    uuid = proposed(client)["run_uuid"]
    with client.stream("GET", f"{BASE}/runs/{uuid}/events") as response:
        events = list(events_of(response))
    assert [event.name for event in events] == ["open", "done"]
    assert events[-1].data["outcome"] == "proposed"
    assert events[-1].data["run"]["run_uuid"] == uuid


def test_a_second_run_on_the_target_is_refused_with_who_works_on_it(slow_model, client):
    with streamed(client) as response:
        uuid = next(events_of(response)).data["uuid"]
        second = client.post(f"{BASE}/run", json=run_body(client))
        assert second.status_code == 409
        assert uuid in second.json()["error"]
        other = client.post(f"{BASE}/run", json=run_body(client, "planner"))
        assert other.status_code == 200


def test_a_stopped_run_ends_its_stream_as_aborted(slow_model, client, server):
    with streamed(client) as response:
        stream = events_of(response)
        uuid = next(stream).data["uuid"]
        assert client.post(f"{BASE}/runs/{uuid}/cancel").status_code == 401
        assert client.post(f"{BASE}/runs/{uuid}/cancel", headers=server.auth).status_code == 202
        last = [event for event in stream if isinstance(event, Event)][-1]
    assert (last.name, last.data["outcome"]) == ("done", "aborted")


def test_stopping_the_server_ends_streams_and_leaves_runs_to_resume(slow_model, make_server, folder):
    server: RunningServer = make_server()
    with server.client() as client, streamed(client) as response:
        stream = events_of(response)
        uuid = next(stream).data["uuid"]
        begun = time.monotonic()
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        last = [event for event in stream if isinstance(event, Event)][-1]
        stopping.join()
    assert time.monotonic() - begun < 6
    assert last.data["outcome"] == "aborted"
    with make_server().client() as client:
        assert client.get(f"{BASE}/runs/{uuid}").json()["attempt"]["state"] in ("interrupted", "aborted")


def test_a_model_that_cannot_be_used_is_503_and_an_error_event(slow_model, client):
    slow_model.key = "another"
    response = client.post(f"{BASE}/run", json=run_body(client))
    assert (response.status_code, response.json()["code"]) == (503, "unreachable")
    with streamed(client) as response:
        assert response.status_code == 200
        events = list(events_of(response))
    assert events[-1].name == "error"
    assert events[-1].data["error"]


def test_an_idle_stream_has_a_heartbeat(monkeypatch, client):
    monkeypatch.setattr(frames, "HEARTBEAT_SECONDS", 0.1)
    with client.stream("GET", "/api/prompts/events") as response:
        heard = list(itertools.islice(events_of(response), 4))
    assert [event.name for event in heard if isinstance(event, Event)] == ["open"]
    assert heard.count("still here") == 3


def test_the_heartbeat_comes_every_fifteen_seconds():
    assert frames.HEARTBEAT_SECONDS == 15


def test_agents_hear_of_a_deploy_and_of_a_rollback(waiting, client, server):
    run = proposed(client)
    before = client.get(f"/api/prompts/{PERSONA}/writer")
    with client.stream("GET", "/api/prompts/events") as response:
        stream = (event for event in events_of(response) if isinstance(event, Event))
        assert next(stream).name == "open"
        client.post(f"{BASE}/runs/{run['run_uuid']}/accept", json={"note": "ok"}, headers=server.auth)
        heard = next(stream)
        assert (heard.name, heard.data["kind"], heard.data["name"]) == ("persona:reloaded", PERSONA, "writer")
        tag = {"If-None-Match": before.headers["etag"]}
        now = client.get(f"/api/prompts/{PERSONA}/writer", headers=tag)
        assert (now.status_code, now.json()["text"]) == (200, run["winner_text"])
        server.ask(server.workspace.rollback("writer"))
        assert next(stream).name == "persona:reloaded"
        assert client.get(f"/api/prompts/{PERSONA}/writer", headers=tag).status_code == 304
    with client.stream("GET", "/api/prompts/events", headers={"Last-Event-ID": heard.id}) as response:
        stream = (event for event in events_of(response) if isinstance(event, Event))
        assert [next(stream).name, next(stream).name] == ["open", "persona:reloaded"]


def test_a_prompt_can_be_read_as_plain_text(client, server):
    response = client.get("/api/prompts/behavioral-spec-section/coreLoop", headers={"Accept": "text/plain"})
    assert response.headers["content-type"].startswith("text/plain")
    assert response.text == server.workspace.active_prompt("behavioral-spec-section", "coreLoop")


@pytest.mark.parametrize(
    ("path", "status"),
    [("poem/writer", 404), (f"{PERSONA}/nobody", 404), (f"{PERSONA}/.hidden", 404), (f"{PERSONA}/a%00b", 400)],
)
def test_a_prompt_that_is_not_there_is_not_found(client, path, status):
    assert client.get(f"/api/prompts/{path}").status_code in (status, 400)

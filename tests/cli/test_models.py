"""The commands about models, as a person sees them."""

from __future__ import annotations

import io
import json

import pytest

from tests.fakes.model_server import ModelServer, Turn

KEY = "sk-ant-marker-1234567890"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def test_a_model_that_answers_is_named_with_what_was_put_right(cli, monkeypatch):
    with ModelServer() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{server.url}/v1/messages/")
        said = cli("models", "test", "anthropic:x")
    assert said.exit_code == 0
    assert "anthropic:x: anthropic:x answered in" in said.out  # and not a sign for ":x:"
    assert "Left out /v1/messages" in said.out


@pytest.mark.parametrize(
    ("turn", "kind", "remedy"),
    [
        (Turn(401), "auth", "Check the key"),
        (Turn(403), "forbidden", "project"),
        (Turn(404), "model-not-found", "Did you mean claude-haiku-4-5?"),
        (Turn(402), "quota", "Add credit"),
        (Turn(429, error={"type": "billing_error"}), "quota", "Add credit"),
        (Turn(429), "rate-limit", "Wait a little"),
        (Turn(529), "overloaded", "Wait a little"),
        (Turn(raw=b"<html>", content_type="text/html"), "bad-answer", "base URL"),
        (Turn(cut="before"), "cut", "Wait a little"),
    ],
)
def test_each_failure_has_its_name_and_its_remedy(cli, monkeypatch, turn, kind, remedy):
    with ModelServer(models=("claude-haiku-4-5", "other")) as server:
        server.plan.append(turn)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        said = cli("models", "test", "anthropic:claude-haiku-45", "--json")
    assert said.exit_code == 5
    (found,) = said.json["models"]
    assert (found["ok"], found["kind"]) == (False, kind)
    assert found["message"].startswith(("anthropic (127.0.0.1", "The account at anthropic (127.0.0.1"))
    assert remedy in found["remedy"]
    assert KEY not in said.out + said.err


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({"ANTHROPIC_BASE_URL": "https://no-such-host.invalid"}, "dns"),
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "refused"),
        ({"ANTHROPIC_BASE_URL": "http://models.invalid", "HTTP_PROXY": "http://127.0.0.1:9"}, "proxy"),
        ({"ANTHROPIC_BASE_URL": "http://models.invalid", "ALL_PROXY": "socks5://127.0.0.1:9"}, "proxy-kind"),
        ({"ANTHROPIC_API_KEY": ""}, "no-key"),
        ({"ANTHROPIC_BASE_URL": "ftp://somewhere"}, "invalid"),
    ],
)
def test_what_never_gets_through_is_explained(cli, monkeypatch, environment, kind):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    said = cli("models", "test", "anthropic:x", "--json")
    assert said.exit_code == 5
    (found,) = said.json["models"]
    assert found["kind"] == kind
    assert found["message"]
    assert found["remedy"]


def test_a_provider_is_asked_which_models_it_offers(cli, monkeypatch):
    with ModelServer(models=("one", "two")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert cli("models", "list", "anthropic").out.split() == ["anthropic:one", "anthropic:two"]
        assert cli("models", "list", "anthropic", "--json").json["models"] == ["one", "two"]
    assert cli("models", "list", "nobody", "--json").exit_code == 2


def test_a_request_is_seen_exactly_as_it_would_leave(cli, monkeypatch):
    with ModelServer() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        options = ("writer", "--model", "anthropic:m", "--max-calls", 1, "--preset", "quick", "--concurrency", 1)
        planned = cli("plan", *options, "--show-request", "--json")
        assert server.seen == []
        cli("evolve", *options, "--yes", "--json")
        sent = [seen.body for seen in server.calls]
    shown = [json.loads(request["text"]) for request in planned.json["requests"]]
    assert [body["system"] for body in shown[:1]] == [body["system"] for body in sent]
    assert shown[0].keys() == sent[0].keys()
    assert KEY not in planned.out


def test_the_key_is_in_nothing_that_was_written(cli, folder, monkeypatch):
    told = {"message": f"the key {KEY} is not welcome; Bearer {KEY}"}
    with ModelServer(lambda text: f"Your key is {KEY}, by the way.") as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        server.plan += [Turn(), Turn(400, error=told), Turn(401, error=told)]
        options = ("writer", "--model", "anthropic:m", "--max-calls", 12, "--preset", "quick", "--yes")
        printed = [cli("evolve", *options, "--json"), cli("models", "test", "anthropic:m"), cli("models", "list")]
        assert KEY in str([seen.headers for seen in server.calls])  # it was really used
    (run,) = cli("runs", "list", "--json").json["attempts"][:1]
    printed += [
        cli("runs", "show", run["uuid"]),
        cli("runs", "export", run["uuid"], folder / "run.html"),
        cli("doctor", "--json"),
    ]
    assert not [said for said in printed if KEY in said.out + said.err]
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "journal.jsonl" for path in written)
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_without_a_key_ring_a_command_says_that_it_cannot_keep_a_key(cli, folder, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("sk-ant-another-1234567890\n"))
    monkeypatch.setattr("honeyguide.llm.keys._system_keyring", lambda: None)
    said = cli("models", "set-key", "anthropic", "--json")
    assert (said.exit_code, said.json["error"]["code"]) == (5, "no-key")
    assert "ANTHROPIC_API_KEY" in said.json["error"]["hint"]
    assert "another" not in said.out + said.err
    assert not [path for path in folder.rglob("*") if path.is_file() and b"sk-ant-another" in path.read_bytes()]

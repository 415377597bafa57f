"""Who may ask what: hosts, origins, tokens, binds."""

from __future__ import annotations

import os
import socket
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Conflict, InvalidInput, Locked, PolicyRefused, Unreadable
from honeyguide.server.access import Access, host_name, is_loopback
from honeyguide.server.serving import bind
from honeyguide.server.tokens import read_token, token_path
from tests.server.servers import run_body, start_server

BASE = "/api/evolution"
PAID = '[models]\nexecutor = "anthropic:claude-haiku-4-5"\njudge = "anthropic:x"\nmutator = "anthropic:x"\n'
ORIGIN = "https://desk.example"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:3737", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:3737", 200),
        ("evil.example", 403),
        ("evil.example:3737", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost.evil.example", 403),
        ("192.168.1.7", 403),
        ("", 403),
        ("127.0.0.1:abc", 403),
    ],
)
def test_only_our_own_names_are_answered(reader, host, status):
    response = reader.get("/healthz", headers={"Host": host})
    assert response.status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://evil.example", 403),
        ("null", 403),
        ("http://localhost:9999", 403),
        ("file://", 403),
        ("", 403),
    ],
)
def test_foreign_pages_are_refused(reader, origin, status):
    assert reader.get(f"{BASE}/status", headers={"Origin": origin}).status_code == status
    assert reader.post(f"{BASE}/run", json={}, headers={"Origin": origin}).status_code == status


def test_pages_of_the_server_itself_may_call(reader, shared):
    assert reader.get("/healthz", headers={"Origin": shared.url}).status_code == 200


def test_configured_origins_get_cors_also_on_streams(make_server, folder):
    settings = folder / "honeyguide.toml"
    settings.write_text(settings.read_text() + f'\n[server]\norigins = ["{ORIGIN}"]\n', encoding="utf-8")
    with make_server().client(Origin=ORIGIN) as client:
        preflight = client.options(
            f"{BASE}/run",
            headers={"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"},
        )
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == ORIGIN
        assert client.get(f"{BASE}/status").headers["access-control-allow-origin"] == ORIGIN
        with client.stream("GET", "/api/prompts/events") as response:
            assert response.headers["access-control-allow-origin"] == ORIGIN
        refused = client.post(f"{BASE}/runs/x/accept", json={})
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, ORIGIN)


def test_without_configured_origins_there_is_no_cors(reader):
    assert "access-control-allow-origin" not in reader.get(f"{BASE}/status").headers


@pytest.mark.parametrize("decision", ["accept", "reject", "cancel"])
def test_deciding_needs_the_token_also_on_this_computer(reader, proposal, shared, decision):
    response = reader.post(f"{BASE}/runs/{proposal}/{decision}", json={})
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert shared.token not in response.text
    assert reader.get(f"{BASE}/runs/{proposal}").json()["status"] == "proposed"


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic dTpw"},
        {"Authorization": "Bearer tökén".encode()},
        {"X-API-Key": "wrong"},
        {"X-API-Key": ""},
    ],
)
def test_a_wrong_token_is_refused_even_for_reading(reader, headers):
    assert reader.get(f"{BASE}/status", headers=headers).status_code == 401


def test_the_token_may_come_in_either_header(reader, shared):
    for headers in (shared.auth, {"X-API-Key": shared.token}, {"Authorization": f"bearer {shared.token}"}):
        response = reader.post(f"{BASE}/runs/none/reject", json={}, headers=headers)
        assert response.status_code == 404


def test_a_paid_run_without_a_key_is_422_with_and_without_the_token(folder, make_server):
    (folder / "honeyguide.toml").write_text(PAID, encoding="utf-8")
    server = make_server()
    with server.client() as client:
        body = run_body(client)
        for headers in ({}, server.auth):
            response = client.post(f"{BASE}/run", json=body, headers=headers)
            assert (response.status_code, response.json()["code"]) == (422, "no-key")
        elsewhere = client.post(f"{BASE}/run", json=body | {"targetName": "nobody"})
        assert elsewhere.status_code == 422
        assert client.post(f"{BASE}/run", json=body | {"targetName": " "}).status_code == 400


def test_a_paid_run_needs_the_token_and_says_what_it_would_cost(folder, make_server, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-not-a-real-key-000000")
    (folder / "honeyguide.toml").write_text(PAID, encoding="utf-8")
    with make_server().client() as client:
        response = client.post(f"{BASE}/run", json=run_body(client))
        assert response.status_code == 401
        assert response.json()["plan"]["calls"]["high"] > 0
        assert "not-a-real-key" not in response.text


def test_a_price_that_nobody_knows_needs_a_ceiling(folder, make_server, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-not-a-real-key-000000")
    (folder / "honeyguide.toml").write_text(PAID.replace("claude-haiku-4-5", "unheard-of"), encoding="utf-8")
    server = make_server()
    with server.client() as client:
        response = client.post(f"{BASE}/run", json=run_body(client), headers=server.auth)
        assert (response.status_code, response.json()["code"]) == (403, "policy")
        assert "maxCalls" in response.json()["hint"]


def test_a_trusted_loopback_may_decide_without_the_token(make_server):
    with make_server(trust_loopback=True).client() as client:
        assert client.post(f"{BASE}/runs/none/accept", json={}).status_code == 404


def test_beyond_this_computer_everything_but_health_needs_the_token(make_server, tmp_path):
    file = tmp_path / "token"
    file.write_text("a-token-that-somebody-chose", encoding="ascii")
    file.chmod(0o600)
    server = make_server(host="0.0.0.0", token_file=file)
    server.url = server.url.replace("0.0.0.0", "127.0.0.1")
    with server.client() as client:
        assert client.get("/healthz").status_code == 200
        assert client.get(f"{BASE}/status").status_code == 401
        assert client.get(f"{BASE}/status", headers=server.auth).status_code == 200
        assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 403
        assert client.get("/healthz", headers={"Host": "192.168.1.7:3737"}).status_code == 200


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"host": "0.0.0.0"}, PolicyRefused),
        ({"host": "::"}, PolicyRefused),
        ({"host": "no-such-host.invalid"}, PolicyRefused),
        ({"host": "127.0.0.1 x"}, PolicyRefused),
    ],
)
def test_a_bind_beyond_this_computer_is_refused_without_a_token(make_server, options, error):
    with pytest.raises(error):
        make_server(**options)


def test_trust_in_loopback_is_for_loopback_alone(make_server, tmp_path):
    file = tmp_path / "token"
    file.write_text("a-token-that-somebody-chose", encoding="ascii")
    file.chmod(0o600)
    with pytest.raises(PolicyRefused, match="trust-loopback"):
        make_server(host="0.0.0.0", token_file=file, trust_loopback=True)


def test_a_second_server_says_who_serves_the_workspace(server, folder):
    with pytest.raises(Locked, match=f"process {os.getpid()} on {socket.gethostname()}"):
        start_server(folder)


def test_a_taken_port_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Conflict, match=str(taken.getsockname()[1])):
            bind("127.0.0.1", taken.getsockname()[1])


def test_ipv6_loopback_is_served(make_server):
    with make_server(host="::1").client() as client:
        assert client.get("/healthz").status_code == 200


# --- the token's file


def test_the_token_is_made_once_and_kept_for_the_owner(tmp_path):
    token = read_token()
    assert len(token) >= 40
    assert read_token() == token
    if os.name == "posix":
        assert stat.S_IMODE(token_path().stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
def test_a_token_that_others_may_read_is_refused(tmp_path):
    file = tmp_path / "token"
    file.write_text("a-token-that-somebody-chose", encoding="ascii")
    file.chmod(0o644)
    with pytest.raises(PolicyRefused, match="Others may read"):
        read_token(file)


@pytest.mark.parametrize(
    ("content", "error"),
    [("", InvalidInput), ("short", InvalidInput), ("with a space in it ok", InvalidInput), ("ü" * 20, Unreadable)],
)
def test_a_file_without_a_token_is_refused(tmp_path, content, error):
    file = tmp_path / "token"
    file.write_text(content, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(error):
        read_token(file)


# --- the rules by themselves


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("localhost", True), ("::1", True), ("[::1]", True), ("0.0.0.0", False),
     ("::", False), ("192.168.0.1", False), ("example.org", False), ("", False)],
)  # fmt: skip
def test_loopback_is_this_computer_alone(host, local):
    assert is_loopback(host) is local


@given(st.text(max_size=60))
def test_a_malformed_host_names_nobody(header):
    access = Access(host="127.0.0.1", token="0123456789abcdef")
    if access.knows_host(header):
        assert host_name(header) in ("localhost", "127.0.0.1", "::1")


@given(st.text(max_size=60))
def test_only_the_token_is_the_token(given_text):
    access = Access(host="127.0.0.1", token="0123456789abcdef")
    assert access.is_token(given_text) is (given_text == "0123456789abcdef")

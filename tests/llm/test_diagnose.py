"""`models test` tells the causes apart and names a remedy for each."""

from __future__ import annotations

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from honeyguide.llm import Diagnosis, ModelRef, ModelSettings, diagnose
from tests.fakes.model_server import ModelServer, Turn
from tests.llm.support import HAIKU, registry


def test_a_model_that_answers_is_fine_and_repairs_are_said() -> None:
    with ModelServer() as server:
        found = _diagnose(server.url + "/v1/messages/")
    assert (found.is_ok, found.kind, found.remedy) == (True, "ok", "")
    assert found.notes == ("Left out /v1/messages: it is added for each call.",)


@pytest.mark.parametrize(
    ("turn", "kind", "remedy"),
    [
        (Turn(401), "auth", "key"),
        (Turn(403), "forbidden", "key"),
        (Turn(402), "quota", "credit"),
        (Turn(429, error={"code": "insufficient_quota"}), "quota", "credit"),
        (Turn(429), "rate-limit", "Wait"),
        (Turn(529), "overloaded", "Wait"),
        (Turn(407), "proxy", "HTTPS_PROXY"),
        (Turn(301, headers={"location": "https://x"}), "redirect", "base URL"),
        (Turn(raw=b"<html>", content_type="text/html"), "bad-answer", "base URL"),
        (Turn(cut="before"), "cut", "Wait"),
    ],
)
def test_each_cause_has_its_remedy(turn: Turn, kind: str, remedy: str) -> None:
    with ModelServer() as server:
        server.plan.append(turn)
        found = _diagnose(server.url)
    assert (found.is_ok, found.kind) == (False, kind)
    assert remedy in found.remedy
    assert found.sentence


def test_a_misspelt_model_gets_suggestions() -> None:
    with ModelServer(models=("claude-haiku-4-5", "claude-opus-5-5", "other")) as server:
        found = _diagnose(server.url, ModelRef("anthropic", "claude-hiaku-4-5"))
    assert found.kind == "model-not-found"
    assert found.suggestions[0] == "claude-haiku-4-5"
    assert "Did you mean claude-haiku-4-5" in found.remedy


def test_nobody_listening() -> None:
    with ModelServer() as server:
        url = server.url
    found = _diagnose(url)
    assert found.kind == "refused"
    assert "Start the model server" in found.remedy


def test_a_name_that_does_not_exist() -> None:
    found = _diagnose("http://no-such-host.invalid")
    assert found.kind == "dns"
    assert "spelling" in found.remedy


def test_no_key() -> None:
    found = asyncio.run(diagnose(HAIKU, registry({})))
    assert found.kind == "no-key"
    assert "set-key" in found.remedy


def test_an_unknown_provider_and_a_bad_address() -> None:
    unknown = asyncio.run(diagnose(ModelRef("nobody", "x"), registry({})))
    assert (unknown.kind, unknown.is_ok) == ("invalid", False)
    assert _diagnose("http://user:pw@host").kind == "invalid"


def test_a_certificate_nobody_trusts_until_its_ca_is_named(tmp_path: Path) -> None:
    certificate, context = _self_signed(tmp_path)
    with ModelServer(tls=context) as server:
        found = _diagnose(server.url)
        assert found.kind == "tls"
        assert "CA file" in found.remedy
        assert _diagnose(server.url, settings=ModelSettings(ca_file=certificate)).is_ok
    wrong = tmp_path / "empty.pem"
    wrong.write_text("nothing")
    assert _diagnose("https://127.0.0.1:1", settings=ModelSettings(ca_file=wrong)).kind == "unreadable"


def test_the_practice_model_needs_nothing() -> None:
    assert asyncio.run(diagnose(ModelRef.parse("practice"), registry({}))).is_ok


def _diagnose(url: str, ref: ModelRef = HAIKU, settings: ModelSettings | None = None) -> Diagnosis:
    reg = registry({"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "key-of-the-test"}, settings)

    async def run() -> Diagnosis:
        try:
            return await diagnose(ref, reg)
        finally:
            await reg.close()

    return asyncio.run(run())


def _self_signed(folder: Path) -> tuple[Path, ssl.SSLContext]:
    x509 = pytest.importorskip("cryptography.x509")
    from ipaddress import ip_address

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "cert.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private)
    return certificate, context

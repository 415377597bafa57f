"""A marker key is planted, everything goes wrong that can, and no trace of it is anywhere but on the wire."""

from __future__ import annotations

import asyncio
import logging
import pickle
import traceback
from pathlib import Path

import pytest

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.llm import RunModels, diagnose
from honeyguide.llm.failures import without_secrets
from honeyguide.llm.protocol import ModelRef
from tests.fakes.model_server import ModelServer, Turn
from tests.llm.support import HAIKU, QUICK, ask, registry

MARKER = "MARKER-4f1c9a-key"
SOON = {"retry-after": "0.01"}
GPT = ModelRef("openai", "gpt-x")


@pytest.mark.parametrize("ref", [HAIKU, GPT], ids=["anthropic", "openai"])
def test_the_key_is_nowhere(tmp_path: Path, ref: ModelRef, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    shown: list[str] = []
    with ModelServer() as server:
        environ = {
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": MARKER,
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": MARKER,
        }
        reg = registry(environ)
        told = {"message": f"the key {MARKER} is wrong; Bearer {MARKER}"}

        async def run() -> None:
            run = RunModels.open(reg, tmp_path / "journal.jsonl")
            run = RunModels(reg, run.journal, run.budget, policy=QUICK)
            client = run.client(ref)
            for turn in [
                Turn(),
                *[Turn(status, error=told, headers=SOON) for status in (400, 401, 403, 404, 429, 500, 529)],
            ]:
                server.plan += [turn] * (1 if turn.status < 429 else 6)
                try:
                    shown.append(repr(await client.complete(ask(f"status {turn.status}", model=ref))))
                except HoneyguideError as error:
                    shown.extend([*traceback.format_exception(error), repr(error), str(error.to_json())])
            server.plan += [Turn(cut="before"), Turn(cut="middle")]
            shown.append(repr(await client.complete(ask("cut", model=ref))))
            server.plan.append(Turn(401, error=told))
            shown.append(repr(await diagnose(ref, reg)))
            shown.append(repr(client.preview(ask(model=ref))))
            shown.append(repr([run.spend, reg.settings, reg.provider(ref).connection]))  # type: ignore[attr-defined]
            await run.close()
            await reg.close()

        asyncio.run(run())
        assert any(MARKER in str(seen.headers) for seen in server.calls)  # it was really used
    assert len(shown) > 10
    assert not [text for text in shown if MARKER in text]
    assert MARKER not in caplog.text
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if MARKER.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdef123456. Find yours at …",
        "Authorization: Bearer abcdefghijkl",
        "key sk-ant-api03-AAAABBBBCCCC refused",
        "sk-svcacct-****wxyz",
    ],
)
def test_what_looks_like_a_key_in_a_providers_words_is_taken_out(text: str) -> None:
    cleaned = without_secrets(text)
    assert not any(part in cleaned for part in ("abcdef", "AAAABBBB", "wxyz", "ghijkl"))


def test_errors_can_be_carried_to_another_process() -> None:
    from honeyguide.llm.failures import Failure, FailureKind, failure_of, model_error

    error = model_error(Failure(FailureKind.RATE_LIMIT, 429, 3.5, True), who="x", said="slow down")
    assert failure_of(error) == Failure(FailureKind.RATE_LIMIT, 429, 3.5, True)
    assert str(pickle.loads(pickle.dumps(str(error)))) == str(error)

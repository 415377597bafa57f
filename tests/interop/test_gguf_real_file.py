"""A real model file, run by the program itself: started with the first call, gone with the program.

Runs only when HONEYGUIDE_TEST_GGUF names a .gguf file and the extra ``honeyguide[local]`` is installed.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.llm.support import eventually

from honeyguide.llm import Message, ModelRef, ModelRegistry, ModelRequest, ModelSettings, PriceTable, StopReason
from honeyguide.llm.keys import KeyStore
from honeyguide.llm.providers.gguf import is_installed

FILE = os.environ.get("HONEYGUIDE_TEST_GGUF", "")
REF = ModelRef("gguf", "small")
pytestmark = [
    pytest.mark.realmodel,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        not FILE or not is_installed(), reason="no model file is named, or honeyguide[local] is missing"
    ),
]

PROGRAM = """
import asyncio, pathlib, sys
from honeyguide.llm import Message, ModelRef, ModelRequest
from honeyguide.llm.providers.gguf import GgufProvider

async def main():
    provider = GgufProvider(pathlib.Path(sys.argv[1]))
    await provider.complete(ModelRequest(ModelRef("gguf", "small"), (Message("user", "Say yes."),), max_tokens=4))
    print(provider._child.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def no_watchdog() -> None:
    """Loading a model on a busy machine takes longer than any test of the suite may."""
    faulthandler.cancel_dump_traceback_later()


def test_a_file_answers_and_its_child_ends_with_the_registry() -> None:
    async def run() -> int:
        settings = ModelSettings(gguf_files={"small": Path(FILE)})
        registry = ModelRegistry(settings, KeyStore({}), PriceTable.load(), {})
        provider = registry.provider(REF)
        reply = await provider.complete(_question("Answer with the one word: yes", 8))
        assert reply.text.strip()
        assert reply.usage.output_tokens
        cut = await provider.complete(_question("Count from one to one hundred in words.", 6))
        assert cut.stop_reason is StopReason.MAX_TOKENS
        pid = int(provider._child.pid)  # type: ignore[attr-defined]
        os.kill(pid, 0)
        await registry.close()
        return pid

    pid = asyncio.run(run())
    assert eventually(lambda: _is_gone(pid), 20)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_the_child_does_not_outlive_a_killed_program() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PROGRAM, FILE], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert not _is_gone(pid)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert eventually(lambda: _is_gone(pid), 20)


def _question(text: str, max_tokens: int) -> ModelRequest:
    return ModelRequest(REF, (Message("user", text),), max_tokens=max_tokens)


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"

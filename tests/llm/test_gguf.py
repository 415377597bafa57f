"""A model file is run by a child process that answers on loopback, for us only, and never outlives us."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from honeyguide.kernel.errors import InvalidInput, ModelRefused, Unreachable, Unreadable
from honeyguide.llm import ModelRef, ModelReply, ModelSettings, gguf_name
from honeyguide.llm.providers.gguf import GgufProvider, is_installed
from tests.llm.support import ask, eventually, registry

ROOT = Path(__file__).parents[2]
CHILD = (sys.executable, "-m", "tests.fakes.gguf_child")
REF = ModelRef("gguf", "tiny")


@pytest.fixture
def model_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(ROOT)
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    return path


def test_calls_are_answered_by_a_child_that_ends_with_close(model_file: Path) -> None:
    provider = GgufProvider(model_file, command=CHILD)

    async def run() -> tuple[list[ModelReply], int]:
        replies = await asyncio.gather(*(provider.complete(ask(str(n), model=REF)) for n in range(4)))
        child = provider._child
        assert child is not None
        await provider.close()
        await provider.close()
        return replies, child.pid

    replies, pid = asyncio.run(run())
    assert sorted(r.text for r in replies) == [f"tiny.gguf: {n}" for n in range(4)]
    assert eventually(lambda: not _is_alive(pid))


def test_a_child_that_died_is_started_again(model_file: Path) -> None:
    provider = GgufProvider(model_file, command=CHILD)

    async def run() -> None:
        await provider.complete(ask("a", model=REF))
        child = provider._child
        assert child is not None
        child.kill()
        child.wait()
        assert (await provider.complete(ask("b", model=REF))).text == "tiny.gguf: b"
        await provider.close()

    asyncio.run(run())


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_the_child_ends_when_the_program_is_killed(model_file: Path) -> None:
    program = (
        "import asyncio, sys, pathlib\n"
        "from honeyguide.llm.providers.gguf import GgufProvider\n"
        "from tests.llm.support import ask\n"
        "async def main():\n"
        "    command = (sys.executable, '-m', 'tests.fakes.gguf_child')\n"
        "    provider = GgufProvider(pathlib.Path(sys.argv[1]), command=command)\n"
        "    await provider.complete(ask('a'))\n"
        "    print(provider._child.pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(model_file)], stdout=subprocess.PIPE, cwd=ROOT)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert _is_alive(pid)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert eventually(lambda: not _is_alive(pid), 10)


def test_a_child_that_does_not_load_the_model_is_an_error(model_file: Path) -> None:
    provider = GgufProvider(model_file, command=(*CHILD, "--fail"))
    with pytest.raises(Unreachable, match="did not load"):
        asyncio.run(provider.complete(ask(model=REF)))


@pytest.mark.parametrize("content", [b"", b"not a model"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    with pytest.raises(Unreadable, match="GGUF"):
        asyncio.run(GgufProvider(path, command=CHILD).complete(ask(model=REF)))


@pytest.mark.skipif(is_installed(), reason="the optional part is installed")
def test_without_the_optional_part_the_remedy_is_named(model_file: Path) -> None:
    with pytest.raises(ModelRefused) as caught:
        asyncio.run(GgufProvider(model_file).complete(ask(model=REF)))
    assert "honeyguide[local]" in caught.value.hint


def test_files_are_known_by_a_name_so_that_no_path_gets_into_records(model_file: Path) -> None:
    settings = ModelSettings(gguf_files={gguf_name(model_file): model_file})
    reg = registry({}, settings)
    assert str(model_file.parent) not in str(reg.provider(REF).preview(ask(model=REF)))
    assert [m.id for m in asyncio.run(reg.list_models("gguf"))] == ["tiny"]
    with pytest.raises(InvalidInput, match="other"):
        reg.provider(ModelRef("gguf", "other"))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"

"""Try a frozen program: everything that freezing can break is done once, on a workspace of its own.

usage: python packaging/pyinstaller/try_frozen.py PROGRAM [--without-window]

Each failure here is one that a person would have had: a missing module, plugin, data file, dialect, child process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

SECONDS = 120.0
MODEL_FILE_COMMAND = "serve-model-file"
REVIEW = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>t</title></html>"
)
HARNESS = """\
name: trial
description: Shows that the code of a folder runs
model: {provider: practice, id: practice}
system_prompt: Say hello.
verify:
  validators:
  - code: validators/seen.py:check
"""
VALIDATOR = """\
from pathlib import Path

def check(run_output, run_context):
    Path(__file__).parents[1].joinpath("seen.txt").write_text("called")
    return {"passed": True}
"""


class Trial:
    """One program and the folders that it may write to."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "HONEYGUIDE"))},
            **{name: str(folder / "home") for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")},
            **{
                f"XDG_{kind}_HOME": str(folder / "home" / kind.lower()) for kind in ("DATA", "STATE", "CONFIG", "CACHE")
            },
            "HONEYGUIDE_WORKSPACE": str(folder / "workspace"),
            "QT_QPA_PLATFORM": "offscreen",
        }
        (folder / "home").mkdir()

    def run(self, *arguments: str, exits: int = 0, **environment: str) -> str:
        """Run one command, stop at an unexpected exit code, and return what it printed."""
        began = time.monotonic()
        done = subprocess.run(
            [str(self.program), *arguments],
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            cwd=self.folder,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        print(f"{time.monotonic() - began:6.1f} s  {' '.join(arguments)[:90]}", flush=True)
        if done.returncode != exits or "Traceback" in err:
            raise SystemExit(f"exit {done.returncode} instead of {exits}\n{out[-4000:]}\n{err[-8000:]}")
        return out


class _Refusing(BaseHTTPRequestHandler):
    """A model provider that knows no key."""

    def do_POST(self) -> None:
        body = b'{"type":"error","error":{"type":"authentication_error","message":"no","code":"invalid_api_key"}}'
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def refusing_provider() -> Iterator[str]:
    """Run the provider on loopback and give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def try_all(trial: Trial, *, window: bool) -> None:
    """Do everything once."""
    assert trial.run("--version").startswith("honeyguide ")
    trial.run("init", str(trial.folder / "workspace"), "--sample", "--json")
    assert json.loads(trial.run("targets", "list", "--json"))["total"] > 0
    json.loads(trial.run("doctor", "--json"))
    _import_history(trial)
    _reach_providers(trial)
    _start_model_child(trial)
    _run_folder_code(trial)
    _run_through_http(trial)
    _start_other_programs(trial)
    trial.run("demo", "--dir", str(trial.folder / "demo"))
    assert trial.run("frobnicate", "--json", exits=2).startswith("{")
    if window:
        trial.run("--smoke")


def _import_history(trial: Trial) -> None:
    """A reader in a spawned process."""
    history = trial.folder / "chat.jsonl"
    messages = [{"role": "user", "content": "Say hello"}, {"role": "assistant", "content": "Hello."}]
    history.write_text(json.dumps({"messages": messages}) + "\n")
    report = json.loads(trial.run("traces", "import", str(history), "--json"))
    assert report["imported"] == 1, report


def _reach_providers(trial: Trial) -> None:
    """Both SDKs, imported and used: a refusal of the key shows that the whole way works."""
    with refusing_provider() as address:
        for provider, variable in (("anthropic", "ANTHROPIC"), ("openai", "OPENAI")):
            base = address if provider == "anthropic" else f"{address}/v1"
            said = trial.run(
                "models", "test", f"{provider}:some-model", "--json", exits=5,
                **{f"{variable}_API_KEY": "not-a-key", f"{variable}_BASE_URL": base, "NO_PROXY": "127.0.0.1"},
            )  # fmt: skip
            kind = json.loads(said)["models"][0]["kind"]
            assert kind == "auth", f"{provider}: {said}"


def _start_model_child(trial: Trial) -> None:
    """The child that runs model files comes as far as finding that there is no such file."""
    done = subprocess.run(
        [str(trial.program), MODEL_FILE_COMMAND, str(trial.folder / "none.gguf"), "512", "1"],
        env=trial.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    said = done.stderr.decode(errors="backslashreplace")
    assert done.returncode != 0, "it served a model that does not exist"
    assert "No module named" not in said and "Usage:" not in said, said
    print("          the child for model files starts", flush=True)


def _run_folder_code(trial: Trial) -> None:
    """The code of a harness folder runs in a child, which is this program started once more."""
    root = trial.folder / "harness"
    (root / "validators").mkdir(parents=True)
    (root / "harness.yaml").write_text(HARNESS)
    (root / "validators" / "seen.py").write_text(VALIDATOR)
    trial.run("harness", "trust", str(root))
    ended = json.loads(trial.run("harness", "run", str(root), "--input", "Say hello", "--json"))
    assert ended["status"] == "success", ended
    assert (root / "seen.txt").read_text() == "called"


def _run_through_http(trial: Trial) -> None:
    """The server starts a process for its runs, which is this program too; one run goes from order to proposal."""
    began = time.monotonic()
    with subprocess.Popen(
        [str(trial.program), "serve", "--port", "0", "--json"],
        env=trial.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=trial.folder,
    ) as server:  # fmt: skip
        watch = threading.Timer(SECONDS, server.kill)
        watch.start()
        try:
            assert server.stdout is not None
            said = b"".join(iter(server.stdout.readline, b"}\n")) + b"}"
            base = json.loads(said)["url"] + "/api/evolution"
            target = {"kind": "persona-system-prompt", "name": "planner"}
            live = _asked(f"{base}/baseline?{urlencode(target)}")
            order = {"targetKind": target["kind"], "targetName": target["name"], **live, "preset": "quick"}
            run = _asked(f"{base}/run", order)
            assert run["uuid"] and run["spend"]["calls"] > 0, run
        finally:
            watch.cancel()
            server.terminate()
    print(f"{time.monotonic() - began:6.1f} s  serve, and a run through it", flush=True)


def _asked(address: str, body: object = None) -> dict[str, Any]:
    """Return what the server answers to a GET, or to a POST where there is a body."""
    request = Request(
        address,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with build_opener(ProxyHandler({})).open(request, timeout=SECONDS) as answer:
        found: dict[str, Any] = json.loads(answer.read())
    return found


def _start_other_programs(trial: Trial) -> None:
    """What it starts (here: the browser that shows a review) must find the system's libraries, not ours."""
    if os.name != "posix":
        return
    browser, told = trial.folder / "browser", trial.folder / "environment"
    browser.write_text(f'#!/bin/sh\nenv > "{told}.part"\nmv "{told}.part" "{told}"\n')
    browser.chmod(0o755)
    review = trial.folder / "some.honeyguide-review"
    review.write_text(REVIEW)
    trial.run("open", str(review), BROWSER=f"{browser} %s")
    for _ in range(50):
        if told.exists():
            break
        time.sleep(0.1)
    given = [line for line in told.read_text().splitlines() if line.startswith(("LD_LIBRARY_PATH=", "_PYI_"))]
    assert given == [], given


def main(arguments: list[str]) -> int:
    """Try the program and say how it went."""
    with tempfile.TemporaryDirectory() as folder:
        try_all(Trial(Path(arguments[0]).absolute(), Path(folder)), window="--without-window" not in arguments)
    print("the program works")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

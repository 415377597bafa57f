"""The console entry and composition root: the only module that imports a front end, where it is needed."""

from __future__ import annotations

import gc
import multiprocessing
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from honeyguide.workspace import Workspace

MODEL_FILE_COMMAND = "serve-model-file"
"""How a frozen program starts itself as the child that runs a model file; not a command for people."""
HARNESS_CODE_COMMAND = "run-harness-code"
"""How a frozen program starts itself as the child that runs the code of a harness folder; not a command for people."""
RUNS_COMMAND = "run-for-server"
"""How the HTTP server starts the process that carries out its runs; not a command for people."""


def main() -> int:
    """Run the command line and return the exit code."""
    multiprocessing.freeze_support()
    if sys.argv[1:2] == [MODEL_FILE_COMMAND]:
        from honeyguide.llm.providers.gguf_server import main as serve_model_file

        return serve_model_file(sys.argv[2:])
    if sys.argv[1:2] == [HARNESS_CODE_COMMAND]:
        from honeyguide.harnesses.running.child import main as run_harness_code

        run_harness_code(sys.argv[2], int(sys.argv[3]))
        return 0
    if sys.argv[1:] == ["--version"]:
        from honeyguide import __version__

        print(f"honeyguide {__version__}")
        return 0
    if sys.argv[1:2] == [RUNS_COMMAND]:
        from honeyguide.server.runner_child import main as run_for_server

        return run_for_server(sys.argv[2:])
    from honeyguide.desktop.starting import handed_file, wanted_window

    arguments, file = handed_file(sys.argv[1:])
    window = wanted_window(arguments)
    if window is not None:
        return _window(*window, file)
    from honeyguide.cli.app import run
    from honeyguide.cli.front_ends import FrontEnds

    return run(
        sys.argv[1:],
        FrontEnds(
            window=_window,
            pictures=_pictures,
            serve=_serve,
            token=_token,
            mcp_stdio=_mcp_stdio,
            mcp_http=_mcp_http,
        ),
    )


def _window(workspace: Path, smoke: bool, file: Path | None = None) -> int:
    gc.disable()  # what is imported is no garbage; the window collects by itself, on its own thread
    from honeyguide.desktop.main import main as open_window

    return open_window(workspace, smoke=smoke, file=file)


def _pictures(workspace: Path, folder: Path) -> list[Path]:
    from honeyguide.desktop.screenshots import render_pages

    return render_pages(workspace, folder)


async def _serve(workspace: Workspace, **options: Any) -> None:
    from honeyguide.server.serving import serve

    def ready(serving: Any) -> None:
        gc.collect()
        gc.freeze()  # what stands by now is no garbage: looking through it would hold up every reader
        on_ready(serving)

    on_ready = options.pop("on_ready")
    await serve(workspace, on_ready=ready, **options)


def _token(file: Path | None) -> str:
    from honeyguide.server.tokens import read_token

    return read_token(file)


async def _mcp_stdio(workspace: Workspace) -> None:
    from honeyguide.server.mcp_serving import serve_mcp_stdio

    await serve_mcp_stdio(workspace)


async def _mcp_http(workspace: Workspace, **options: Any) -> None:
    from honeyguide.server.mcp_serving import serve_mcp_http

    await serve_mcp_http(workspace, **options)


if __name__ == "__main__":
    raise SystemExit(main())

"""``honeyguide harness package|serve|mcp``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output
from honeyguide.cli.harness_session import with_harnesses
from honeyguide.cli.session import Json
from honeyguide.kernel.errors import InvalidInput
from honeyguide.workspace import ModelRef

Dir = Annotated[Path, typer.Argument(help="The harness folder.", metavar="DIR")]
Engine = Annotated[str, typer.Option(help="honeyguide, or an installed hiveloom.")]
Model = Annotated[str | None, typer.Option(help="PROVIDER:MODEL in place of the spec's.")]


def register(app: typer.Typer) -> None:
    """Add these commands to ``honeyguide harness``."""
    app.command("package")(package)
    app.command("serve")(serve)
    app.command("mcp")(mcp)


def package(
    directory: Dir,
    out: Annotated[Path, typer.Option(help="Where the archive goes.", metavar="DIR")] = Path(),
    docker: Annotated[bool, typer.Option("--docker", help="Add what builds an image that runs it.")] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Add what builds an image that serves it.")] = False,
    runtime_wheel: Annotated[Path | None, typer.Option(help="Embed this wheel of the runtime.", metavar="FILE")] = None,
    json: Json = False,
) -> None:
    """Pack a harness as a clean zip; the folder itself is not touched."""
    data = with_harnesses(
        lambda both: both.serving.package(directory, out, docker=docker or serve, serve=serve, wheel=runtime_wheel)
    ).to_json()
    if not data["trusted"]:
        output.notes().print("Nobody on this computer trusted the code of this folder yet.")
    if json:
        output.print_json(data)
        return
    output.console().print(f"Packed {data['files']} files into {output.shown(data['zip_path'])}.")


def serve(
    directory: Dir,
    host: Annotated[str, typer.Option(help="The address to bind.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port.")] = 8080,
    concurrency: Annotated[int, typer.Option(min=1, help="Runs at the same time.")] = 1,
    model: Model = None,
    engine: Engine = "honeyguide",
) -> None:
    """Serve a harness: POST /runs, GET /healthz. HIVELOOM_API_KEY guards it."""
    ref = None if model is None else ModelRef.parse(model)
    with_harnesses(
        lambda both: both.serving.serve(
            directory,
            host,
            port,
            model=ref,
            concurrency=concurrency,
            engine=known_engine(engine),
            ready=lambda: output.notes().print(f"Serving {output.shown(str(directory))} at http://{host}:{port}"),
        )
    )


def mcp(
    directories: Annotated[list[Path] | None, typer.Argument(help="Harness folders.", metavar="DIR…")] = None,
    registered: Annotated[bool, typer.Option("--registered", help="Serve all registered ones.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP at /mcp in place of standard streams.")] = False,
    host: Annotated[str, typer.Option(help="The address to bind.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port.")] = 8765,
    model: Model = None,
    engine: Engine = "honeyguide",
) -> None:
    """Offer harnesses as MCP tools to other agents."""
    ref = None if model is None else ModelRef.parse(model)
    with_harnesses(
        lambda both: both.serving.mcp(
            directories or [],
            registered=registered,
            http=http,
            host=host,
            port=port,
            model=ref,
            warn=lambda said: output.notes().print(output.shown(said)),
            engine=known_engine(engine),
        )
    )


def known_engine(name: str) -> str:
    """Return the name of an engine. Raises InvalidInput."""
    if name not in ("honeyguide", "hiveloom"):
        raise InvalidInput(f"There is no engine called {name!r}.", hint="Use honeyguide or hiveloom.")
    return name

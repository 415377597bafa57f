"""``honeyguide flow jobs …``: proposals in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import output, session
from honeyguide.cli.flow_printing import exit_code_of
from honeyguide.kernel.errors import HoneyguideError, Interrupted
from honeyguide.workspace import FlowRun, Job, Workspace

app = typer.Typer(help="Proposals in the background.", no_args_is_help=True)
JobId = Annotated[str, typer.Argument(help="The job's id, evj_…", metavar="ID")]


@app.command("list")
def list_(json: session.Json = False) -> None:
    """List background jobs, newest first."""
    found = session.run_with_workspace(lambda workspace: workspace.flow_jobs())
    if json:
        output.print_json({"jobs": [job.to_json() for job in found], "total": len(found)})
        return
    rows = [(job.id, job.status.value, Path(job.flow_path).name, job.run_id or "") for job in found]
    output.console().print(output.table(["job", "status", "flow", "run"], rows))


@app.command("show")
def show(id: JobId, json: session.Json = False) -> None:
    """Show a background job and what it printed."""
    job, log = session.run_with_workspace(lambda workspace: workspace.flow_job(id))
    if json:
        output.print_json({**job.to_json(), "log": log})
        return
    output.print_facts({"job": job.id, "status": job.status.value, "run": job.run_id, "error": job.error})
    output.console().print(output.shown(log))


@app.command("cancel")
def cancel(id: JobId, json: session.Json = False) -> None:
    """Stop a background job and everything it started."""
    job = session.run_with_workspace(lambda workspace: workspace.cancel_flow_job(id))
    if json:
        output.print_json(job.to_json())
    else:
        output.console().print(f"Stopped {job.id}.")


async def as_job(workspace: Workspace, job_id: str, made: Coroutine[Any, Any, FlowRun]) -> FlowRun:
    """Do the work of a background job: within its time, and with its end noted."""
    job: Job = (await workspace.flow_job(job_id))[0]
    try:
        run: FlowRun = await asyncio.wait_for(made, job.timeout_s)
    except TimeoutError as error:
        await workspace.finish_flow_job(job_id, run_id=None, exit_code=130, error="It took too long and was stopped.")
        raise Interrupted("The job took too long and was stopped.") from error
    except asyncio.CancelledError:
        await asyncio.shield(workspace.finish_flow_job(job_id, run_id=None, exit_code=130, error="Stopped."))
        raise
    except HoneyguideError as error:
        await workspace.finish_flow_job(job_id, run_id=None, exit_code=error.exit_code, error=error.message)
        raise
    await workspace.finish_flow_job(job_id, run_id=run.id, exit_code=exit_code_of(run))
    return run

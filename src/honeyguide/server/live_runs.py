"""Following runs: those that this server started, and those of the window, the command line or the daemon."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from honeyguide.kernel.errors import HoneyguideError, InternalError, Interrupted, InvalidInput, NotFound, Unsupported
from honeyguide.server.answers import error_body, status_of
from honeyguide.server.frames import Frame, frame
from honeyguide.server.run_log import RunLog
from honeyguide.server.runners import Runner
from honeyguide.workspace import ProgressEvent, RunDetail, RunOptions, TargetRef, Workspace, WorkspaceEvent

KEPT_RUNS = 64
"""So many ended runs keep their events in memory; the others are told from the database."""
STOP_SECONDS = 8.0
LOOK_FOR_DEATH_SECONDS = 5.0
"""After this long without a word from a run of another program, it is looked whether that program still lives."""
_log = logging.getLogger("honeyguide.server")


class LiveRuns:
    """Starts runs for HTTP and lets readers follow any run; a run goes on when its reader goes away."""

    def __init__(self, workspace: Workspace, runner: Runner) -> None:
        self._workspace = workspace
        self._runner = runner
        self._epoch = secrets.token_hex(4)
        self._logs: dict[str, RunLog] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, ref: TargetRef, options: RunOptions) -> RunLog:
        """Begin a run and return its log. Raises as ``Workspace.start_run``."""
        log = RunLog(self._epoch)
        early: list[ProgressEvent] = []

        def tell(event: ProgressEvent) -> None:
            if log.uuid:
                log.add("progress", event.to_json())
            else:
                early.append(event)

        uuid = await self._runner.start(ref, options, tell)
        log.add("open", {"targetKind": ref.kind.value, "targetName": ref.name, "uuid": uuid})
        log.uuid = uuid
        for event in early:
            tell(event)
        self._keep(log)
        task = asyncio.create_task(self._finish(log), name=f"end of {log.uuid}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return log

    async def follow(self, uuid: str, last_event_id: str) -> AsyncGenerator[Frame, None]:
        """Return the events of a run from where a reader left off. Raises NotFound when there is no such run."""
        log = self._logs.get(uuid)
        if log is not None:
            return log.follow(last_event_id)
        return self._told_by_the_database(await self._workspace.run(uuid))

    async def stop(self) -> None:
        """Stop the runs that this server started and tell their readers; each can be resumed."""
        for log in self._logs.values():
            if not log.has_ended:
                with contextlib.suppress(HoneyguideError):
                    await self._workspace.cancel_run(log.uuid)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)
        for task in tuple(self._tasks):
            task.cancel()

    # --- inside

    async def _finish(self, log: RunLog) -> None:
        try:
            payload = await self._runner.wait(log.uuid)
        except NotFound:
            log.end("done", 200, stored_payload(await self._workspace.run(log.uuid)))
        except Interrupted as error:
            log.end("done", 200, _aborted(log.uuid, error))
        except (InvalidInput, Unsupported) as error:  # the request was sound: it is the model that cannot start
            log.end("error", 503, {**error_body(error), "uuid": log.uuid})
        except HoneyguideError as error:
            if isinstance(error, InternalError):
                await self._workspace.notice_dead_runs()
            log.end("error", status_of(error), {**error_body(error), "uuid": log.uuid})
        except Exception as error:  # noqa: BLE001 - the outermost edge of a run: it reports
            _log.exception("run %s ended unexpectedly", log.uuid)
            body = {"error": f"The run failed: {type(error).__name__}.", "code": "internal", "hint": _SEE_LOG}
            log.end("error", 500, {**body, "uuid": log.uuid})
        else:
            if _no_model_answered(payload):
                sentence = f"The model cannot be used, not one call was answered: {payload['reason']}"
                about = {"error": sentence, "code": "unreachable", "hint": _CHECK_MODEL}
                log.end("error", 503, {**about, "uuid": log.uuid})
            else:
                log.end("done", 200, payload)

    def _keep(self, log: RunLog) -> None:
        self._logs[log.uuid] = log
        ended = [uuid for uuid, known in self._logs.items() if known.has_ended]
        for uuid in ended[: max(len(ended) - KEPT_RUNS, 0)]:
            del self._logs[uuid]

    async def _told_by_the_database(self, detail: RunDetail) -> AsyncGenerator[Frame, None]:
        """Yield where a run of another program stands, whenever it moves, to its end."""
        uuid, record = detail.uuid, detail.attempt
        changes: asyncio.Queue[WorkspaceEvent] = asyncio.Queue(maxsize=1000)

        def hear(event: WorkspaceEvent) -> None:
            if event.subject == uuid and not changes.full():
                changes.put_nowait(event)

        unsubscribe = self._workspace.subscribe(hear)
        try:
            number = await self._workspace.last_event_id()
            opened = {"targetKind": record.target_kind, "targetName": record.target_name, "uuid": uuid}
            yield frame(f"e{number}", "open", opened)
            while True:
                detail = await self._workspace.run(uuid)
                if detail.attempt.state != "running":
                    name, body = _end_of(detail)
                    yield frame(f"e{number}-end", name, body)
                    return
                try:
                    event = await asyncio.wait_for(changes.get(), LOOK_FOR_DEATH_SECONDS)
                except TimeoutError:
                    await self._workspace.notice_dead_runs()
                    continue
                number = max(number, event.id)
                progress = await self._progress(event)
                if progress is not None:
                    yield frame(f"e{number}", "progress", progress)
        finally:
            unsubscribe()

    async def _progress(self, event: WorkspaceEvent) -> dict[str, Any] | None:
        if event.kind == "run:progress":
            return {key: event.data.get(key) for key in ("phase", "message", "detail")}
        if event.kind != "attempt:progress":
            return None
        row = (await self._workspace.run_rows_of([event.subject])).get(event.subject)
        message = row.message if row is not None else ""
        detail = None if row is None else {"progress": row.progress, "calls": row.calls}
        return {"phase": event.data.get("phase"), "message": message, "detail": detail}


def stored_payload(detail: RunDetail) -> dict[str, Any]:
    """Return the result payload of a run that ended earlier, from what is stored of it."""
    about, kept = detail.to_json(), detail.attempt.progress
    return {
        "uuid": detail.uuid,
        "outcome": detail.attempt.state,
        "reason": detail.attempt.reason,
        "run": None if detail.run is None else {key: about[key] for key in _COLUMNS},
        "gateResults": kept.get("gateResults", about["gateReasons"]),
        "composeSummary": kept.get("composeSummary"),
        "verification": about["verification"],
        "spend": about["spend"],
        **({"model": about["model"]} if "model" in about else {}),
        **({"notes": notes} if (notes := detail.attempt.options.get("notes")) else {}),
    }


def _end_of(detail: RunDetail) -> tuple[str, dict[str, Any]]:
    state, reason = detail.attempt.state, detail.attempt.reason
    if state not in ("failed", "interrupted"):
        return "done", stored_payload(detail)
    hint = "Go on with 'honeyguide runs resume'." if state == "interrupted" else "See 'honeyguide runs show'."
    return "error", {"error": reason or f"The run is {state}.", "code": state, "hint": hint, "uuid": detail.uuid}


def _no_model_answered(payload: Mapping[str, Any]) -> bool:
    """Say whether a run ended because not one of its calls was answered: the model client could not start."""
    spend = payload.get("spend") or {}
    answered = spend.get("input_tokens", 0) + spend.get("output_tokens", 0) + spend.get("replayed_calls", 0)
    return bool(payload["outcome"] == "aborted" and spend.get("calls", 0) > 0 and answered == 0)


def _aborted(uuid: str, error: HoneyguideError) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "outcome": "aborted",
        "reason": error.message,
        "run": None,
        "gateResults": [],
        "composeSummary": None,
        "hint": error.hint,
    }


_CHECK_MODEL = "Check the model with 'honeyguide models test'."
_SEE_LOG = "The server's own output says more."
_COLUMNS = (
    "id", "run_uuid", "target_kind", "target_name", "baseline_text", "winner_text", "winner_schema_json",
    "delta_accuracy", "gate_verdict", "gate_reasons_json", "status", "artifacts_json", "user_note", "failure_reason",
    "created_at", "decided_at", "deployed_at",
)  # fmt: skip

"""One new prompt from the maintainer: asked, read, and kept away from everything that is not the prompt."""

from __future__ import annotations

from honeyguide.flows.deciding import Outcome, OutcomeCode
from honeyguide.flows.document import FlowDocument, parse_flow
from honeyguide.flows.engines.running import EngineCall
from honeyguide.flows.engines.table import MODEL_ENGINES
from honeyguide.flows.maintainer import MAINTAINER_SYSTEM, MaintainerTask, maintainer_message, read_body
from honeyguide.flows.proposal_work import Work
from honeyguide.flows.runs import RunStatus
from honeyguide.llm.protocol import ModelRole
from honeyguide.suites.runner import Attempt

MAX_REPLY_TOKENS = 16_384


async def drafted(work: Work, number: int) -> FlowDocument | Outcome:
    """Ask once; an outcome means that there is nothing to measure."""
    view = work.view
    cases = view.suite.cases if view.suite is not None else None
    task = MaintainerTask(
        view.place.path.stem, view.document, work.plan.evidence, cases or (), work.current, tuple(work.rejected), number
    )
    attempt = await asked(work, maintainer_message(task), number)
    work.spend(1)
    if attempt.timed_out or attempt.exit_code != 0:
        why = "timed out" if attempt.timed_out else f"exited {attempt.exit_code}"
        said = " ".join((attempt.stderr or attempt.stdout).split())[:400]
        return Outcome(
            RunStatus.INCONCLUSIVE,
            OutcomeCode.MAINTAINER_FAILED,
            work.desk.redact(f"The maintainer {view.maintainer_engine} {why}: {said}".rstrip(": ") + "."),
        )
    body, problem = body_of(attempt, view.document.body)
    if body is None:
        return Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.REPLY_INVALID, f"The maintainer gave no prompt: {problem}.")
    document = view.document.with_body(body)
    if document.data == view.data:
        return Outcome(RunStatus.INCONCLUSIVE, OutcomeCode.IDENTICAL, "The maintainer gave the same prompt again.")
    again = parse_flow(document.data)
    if again.prefix != view.document.prefix or again.fields != view.document.fields:
        return Outcome(
            RunStatus.REJECTED, OutcomeCode.FRONTMATTER_CHANGED, "The proposal would change the flow's frontmatter."
        )
    return document


def body_of(attempt: Attempt, current: str) -> tuple[str | None, str]:
    """Return the prompt that the maintainer's answer holds, or ``None`` and why there is none."""
    return read_body(attempt.stdout, current=current)


async def asked(work: Work, message: str, number: int) -> Attempt:
    """Send one request to the maintainer; ``number`` counts from 1 and makes each another sample."""
    view, name = work.view, work.view.maintainer_engine
    engine = work.desk.engine(
        name, view, access=work.access, model=view.maintainer_model, role=ModelRole.MAINTAINER, watcher=work.children
    )
    work.report("maintainer", {"runId": work.run.id, "engine": name, "number": number})
    return await engine.run(
        EngineCall(
            prompt=message,
            message=message if name in MODEL_ENGINES else None,
            system=MAINTAINER_SYSTEM,
            cwd=view.place.path.parent,
            timeout_ms=view.policy.timeout_ms,
            isolated=view.policy.isolated,
            model=view.maintainer_model if name not in MODEL_ENGINES else None,
            role=ModelRole.MAINTAINER,
            repetition=number - 1,
            max_tokens=MAX_REPLY_TOKENS,
        )
    )

"""Cases and reported problems as examples, so that the search of any target can learn from them."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.feedback.items import FeedbackItem, FeedbackState
from honeyguide.kernel.canonical import fingerprint
from honeyguide.suites.cases import EvalCase
from honeyguide.suites.context_checks import CONTEXT_KINDS


def examples_of_cases(cases: Sequence[EvalCase], *, suite: str) -> tuple[Example, ...]:
    """Return the cases that can be judged by an answer alone: those with an input and no check of files or exit codes.

    Drafts are left out; a case's checks outrank a judge, and its rubric is what a judge is asked.
    """
    found = []
    for case in cases:
        given = "\n\n".join(text for text in (case.input, case.prompt, case.stdin) if text)
        is_text_only = not any(check.kind in CONTEXT_KINDS for check in case.checks)
        if not given or case.plan.draft or not is_text_only:
            continue
        found.append(
            Example(
                id=f"suite-{fingerprint([suite, case.name, given])[:16]}",
                input=given,
                expected=case.rubric or "",
                role=ExpectationRole.RUBRIC if case.rubric else ExpectationRole.CHECKS,
                checks=case.checks,
                conversation=f"{suite}:{case.name}",
                metadata={"source": "suite", "case": case.name, "evidence": list(case.plan.evidence)},
            )
        )
    return tuple(found)


def example_of_feedback(item: FeedbackItem, given: str, *, conversation: str) -> Example | None:
    """Return a reported problem as an example of what an answer must do; ``None`` when it is dismissed or merged.

    Args:
        given: the input of the execution it is about, from its trace.
        conversation: of that trace, so that it stays in one split.
    """
    if item.state is FeedbackState.DISMISSED or item.merged_into is not None or not given.strip():
        return None
    wanted = f"{item.message}\n\nWanted: {item.expected}" if item.expected else item.message
    return Example(
        id=f"feedback-{item.id}",
        input=given,
        expected=wanted,
        role=ExpectationRole.RUBRIC,
        rejected=item.actual,
        conversation=conversation,
        metadata={"source": "feedback", "feedback": item.id, "traceId": item.trace_id},
    )

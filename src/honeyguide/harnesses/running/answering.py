"""From a model's answer to a run's output: hooks, output guardrails, validators, and what to say when it fails."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.guardrails import Decision, Guardrails, RunState
from honeyguide.harnesses.running.host import CodeHost
from honeyguide.harnesses.running.journal import JournalWriter
from honeyguide.harnesses.running.results import Tally
from honeyguide.harnesses.running.validators import Verdict, verdicts_on
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.references import BuiltinHook

_FENCE: Final = re.compile(r"\A\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)


class RunEnded(Exception):
    """The run is over."""

    def __init__(self, status: str, reason: str = "", output: str | None = None) -> None:
        super().__init__(status)
        self.status, self.reason, self.output = status, reason, output


@dataclass(slots=True)
class Answering:
    """Judges the answers of one run.

    Attributes:
        evidence: what validators may look at beside the output.
        blocked: why the last answer was blocked; empty when it was not.
    """

    harness: Harness
    spec: HarnessSpec
    host: CodeHost
    journal: JournalWriter
    guardrails: Guardrails
    state: RunState
    tally: Tally
    context: Mapping[str, Any]
    evidence: Callable[[], Mapping[str, Any]]
    verdicts: tuple[Verdict, ...] = ()
    blocked: str = ""

    async def judge(self, output: str) -> str:
        """Take a finished answer; return what to say to the model when it has to try again.

        Raises:
            RunEnded: the answer is good, or no further try is left.
        """
        output = self._without_fence(output)
        decisions = await self._blocks(output)
        for decision in decisions:
            self.trigger(decision, "on_output")
            if decision.kind == "halt":
                raise RunEnded("guardrail_halt", decision.reason)
        if decisions:
            self.blocked = decisions[0].reason
            return f"Your output was blocked ({self.blocked}). Produce a compliant result."
        self.blocked = ""
        self.state.output = output
        if not self.spec.loop.require_verification:
            raise RunEnded("success", "", output)
        failed = [v for v in await self._verify(output) if not v.passed]
        if not failed:
            raise RunEnded("success", "", output)
        on_fail = self.spec.verify.on_fail
        if on_fail.action == "abort" or self.tally.verify_retries >= on_fail.max_retries:
            raise RunEnded("verify_failed", "", output)
        self.tally.verify_retries += 1
        feedback = "\n".join(v.feedback or f"{v.verifier} failed" for v in failed)
        return f"Verification failed:\n{feedback}\nRevise your answer and try again."

    async def judge_partial(self, output: str, times: int) -> None:
        """End a run whose answers are cut off again and again: good only if validators pass what there is."""
        self.state.output = output
        is_judged = bool(self.spec.verify.validators) and not await self._blocks(output)
        if is_judged and all(v.passed for v in await self._verify(output)):
            raise RunEnded("success", "", output)
        most = self.spec.model.max_tokens
        raise RunEnded(
            "truncated",
            f"{times} consecutive turns hit the {most}-token output ceiling;"
            " the last one's partial output did not verify",
            output,
        )

    def trigger(self, decision: Decision, hook: str) -> None:
        """Write that a guardrail stepped in."""
        payload = {"guardrail": decision.guardrail, "kind": decision.kind, "reason": decision.reason}
        self.journal.write("guardrail_triggered", {"hook": hook, **payload} if hook else payload)

    def _without_fence(self, output: str) -> str:
        if any(isinstance(h, BuiltinHook) and h.builtin == "strip_json_fence" for h in self.spec.hooks):
            found = _FENCE.match(output)
            if found:
                said = {"event": "before_verification", "hook": "strip_json_fence", "action": "patch_output"}
                self.journal.write("hook_triggered", said)
                return found[1]
        return output

    async def _blocks(self, output: str) -> list[Decision]:
        return await asyncio.to_thread(lambda: list(self.guardrails.on_output(self.state, output)))

    async def _verify(self, output: str) -> tuple[Verdict, ...]:
        self.tally.verifications += 1
        evidence = self.evidence()

        def work() -> tuple[Verdict, ...]:
            return tuple(verdicts_on(self.spec, self.harness.root, self.host, output, self.context, evidence))

        self.verdicts = await asyncio.to_thread(work)
        for verdict in self.verdicts:
            said = {"verifier": verdict.verifier, "passed": verdict.passed, "feedback": verdict.feedback}
            self.journal.write("verification_result", said)
        return self.verdicts

"""How a run goes round: react, plan first, fixed steps, or the best of several attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from honeyguide.harnesses.running.journal import payload_hash
from honeyguide.harnesses.spec.loop import Step
from honeyguide.harnesses.spec.models import HarnessSpec

Tell = Callable[[str, Mapping[str, Any]], object]


class StepHalted(Exception):
    """A step used up a limit of its own; the message is the reason of the run."""


class Policy:
    """React: think, call tools, look, again; an answer without calls is the end."""

    plans_first = False

    def opening(self) -> str:
        """Return what is said beside the task at the start; empty for nothing."""
        return ""

    def before_call(self) -> None:
        """Look at the limits before a model call. Raises StepHalted."""

    def allowed_tools(self) -> frozenset[str] | None:
        """Return the tools that may be called now; ``None`` for all."""
        return None

    def refusal(self, name: str) -> str:
        """Return why a tool may not be called now; empty when it may."""
        return ""

    def called(self, name: str, *, succeeded: bool) -> None:
        """Learn of a call that was made."""

    def next_message(self, output: str) -> str:
        """Return what to say when the model seems done but is not; empty when it is."""
        return ""

    def starts_over(self, output: str) -> bool:
        """Say whether the task is solved once more from the start, this answer being one of several."""
        return False

    def selected(self, output: str) -> str:
        """Return the answer to hand out."""
        return output

    def records(self) -> list[dict[str, Any]]:
        """Return what became of declared steps."""
        return []


class PlanThenAct(Policy):
    """One turn plans, without tools; then react."""

    plans_first = True

    def opening(self) -> str:
        return "Before acting, write a short numbered plan of the steps you will take. Call no tools yet."


@dataclass(slots=True)
class _StepRecord:
    id: str
    index: int
    instruction: str
    status: str = "pending"
    model_calls: int = 0
    tool_calls: int = 0
    required_tool_calls: list[str] = field(default_factory=list)
    completed_required_tool_calls: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)


class SequentialSteps(Policy):
    """Walks fixed steps in order; a structured step may limit tools and calls, and require some."""

    def __init__(self, steps: Sequence[str | Step], tell: Tell) -> None:
        self._steps = [
            s if isinstance(s, Step) else Step(id=f"step-{n}", instruction=s) for n, s in enumerate(steps, start=1)
        ]
        self._records = [
            _StepRecord(s.id, n, s.instruction, required_tool_calls=list(s.require_tool_calls))
            for n, s in enumerate(self._steps)
        ]
        self._tell = tell
        self._at = 0

    def opening(self) -> str:
        return self._begin()

    def before_call(self) -> None:
        step, record = self._steps[self._at], self._records[self._at]
        if step.max_model_calls is not None and record.model_calls >= step.max_model_calls:
            self._fail("max_model_calls", f"step '{step.id}' used up its {step.max_model_calls} model calls")
        record.model_calls += 1

    def allowed_tools(self) -> frozenset[str] | None:
        tools = self._steps[self._at].tools
        return None if tools is None else frozenset(tools)

    def refusal(self, name: str) -> str:
        step, record = self._steps[self._at], self._records[self._at]
        if step.tools is not None and name not in step.tools:
            return self._violation("tool_not_allowed", f"step '{step.id}' does not allow the tool {name}")
        if step.max_tool_calls is not None and record.tool_calls >= step.max_tool_calls:
            self._fail("max_tool_calls", f"step '{step.id}' used up its {step.max_tool_calls} tool calls")
        return ""

    def called(self, name: str, *, succeeded: bool) -> None:
        record = self._records[self._at]
        record.tool_calls += 1
        if succeeded and name in record.required_tool_calls and name not in record.completed_required_tool_calls:
            record.completed_required_tool_calls.append(name)

    def next_message(self, output: str) -> str:
        record = self._records[self._at]
        missing = [t for t in record.required_tool_calls if t not in record.completed_required_tool_calls]
        if missing:
            said = self._violation("missing_required_tool", f"step '{record.id}' still needs: {', '.join(missing)}")
            return f"{said}. Call them before going on."
        record.status = "completed"
        self._tell("step_completed", self._payload())
        if self._at + 1 == len(self._steps):
            return ""
        self._at += 1
        return self._begin()

    def records(self) -> list[dict[str, Any]]:
        return [asdict(record) for record in self._records]

    def _begin(self) -> str:
        record = self._records[self._at]
        record.status = "running"
        self._tell("step_started", self._payload())
        return f"Step {self._at + 1} of {len(self._steps)}: {record.instruction}"

    def _violation(self, kind: str, text: str) -> str:
        self._records[self._at].violations.append(text)
        self._tell("step_violation", {**self._payload(), "kind": kind, "detail": text})
        return text

    def _fail(self, kind: str, text: str) -> None:
        self._violation(kind, text)
        self._records[self._at].status = "failed"
        self._tell("step_failed", {**self._payload(), "kind": kind, "detail": text})
        raise StepHalted(text)

    def _payload(self) -> dict[str, Any]:
        record = self._records[self._at]
        return {
            "step_id": record.id,
            "step_index": record.index,
            "model_calls": record.model_calls,
            "tool_calls": record.tool_calls,
        }


class BestOfN(Policy):
    """Solves the task several times from the start and hands out what most attempts agree on, the first of equals."""

    def __init__(self, attempts: int, tell: Tell) -> None:
        self._attempts = attempts
        self._answers: list[str] = []
        self._tell = tell
        self._is_over = False

    def starts_over(self, output: str) -> bool:
        if self._is_over:
            return False
        self._answers.append(output)
        digest = payload_hash(" ".join(output.split()))
        self._tell("attempt_recorded", {"attempt": len(self._answers), "chars": len(output), "answer_hash": digest})
        self._is_over = len(self._answers) >= self._attempts
        return not self._is_over

    def selected(self, output: str) -> str:
        if len(self._answers) < 2:
            return output
        votes = Counter(" ".join(answer.split()) for answer in self._answers)
        winner, count = votes.most_common(1)[0]
        chosen = next(answer for answer in self._answers if " ".join(answer.split()) == winner)
        total = len(self._answers)
        self._tell("attempts_selected", {"attempts": total, "votes": count, "unanimous": count == total})
        self._answers = []
        return chosen


def policy_of(spec: HarnessSpec, tell: Tell) -> Policy:
    """Return the policy that a spec names."""
    if spec.loop.policy == "plan_then_act":
        return PlanThenAct()
    if spec.loop.policy == "sequential_steps":
        return SequentialSteps(spec.loop.steps, tell)
    if spec.loop.policy == "best_of_n":
        return BestOfN(spec.loop.attempts, tell)
    return Policy()

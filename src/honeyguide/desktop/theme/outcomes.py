"""What states, outcomes and verdicts are called, and the colour and the sign that go with the words.

The names on the left are those of the store and the contract; the words are what a person reads. The field's own term
stands in the tooltip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.theme.roles import Role


@dataclass(frozen=True, slots=True)
class Wording:
    """How one state looks.

    Attributes:
        words: what a person reads. ``tip``: one sentence that explains it.
        role: the colour of the words. ``icon``: the sign beside them, so that the colour is never alone.
    """

    words: str
    role: Role
    icon: str
    tip: str = ""


def outcome_wording(outcome: str | None) -> Wording:
    """Return how an outcome of a verification is shown; an unknown name is shown as it is."""
    return _word(_known(_outcomes), outcome)


def state_wording(state: str) -> Wording:
    """Return how a run's state is shown; an unknown name is shown as it is."""
    return _word(_known(_states), state)


def verdict_wording(verdict: str) -> Wording:
    """Return how the verdict on one example is shown."""
    return _word(_known(_verdicts), verdict)


def role_name(role: str) -> str:
    """Return what an example's expectation (``reference``, ``rubric``, ``checks``) is called."""
    tr = QCoreApplication.translate
    names = {
        "reference": tr("Outcomes", "an answer that was good"),
        "rubric": tr("Outcomes", "what an answer must do"),
        "checks": tr("Outcomes", "checks only"),
    }
    return names.get(role, role)


def kind_wording(kind: str) -> Wording:
    """Return how a kind of target is called, with its icon."""
    return _word(_known(_kinds), kind)


def origin_wording(origin: str) -> Wording:
    """Return how the origin of a version is called."""
    return _word(_known(_origins), origin)


def trace_outcome_wording(outcome: str) -> Wording:
    """Return how a trace's outcome is called."""
    return _word(_known(_trace_outcomes), outcome)


def gate_words(gate: str) -> str:
    """Return a check's name in plain words; an unknown one without its hyphens."""
    return _gates().get(gate, gate.replace("-", " ").capitalize())


def strategy_words(strategy: str) -> str:
    """Return the name of a search strategy in plain words."""
    return _strategies().get(strategy, strategy.replace("-", " ").replace("_", " "))


def state_names() -> tuple[str, ...]:
    """Return every known state, in the order in which chips show them."""
    return tuple(_states())


def _known(make: Callable[[], dict[str, Wording]]) -> dict[str, Wording]:
    """Return a table in the language in force; it is made once for each language."""
    return _made_for(make, QCoreApplication.translate("Outcomes", "waiting"))


@lru_cache(maxsize=32)
def _made_for(make: Callable[[], dict[str, Wording]], language: str) -> dict[str, Wording]:
    return make()


def _word(table: Mapping[str, Wording], name: str | None) -> Wording:
    if name is None:
        return Wording(QCoreApplication.translate("Outcomes", "not measured"), Role.TEXT_2, "dash")
    return table.get(name) or Wording(name, Role.TEXT_2, "question")


def _outcomes() -> dict[str, Wording]:
    tr = QCoreApplication.translate
    return {
        "verified_improvement": Wording(
            tr("Outcomes", "Better, proven"), Role.GOOD, "good",
            tr("Outcomes", "Verified improvement: better on unseen cases by more than chance explains."),
        ),
        "regression_safe": Wording(
            tr("Outcomes", "Safe, not proven"), Role.INFO, "shield",
            tr("Outcomes", "Regression-safe: not worse on unseen cases; a gain is not shown."),
        ),
        "rejected": Wording(
            tr("Outcomes", "Worse"), Role.BAD, "bad",
            tr("Outcomes", "Rejected: worse on unseen cases."),
        ),
        "inconclusive": Wording(
            tr("Outcomes", "Cannot tell yet"), Role.WARN, "question",
            tr("Outcomes", "Inconclusive: too few cases, or too much noise, to say."),
        ),
        "capability_rejected": Wording(
            tr("Outcomes", "Adds a capability"), Role.BAD, "lock",
            tr("Outcomes", "Capability rejected: it would allow something that the current text does not."),
        ),
    }  # fmt: skip


def _states() -> dict[str, Wording]:
    tr = QCoreApplication.translate
    return {
        "proposed": Wording(
            tr("Outcomes", "waiting"), Role.ACCENT, "waiting", tr("Outcomes", "Proposed: waits for a person.")
        ),
        "running": Wording(tr("Outcomes", "running"), Role.INFO, "running", tr("Outcomes", "The search is going on.")),
        "deployed": Wording(
            tr("Outcomes", "deployed"), Role.GOOD, "check", tr("Outcomes", "Accepted; agents load it now.")
        ),
        "accepted": Wording(
            tr("Outcomes", "accepted"), Role.GOOD, "hourglass", tr("Outcomes", "Accepted; being deployed.")
        ),
        "rejected": Wording(tr("Outcomes", "rejected"), Role.TEXT_2, "cross", tr("Outcomes", "Turned down.")),
        "failed": Wording(
            tr("Outcomes", "failed"), Role.BAD, "error", tr("Outcomes", "The run or its deploy broke off.")
        ),
        "skipped-delta": Wording(
            tr("Outcomes", "nothing better"), Role.TEXT_2, "equal",
            tr("Outcomes", "No candidate gained enough to be proposed."),
        ),
        "skipped-gates": Wording(
            tr("Outcomes", "refused by a check"), Role.TEXT_2, "shield",
            tr("Outcomes", "The best candidate failed a check."),
        ),
        "skipped-trigger": Wording(
            tr("Outcomes", "too little history"), Role.TEXT_2, "skipped",
            tr("Outcomes", "There were not enough traces to learn from."),
        ),
        "inconclusive": Wording(
            tr("Outcomes", "cannot tell"), Role.WARN, "question",
            tr("Outcomes", "Too much was unscored, or too little was there to measure."),
        ),
        "aborted": Wording(tr("Outcomes", "stopped"), Role.TEXT_2, "stop", tr("Outcomes", "Stopped by a person.")),
        "interrupted": Wording(
            tr("Outcomes", "interrupted"), Role.WARN, "pause",
            tr("Outcomes", "Its process ended; it can be resumed without paying twice."),
        ),
    }  # fmt: skip


def _verdicts() -> dict[str, Wording]:
    tr = QCoreApplication.translate
    return {
        "better": Wording(tr("Outcomes", "better"), Role.GOOD, "arrow-up"),
        "worse": Wording(tr("Outcomes", "worse"), Role.BAD, "arrow-down"),
        "same": Wording(tr("Outcomes", "same"), Role.TEXT_2, "equal"),
        "unscored": Wording(
            tr("Outcomes", "unscored"), Role.WARN, "question",
            tr("Outcomes", "No verdict came for one of the answers; it counts for neither."),
        ),
    }  # fmt: skip


def _kinds() -> dict[str, Wording]:
    tr = QCoreApplication.translate
    return {
        "persona-system-prompt": Wording(tr("Outcomes", "persona"), Role.TEXT_2, "person"),
        "behavioral-spec-section": Wording(tr("Outcomes", "rules section"), Role.TEXT_2, "section"),
        "tool-description": Wording(tr("Outcomes", "tool"), Role.TEXT_2, "tool"),
        "skill-body": Wording(tr("Outcomes", "skill"), Role.TEXT_2, "skill"),
        "generic": Wording(tr("Outcomes", "text"), Role.TEXT_2, "document"),
        "instruction-file": Wording(tr("Outcomes", "instruction file"), Role.TEXT_2, "document"),
        "subagent": Wording(tr("Outcomes", "subagent"), Role.TEXT_2, "model"),
        "command": Wording(tr("Outcomes", "command"), Role.TEXT_2, "terminal"),
        "harness": Wording(tr("Outcomes", "harness"), Role.TEXT_2, "harness"),
        "flow": Wording(tr("Outcomes", "flow"), Role.TEXT_2, "flows"),
    }


def _origins() -> dict[str, Wording]:
    tr = QCoreApplication.translate
    return {
        "found": Wording(tr("Outcomes", "found or backed up"), Role.TEXT_2, "backup"),
        "accepted": Wording(tr("Outcomes", "accepted proposal"), Role.GOOD, "deploy"),
        "restored": Wording(tr("Outcomes", "restored"), Role.INFO, "rollback"),
        "edited-outside": Wording(
            tr("Outcomes", "edited outside"), Role.WARN, "edited-outside",
            tr("Outcomes", "Changed by another program or by hand, not through Honeyguide."),
        ),
    }  # fmt: skip


def _trace_outcomes() -> dict[str, Wording]:
    tr = QCoreApplication.translate
    return {
        "success": Wording(tr("Outcomes", "went well"), Role.GOOD, "check"),
        "verified": Wording(tr("Outcomes", "verified"), Role.GOOD, "good"),
        "corrected": Wording(tr("Outcomes", "corrected"), Role.WARN, "corrections"),
        "abandoned": Wording(tr("Outcomes", "abandoned"), Role.TEXT_2, "skipped"),
        "pending": Wording(tr("Outcomes", "unknown"), Role.TEXT_2, "question"),
    }


def _gates() -> dict[str, str]:
    tr = QCoreApplication.translate
    return {
        "non-empty": tr("Outcomes", "Not empty"),
        "size": tr("Outcomes", "Size"),
        "growth": tr("Outcomes", "Growth"),
        "balanced-fences": tr("Outcomes", "Code fences closed"),
        "no-placeholders": tr("Outcomes", "No placeholders"),
        "no-todos": tr("Outcomes", "No leftover to-dos"),
        "regression": tr("Outcomes", "No regression"),
        "variables": tr("Outcomes", "Variables kept"),
        "locked": tr("Outcomes", "Locked passages kept"),
        "capabilities": tr("Outcomes", "No new capability"),
        "secrets": tr("Outcomes", "No secrets"),
        "carrier": tr("Outcomes", "File rules"),
        "memorised": tr("Outcomes", "Nothing memorised"),
        "leftovers": tr("Outcomes", "No leftovers of the search"),
        "reasoning-tags": tr("Outcomes", "No thinking aloud"),
        "chat-phrases": tr("Outcomes", "No chat around the text"),
        "request-marks": tr("Outcomes", "No marks of the request"),
    }


def _strategies() -> dict[str, str]:
    tr = QCoreApplication.translate
    return {
        "baseline": tr("Outcomes", "as it is now"),
        "expand-edge-cases": tr("Outcomes", "cover edge cases"),
        "tighten-format": tr("Outcomes", "tighten the format"),
        "add-examples": tr("Outcomes", "add examples"),
        "clarify-constraints": tr("Outcomes", "clarify the limits"),
        "reduce-length": tr("Outcomes", "make it shorter"),
        "restructure-steps": tr("Outcomes", "restructure the steps"),
        "targeted-feedback": tr("Outcomes", "answer the feedback"),
    }

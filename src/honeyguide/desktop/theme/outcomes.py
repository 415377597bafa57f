"""What states, outcomes and verdicts are called, and the colour and the sign that go with the words.

The names on the left are those of the store and the contract; the words are what a person reads. The field's own term
stands in the tooltip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

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
    translate = QCoreApplication.translate
    names = {
        "reference": translate("Outcomes", "an answer that was good"),
        "rubric": translate("Outcomes", "what an answer must do"),
        "checks": translate("Outcomes", "checks only"),
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


def stage_words(detail: Mapping[str, Any]) -> str:
    """Return what a search is at, from the detail of a progress event; empty where it tells of no stage."""
    tr = QCoreApplication.translate
    words = {
        "schema": tr("RunProgress", "Looking for a better structure of answers, generation {n}"),
        "instruction": tr("RunProgress", "Looking for a better text, generation {n}"),
    }.get(str(detail.get("stage") or ""), "")
    return words.format(n=detail.get("generation"))


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
    translate = QCoreApplication.translate
    return {
        "verified_improvement": Wording(
            translate("Outcomes", "Better, proven"),
            Role.GOOD,
            "good",
            translate("Outcomes", "Verified improvement: better on unseen cases by more than chance explains."),
        ),
        "regression_safe": Wording(
            translate("Outcomes", "Safe, not proven"),
            Role.INFO,
            "shield",
            translate("Outcomes", "Regression-safe: not worse on unseen cases; a gain is not shown."),
        ),
        "rejected": Wording(
            translate("Outcomes", "Worse"),
            Role.BAD,
            "bad",
            translate("Outcomes", "Rejected: worse on unseen cases."),
        ),
        "inconclusive": Wording(
            translate("Outcomes", "Cannot tell yet"),
            Role.WARN,
            "question",
            translate("Outcomes", "Inconclusive: too few cases, or too much noise, to say."),
        ),
        "capability_rejected": Wording(
            translate("Outcomes", "Adds a capability"),
            Role.BAD,
            "lock",
            translate("Outcomes", "Capability rejected: it would allow something that the current text does not."),
        ),
    }


def _states() -> dict[str, Wording]:
    translate = QCoreApplication.translate
    return {
        "proposed": Wording(
            translate("Outcomes", "waiting"),
            Role.ACCENT,
            "waiting",
            translate("Outcomes", "Proposed: waits for a person."),
        ),
        "running": Wording(
            translate("Outcomes", "running"), Role.INFO, "running", translate("Outcomes", "The search is going on.")
        ),
        "deployed": Wording(
            translate("Outcomes", "deployed"),
            Role.GOOD,
            "check",
            translate("Outcomes", "Accepted; agents load it now."),
        ),
        "accepted": Wording(
            translate("Outcomes", "accepted"),
            Role.GOOD,
            "hourglass",
            translate("Outcomes", "Accepted; being deployed."),
        ),
        "rejected": Wording(
            translate("Outcomes", "rejected"), Role.TEXT_2, "cross", translate("Outcomes", "Turned down.")
        ),
        "failed": Wording(
            translate("Outcomes", "failed"),
            Role.BAD,
            "error",
            translate("Outcomes", "The run or its deploy broke off."),
        ),
        "skipped-delta": Wording(
            translate("Outcomes", "nothing better"),
            Role.TEXT_2,
            "equal",
            translate("Outcomes", "No candidate gained enough to be proposed."),
        ),
        "skipped-gates": Wording(
            translate("Outcomes", "refused by a check"),
            Role.TEXT_2,
            "shield",
            translate("Outcomes", "The best candidate failed a check."),
        ),
        "skipped-trigger": Wording(
            translate("Outcomes", "too little history"),
            Role.TEXT_2,
            "skipped",
            translate("Outcomes", "There were not enough traces to learn from."),
        ),
        "inconclusive": Wording(
            translate("Outcomes", "cannot tell"),
            Role.WARN,
            "question",
            translate("Outcomes", "Too much was unscored, or too little was there to measure."),
        ),
        "aborted": Wording(
            translate("Outcomes", "stopped"), Role.TEXT_2, "stop", translate("Outcomes", "Stopped by a person.")
        ),
        "interrupted": Wording(
            translate("Outcomes", "interrupted"),
            Role.WARN,
            "pause",
            translate("Outcomes", "Its process ended; it can be resumed without paying twice."),
        ),
    }


def _verdicts() -> dict[str, Wording]:
    translate = QCoreApplication.translate
    return {
        "better": Wording(translate("Outcomes", "better"), Role.GOOD, "arrow-up"),
        "worse": Wording(translate("Outcomes", "worse"), Role.BAD, "arrow-down"),
        "same": Wording(translate("Outcomes", "same"), Role.TEXT_2, "equal"),
        "unscored": Wording(
            translate("Outcomes", "unscored"),
            Role.WARN,
            "question",
            translate("Outcomes", "No verdict came for one of the answers; it counts for neither."),
        ),
    }


def _kinds() -> dict[str, Wording]:
    translate = QCoreApplication.translate
    return {
        "persona-system-prompt": Wording(translate("Outcomes", "persona"), Role.TEXT_2, "person"),
        "behavioral-spec-section": Wording(translate("Outcomes", "rules section"), Role.TEXT_2, "section"),
        "tool-description": Wording(translate("Outcomes", "tool"), Role.TEXT_2, "tool"),
        "skill-body": Wording(translate("Outcomes", "skill"), Role.TEXT_2, "skill"),
        "generic": Wording(translate("Outcomes", "text"), Role.TEXT_2, "document"),
        "instruction-file": Wording(translate("Outcomes", "instruction file"), Role.TEXT_2, "document"),
        "subagent": Wording(translate("Outcomes", "subagent"), Role.TEXT_2, "model"),
        "command": Wording(translate("Outcomes", "command"), Role.TEXT_2, "terminal"),
        "harness": Wording(translate("Outcomes", "harness"), Role.TEXT_2, "harness"),
        "flow": Wording(translate("Outcomes", "flow"), Role.TEXT_2, "flows"),
    }


def _origins() -> dict[str, Wording]:
    translate = QCoreApplication.translate
    return {
        "found": Wording(translate("Outcomes", "found or backed up"), Role.TEXT_2, "backup"),
        "accepted": Wording(translate("Outcomes", "accepted proposal"), Role.GOOD, "deploy"),
        "restored": Wording(translate("Outcomes", "restored"), Role.INFO, "rollback"),
        "edited-outside": Wording(
            translate("Outcomes", "edited outside"),
            Role.WARN,
            "edited-outside",
            translate("Outcomes", "Changed by another program or by hand, not through Honeyguide."),
        ),
    }


def _trace_outcomes() -> dict[str, Wording]:
    translate = QCoreApplication.translate
    return {
        "success": Wording(translate("Outcomes", "went well"), Role.GOOD, "check"),
        "verified": Wording(translate("Outcomes", "verified"), Role.GOOD, "good"),
        "corrected": Wording(translate("Outcomes", "corrected"), Role.WARN, "corrections"),
        "abandoned": Wording(translate("Outcomes", "abandoned"), Role.TEXT_2, "skipped"),
        "pending": Wording(translate("Outcomes", "unknown"), Role.TEXT_2, "question"),
    }


def _gates() -> dict[str, str]:
    translate = QCoreApplication.translate
    return {
        "non-empty": translate("Outcomes", "Not empty"),
        "size": translate("Outcomes", "Size"),
        "growth": translate("Outcomes", "Growth"),
        "balanced-fences": translate("Outcomes", "Code fences closed"),
        "no-placeholders": translate("Outcomes", "No placeholders"),
        "no-todos": translate("Outcomes", "No leftover to-dos"),
        "regression": translate("Outcomes", "No regression"),
        "variables": translate("Outcomes", "Variables kept"),
        "locked": translate("Outcomes", "Locked passages kept"),
        "capabilities": translate("Outcomes", "No new capability"),
        "secrets": translate("Outcomes", "No secrets"),
        "carrier": translate("Outcomes", "File rules"),
        "memorised": translate("Outcomes", "Nothing memorised"),
        "leftovers": translate("Outcomes", "No leftovers of the search"),
        "reasoning-tags": translate("Outcomes", "No thinking aloud"),
        "chat-phrases": translate("Outcomes", "No chat around the text"),
        "request-marks": translate("Outcomes", "No marks of the request"),
    }


def _strategies() -> dict[str, str]:
    translate = QCoreApplication.translate
    return {
        "baseline": translate("Outcomes", "as it is now"),
        "expand-edge-cases": translate("Outcomes", "cover edge cases"),
        "tighten-format": translate("Outcomes", "tighten the format"),
        "add-examples": translate("Outcomes", "add examples"),
        "clarify-constraints": translate("Outcomes", "clarify the limits"),
        "reduce-length": translate("Outcomes", "make it shorter"),
        "restructure-steps": translate("Outcomes", "restructure the steps"),
        "targeted-feedback": translate("Outcomes", "answer the feedback"),
    }

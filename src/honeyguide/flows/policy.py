"""What may happen by itself to a flow: the policy in its frontmatter and in the configuration files, merged.

A key that stands nearer to the flow wins, key by key; but ``off`` wins wherever it stands, and the environment switch
before everything. Nothing in a policy can make a change of the flow happen without a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from honeyguide.feedback.items import Trigger
from honeyguide.kernel.errors import InvalidInput


class Mode(StrEnum):
    """How far automatic work may go."""

    OFF = "off"
    OBSERVE = "observe"
    SUGGEST = "suggest"
    PROPOSE = "propose"
    APPLY = "apply"
    """Acts as ``propose``: there is no unattended change of a source."""


SWITCHES: Final = ("HONEYGUIDE_EVOLVE", "MDFLOW_EVOLVE")
"""Environment variables that turn everything automatic off."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A resolved policy; the defaults are those of a flow that says nothing but ``evolve: propose``.

    Attributes:
        engine, model: of the maintainer; ``None`` for the flow's own.
        isolated: whether the maintainer's engine runs without the person's own settings.
        timeout_ms: for the maintainer.
        max_invocations: executions that one proposal may need.
        max_per_day, cooldown_ms: of automatic proposals.
        require_feedback_eval: automatic work needs every problem reproduced by a case.
        allow_capability_delta: a proposal with new capabilities may be tried; applying it needs its own approval.
        repetitions: trials of cases without their own number.
        is_stated: whether anything said so, or all of it is the default.
    """

    mode: Mode = Mode.PROPOSE
    triggers: tuple[Trigger, ...] = (Trigger.EXPLICIT_FEEDBACK, Trigger.CLASSIFIED_FAILURE)
    engine: str | None = None
    model: str | None = None
    isolated: bool = True
    timeout_ms: int = 180_000
    max_invocations: int = 9
    max_per_day: int = 2
    cooldown_ms: int = 86_400_000
    require_feedback_eval: bool = True
    allow_capability_delta: bool = False
    repetitions: int = 1
    apply: str = "review"
    is_stated: bool = False

    @property
    def proposes_by_itself(self) -> bool:
        """Whether automatic work may make proposals."""
        return self.mode in (Mode.PROPOSE, Mode.APPLY)

    def to_json(self) -> dict[str, Any]:
        """Return the policy as plain data, spelled as mdflow spells it."""
        data: dict[str, Any] = {
            "mode": self.mode.value,
            "triggers": [trigger.value for trigger in self.triggers],
            "engine": self.engine,
            "model": self.model,
            "timeoutMs": self.timeout_ms,
            "isolated": self.isolated,
            "maxInvocations": self.max_invocations,
            "maxPerDay": self.max_per_day,
            "cooldownMs": self.cooldown_ms,
            "requireFeedbackEval": self.require_feedback_eval,
            "allowCapabilityDelta": self.allow_capability_delta,
            "repetitions": self.repetitions,
            "apply": self.apply,
        }
        return {key: value for key, value in data.items() if value is not None}


def resolve_policy(layers: Sequence[tuple[str, Any]], environ: Mapping[str, str] | None = None) -> Policy:
    """Return the policy of a flow.

    Args:
        layers: (where it stands, value of ``evolve``), the farthest first and the flow's own last; only those that
            state one.
        environ: looked at for the switches.

    Raises:
        InvalidInput: an unknown key or a value that makes no sense, with the place.
    """
    merged: dict[str, Any] = {}
    off = any((environ or {}).get(name, "").strip().lower() == "off" for name in SWITCHES)
    stated = off
    for where, raw in layers:
        values = _normalised(raw, where)
        stated = True
        off = off or values.get("mode") == Mode.OFF.value
        for key, value in values.items():
            known = merged.get(key)
            merged[key] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    policy = _policy(merged, stated)
    return replace(policy, mode=Mode.OFF) if off else policy


_SECTIONS: Final[dict[str, dict[str, str]]] = {
    "maintainer": {"engine": "text", "model": "text", "isolated": "switch", "timeout-ms": "positive"},
    "budget": {"max-invocations": "positive", "max-per-day": "count", "cooldown-ms": "count"},
    "gate": {"require-feedback-eval": "switch", "allow-capability-delta": "switch", "repetitions": "positive"},
}
_MODES: Final = {**{mode.value: mode.value for mode in Mode}, "auto": Mode.PROPOSE.value}


def _normalised(raw: Any, where: str) -> dict[str, Any]:
    """Return ``evolve`` as keys and values, checked. Raises InvalidInput."""
    if raw is None or raw is False:
        return {"mode": Mode.OFF.value}
    if isinstance(raw, str):
        return {"mode": _mode(raw, where)}
    if not isinstance(raw, Mapping):
        raise _wrong(where, "evolve", raw, f"one of {', '.join(_MODES)}, or keys and values")
    result: dict[str, Any] = {}
    for key, value in raw.items():
        if key == "mode":
            result["mode"] = Mode.OFF.value if value is None or value is False else _mode(value, where)
        elif key == "triggers":
            result["triggers"] = _triggers(value, where)
        elif key == "apply":
            if value not in ("review", "automatic"):
                raise _wrong(where, "apply", value, "review")
            result["apply"] = value
        elif key in _SECTIONS:
            result[key] = _section(key, value, where)
        else:
            raise InvalidInput(
                f"{where}: evolve knows no {key!r}.",
                hint=f"It knows: mode, triggers, apply, {', '.join(_SECTIONS)}.",
                details={"reason_code": "INVALID_POLICY"},
            )
    return result


def _mode(value: Any, where: str) -> str:
    if not isinstance(value, str) or value not in _MODES:
        raise _wrong(where, "mode", value, f"one of {', '.join(_MODES)}")
    return _MODES[value]


def _triggers(value: Any, where: str) -> list[str]:
    known = [trigger.value for trigger in Trigger]
    if not isinstance(value, list) or not all(item in known for item in value):
        raise _wrong(where, "triggers", value, f"a list of {', '.join(known)}")
    return list(dict.fromkeys(value))


def _section(name: str, value: Any, where: str) -> dict[str, Any]:
    rules = _SECTIONS[name]
    if not isinstance(value, Mapping):
        raise _wrong(where, name, value, "keys and values")
    for key, item in value.items():
        rule = rules.get(key)
        if rule is None:
            raise _wrong(where, f"{name}.{key}", item, f"one of the keys {', '.join(rules)}")
        if not _fits(rule, item):
            words = {"text": "a text", "switch": "true or false", "positive": "a whole number from 1"}
            raise _wrong(where, f"{name}.{key}", item, words.get(rule, "a whole number from 0"))
    return dict(value)


def _fits(rule: str, value: Any) -> bool:
    if rule == "text":
        return isinstance(value, str) and bool(value.strip())
    if rule == "switch":
        return isinstance(value, bool)
    least = 1 if rule == "positive" else 0
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= 10**12


def _policy(values: Mapping[str, Any], stated: bool) -> Policy:
    maintainer, budget, gate = (values.get(name, {}) for name in ("maintainer", "budget", "gate"))
    default = Policy()
    triggers = values.get("triggers")
    return Policy(
        mode=Mode(values.get("mode", default.mode.value)),
        triggers=default.triggers if triggers is None else tuple(Trigger(item) for item in triggers),
        engine=maintainer.get("engine"),
        model=maintainer.get("model"),
        isolated=maintainer.get("isolated", default.isolated),
        timeout_ms=maintainer.get("timeout-ms", default.timeout_ms),
        max_invocations=budget.get("max-invocations", default.max_invocations),
        max_per_day=budget.get("max-per-day", default.max_per_day),
        cooldown_ms=budget.get("cooldown-ms", default.cooldown_ms),
        require_feedback_eval=gate.get("require-feedback-eval", default.require_feedback_eval),
        allow_capability_delta=gate.get("allow-capability-delta", default.allow_capability_delta),
        repetitions=gate.get("repetitions", default.repetitions),
        apply=values.get("apply", default.apply),
        is_stated=stated,
    )


def _wrong(where: str, key: str, value: Any, rule: str) -> InvalidInput:
    return InvalidInput(
        f"{where}: {key} cannot be {value!r}.", hint=f"Use {rule}.", details={"reason_code": "INVALID_POLICY"}
    )

"""Redacts whole traces and conversations, before anything of them is stored.

A secret that its surroundings gave away in one place (``DB_PASSWORD=…``) is replaced in every other place of the
same conversation too, where it may stand bare. What was found is forgotten with the conversation. Names and keys are
cleaned like texts (secrets only), so that nothing of a trace is left out; a key that held a secret becomes a hash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces.conversations import Conversation, CorrectionSignal, PromptText, Turn
from honeyguide.traces.records import PromptInForce, Trace, TracePayload
from honeyguide.traces.redaction import Redactor
from honeyguide.traces.redaction_judgement import is_mixed

T = TypeVar("T")
SHORTEST_LITERAL = 8
"""Shorter secrets are not looked for outside their surroundings: they would hit ordinary words."""

_HARMLESS_NAME = re.compile(
    r"(?:[\w.-]{0,15}|[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{16,64})(?::[a-z]{1,8})?", re.ASCII
)
"""Names too short to hold a key of any kind, UUIDs and hashes: most names, and not worth a search."""


def distinctive(found: Mapping[str, str]) -> dict[str, str]:
    """Return those found secrets that may be looked for anywhere without hitting ordinary words."""
    return {secret: kind for secret, kind in found.items() if len(secret) >= SHORTEST_LITERAL and is_mixed(secret)}


def redact_trace(trace: Trace, redactor: Redactor) -> Trace:
    """Return ``trace`` without secrets; counts go to ``redactor``."""
    scope = _Scope(redactor)
    cleaned = scope.trace(trace)
    scope.finish()
    return scope.again(lambda: scope.trace(cleaned), cleaned)


def redact_conversation(conversation: Conversation, redactor: Redactor) -> Conversation:
    """Return ``conversation`` without secrets.

    Counts go to ``redactor``: every place in the texts of the traces, equal texts once; turns, signals and prompts
    repeat these texts and are not counted again.
    """
    scope = _Scope(redactor)
    cleaned = replace(conversation, traces=tuple(scope.trace(trace) for trace in conversation.traces))
    scope.finish()
    cleaned = scope.around(cleaned)
    return scope.again(
        lambda: scope.around(replace(cleaned, traces=tuple(scope.trace(trace) for trace in cleaned.traces))), cleaned
    )


class _Scope:
    """The redaction of one conversation: remembers texts already cleaned, and secrets found."""

    def __init__(self, redactor: Redactor) -> None:
        self._parent = redactor
        self._inner = redactor.scope()
        self._paths = redactor.scope(personal=False)
        self._memo: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._literals: dict[str, str] = {}

    def finish(self) -> None:
        """Hand the counts on."""
        self._parent.add_counts(self._inner.counts)
        self._parent.add_counts(self._paths.counts)

    def again(self, clean: Callable[[], T], cleaned: T) -> T:
        """Clean once more with the secrets that were found, where there are any worth looking for."""
        self._literals = distinctive(self._inner.found)
        if not self._literals:
            return cleaned
        self._memo.clear()
        self._names.clear()
        before = self._inner.counts
        again = clean()
        after = self._inner.counts
        self._parent.add_counts({kind: after[kind] - before.get(kind, 0) for kind in after})
        return again

    def trace(self, trace: Trace) -> Trace:
        """Return a trace without secrets."""
        facts = replace(
            trace.facts,
            source_key=self._key(trace.facts.source_key),
            conversation=self._key(trace.facts.conversation),
            project=self._named(trace.facts.project),
            prompts=tuple(self._prompt(prompt) for prompt in trace.facts.prompts),
            outcome_detail=self._optional(trace.facts.outcome_detail),
            outcome_evidence=self._name(trace.facts.outcome_evidence),
        )
        return replace(
            trace,
            payload=self._payload(trace.payload),
            session_id=None if trace.session_id is None else self._key(trace.session_id),
            persona_id=self._named(trace.persona_id),
            workspace_id=self._named(trace.workspace_id),
            model=self._named(trace.model),
            task_shape=self._named(trace.task_shape),
            facts=facts,
        )

    def around(self, conversation: Conversation) -> Conversation:
        """Return a conversation whose turns, signals and prompts hold no secrets."""
        return replace(
            conversation,
            key=self._key(conversation.key),
            parent=None if conversation.parent is None else self._key(conversation.parent),
            turns=tuple(self._turn(turn) for turn in conversation.turns),
            signals=tuple(self._signal(signal) for signal in conversation.signals),
            prompts=tuple(PromptText(p.kind, self._name(p.name), self._text(p.text)) for p in conversation.prompts),
            project=self._named(conversation.project),
            title=self._optional(conversation.title),
        )

    def _payload(self, payload: TracePayload) -> TracePayload:
        harness = payload.harness
        if harness is not None:
            gates = tuple(replace(gate, reason=self._text(gate.reason)) for gate in harness.gate_results)
            harness = replace(harness, gate_results=gates)
        return replace(
            payload,
            input=self._text(payload.input),
            output=self._text(payload.output),
            reasoning=tuple(replace(step, content=self._text(step.content)) for step in payload.reasoning),
            tool_calls=tuple(
                replace(call, tool=self._name(call.tool), args=self._value(call.args), result=self._value(call.result))
                for call in payload.tool_calls
            ),
            artifacts=tuple(self._text(artifact) for artifact in payload.artifacts),
            tags=tuple(self._text(tag) for tag in payload.tags),
            harness=harness,
            correction_feedback=self._optional(payload.correction_feedback),
        )

    def _turn(self, turn: Turn) -> Turn:
        return replace(turn, text=self._text(turn.text), key=self._key(turn.key), trace_key=self._key(turn.trace_key))

    def _signal(self, signal: CorrectionSignal) -> CorrectionSignal:
        return replace(
            signal,
            trace_key=self._key(signal.trace_key),
            text=self._text(signal.text),
            where=self._name(signal.where),
            turn_key=self._key(signal.turn_key),
            replacement=self._text(signal.replacement),
        )

    def _prompt(self, prompt: PromptInForce) -> PromptInForce:
        return replace(prompt, name=self._name(prompt.name))

    def _named(self, name: str | None) -> str | None:
        return None if name is None else self._name(name)

    def _name(self, name: str) -> str:
        """Return a name, a path or a place without secrets; what is personal in it stays, for it says what is what."""
        if not self._literals and _HARMLESS_NAME.fullmatch(name):
            return name
        known = self._names.get(name)
        if known is None:
            known = self._paths.text(self._paths.literals(name, self._literals))
            self._names[name] = known
        return known

    def _key(self, key: str) -> str:
        """Return a key that tells things apart; one with a secret in it becomes a hash, which still does."""
        return key if self._name(key) == key else f"key-{sha256_hex(key)[:32]}"

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self._text(text)

    def _text(self, text: str) -> str:
        known = self._memo.get(text)
        if known is None:
            known = self._inner.text(self._inner.literals(text, self._literals))
            self._memo[text] = known
        return known

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if self._literals:
            value = self._inner.literals_in(value, self._literals)
        return self._inner.value(value)

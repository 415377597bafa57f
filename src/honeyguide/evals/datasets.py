"""From traces to a dataset: what an agent did becomes examples of what it should do.

Order: outcome and consent, secret scan, length and signal, an optional judge, duplicates, split by conversation. Every
row that falls on the way has a reason.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from honeyguide.evals.duplicates import SeenInputs
from honeyguide.evals.examples import Dataset, Drop, Example, ExpectationRole
from honeyguide.evals.language import language_of
from honeyguide.evals.signal import is_low_signal, said_length
from honeyguide.evals.splitting import Split, SplitRatios, split_examples
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import ModelError
from honeyguide.traces.records import REFERENCE, Trace, TraceOutcome
from honeyguide.traces.redaction import kinds_found

PREVIEW: Final = 80
"""Characters of an input that a drop shows."""

SecretScan = Callable[[str], Sequence[str]]
"""Returns the kinds of the secrets in a text, e.g. ``["aws-access-key"]``; empty when there is none."""
JudgeFilter = Callable[[Example], Awaitable[str]]
"""Returns why an example is not worth keeping, or ``""`` to keep it."""


@dataclass(frozen=True, slots=True)
class DatasetOptions:
    """What becomes an example.

    Attributes:
        positives: outcomes whose output is a reference answer.
        include_corrections: whether corrected traces become rubrics.
        least_input, least_output: least length (see ``signal.said_length``) of input and expectation.
        most_combined: highest length of input and expectation together, in characters.
    """

    positives: frozenset[TraceOutcome] = frozenset({TraceOutcome.SUCCESS, TraceOutcome.VERIFIED})
    include_corrections: bool = True
    least_input: int = 10
    least_output: int = 5
    most_combined: int = 16384
    ratios: SplitRatios = field(default_factory=SplitRatios)


@dataclass(frozen=True, slots=True)
class Sifted:
    """Rows that passed so far, and those that did not."""

    examples: tuple[Example, ...]
    drops: tuple[Drop, ...]
    sourced: int


def build_dataset(
    traces: Iterable[Trace],
    *,
    seed: int = 1,
    options: DatasetOptions | None = None,
    scan: SecretScan = kinds_found,
    extra: Iterable[Example] = (),
) -> Dataset:
    """Return the dataset mined from ``traces`` (of one target already) and ``extra`` examples, in that order."""
    options = options or DatasetOptions()
    return divide(sift(traces, scan=scan, options=options, extra=extra), options, seed)


async def build_judged_dataset(
    traces: Iterable[Trace],
    *,
    judge: JudgeFilter,
    seed: int = 1,
    options: DatasetOptions | None = None,
    scan: SecretScan = kinds_found,
    extra: Iterable[Example] = (),
) -> Dataset:
    """Like ``build_dataset``, with a judge that may drop examples (``judge:REASON``).

    A judge that cannot be reached drops nothing. Raises BudgetExceeded or Interrupted.
    """
    options = options or DatasetOptions()
    sifted = sift(traces, scan=scan, options=options, extra=extra)
    kept: list[Example] = []
    drops = list(sifted.drops)
    for example in sifted.examples:
        try:
            reason = await judge(example)
        except ModelError:
            reason = ""
        if reason:
            drops.append(_drop(f"judge:{reason}", example))
        else:
            kept.append(example)
    return divide(replace(sifted, examples=tuple(kept), drops=tuple(drops)), options, seed)


def sift(
    traces: Iterable[Trace], *, scan: SecretScan, options: DatasetOptions, extra: Iterable[Example] = ()
) -> Sifted:
    """Return the rows that may become examples: outcome, consent, secrets, length, signal."""
    kept: list[Example] = []
    drops: list[Drop] = []
    sourced = 0
    for trace in traces:
        sourced += 1
        made = example_from_trace(trace, options)
        if isinstance(made, Example):
            _sort(made, scan, options, kept, drops)
        else:
            drops.append(Drop(made, preview_of(trace, made), trace.id or None))
    for example in extra:
        sourced += 1
        _sort(example, scan, options, kept, drops)
    return Sifted(tuple(kept), tuple(drops), sourced)


def divide(sifted: Sifted, options: DatasetOptions, seed: int) -> Dataset:
    """Return the dataset: duplicates dropped (a correction is kept before a reference), then split."""
    seen = SeenInputs()
    unique: list[Example] = []
    drops = list(sifted.drops)
    for example in sorted(sifted.examples, key=lambda e: e.role is not ExpectationRole.RUBRIC):
        reason = seen.repeats(example.input)
        if reason:
            drops.append(_drop(reason, example))
        else:
            unique.append(example)
    parts = split_examples(unique, options.ratios, seed)
    return Dataset(
        train=parts[Split.TRAIN],
        validation=parts[Split.VALIDATION],
        holdout=parts[Split.HOLDOUT],
        seed=seed,
        sourced=sifted.sourced,
        drops=tuple(drops),
    )


def example_from_trace(trace: Trace, options: DatasetOptions) -> Example | str:
    """Return the example that a trace makes, or the reason why it makes none."""
    if trace.facts.never_send:
        return "never-send"
    metadata = _metadata(trace)
    given, output = trace.payload.input.strip(), trace.payload.output.strip()
    if trace.outcome is TraceOutcome.CORRECTED and options.include_corrections:
        correction = (trace.payload.correction_feedback or "").strip()
        if not correction:
            return "no-correction-text"
        return make_example(
            given,
            rubric_from_correction(correction),
            role=ExpectationRole.RUBRIC,
            rejected=output or None,
            conversation=trace.conversation,
            metadata={**metadata, "source": "correction", "correction": correction},
        )
    is_desired = trace.outcome is TraceOutcome.PENDING and trace.facts.outcome_detail == REFERENCE
    if trace.outcome not in options.positives and not is_desired:
        return f"outcome-{trace.outcome.value}"
    source = "reference" if is_desired else "trace"
    return make_example(given, output, conversation=trace.conversation, metadata={**metadata, "source": source})


def make_example(
    input: str,
    expected: str,
    *,
    role: ExpectationRole = ExpectationRole.REFERENCE,
    rejected: str | None = None,
    conversation: str = "",
    metadata: Mapping[str, Any] | None = None,
) -> Example:
    """Return an example whose id is a hash of its content, with the language of its input in the metadata."""
    digest = fingerprint([input, expected, role.value, rejected, conversation])
    data = {"language": language_of(input), **(metadata or {})}
    return Example(digest[:16], input, expected, role, rejected, conversation=conversation, metadata=data)


def rubric_from_correction(correction: str) -> str:
    """Return what a judge is to look for, from what a person said of a wrong answer."""
    said = correction.strip()
    stop = "" if said.endswith((".", "!", "?", "。", "！", "？", "…")) else "."
    return (
        f"The earlier answer was wrong because a person said of it: {said}{stop}\n"
        "The answer must do what the person asked for there, and must not repeat the mistake."
    )


def preview_of(trace: Trace, reason: str) -> str:
    """Return the beginning of an input for a drop; nothing of a trace that no one may see."""
    return "" if reason == "never-send" else trace.payload.input.strip()[:PREVIEW]


def _sort(example: Example, scan: SecretScan, options: DatasetOptions, kept: list[Example], drops: list[Drop]) -> None:
    reason = _secret(example, scan) or _weak(example, options)
    if reason:
        drops.append(_drop(reason, example))
    else:
        kept.append(example)


def _secret(example: Example, scan: SecretScan) -> str:
    for text in (example.input, example.expected, example.rejected or ""):
        if kinds := scan(text):
            return f"secret:{kinds[0]}"
    return ""


def _weak(example: Example, options: DatasetOptions) -> str:
    expected = str(example.metadata.get("correction", example.expected)).strip()
    given = example.input.strip()
    if said_length(given) < options.least_input:
        return "too-short-input"
    if example.role is ExpectationRole.CHECKS:
        return "low-signal" if is_low_signal(given) else ""
    if said_length(expected) < options.least_output:
        return "too-short-output"
    if len(given) + len(expected) > options.most_combined:
        return "too-long"
    return "low-signal" if is_low_signal(given) or is_low_signal(expected) else ""


def _drop(reason: str, example: Example) -> Drop:
    trace_id = example.metadata.get("traceId")
    shown = "" if reason.startswith("secret:") else example.input[:PREVIEW]
    return Drop(reason, shown, trace_id if isinstance(trace_id, int) else None)


def _metadata(trace: Trace) -> dict[str, Any]:
    known = {
        "traceId": trace.id or None,
        "personaId": trace.persona_id,
        "workspaceId": trace.workspace_id,
        "taskShape": trace.task_shape,
        "model": trace.model,
        "outcome": trace.outcome.value,
        "tags": list(trace.payload.tags) or None,
        "sourceId": trace.facts.source_key or None,
    }
    return {name: value for name, value in known.items() if value is not None}

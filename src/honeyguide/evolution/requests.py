"""What a run is asked to do, what it may use, and what it gives back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from honeyguide.evals.examples import Dataset
from honeyguide.evals.findings import Thresholds
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evals.verification import VerificationRecord
from honeyguide.evolution.answer_structure import AnswerStyle
from honeyguide.evolution.decision import MIN_DELTA, AttemptOutcome
from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.gates.results import GateOptions, GateResult
from honeyguide.evolution.metering import Spend
from honeyguide.evolution.presets import Preset, SearchSettings
from honeyguide.evolution.schema import Schema
from honeyguide.evolution.search import InstructionSearch
from honeyguide.evolution.wholes import SINGLE, Whole
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import HoneyguideError
from honeyguide.llm.protocol import ModelClient, ModelRef
from honeyguide.prompts.joined import Joined
from honeyguide.prompts.locks import LockedPassage
from honeyguide.prompts.targets import TargetRef
from honeyguide.prompts.variables import Dialect
from honeyguide.suites.proof import SuiteProof, SuiteRecord


class Phase(StrEnum):
    """Where a run is, spelled as the first seed spells it."""

    TRIGGER_CHECK = "trigger-check"
    DATASET = "dataset"
    COMPOSE = "compose"
    GATES = "gates"
    PERSIST = "persist"
    SKIPPED = "skipped"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Progress:
    """One ``progress`` event; ``detail`` has the contract's keys."""

    phase: Phase
    message: str = ""
    detail: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return ``{phase, message, detail}``."""
        return {"phase": self.phase.value, "message": self.message, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Trigger:
    """An automatic run begins only when there is enough new evidence; a person's run has no trigger."""

    eligible_traces: int
    min_traces: int = 20


@dataclass(frozen=True, slots=True)
class TextRequest:
    """One of several texts that are improved together: as ``EvolutionRequest`` for the text of one target."""

    target: TargetRef
    live: str
    gates: GateOptions = field(default_factory=GateOptions)
    locked: tuple[LockedPassage, ...] = ()
    dialect: Dialect = Dialect.ANY
    not_variables: tuple[str, ...] = ()
    carrier_checks: tuple[Callable[[str], Sequence[str]], ...] = ()


@dataclass(frozen=True, slots=True)
class EvolutionRequest:
    """What is asked for.

    Attributes:
        live: the text as it is deployed now; everything is compared with it.
        schema: the structure of answers that the live text stands for; ``None`` for the default.
        candidate: a text to prove in place of searching one.
        min_delta: the least gain on development data that is worth the holdout.
        allow_safe: whether "safe, not proven" is proposed although nothing got shorter.
        locked: passages that a person locked.
        not_variables: spellings that look like variables and are none.
        carrier_checks: rules of the program that loads the file; a sentence for each that a text breaks.
        ablate: whether the change is taken apart before it is proven, as far as the budget has room.
        trigger: set for automatic runs.
        thresholds: of the verification.
        texts: the texts that are improved together, that of ``target`` first; then ``live`` and ``candidate`` hold them
            joined (``prompts.joined``), and the rules of each text stand with it. Empty for a single text.
        about: which of ``texts`` an example speaks about, by its id; one that is not named speaks about all.
    """

    target: TargetRef
    live: str
    preset: Preset = Preset.THOROUGH
    settings: SearchSettings = field(default_factory=SearchSettings)
    schema: Schema | None = None
    style: AnswerStyle = AnswerStyle.PROSE
    candidate: str | None = None
    seed: int = 1
    min_delta: float = MIN_DELTA
    allow_safe: bool = False
    gates: GateOptions = field(default_factory=GateOptions)
    locked: tuple[LockedPassage, ...] = ()
    dialect: Dialect = Dialect.ANY
    not_variables: tuple[str, ...] = ()
    carrier_checks: tuple[Callable[[str], Sequence[str]], ...] = ()
    ablate: bool = False
    trigger: Trigger | None = None
    thresholds: Thresholds | None = None
    concurrency: int = 4
    texts: tuple[TextRequest, ...] = ()
    about: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def live_sha256(self) -> str:
        """The hash that a deploy compares with."""
        return sha256_hex(self.live)

    @property
    def whole(self) -> Whole:
        """The form of ``live``."""
        return Whole(Joined(tuple(text.target for text in self.texts))) if self.texts else SINGLE

    @property
    def single_texts(self) -> tuple[TextRequest, ...]:
        """The texts with their rules, also where there is only one."""
        own = TextRequest(
            self.target, self.live, self.gates, self.locked, self.dialect, self.not_variables, self.carrier_checks
        )
        return self.texts or (own,)

    @property
    def gate_facts(self) -> dict[str, Any]:
        """The options of the gates, of each text where there are several; for receipts and the decision log."""
        if not self.texts:
            return self.gates.to_json()
        return {str(text.target): text.gates.to_json() for text in self.texts}


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it is stored: a proposal, or one that was rejected at once. Keys are the seed's columns.

    Attributes:
        status: ``proposed`` or ``rejected``.
        delta_accuracy: the gain on the holdout where it was measured, else on development data; 0 when neither was.
        user_note: why it was rejected at once.
        needs_note, can_accept: as ``decision.Decision``.
    """

    target_kind: str
    target_name: str
    baseline_text: str
    winner_text: str
    winner_schema: Mapping[str, Any] | None
    delta_accuracy: float
    gate_verdict: str
    gate_reasons: tuple[Mapping[str, Any], ...]
    status: str
    artifacts: Mapping[str, Any]
    user_note: str | None = None
    needs_note: bool = False
    can_accept: bool = True


@dataclass(frozen=True, slots=True)
class OrchestratorResult:
    """What came of one attempt.

    Attributes:
        run: present for proposed, and for skipped-gates where there was a text to keep.
        gate_results: of the text in ``run``, or of the best finalist: all gates, for the review.
        verification: with its pairs, for the evidence and to go on from.
        error: what ended an aborted attempt, for the exit code; ``None`` otherwise.
        evidence: example id -> answers and scores before and after, on development examples.
        suite: what the target's eval suite said, where there is one.
    """

    outcome: AttemptOutcome
    reason: str
    run: RunRecord | None = None
    gate_results: tuple[GateResult, ...] = ()
    compose_summary: Mapping[str, Any] | None = None
    verification: VerificationRecord | None = None
    artifacts: Mapping[str, Any] = field(default_factory=dict)
    decisions: DecisionLog = field(default_factory=DecisionLog)
    spend: Spend = field(default_factory=Spend)
    evidence: tuple[Mapping[str, Any], ...] = ()
    error: HoneyguideError | None = None
    suite: SuiteRecord | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the seed's ``buildResultPayload`` with ``verification``, ``spend``; its store adds ``run``."""
        return {
            "outcome": self.outcome.value,
            "reason": self.reason,
            "gateResults": stored_results(self.gate_results),
            "composeSummary": None if self.compose_summary is None else dict(self.compose_summary),
            "verification": None if self.verification is None else self.verification.verification.to_json(),
            "spend": self.spend.to_json(),
            **({} if self.suite is None else {"suite": self.suite.to_json()}),
        }


class RunSink(Protocol):
    """Who keeps attempts. Called once for a stored run, and once for every attempt at its end."""

    async def store_run(self, run: RunRecord) -> None:
        """Store a run; it is ``proposed``, or ``rejected`` with its note."""
        ...

    async def close_attempt(self, result: OrchestratorResult) -> None:
        """Record what came of the attempt, whatever it was."""
        ...


@dataclass(frozen=True, slots=True)
class RunPorts:
    """What a run may use.

    Attributes:
        judge: runs and grades texts; must be a ``RunningJudge``.
        mutator, mutator_model: who proposes texts.
        dataset: mines and splits the examples; called once.
        sink: keeps what came of it.
        search: another instruction search than that of the settings of the request.
        calls_left: how many calls the budget still allows; ``None`` for no ceiling.
        claim_look: the number of this look at the holdout, by measurement key and example ids.
        receipt_parts: what the caller knows of what the verification rests on (``dataset``, …).
        prover: runs and grades the holdout where its calls go another way, as in batches; the same models as ``judge``.
        prover_concurrency: evaluations under way at once with ``prover``.
        suite: the target's eval suite, run on both texts before the holdout is opened; ``None`` without one.
    """

    judge: RunningJudge
    mutator: ModelClient
    mutator_model: ModelRef
    dataset: Callable[[], Awaitable[Dataset]]
    sink: RunSink
    search: InstructionSearch | None = None
    calls_left: Callable[[], int | None] = lambda: None
    claim_look: Callable[[str, Sequence[str]], Awaitable[int]] | None = None
    receipt_parts: Mapping[str, str] = field(default_factory=dict)
    prover: RunningJudge | None = None
    prover_concurrency: int = 1
    suite: SuiteProof | None = None


def stored_results(results: Sequence[GateResult]) -> list[dict[str, Any]]:
    """Return the results up to and including the first failure, as they are stored."""
    kept: list[dict[str, Any]] = []
    for result in results:
        kept.append(result.to_json())
        if not result.passed:
            break
    return kept

"""Making a verification: baseline against candidate on examples that the search never saw.

By default all of the holdout is measured even when the gain is proven earlier: the evidence stays valid, and the
interval, the slices and the person who reads the cases profit. It stops early only for harm, for a judge that cannot
be used, and when the budget is used up; what was seen until then is weighed all the same.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from honeyguide import __version__
from honeyguide.evals.examples import Example
from honeyguide.evals.findings import Conclusion, Evidence, Finding, StakePlan, conclude, is_hopeless, weigh
from honeyguide.evals.looks import bar
from honeyguide.evals.measuring import PairEvidence, TextUnderTest, measured_pairs, measuring_order, scores_of
from honeyguide.evals.power import more_examples_needed, more_repeats_needed, smallest_provable_lift
from honeyguide.evals.receipts import Receipt
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evals.slices import has_fallen, slice_results
from honeyguide.evals.statistics import (
    bootstrap_interval,
    mean,
    noise_floor,
    sign_counts,
    sign_test,
    verdict_variance,
)
from honeyguide.evals.verification import Verification, VerificationOptions, VerificationRecord
from honeyguide.kernel.canonical import fingerprint, sha256_hex
from honeyguide.kernel.errors import BudgetExceeded, InvalidInput
from honeyguide.llm.cancel import Cancellation

Progress = Callable[[int, int, float], None]
"""Called after each example with: examples done, examples planned, evidence for a gain so far."""


async def verify(
    baseline: TextUnderTest,
    candidate: TextUnderTest,
    holdout: Sequence[Example],
    judge: RunningJudge,
    development: Sequence[float],
    options: VerificationOptions | None = None,
    *,
    cancellation: Cancellation | None = None,
    progress: Progress | None = None,
    earlier: VerificationRecord | None = None,
    receipt: Receipt | None = None,
) -> VerificationRecord:
    """Measure ``candidate`` against ``baseline`` on the holdout and conclude.

    Args:
        development: paired differences (candidate minus baseline) from data other than the holdout; the stakes are
            learnt on them.
        earlier: a record to go on from: its pairs are kept in their order, its stakes are used, its examples skipped.
        receipt: what everything rests on, to be kept with the verification.

    Raises:
        Interrupted: somebody asked to stop.
        InvalidInput: ``earlier`` was made with another number of repeats.
    """
    options = options or VerificationOptions()
    if earlier is not None and earlier.verification.repeats != options.repeats:
        raise InvalidInput("Evidence can only go on with the same number of verdicts per case.")
    stakes = earlier.stakes if earlier else StakePlan.learn(development, options.thresholds)
    pairs = list(earlier.pairs) if earlier else []
    known = {pair.example.id for pair in pairs}
    todo = measuring_order([e for e in holdout if e.id not in known], options.seed)
    planned = len(pairs) + len(todo)
    stopped = ""
    try:
        async with measured_pairs(
            baseline,
            candidate,
            todo,
            judge,
            repeats=options.repeats,
            seed=options.seed,
            concurrency=options.concurrency,
            cancellation=cancellation,
        ) as arriving:
            async for pair in arriving:
                if cancellation is not None:
                    cancellation.check()
                pairs.append(pair)
                evidence = weigh(differences_of(pairs), stakes, options.thresholds)
                if progress is not None:
                    progress(len(pairs), planned, evidence.gain)
                stopped = _reason_to_stop(pairs, planned, evidence, options)
                if stopped:
                    break
    except BudgetExceeded:
        stopped = "budget"
    verification = await asyncio.to_thread(assess, pairs, planned, stakes, options, stopped, receipt)
    return VerificationRecord(verification, tuple(pairs), stakes)


def assess(
    pairs: Sequence[PairEvidence],
    planned: int,
    stakes: StakePlan,
    options: VerificationOptions,
    stopped: str = "",
    receipt: Receipt | None = None,
) -> Verification:
    """Return the verification of pairs that are measured already. Pure: the same pairs give the same words."""
    thresholds = options.thresholds
    complete = [pair for pair in pairs if pair.is_complete]
    differences = differences_of(pairs)
    evidence = weigh(differences, stakes, thresholds)
    correctness = [pair.correctness_difference for pair in complete]
    slices = slice_results(differences, [pair.example.metadata for pair in complete], alpha=thresholds.alpha)
    unscored, verdicts = sum(pair.missing for pair in pairs), 2 * options.repeats * len(pairs)
    conclusion = conclude(
        len(complete),
        evidence,
        thresholds,
        look=options.look,
        unscored_share=unscored / verdicts if verdicts else 0.0,
        fallen_slices=[s for s in slices if s.fell],
        correctness_fell=has_fallen(correctness, thresholds.alpha, thresholds.max_regression),
        failed_guards=options.failed_guards,
    )
    counts = sign_counts(differences)
    repeated = [scores_of(pair.baseline) for pair in pairs]
    needs = _needs(conclusion, differences, repeated, stakes, options)
    return Verification(
        outcome=conclusion.finding,
        reason=conclusion.reason,
        because=conclusion.because,
        n=len(complete),
        planned=planned,
        repeats=options.repeats,
        baseline=mean([mean(scores_of(p.baseline)) for p in complete]) if complete else None,
        candidate=mean([mean(scores_of(p.candidate)) for p in complete]) if complete else None,
        delta=mean(differences) if complete else None,
        interval=bootstrap_interval(differences, options.seed, confidence=options.confidence) if complete else None,
        confidence=options.confidence,
        p_value=min(1.0, 1.0 / evidence.gain),
        sign_p=sign_test(counts.wins, counts.losses),
        noise_floor=noise_floor(repeated, options.repeats, len(complete), confidence=options.confidence),
        unscored=unscored,
        verdicts=verdicts,
        wins=counts.wins,
        ties=counts.ties,
        losses=counts.losses,
        e_value=evidence.gain,
        safety_e_value=evidence.safety,
        harm_e_value=evidence.harm,
        bar=bar(thresholds.alpha, options.look),
        look=options.look,
        correctness_delta=mean(correctness) if complete else None,
        unscored_reasons=dict(sorted(Counter(r for pair in pairs for r in pair.reasons_missing).items())),
        slices=slices,
        smallest_lift=smallest_provable_lift(
            differences, thresholds.min_delta, bar(thresholds.alpha, options.look), options.seed
        ),
        more_examples=needs[0],
        more_repeats=needs[1],
        stopped=stopped,
        receipt=receipt,
    )


def differences_of(pairs: Sequence[PairEvidence]) -> list[float]:
    """Return the differences of the complete pairs, in their order."""
    return [pair.difference for pair in pairs if pair.is_complete]


def receipt_for(
    baseline: TextUnderTest,
    candidate: TextUnderTest,
    holdout: Sequence[Example],
    judge: RunningJudge,
    development: Sequence[float],
    options: VerificationOptions,
    extra: Mapping[str, str] | None = None,
) -> Receipt:
    """Return the receipt of a verification with these inputs; ``extra`` adds parts (``dataset``, ``gates``)."""
    thresholds = options.thresholds
    executor = judge.executor
    return Receipt(
        {
            "baseline": _text_hash(baseline),
            "candidate": _text_hash(candidate),
            "holdout": holdout_fingerprint(holdout),
            "development": fingerprint([round(d, 12) for d in development]),
            "judge_model": str(judge.judge.model),
            "judge_prompt": judge.judge.prompt_hash,
            "executor_model": str(executor.model),
            "executor_settings": fingerprint([executor.max_tokens, executor.temperature]),
            "checks": fingerprint(sorted(judge.checks.kinds)),
            "product": __version__,
            "seed": str(options.seed),
            "repeats": str(options.repeats),
            "look": str(options.look),
            "thresholds": fingerprint(
                [
                    thresholds.alpha,
                    thresholds.min_delta,
                    thresholds.max_regression,
                    thresholds.futility,
                    thresholds.least_pairs,
                    thresholds.most_unscored,
                    options.confidence,
                    list(options.failed_guards),
                ]
            ),
            **(extra or {}),
        }
    )


def holdout_fingerprint(holdout: Sequence[Example]) -> str:
    """Return the receipt's hash of the sealed examples, whatever their order."""
    return fingerprint(sorted([e.id, fingerprint(e.content())] for e in holdout))


def _reason_to_stop(
    pairs: Sequence[PairEvidence], planned: int, evidence: Evidence, options: VerificationOptions
) -> str:
    if len(pairs) == planned:
        return ""
    missing = sum(pair.missing for pair in pairs)
    if missing > options.thresholds.most_unscored * 2 * options.repeats * planned:
        return "judge"
    return "harm" if is_hopeless(evidence, options.thresholds) else ""


def _needs(
    conclusion: Conclusion,
    differences: Sequence[float],
    repeated: Sequence[Sequence[float]],
    stakes: StakePlan,
    options: VerificationOptions,
) -> tuple[int | None, int | None]:
    """Return how many more examples, and how many verdicts per case, would likely decide what is still open."""
    thresholds, seed = options.thresholds, options.seed
    is_safe = conclusion.finding is Finding.REGRESSION_SAFE
    if not is_safe and conclusion.reason not in ("not-enough-evidence", "too-few-examples", "looks-worse"):
        return None, None
    needed = bar(thresholds.alpha, options.look)
    ways = [more_examples_needed(differences, thresholds.min_delta, stakes.gain, needed, seed)]
    if not is_safe:
        opposite = [-d for d in differences]
        ways += [
            more_examples_needed(differences, -thresholds.max_regression, stakes.safety, needed, seed),
            more_examples_needed(opposite, thresholds.max_regression, stakes.harm, 1.0 / thresholds.alpha, seed),
        ]
    lacking = thresholds.least_pairs - len(differences)
    examples = min((max(n, lacking) for n in ways if n is not None), default=None)
    if lacking > 0:
        return examples, None
    next_bar = bar(thresholds.alpha, options.look + 1)
    variance = verdict_variance(repeated) or 0.0
    return examples, more_repeats_needed(differences, variance, options.repeats, thresholds.min_delta, next_bar, seed)


def _text_hash(text: TextUnderTest) -> str:
    return sha256_hex(text.prompt) if text.schema is None else fingerprint([text.prompt, text.schema])

"""What good means: examples, datasets, checks, the judge, the evidence that one text is better than another.

Import the modules themselves; this package exports only the plain data everybody passes around, so that importing it
loads nothing heavy. Rooms from ``feedback`` upward may import it; it imports ``traces``, ``llm`` and ``kernel``.

- datasets, splitting, duplicates, signal, language, rows: traces become examples, split by conversation.
- judge_prompt, judge, length_penalty, executor, running_judge: a candidate is run and its answer graded.
- checks, standard_checks, text_checks, json_checks, json_path: deterministic assertions.
- betting, looks, statistics, power, agreement, slices, findings: evidence and what may be said of it.
- measuring, verification, verifying, receipts, memorisation: baseline against candidate on sealed examples.
- exam, exam_cases, replay: the judge's exam and the replay lab.
"""

from honeyguide.evals.examples import CheckSpec, Dataset, Drop, Example, ExpectationRole
from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict

__all__ = [
    "CheckSpec",
    "Dataset",
    "Drop",
    "Evaluation",
    "Example",
    "ExpectationRole",
    "JudgeScore",
    "Verdict",
]

"""Comparing two texts: lines, words, rows, hunks, three-way merge, and a summary in one sentence.

Pure: no Qt, no files, no clock. Any room above ``versions`` may import it; ``workspace`` re-exports it to the front
ends.
"""

from honeyguide.versions.diff.hunks import Hunk, apply_hunks, diff_json, hunks_of, parse_hunk_numbers
from honeyguide.versions.diff.limits import DEFAULT_LIMITS, Cancelled, Limits
from honeyguide.versions.diff.lines import Comparison, compare, compare_pieces, split_lines
from honeyguide.versions.diff.merge import Merge, MergeConflict, merge
from honeyguide.versions.diff.rows import Fold, Row, RowKind, fold, rows_of, word_counts
from honeyguide.versions.diff.summary import Summary, summarise
from honeyguide.versions.diff.words import Span

__all__ = [
    "DEFAULT_LIMITS",
    "Cancelled",
    "Comparison",
    "Fold",
    "Hunk",
    "Limits",
    "Merge",
    "MergeConflict",
    "Row",
    "RowKind",
    "Span",
    "Summary",
    "apply_hunks",
    "compare",
    "compare_pieces",
    "diff_json",
    "fold",
    "hunks_of",
    "merge",
    "parse_hunk_numbers",
    "rows_of",
    "split_lines",
    "summarise",
    "word_counts",
]

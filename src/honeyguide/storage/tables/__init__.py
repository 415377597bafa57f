"""The tables, as typed SQLAlchemy models. Only ``storage`` imports them, and no model leaves it.

``execution_traces`` and ``evolution_runs`` have exactly the columns that their document names; whatever else
is known about a trace or a run stands in tables of our own beside them.
"""

from honeyguide.storage.tables.base import Base
from honeyguide.storage.tables.evidence import (
    CorrectionRow,
    DatasetRow,
    EvaluationRow,
    ExampleRow,
    FeedbackRow,
    LookRow,
    VerificationRow,
)
from honeyguide.storage.tables.machinery import (
    EventRow,
    LeaseRow,
    ModelCallRow,
    SettingRow,
    SpendBlockRow,
    SpendDayRow,
)
from honeyguide.storage.tables.runs import (
    AttemptRow,
    CancelRequestRow,
    CandidateRow,
    DecisionRow,
    EvolutionRunRow,
)
from honeyguide.storage.tables.targets import LockRow, TargetRow, VersionRow
from honeyguide.storage.tables.traces import (
    ConversationRow,
    ExecutionTraceRow,
    ForgottenRow,
    ImportedFileRow,
    PromptInForceRow,
    PromptTextRow,
    TraceFactsRow,
    TraceTargetRow,
)

__all__ = [
    "AttemptRow",
    "Base",
    "CancelRequestRow",
    "CandidateRow",
    "ConversationRow",
    "CorrectionRow",
    "DatasetRow",
    "DecisionRow",
    "EvaluationRow",
    "EventRow",
    "EvolutionRunRow",
    "ExampleRow",
    "ExecutionTraceRow",
    "FeedbackRow",
    "ForgottenRow",
    "ImportedFileRow",
    "LeaseRow",
    "LockRow",
    "LookRow",
    "ModelCallRow",
    "PromptInForceRow",
    "PromptTextRow",
    "SettingRow",
    "SpendBlockRow",
    "SpendDayRow",
    "TargetRow",
    "TraceFactsRow",
    "TraceTargetRow",
    "VerificationRow",
    "VersionRow",
]

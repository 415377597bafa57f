"""The application: one object, ``Workspace``, that every front end talks to, and the plain data it hands out.

Front ends import this package and ``kernel``, nothing else of ours.
"""

from honeyguide.evals.replay import ReplayRow
from honeyguide.llm.protocol import ModelRef, ModelRole
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.versions.diff import Fold, Hunk, Row, RowKind, fold
from honeyguide.workspace.audits import audit_prompts, find_agents
from honeyguide.workspace.crash import write_crash_report
from honeyguide.workspace.events import WorkspaceEvent
from honeyguide.workspace.judging import JudgeExam
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.settings import SETTINGS, Setting
from honeyguide.workspace.views.audit import AuditReport, FindingRow, FoundAgent
from honeyguide.workspace.views.corrections import CorrectionDetail, CorrectionRow, DetectorRow
from honeyguide.workspace.views.doctor import DoctorReport
from honeyguide.workspace.views.models import KeyPlace, ModelsReport, ModelTest, ProviderRow, RoleRow
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.pages import Page
from honeyguide.workspace.views.runs import (
    AcceptCheck,
    AttemptRow,
    CallRow,
    CandidateRow,
    DatasetReport,
    EvidenceRow,
    PlanReport,
    ProgressEvent,
    RunDetail,
    RunFilter,
    RunPage,
    RunResult,
    RunTableRow,
    StatusReport,
    TryResult,
)
from honeyguide.workspace.views.service import DaemonStatus, TickReport, WaitingTarget
from honeyguide.workspace.views.targets import LimitUse, LockRow, TargetDetail, TargetRow
from honeyguide.workspace.views.traces import (
    ArchiveReport,
    ImportedFileRow,
    ImportReport,
    LinkRow,
    TraceDetail,
    TraceQuery,
    TraceRow,
)
from honeyguide.workspace.views.versions import (
    DiffView,
    VersionDetail,
    VersionList,
    VersionRow,
    WatchReport,
    diff_view,
)
from honeyguide.workspace.workspace import Workspace

__all__ = [
    "SETTINGS",
    "AcceptCheck",
    "ArchiveReport",
    "AttemptRow",
    "AuditReport",
    "CallRow",
    "CandidateRow",
    "CorrectionDetail",
    "CorrectionRow",
    "DaemonStatus",
    "DatasetReport",
    "DetectorRow",
    "DiffView",
    "DoctorReport",
    "EvidenceRow",
    "FindingRow",
    "Fold",
    "FoundAgent",
    "Hunk",
    "ImportReport",
    "ImportedFileRow",
    "JudgeExam",
    "KeyPlace",
    "LimitUse",
    "LinkRow",
    "LockRow",
    "ModelRef",
    "ModelRole",
    "ModelTest",
    "ModelsReport",
    "Origin",
    "Page",
    "PlanReport",
    "ProgressEvent",
    "ProviderRow",
    "ReplayRow",
    "RoleRow",
    "Row",
    "RowKind",
    "RunDetail",
    "RunFilter",
    "RunOptions",
    "RunPage",
    "RunResult",
    "RunTableRow",
    "Setting",
    "StatusReport",
    "TargetDetail",
    "TargetKind",
    "TargetRef",
    "TargetRow",
    "TickReport",
    "TraceDetail",
    "TraceQuery",
    "TraceRow",
    "TryResult",
    "VersionDetail",
    "VersionList",
    "VersionRow",
    "WaitingTarget",
    "WatchReport",
    "Workspace",
    "WorkspaceEvent",
    "audit_prompts",
    "diff_view",
    "find_agents",
    "fold",
    "write_crash_report",
]

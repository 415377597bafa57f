"""The application: one object, ``Workspace``, that every front end talks to, and the plain data it hands out.

Front ends import this package and ``kernel``, nothing else of ours. A name is imported when it is first asked for, so
that a program waits for what it uses and for nothing else (decision 0086).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.kernel.exports import exports

if TYPE_CHECKING:
    from honeyguide.evals.replay import ReplayRow
    from honeyguide.feedback import Duplicate, FeedbackItem, FeedbackState
    from honeyguide.flows.after_run import AfterRun
    from honeyguide.flows.importing import ImportedRuns
    from honeyguide.flows.jobs import Job
    from honeyguide.flows.plans import FlowPlan, plan_events
    from honeyguide.flows.runs import FlowRun, RunStatus
    from honeyguide.flows.search_size import SearchSize
    from honeyguide.flows.tidying import Pruned
    from honeyguide.llm.protocol import ModelRef, ModelRole
    from honeyguide.prompts.targets import TargetKind, TargetRef
    from honeyguide.suites import SuiteOutcome
    from honeyguide.suites.proof import SuiteRecord
    from honeyguide.suites.runner import SuiteProgress
    from honeyguide.versions.diff import Fold, Hunk, Row, RowKind, fold
    from honeyguide.workspace.audits import audit_prompts, find_agents, prompt_files
    from honeyguide.workspace.crash import without_secrets, write_crash_report
    from honeyguide.workspace.events import WorkspaceEvent
    from honeyguide.workspace.exported_reviews import review_page
    from honeyguide.workspace.flow_options import NOTICE, FlowOptions, OnFlowEvent
    from honeyguide.workspace.grading import AnswerToGrade
    from honeyguide.workspace.harness_places import harness_at
    from honeyguide.workspace.judging import JudgeExam, Replayed
    from honeyguide.workspace.origins import Origin
    from honeyguide.workspace.settings import SETTINGS, Setting
    from honeyguide.workspace.views.audit import AuditReport, FindingRow, FoundAgent
    from honeyguide.workspace.views.corrections import CorrectionDetail, CorrectionRow, DetectorRow
    from honeyguide.workspace.views.doctor import DoctorReport
    from honeyguide.workspace.views.feedback import DistilledCase, FeedbackAdded, FeedbackDetail, FeedbackList
    from honeyguide.workspace.views.flows import FlowList, FlowRow, FlowRunDetail, FlowRunResult
    from honeyguide.workspace.views.models import KeyPlace, ModelsReport, ModelTest, ProviderRow, RoleRow
    from honeyguide.workspace.views.options import RunOptions
    from honeyguide.workspace.views.pages import Page
    from honeyguide.workspace.views.proof import ProofOutlook
    from honeyguide.workspace.views.reviews import (
        AcceptCheck,
        CallRow,
        CandidateRow,
        EvidenceRow,
        MergeView,
        TryResult,
    )
    from honeyguide.workspace.views.runs import (
        AttemptRow,
        DatasetReport,
        PlanReport,
        ProgressEvent,
        RunDetail,
        RunFilter,
        RunPage,
        RunResult,
        RunTableRow,
        StatusReport,
    )
    from honeyguide.workspace.views.service import DaemonStatus, TickReport, WaitingTarget
    from honeyguide.workspace.views.suites import SuiteView
    from honeyguide.workspace.views.targets import LimitUse, LockRow, TargetDetail, TargetRow
    from honeyguide.workspace.views.traces import (
        ArchiveReport,
        ImportedFileRow,
        ImportReport,
        LinkRow,
        TablePreviewView,
        TraceDetail,
        TraceFacetCounts,
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
        going_along,
    )
    from honeyguide.workspace.workspace import Workspace

__all__ = [
    "NOTICE",
    "SETTINGS",
    "AcceptCheck",
    "AfterRun",
    "AnswerToGrade",
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
    "DistilledCase",
    "DoctorReport",
    "Duplicate",
    "EvidenceRow",
    "FeedbackAdded",
    "FeedbackDetail",
    "FeedbackItem",
    "FeedbackList",
    "FeedbackState",
    "FindingRow",
    "FlowList",
    "FlowOptions",
    "FlowPlan",
    "FlowRow",
    "FlowRun",
    "FlowRunDetail",
    "FlowRunResult",
    "Fold",
    "FoundAgent",
    "Hunk",
    "ImportReport",
    "ImportedFileRow",
    "ImportedRuns",
    "Job",
    "JudgeExam",
    "KeyPlace",
    "LimitUse",
    "LinkRow",
    "LockRow",
    "MergeView",
    "ModelRef",
    "ModelRole",
    "ModelTest",
    "ModelsReport",
    "OnFlowEvent",
    "Origin",
    "Page",
    "PlanReport",
    "ProgressEvent",
    "ProofOutlook",
    "ProviderRow",
    "Pruned",
    "ReplayRow",
    "Replayed",
    "RoleRow",
    "Row",
    "RowKind",
    "RunDetail",
    "RunFilter",
    "RunOptions",
    "RunPage",
    "RunResult",
    "RunStatus",
    "RunTableRow",
    "SearchSize",
    "Setting",
    "StatusReport",
    "SuiteOutcome",
    "SuiteProgress",
    "SuiteRecord",
    "SuiteView",
    "TablePreviewView",
    "TargetDetail",
    "TargetKind",
    "TargetRef",
    "TargetRow",
    "TickReport",
    "TraceDetail",
    "TraceFacetCounts",
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
    "going_along",
    "harness_at",
    "plan_events",
    "prompt_files",
    "review_page",
    "without_secrets",
    "write_crash_report",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "honeyguide.evals.replay": ("ReplayRow",),
        "honeyguide.feedback": (
            "Duplicate",
            "FeedbackItem",
            "FeedbackState",
        ),
        "honeyguide.flows.after_run": ("AfterRun",),
        "honeyguide.flows.importing": ("ImportedRuns",),
        "honeyguide.flows.jobs": ("Job",),
        "honeyguide.flows.plans": (
            "FlowPlan",
            "plan_events",
        ),
        "honeyguide.flows.runs": (
            "FlowRun",
            "RunStatus",
        ),
        "honeyguide.flows.search_size": ("SearchSize",),
        "honeyguide.flows.tidying": ("Pruned",),
        "honeyguide.llm.protocol": (
            "ModelRef",
            "ModelRole",
        ),
        "honeyguide.prompts.targets": (
            "TargetKind",
            "TargetRef",
        ),
        "honeyguide.suites": ("SuiteOutcome",),
        "honeyguide.suites.proof": ("SuiteRecord",),
        "honeyguide.suites.runner": ("SuiteProgress",),
        "honeyguide.versions.diff": (
            "Fold",
            "Hunk",
            "Row",
            "RowKind",
            "fold",
        ),
        ".audits": (
            "audit_prompts",
            "find_agents",
            "prompt_files",
        ),
        ".crash": ("without_secrets", "write_crash_report"),
        ".exported_reviews": ("review_page",),
        ".events": ("WorkspaceEvent",),
        ".flow_options": (
            "NOTICE",
            "FlowOptions",
            "OnFlowEvent",
        ),
        ".grading": ("AnswerToGrade",),
        ".harness_places": ("harness_at",),
        ".judging": (
            "JudgeExam",
            "Replayed",
        ),
        ".origins": ("Origin",),
        ".settings": (
            "SETTINGS",
            "Setting",
        ),
        ".views.audit": (
            "AuditReport",
            "FindingRow",
            "FoundAgent",
        ),
        ".views.corrections": (
            "CorrectionDetail",
            "CorrectionRow",
            "DetectorRow",
        ),
        ".views.doctor": ("DoctorReport",),
        ".views.feedback": (
            "DistilledCase",
            "FeedbackAdded",
            "FeedbackDetail",
            "FeedbackList",
        ),
        ".views.flows": (
            "FlowList",
            "FlowRow",
            "FlowRunDetail",
            "FlowRunResult",
        ),
        ".views.models": (
            "KeyPlace",
            "ModelsReport",
            "ModelTest",
            "ProviderRow",
            "RoleRow",
        ),
        ".views.options": ("RunOptions",),
        ".views.pages": ("Page",),
        ".views.proof": ("ProofOutlook",),
        ".views.reviews": (
            "AcceptCheck",
            "CallRow",
            "CandidateRow",
            "EvidenceRow",
            "MergeView",
            "TryResult",
        ),
        ".views.runs": (
            "AttemptRow",
            "DatasetReport",
            "PlanReport",
            "ProgressEvent",
            "RunDetail",
            "RunFilter",
            "RunPage",
            "RunResult",
            "RunTableRow",
            "StatusReport",
        ),
        ".views.service": (
            "DaemonStatus",
            "TickReport",
            "WaitingTarget",
        ),
        ".views.suites": ("SuiteView",),
        ".views.targets": (
            "LimitUse",
            "LockRow",
            "TargetDetail",
            "TargetRow",
        ),
        ".views.traces": (
            "ArchiveReport",
            "ImportedFileRow",
            "ImportReport",
            "LinkRow",
            "TablePreviewView",
            "TraceDetail",
            "TraceFacetCounts",
            "TraceQuery",
            "TraceRow",
        ),
        ".views.versions": (
            "DiffView",
            "VersionDetail",
            "VersionList",
            "VersionRow",
            "WatchReport",
            "diff_view",
            "going_along",
        ),
        ".workspace": ("Workspace",),
    },
)

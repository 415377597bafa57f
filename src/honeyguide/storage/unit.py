"""All repositories over one transaction: what a function given to ``Store.read`` or ``Store.write`` receives."""

from __future__ import annotations

from functools import cached_property

from sqlalchemy.orm import Session

from honeyguide.storage.attempts import AttemptsRepository
from honeyguide.storage.calls import CallsRepository
from honeyguide.storage.candidates import CandidatesRepository
from honeyguide.storage.conversations import ConversationsRepository
from honeyguide.storage.corrections import CorrectionsRepository
from honeyguide.storage.datasets import DatasetsRepository
from honeyguide.storage.decisions import DecisionsRepository
from honeyguide.storage.evaluations import EvaluationsRepository
from honeyguide.storage.events import EventsRepository
from honeyguide.storage.feedback import FeedbackRepository
from honeyguide.storage.files import ImportedFilesRepository
from honeyguide.storage.forgetting import Forgetting
from honeyguide.storage.fulltext import FullTextIndex
from honeyguide.storage.leases import LeasesRepository
from honeyguide.storage.runs import RunsRepository
from honeyguide.storage.settings import SettingsRepository
from honeyguide.storage.spend import SpendRepository
from honeyguide.storage.targets import TargetsRepository
from honeyguide.storage.trace_import import TraceImport
from honeyguide.storage.trace_links import TraceLinksRepository
from honeyguide.storage.traces import TracesRepository
from honeyguide.storage.verifications import VerificationsRepository
from honeyguide.storage.versions import VersionsRepository
from honeyguide.storage.work import Work


class Unit:
    """The repositories of one transaction. It ends with the function that it was given to."""

    def __init__(self, work: Work, index: FullTextIndex) -> None:
        self.work = work
        self._index = index

    @property
    def session(self) -> Session:
        """The session itself; for storage's own use."""
        return self.work.session

    @cached_property
    def traces(self) -> TracesRepository:
        """Traces: insert, append, finalize, correct, query, search."""
        return TracesRepository(self.work, self._index)

    @cached_property
    def trace_import(self) -> TraceImport:
        """Traces in bulk, known ones recognised."""
        return TraceImport(self.work, self._index)

    @cached_property
    def trace_links(self) -> TraceLinksRepository:
        """Which traces speak about which targets."""
        return TraceLinksRepository(self.work)

    @cached_property
    def conversations(self) -> ConversationsRepository:
        """Conversations and prompt texts."""
        return ConversationsRepository(self.work)

    @cached_property
    def forgetting(self) -> Forgetting:
        """Deleting traces with all that quotes them; call it through ``Store.forget``."""
        return Forgetting(self.work, self._index)

    @cached_property
    def imported_files(self) -> ImportedFilesRepository:
        """Files that were read."""
        return ImportedFilesRepository(self.work)

    @cached_property
    def corrections(self) -> CorrectionsRepository:
        """Corrections and the precision of their detectors."""
        return CorrectionsRepository(self.work)

    @cached_property
    def feedback(self) -> FeedbackRepository:
        """Reported problems."""
        return FeedbackRepository(self.work)

    @cached_property
    def datasets(self) -> DatasetsRepository:
        """Frozen datasets."""
        return DatasetsRepository(self.work)

    @cached_property
    def evaluations(self) -> EvaluationsRepository:
        """Answers and verdicts, and the evidence table."""
        return EvaluationsRepository(self.work)

    @cached_property
    def verifications(self) -> VerificationsRepository:
        """Verifications and the ledger of looks."""
        return VerificationsRepository(self.work)

    @cached_property
    def candidates(self) -> CandidatesRepository:
        """Candidates and their lineage."""
        return CandidatesRepository(self.work)

    @cached_property
    def runs(self) -> RunsRepository:
        """The public run table and its transitions."""
        return RunsRepository(self.work)

    @cached_property
    def attempts(self) -> AttemptsRepository:
        """Runs of any outcome, the run table's rows, cancel requests."""
        return AttemptsRepository(self.work)

    @cached_property
    def targets(self) -> TargetsRepository:
        """Registered targets and locked passages."""
        return TargetsRepository(self.work)

    @cached_property
    def versions(self) -> VersionsRepository:
        """The index over the version store."""
        return VersionsRepository(self.work)

    @cached_property
    def decisions(self) -> DecisionsRepository:
        """Who decided what."""
        return DecisionsRepository(self.work)

    @cached_property
    def events(self) -> EventsRepository:
        """The log of changes."""
        return EventsRepository(self.work)

    @cached_property
    def leases(self) -> LeasesRepository:
        """Who does what alone."""
        return LeasesRepository(self.work)

    @cached_property
    def calls(self) -> CallsRepository:
        """The index over the journals."""
        return CallsRepository(self.work)

    @cached_property
    def spend(self) -> SpendRepository:
        """What days cost, across processes."""
        return SpendRepository(self.work)

    @cached_property
    def settings(self) -> SettingsRepository:
        """Small facts of the workspace."""
        return SettingsRepository(self.work)

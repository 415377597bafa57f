"""What the façade's methods hand their work to. Each part is made, and its rooms imported, when it is first asked for.

A window that opens, a command that lists runs and an agent that only loads its prompt thus wait for nothing else.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.workspace.continuing import Continuing
    from honeyguide.workspace.core import Core
    from honeyguide.workspace.corrections import Corrections
    from honeyguide.workspace.deciding import Deciding
    from honeyguide.workspace.feedback import Feedbacks
    from honeyguide.workspace.flows import Flows
    from honeyguide.workspace.grading import Grading
    from honeyguide.workspace.history import History
    from honeyguide.workspace.homes import Homes
    from honeyguide.workspace.judging import Judging
    from honeyguide.workspace.mining import Mining
    from honeyguide.workspace.models import Models
    from honeyguide.workspace.proved_feedback import ProvedFeedback
    from honeyguide.workspace.reviewing import Reviewing
    from honeyguide.workspace.running import Running
    from honeyguide.workspace.service import EvolutionService
    from honeyguide.workspace.suites import Suites
    from honeyguide.workspace.targets import Targets
    from honeyguide.workspace.together import Together
    from honeyguide.workspace.version_history import Versions


class Parts:
    """The parts of one open workspace; every mixin of the façade builds on it."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @cached_property
    def _homes(self) -> Homes:
        from honeyguide.workspace.homes import Homes

        return Homes(self._core)

    @cached_property
    def _mining(self) -> Mining:
        from honeyguide.workspace.mining import Mining

        return Mining(self._core, self._homes)

    @cached_property
    def _together(self) -> Together:
        from honeyguide.workspace.together import Together

        return Together(self._core, self._homes)

    @cached_property
    def _targets(self) -> Targets:
        from honeyguide.workspace.targets import Targets

        return Targets(self._core, self._homes)

    @cached_property
    def _versions(self) -> Versions:
        from honeyguide.workspace.version_history import Versions

        return Versions(self._core, self._homes)

    @cached_property
    def _judging(self) -> Judging:
        from honeyguide.workspace.judging import Judging

        return Judging(self._core, self._grading)

    @cached_property
    def _grading(self) -> Grading:
        from honeyguide.workspace.grading import Grading

        return Grading(self._core)

    @cached_property
    def _running(self) -> Running:
        from honeyguide.workspace.running import Running

        return Running(self._core, self._together, self._mining, self._judging, self._suites, self._proved)

    @cached_property
    def _service(self) -> EvolutionService:
        from honeyguide.workspace.service import EvolutionService

        return EvolutionService(self._core, self._homes, self._running)

    @cached_property
    def _deciding(self) -> Deciding:
        from honeyguide.workspace.deciding import Deciding

        return Deciding(self._core, self._together)

    @cached_property
    def _continuing(self) -> Continuing:
        from honeyguide.workspace.continuing import Continuing

        return Continuing(self._core, self._mining, self._judging)

    @cached_property
    def _reviewing(self) -> Reviewing:
        from honeyguide.workspace.reviewing import Reviewing

        return Reviewing(self._core, lambda: self._homes)

    @cached_property
    def _history(self) -> History:
        from honeyguide.workspace.history import History

        return History(self._core)

    @cached_property
    def _corrections(self) -> Corrections:
        from honeyguide.workspace.corrections import Corrections

        return Corrections(self._core)

    @cached_property
    def _models(self) -> Models:
        from honeyguide.workspace.models import Models

        return Models(self._core)

    @cached_property
    def _feedback(self) -> Feedbacks:
        from honeyguide.workspace.feedback import Feedbacks

        return Feedbacks(self._core, self._homes)

    @cached_property
    def _suites(self) -> Suites:
        from honeyguide.workspace.suites import Suites

        return Suites(self._core, self._homes)

    @cached_property
    def _proved(self) -> ProvedFeedback:
        from honeyguide.workspace.proved_feedback import ProvedFeedback

        return ProvedFeedback(self._core, self._homes, self._feedback)

    @cached_property
    def _flows(self) -> Flows:
        from honeyguide.workspace.flows import Flows

        return Flows(self._core, self._homes, self._feedback)

    def _is_made(self, part: str) -> bool:
        """Say whether a part was asked for."""
        return part in self.__dict__

"""Reported problems of any target, and their life."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.workspace.origins import Origin
from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.feedback import FeedbackItem
    from honeyguide.prompts.targets import TargetRef
    from honeyguide.workspace.views.feedback import DistilledCase, FeedbackAdded, FeedbackDetail, FeedbackList

    Name = str | TargetRef


class FeedbackMethods(Parts):
    """A part of the façade."""

    async def add_feedback(
        self,
        target: Name,
        text: str,
        *,
        expected: str | None = None,
        actual: str | None = None,
        trace_id: int | None = None,
        origin: Origin | None = None,
    ) -> FeedbackAdded:
        """Report a problem of a target, by name or by a flow's path; free. Raises InvalidInput, NotFound."""
        return await self._feedback.add(
            target, text, expected=expected, actual=actual, trace_id=trace_id, origin=origin or Origin.here()
        )

    async def list_feedback(self, target: Name | None = None, state: str | None = None) -> FeedbackList:
        """Return reported problems, oldest first, without merged ones."""
        return await self._feedback.list(target, state)

    async def show_feedback(self, feedback_id: str) -> FeedbackDetail:
        """Return one problem with the cases that reproduce it. Raises NotFound."""
        return await self._feedback.show(feedback_id)

    async def distill_feedback(self, feedback_id: str) -> DistilledCase:
        """Draft a case that fails on purpose, until a person says what would be right. Raises NotFound."""
        return await self._feedback.distill(feedback_id)

    async def link_feedback(self, feedback_id: str, case: str, *, origin: Origin | None = None) -> FeedbackDetail:
        """Say which case reproduces a problem. Raises NotFound, Conflict, Unsupported."""
        return await self._feedback.link(feedback_id, case, origin=origin or Origin.here())

    async def merge_feedback(self, feedback_id: str, into: str, *, origin: Origin | None = None) -> FeedbackItem:
        """Say that two problems are the same. Raises NotFound, InvalidInput."""
        return await self._feedback.merge(feedback_id, into, origin=origin or Origin.here())

    async def classify_feedback(self, feedback_id: str, failure: str, *, origin: Origin | None = None) -> FeedbackItem:
        """Say why a kept run failed. Raises NotFound, Conflict, InvalidInput."""
        return await self._feedback.classify(feedback_id, failure, origin=origin or Origin.here())

    async def dismiss_feedback(self, feedback_id: str, *, origin: Origin | None = None) -> FeedbackItem:
        """Say that it is no problem. Raises NotFound, Conflict."""
        from honeyguide.feedback import FeedbackState

        return await self._feedback.move(feedback_id, FeedbackState.DISMISSED, origin=origin or Origin.here())

    async def reopen_feedback(self, feedback_id: str, *, origin: Origin | None = None) -> FeedbackItem:
        """Open a problem again. Raises NotFound."""
        from honeyguide.feedback import FeedbackState

        return await self._feedback.move(feedback_id, FeedbackState.OPEN, origin=origin or Origin.here())

    async def forget_feedback(
        self, feedback_id: str, *, confirmed: bool = False, origin: Origin | None = None
    ) -> FeedbackItem:
        """Remove a problem for good, wherever it stands. Raises PolicyRefused, NotFound."""
        return await self._feedback.forget(feedback_id, confirmed=confirmed, origin=origin or Origin.here())

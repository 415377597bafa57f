"""What a run of a prompt does to the problems that its suite reproduces.

The state of such a problem follows from the run alone, so it can be worked out anew at any time: after a step, and when
a workspace is opened after a crash. Only what a red/green case proved, on exactly the text that went live, is resolved.
"""

from __future__ import annotations

from collections.abc import Iterable

from honeyguide.feedback import FeedbackItem, FeedbackState
from honeyguide.kernel.errors import Conflict, HoneyguideError, NotFound
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.records import AttemptRecord, RunRecord
from honeyguide.suites.proof import improved_in
from honeyguide.versions import Version
from honeyguide.workspace.core import Core
from honeyguide.workspace.feedback import Feedbacks
from honeyguide.workspace.flow_desk import open_desk
from honeyguide.workspace.homes import Home, Homes
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.suite_records import stale_suite_parts, suite_record

_S = FeedbackState
WAITING = ("proposed", "accepted", "failed")
"""States of a run in which its proposal waits for a person, or for another try."""


class ProvedFeedback:
    """Moves problems along with the runs that are about them."""

    def __init__(self, core: Core, homes: Homes, feedback: Feedbacks) -> None:
        self._core = core
        self._homes = homes
        self._feedback = feedback

    async def begin(self, uuid: str, ids: Iterable[str]) -> None:
        """Note that a run works on these problems."""
        wanted = sorted(ids)
        if not wanted:
            return

        def work() -> None:
            log = open_desk(self._core, Origin.here()).feedback
            for id in wanted:
                try:
                    log.move(id, _S.TARGETED, run_id=uuid)
                except (Conflict, NotFound):
                    continue  # decided otherwise meanwhile

        await self._core.in_thread(work)
        await self._feedback.refresh(Origin.here())

    async def settle(self, uuid: str | None = None) -> None:
        """Put the problems of a run, or of all runs, into the state that follows from it."""
        contents = await self._core.in_thread(open_desk(self._core, Origin.here()).feedback.read)
        held = [i for i in contents.items if i.state is _S.TARGETED and i.run_id and uuid in (None, i.run_id)]
        held = [item for item in held if item.kind != TargetKind.FLOW.value]
        moves: list[tuple[FeedbackItem, FeedbackState]] = []
        for item in held:
            wanted = await self._state_of(item)
            if wanted is not item.state:
                moves.append((item, wanted))
        await self._carry_out(moves)

    async def after_rollback(self, ref: TargetRef) -> None:
        """Open the problems again whose proof speaks of a text that is not live any more."""
        contents = await self._core.in_thread(open_desk(self._core, Origin.here()).feedback.read)
        resolved = [i for i in contents.items if i.target == str(ref) and i.state is _S.RESOLVED and i.run_id]
        if not resolved:
            return
        home = await self._homes.home(ref)
        store = self._core.version_store
        versions = await self._core.in_thread(lambda: store.list(home.live.kind, home.live.name))
        moves = [(item, _S.OPEN) for item in resolved if _was_undone(item, versions)]
        await self._carry_out(moves)

    async def _state_of(self, item: FeedbackItem) -> FeedbackState:
        uuid = item.run_id or ""
        attempt, run = await self._core.store.read(lambda unit: (unit.attempts.get(uuid), unit.runs.get(uuid)))
        if run is None:
            return _S.TARGETED if attempt is not None and attempt.state == "running" else _S.OPEN
        if run.status in WAITING:
            return _S.TARGETED
        if run.status == "deployed" and item.id in improved_in(suite_record(run)):
            return _S.RESOLVED if await self._still_proved(run, attempt) else _S.OPEN
        return _S.OPEN

    async def _still_proved(self, run: RunRecord, attempt: AttemptRecord | None) -> bool:
        """Say whether exactly the proved text went live, and the proof rests on what is there now."""
        record = suite_record(run) or {}

        def work(home: Home) -> bool:
            store = self._core.version_store
            versions = store.list(home.live.kind, home.live.name)
            version = next((v for v in versions if v.run_uuid == run.run_uuid), None)
            if version is None:
                return False
            deployed = home.text_in(store.read(home.live.kind, home.live.name, version.n))
            if deployed.strip() != run.winner_text.strip():
                return False  # a person chose some of the changes, or wrote their own words
            return not stale_suite_parts(self._core, home, attempt, run, record)

        try:
            home = await self._homes.home(TargetRef(TargetKind(run.target_kind), run.target_name or ""))
            return await self._core.in_thread(lambda: work(home))
        except HoneyguideError:
            return False

    async def _carry_out(self, moves: list[tuple[FeedbackItem, FeedbackState]]) -> None:
        if not moves:
            return

        def work() -> None:
            log = open_desk(self._core, Origin.here()).feedback
            for item, state in moves:
                try:
                    log.move(item.id, state, run_id=item.run_id)
                except (Conflict, NotFound):
                    continue

        await self._core.in_thread(work)
        await self._feedback.refresh(Origin.here())


def _was_undone(item: FeedbackItem, versions: tuple[Version, ...] | list[Version]) -> bool:
    """Say whether the live text is one from before the run that resolved the problem."""
    proved = next((v for v in versions if v.run_uuid == item.run_id), None)
    if proved is None or not versions:
        return False
    live = versions[-1]
    same = [v.n for v in versions[:-1] if v.sha256 == live.sha256]
    return bool(same) and max(same) < proved.n

"""Reported problems for the front ends: of any target, by name or by the path of a flow.

The log is what counts; the database holds a mirror of it, so that lists are quick and every program sees changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from honeyguide.feedback import (
    FailureClass,
    FeedbackDraft,
    FeedbackItem,
    FeedbackLog,
    FeedbackState,
    draft_case,
    near_duplicates,
)
from honeyguide.flows.applying import recover_one
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.runs import LINEAGE
from honeyguide.flows.suites_of_flows import default_suite_path, load_suite, suite_path
from honeyguide.flows.tidying import forget_words
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import HoneyguideError, InvalidInput, NotFound, PolicyRefused, Unsupported
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import Unit
from honeyguide.storage.records import FeedbackRecord
from honeyguide.suites.linking import with_evidence
from honeyguide.versions import write_atomically
from honeyguide.workspace.core import Core
from honeyguide.workspace.flow_desk import open_desk
from honeyguide.workspace.harness_places import harness_at, harness_name, suite_beside
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.suite_places import attached_path, suite_of
from honeyguide.workspace.views.feedback import DistilledCase, FeedbackAdded, FeedbackDetail, FeedbackList


class Feedbacks:
    """Adds, shows, links and forgets problems."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    async def add(
        self,
        target: str | TargetRef,
        message: str,
        *,
        expected: str | None,
        actual: str | None,
        trace_id: int | None,
        origin: Origin,
    ) -> FeedbackAdded:
        """Store a problem; nothing is spent. Raises InvalidInput, NotFound."""
        kind, name, path, digest = await self._about(target)
        if trace_id is not None:
            await self._core.store.read(lambda unit: unit.traces.require(trace_id))
        draft = FeedbackDraft(
            kind, name, message, path=path, text_sha256=digest, expected=expected, actual=actual, trace_id=trace_id
        )
        log = self._log()
        item = await self._core.in_thread(lambda: log.add(draft))
        await self._mirror([item], origin)
        items = (await self._core.in_thread(log.read)).items
        alike = near_duplicates(item.message, items, item.target, ignore=item.id)
        shown = path if kind in (TargetKind.FLOW, TargetKind.HARNESS) else name
        command = {TargetKind.FLOW: "flow plan", TargetKind.HARNESS: "suites show"}.get(TargetKind(kind), "plan")
        plan = f"honeyguide {command} {shown}"
        return FeedbackAdded(item, alike, f"honeyguide feedback distill {item.id}", plan)

    async def list(
        self, target: str | TargetRef | None = None, state: str | None = None, *, merged: bool = False
    ) -> FeedbackList:
        """Return problems, oldest first. Raises InvalidInput, NotFound."""
        if state is not None and state not in set(FeedbackState):
            raise InvalidInput(f"{state!r} is no state.", hint=f"Use one of: {', '.join(FeedbackState)}.")
        wanted = None
        if target is not None:
            kind, name, _, _ = await self._about(target)
            wanted = f"{kind}:{name}"
        contents = await self._core.in_thread(self._log().read)
        items = tuple(
            item
            for item in contents.items
            if (wanted is None or item.target == wanted)
            and (state is None or item.state == state)
            and (merged or item.merged_into is None)
        )
        return FeedbackList(items, tuple(damage.line for damage in contents.damaged))

    async def show(self, feedback_id: str) -> FeedbackDetail:
        """Return one problem with what reproduces it. Raises NotFound."""
        suite = await self._suite_path(feedback_id)
        return await self._core.in_thread(lambda: self._detail(feedback_id, suite))

    async def distill(self, feedback_id: str) -> DistilledCase:
        """Draft a case that fails on purpose, in the workspace, outside any repository. Raises NotFound."""
        suite = await self._suite_path(feedback_id)

        def work() -> DistilledCase:
            desk = self._desk()
            item = desk.feedback.get(feedback_id)
            path = desk.home.drafts / f"{item.id}.eval-case.yaml"
            text = draft_case(item)
            if not path.exists():  # a person's edits of a draft are not overwritten
                write_atomically(path, text.encode())
            else:
                text = path.read_text(encoding="utf-8")
            return DistilledCase(item, str(path), str(suite) if suite else None, text)

        return await self._core.in_thread(work)

    async def link(self, feedback_id: str, case: str, *, origin: Origin) -> FeedbackDetail:
        """Say that a case of the target's suite reproduces a problem; the suite's file is extended by its id.

        Raises:
            NotFound: no such problem, suite or case.
            Conflict: the case is a draft.
            Unsupported: the suite is code, which a person extends.
        """
        suite = await self._suite_path(feedback_id)

        def work() -> FeedbackItem:
            desk = self._desk()
            item = desk.feedback.get(feedback_id)
            if suite is None or not suite.is_file():
                raise NotFound(
                    f"The target of {item.id} has no suite yet.",
                    hint="Write <flow>.eval.yaml beside a flow; for other targets see 'honeyguide suites attach'.",
                )
            if suite.suffix == ".ts":
                raise Unsupported(
                    f"{suite.name} is code; it is not rewritten here.",
                    hint=f'Add evidence: ["{item.id}"] to the case {case!r} by hand.',
                )
            before = suite.read_bytes().decode("utf-8")
            after = with_evidence(before, suite.name, case, item.id)
            if after != before:
                write_atomically(suite, after.encode())
            return desk.feedback.link(item.id, f"{suite.name}:{case}")

        await self._mirror([await self._core.in_thread(work)], origin)
        return await self.show(feedback_id)

    async def merge(self, feedback_id: str, into: str, *, origin: Origin) -> FeedbackItem:
        """Say that two problems are the same. Raises NotFound, InvalidInput."""
        item = await self._core.in_thread(lambda: self._log().merge(feedback_id, into))
        await self._mirror([item], origin)
        return item

    async def classify(self, feedback_id: str, failure: str, *, origin: Origin) -> FeedbackItem:
        """Say why a kept run failed; only ``behavior`` begins work. Raises NotFound, Conflict, InvalidInput."""
        if failure not in set(FailureClass):
            raise InvalidInput(
                f"{failure!r} is no reason of a failure.", hint=f"Use one of: {', '.join(FailureClass)}."
            )
        item = await self._core.in_thread(lambda: self._log().classify(feedback_id, FailureClass(failure)))
        await self._mirror([item], origin)
        return item

    async def move(self, feedback_id: str, state: FeedbackState, *, origin: Origin) -> FeedbackItem:
        """Dismiss or reopen. Raises NotFound, Conflict."""
        item = await self._core.in_thread(lambda: self._log().move(feedback_id, state))
        await self._mirror([item], origin)
        return item

    async def forget(self, feedback_id: str, *, confirmed: bool, origin: Origin) -> FeedbackItem:
        """Remove a problem for good: log, draft, runs, receipts, jobs, database and its search index.

        Raises:
            PolicyRefused: nobody confirmed it.
            NotFound.
        """
        if not confirmed:
            raise PolicyRefused("Forgetting cannot be undone, and nobody confirmed it.", hint="Add --yes.")

        def work() -> FeedbackItem:
            desk = self._desk()
            item = desk.feedback.get(feedback_id)
            for run in desk.runs.all()[0]:
                if item.id in run.evidence_ids and run.status in LINEAGE:
                    recover_one(desk, run)
            desk.feedback.forget(item.id)
            forget_words(desk.home, item.id, [w for w in (item.message, item.expected, item.actual) if w])
            return item

        item = await self._core.in_thread(work)
        store = self._core.store
        if await store.read(lambda unit: unit.feedback.get(feedback_id)) is not None:
            await store.forget_with(lambda unit: unit.feedback.forget(feedback_id), actor=origin.for_store)
        return item

    async def refresh(self, origin: Origin) -> None:
        """Bring the mirror in the database up to date with the log."""
        contents = await self._core.in_thread(self._log().read)
        await self._mirror(contents.items, origin)

    def _desk(self) -> FlowDesk:
        return open_desk(self._core, Origin.here())

    def _log(self) -> FeedbackLog:
        return self._desk().feedback

    def _detail(self, feedback_id: str, suite: Path | None) -> FeedbackDetail:
        desk = self._desk()
        contents = desk.feedback.read()
        item = desk.feedback.get(feedback_id)
        names: tuple[str, ...] = ()
        every: tuple[str, ...] = ()
        if suite is not None and suite.is_file():
            plan = load_suite(suite, repetitions=1).plan
            names = tuple(case.name for case in plan.cases if item.id in case.evidence)
            every = tuple(case.name for case in plan.cases)
        draft = desk.home.drafts / f"{item.id}.eval-case.yaml"
        return FeedbackDetail(
            item,
            str(suite) if suite is not None and suite.is_file() else None,
            names,
            str(draft) if draft.exists() else None,
            near_duplicates(item.message, contents.items, item.target, ignore=item.id),
            every,
        )

    async def _suite_path(self, feedback_id: str) -> Path | None:
        """Return the suite of a problem's target, or where a flow's would stand."""
        item = await self._core.in_thread(lambda: self._desk().feedback.get(feedback_id))
        if item.kind == TargetKind.FLOW.value:
            flow = Path(item.path)
            return (suite_path(flow) or default_suite_path(flow)) if item.path else None
        if item.kind == TargetKind.HARNESS.value:
            return suite_beside(Path(item.path)) if item.path else None
        try:
            home = await self._homes.home(TargetRef(TargetKind(item.kind), item.name))
        except HoneyguideError:
            return None  # the target is gone; its feedback can still be read
        suite = await self._core.in_thread(lambda: suite_of(self._core, home))
        return suite.path if suite is not None else attached_path(self._core, home.ref)

    async def _about(self, target: str | TargetRef) -> tuple[str, str, str, str | None]:
        """Return kind, name, path and hash of what the problem is about."""
        path = flow_path(target)
        if path is not None:
            view = await self._core.in_thread(lambda: self._desk().look(path))
            return TargetKind.FLOW.value, view.place.flow_id, str(view.place.path), view.document.sha256
        folder = await self._core.in_thread(lambda: harness_at(target))
        if folder is not None:
            return await self._core.in_thread(lambda: _about_harness(folder))
        ref = await self._homes.resolve(target)
        home = await self._homes.home(ref)
        if ref.kind is TargetKind.HARNESS and home.record is not None:
            root = Path(home.record.path).parent
            return await self._core.in_thread(lambda: _about_harness(root))
        if ref.kind is TargetKind.FLOW and home.record is not None:
            flow = Path(home.record.path)
            view = await asyncio.to_thread(lambda: self._desk().look(flow))
            return TargetKind.FLOW.value, view.place.flow_id, str(view.place.path), view.document.sha256
        digest = await self._core.in_thread(lambda: _hash(home.live.path))
        own = str(home.live.path) if home.record is not None else ""
        return ref.kind.value, ref.name, own, digest

    async def _mirror(self, items: Sequence[FeedbackItem], origin: Origin) -> None:
        records = [_record(item) for item in items]

        def work(unit: Unit) -> None:
            repository = unit.feedback
            for record in records:
                if repository.get(record.id) is None:
                    repository.add(record)
                else:
                    repository.save(record)

        if records:
            await self._core.store.write(work, actor=origin.for_store)


def flow_path(target: str | TargetRef) -> Path | None:
    """Return the path of a flow when ``target`` is one rather than a name."""
    if isinstance(target, TargetRef):
        return None
    path = Path(target).expanduser()
    is_markdown = path.suffix.lower() == ".md"
    return path.absolute() if is_markdown and ("/" in target or "\\" in target or path.is_file()) else None


def _about_harness(folder: Path) -> tuple[str, str, str, str | None]:
    from honeyguide.harnesses.folder import Harness

    harness = Harness.open(folder)
    return TargetKind.HARNESS.value, harness_name(harness), str(harness.root), _hash(harness.file)


def _hash(path: Path) -> str | None:
    try:
        return sha256_hex(path.read_bytes())
    except OSError:
        return None


def _record(item: FeedbackItem) -> FeedbackRecord:
    return FeedbackRecord(
        id=item.id,
        target_kind=item.kind,
        target_name=item.name,
        text=item.message,
        state=item.state.value,
        expected=item.expected,
        actual=item.actual,
        trace_id=item.trace_id,
        run_uuid=item.run_id,
        case_id=item.case,
        details={"type": item.type.value, "confidence": item.confidence.value, "path": item.path},
        created_at=item.created_at,
        updated_at=item.changed_at,
    )

"""What a person decides about a run, carried out: accept, reject, try, roll back, back up, resume, stop, export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.accept import AcceptDialog, RejectDialog
from honeyguide.desktop.dialogs.files import ask_save
from honeyguide.desktop.dialogs.restore import RestoreDialog
from honeyguide.desktop.dialogs.small import ConfirmDialog, TextDialog
from honeyguide.desktop.dialogs.try_it import TryDialog
from honeyguide.desktop.notify import Step
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.kernel.errors import Stale

if TYPE_CHECKING:
    from honeyguide.workspace import MergeView, RunDetail, VersionList


REVIEW = "honeyguide-review"
"""The ending of a review that Honeyguide opens by a double click."""


class Decisions:
    """Each method is a coroutine that asks first where something would change, and says afterwards what was done."""

    def __init__(self, desk: Desk, tasks: TaskScope) -> None:
        self._desk = desk
        self._tasks = tasks
        self._tr = desk.window.tr

    # --- proposals

    async def accept(
        self, detail: RunDetail, note: str, *, hunks: Sequence[int] | None = None, edited_text: str | None = None
    ) -> bool:
        """Show what would be deployed, then deploy it; says whether it was."""
        desk, uuid = self._desk, detail.uuid
        check = await desk.workspace.can_accept(uuid, hunks=hunks, edited_text=edited_text)
        diff = await desk.workspace.run_diff(uuid)
        stale = " ".join(map(spoken, detail.receipt["reasons"])) if detail.receipt and detail.receipt["stale"] else ""
        dialog = AcceptDialog(target_name(detail), spoken(diff.summary), check, note, desk.window, stale=stale)
        if not await dialog.ask():
            return False
        typed = dialog.note() or None
        try:
            after = await desk.workspace.accept(
                uuid, note=typed, hunks=hunks, edited_text=edited_text, origin=desk.origin
            )
        except Stale:
            merge = await desk.workspace.merge_run(uuid)
            if not merge.is_clean or merge.text is None:
                raise
            merged = await self._deploy_merged(detail, merge, typed)
            if merged is None:
                return False
            after = merged
        desk.memory.set(f"note.{uuid}", None)
        desk.memory.set(f"edit.{uuid}", None)
        self._say_deployed(after)
        return True

    async def _deploy_merged(self, detail: RunDetail, merge: MergeView, note: str | None) -> RunDetail | None:
        """Offer the proposal merged with what the live text became; ``None`` when it is not wanted."""
        from honeyguide.workspace import diff_view

        desk, tr, merged = self._desk, self._tr, merge.text or ""
        diff = diff_view(merge.live_text, merged)
        title = tr("The live text of {name} changed meanwhile").format(name=target_name(detail))
        text = tr(
            "Both changes can be kept: this is the live text with the proposal in it. The whole was not measured."
        )
        titles = (tr("Now"), tr("Merged"))
        dialog = RestoreDialog("merge-dialog", title, text, tr("Deploy the merged text"), diff, titles, desk.window)
        if not await dialog.ask():
            return None
        return await desk.workspace.accept(
            detail.uuid, note=dialog.note() or note, edited_text=merged, onto=merge.live_sha256, origin=desk.origin
        )

    async def reject(self, detail: RunDetail, note: str) -> bool:
        """Ask why, then turn the proposal down; says whether it was."""
        dialog = RejectDialog(target_name(detail), note, self._desk.window)
        if not await dialog.ask():
            return False
        await self._desk.workspace.reject(detail.uuid, reason=dialog.reason() or None, origin=self._desk.origin)
        self._desk.memory.set(f"note.{detail.uuid}", None)
        self._desk.notify.info(
            self._tr("Rejected. The live text of {name} is as it was.").format(name=target_name(detail))
        )
        return True

    async def retry(self, detail: RunDetail) -> None:
        """Try a failed deploy once more."""
        reason = detail.run.failure_reason if detail.run is not None else ""
        text = self._tr("It failed before: {reason}").format(reason=reason)
        title = self._tr("Try deploying again?")
        dialog = ConfirmDialog("retry-dialog", title, text, self._tr("Try deploying again"), self._desk.window)
        if await dialog.ask():
            self._say_deployed(await self._desk.workspace.retry(detail.uuid, origin=self._desk.origin))

    async def measure_more(self, detail: RunDetail) -> None:
        """Ask how the evidence shall go on, measure, and say what it shows now."""
        from honeyguide.desktop.pages.review_head import proof_sentence

        desk, tr, uuid = self._desk, self._tr, detail.uuid
        outlook = await desk.workspace.proof_outlook(uuid)
        free = "" if outlook.costs_money else " " + tr("It costs nothing.")
        verdicts = tr("{n} verdicts per case…").format(n=outlook.more_repeats)
        again = tr(
            "{n} verdicts per case instead of {now} are a new look at the same cases, which takes more evidence: "
            "at most {calls} calls."
        ).format(n=outlook.more_repeats, now=outlook.repeats, calls=outlook.repeats_calls)
        if outlook.fresh:
            text = tr(
                "{n} unseen cases were not measured yet. The same evidence goes on with them, and having looked "
                "before costs nothing: at most {calls} calls."
            ).format(n=outlook.fresh, calls=outlook.fresh_calls)
            words, other = tr("Measure {n} more cases").format(n=outlook.fresh), verdicts
            text += "\n\n" + again
        else:
            text = tr("Every unseen case was measured. More history brings more cases.") + "\n\n" + again
            words, other = verdicts.rstrip("…"), ""
        dialog = ConfirmDialog("continue-dialog", tr("Measure more?"), text + free, words, desk.window, other=other)
        if not await dialog.ask():
            return
        repeats = outlook.more_repeats if dialog.other_chosen or not outlook.fresh else None
        desk.notify.note(tr("Measuring; you can go on working."))
        after = await desk.workspace.continue_proof(uuid, repeats=repeats, is_confirmed=True, origin=desk.origin)
        desk.notify.info(proof_sentence(desk.window, after.verification or {}))

    async def try_it(self, detail: RunDetail) -> None:
        """Open the dialog that answers inputs with both texts."""
        from honeyguide.desktop.rows import models_words
        from honeyguide.workspace import ModelRole, RunOptions

        workspace = self._desk.workspace
        options = RunOptions.from_json(detail.attempt.options) if detail.attempt.options else RunOptions()
        model = str(options.models.get(ModelRole.EXECUTOR) or workspace.model_for(ModelRole.EXECUTOR))
        key = f"try.{detail.uuid}"
        dialog = TryDialog(
            lambda text: workspace.try_prompt(detail.uuid, text),
            self._tasks,
            models_words(model),
            self._desk.window,
            text=self._desk.memory.text(key),
            is_free=not workspace.costs_money(options),
        )
        await dialog.ask()
        self._desk.memory.set(key, dialog.text() or None)

    async def export(self, detail: RunDetail) -> None:
        """Write the whole proof as one page: for any browser, or to be opened here by a double click."""
        name = f"honeyguide-{target_name(detail)}-{detail.uuid[:8]}.html"
        words = {"html": self._tr("A page for any browser"), REVIEW: self._tr("A review for Honeyguide")}
        if detail.run is not None:
            words["patch"] = self._tr("The change alone, as a patch")
        path = await ask_save(self._desk.window, self._tr("Export the proof"), name, tuple(words), words)
        if path is not None:
            await self._desk.workspace.export_run(detail.uuid, path)
            self._desk.notify.info(self._tr("Exported to {path}.").format(path=path))

    # --- runs at work

    def stop(self, uuid: str) -> None:
        """Stop a run before its next call."""
        self._desk.notify.note(self._tr("Stopping. What was paid for is kept."))
        self._tasks.start(self._desk.workspace.cancel_run(uuid), "stop a run")

    def pause(self, uuid: str, paused: bool) -> None:
        """Hold a run, or let it go on."""
        if paused:
            self._desk.workspace.pause_run(uuid)
        else:
            self._desk.workspace.continue_run(uuid)

    async def resume(self, detail: RunDetail) -> None:
        """Go on with an interrupted run in the background."""
        self._desk.notify.note(self._tr("Going on where it stopped; nothing is paid twice."))
        await self._desk.workspace.resume_run(detail.uuid, origin=self._desk.origin)

    # --- versions

    async def roll_back(self, target: str) -> bool:
        """Show what the version before would bring back, then bring it back; says whether it was."""
        versions = await self._desk.workspace.versions(target)
        to = version_before(versions)
        if to is None:
            self._desk.notify.note(self._tr("There is no earlier version of {name}.").format(name=short_name(target)))
            return False
        return await self._bring_back(versions, to, is_rollback=True)

    async def restore(self, target: str, n: int) -> bool:
        """Show what version ``n`` would bring back, then bring it back; says whether it was."""
        return await self._bring_back(await self._desk.workspace.versions(target), n, is_rollback=False)

    async def back_up(self, target: str) -> bool:
        """Store the live text as a version, with a note; says whether it was."""
        name = short_name(target)
        dialog = TextDialog(
            "backup-dialog",
            self._tr("Back up {name} now").format(name=name),
            self._tr("Note"),
            self._tr("Back up"),
            self._desk.window,
            explains=self._tr("The live text becomes a version that you can always go back to."),
            may_be_empty=True,
        )
        if not await dialog.ask():
            return False
        row = await self._desk.workspace.backup(target, note=dialog.text() or None, origin=self._desk.origin)
        said = self._tr("Backed up as version {n}.").format(n=row.n)
        self._desk.notify.info(said, Step(self._tr("View"), lambda: self._desk.go("targets", target)))
        return True

    # --- inside

    async def _bring_back(self, versions: VersionList, n: int, *, is_rollback: bool) -> bool:
        desk, target, tr = self._desk, versions.target, self._tr
        from honeyguide.workspace import going_along

        current = next((row.n for row in versions.versions if row.current), None)
        name = short_name(target)
        if current is not None:
            diff = await desk.workspace.version_diff(target, current, n)
        else:
            from honeyguide.workspace import diff_view

            live, then = await desk.workspace.target(target), await desk.workspace.version(target, n)
            diff = diff_view(live.text, then.text)
        if is_rollback:
            title = tr("Roll {name} back to version {n}?").format(name=name, n=n)
            text = tr("The version before comes back, in {path}.").format(path=versions.path)
            words, dialog_name = tr("Roll back"), "rollback-dialog"
        else:
            title = tr("Restore version {n} of {name}?").format(n=n, name=name)
            text = tr("Version {n} comes back, in {path}.").format(n=n, path=versions.path)
            words, dialog_name = tr("Restore"), "restore-dialog"
        along = going_along(versions, n)
        if along:
            text += " " + tr("In the same step {names} goes back, which went live together with it.").format(
                names=", ".join(along)
            )
        titles = (tr("Now"), tr("Version {n}").format(n=n))
        dialog = RestoreDialog(dialog_name, title, text, words, diff, titles, desk.window)
        if not await dialog.ask():
            return False
        row = await desk.workspace.rollback(target, to=n, note=dialog.note() or None, origin=desk.origin)
        said = tr("{name} is back at version {n}, as version {new}.").format(name=name, n=n, new=row.n)
        if row.together:
            said += " " + tr("So is {names}.").format(names=", ".join(along) or ", ".join(row.together))
        desk.notify.info(said, Step(tr("View"), lambda: desk.go("targets", target)))
        return True

    def _say_deployed(self, detail: RunDetail) -> None:
        name, target = target_name(detail), target_of(detail)
        if detail.status == "deployed":
            words = self._tr("Deployed. {name} uses the new text from now on.").format(name=name)
            if detail.texts:
                names = ", ".join(str(text["target"]).partition(":")[2] for text in detail.texts if text["version"])
                words = self._tr("Deployed in one step: {names}.").format(names=names)
            step = Step(self._tr("Roll back…"), lambda: self._tasks.start(self.roll_back(target), "roll back"))
            self._desk.notify.info(words, step)
            return
        reason = detail.run.failure_reason if detail.run is not None else ""
        words = self._tr("The deploy of {name} failed: {reason}").format(name=name, reason=reason)
        self._desk.notify.warn("deploy-failed", words)


def target_of(detail: RunDetail) -> str:
    """Return the target of a run as ``KIND:NAME``."""
    return f"{detail.attempt.target_kind}:{detail.attempt.target_name or ''}"


def target_name(detail: RunDetail) -> str:
    """Return the name of a run's target."""
    return detail.attempt.target_name or ""


def short_name(target: str) -> str:
    """Return the name in ``KIND:NAME``."""
    return target.partition(":")[2] or target


def version_before(versions: VersionList) -> int | None:
    """Return the version that Roll back goes to: doing it again goes one further back; ``None`` when there is none."""
    by_n = {row.n: row for row in versions.versions}
    if not by_n:
        return None
    standing = next((row for row in versions.versions if row.current), None)
    if standing is None:
        return max(by_n)
    live = standing.sha256
    while standing.restored_from is not None and standing.restored_from in by_n:
        standing = by_n[standing.restored_from]
    earlier = [n for n in sorted(by_n) if n < standing.n and by_n[n].sha256 != live]
    return earlier[-1] if earlier else None

"""A person's decision on a proposal: accept and deploy, reject, try a failed deploy again.

Accepting claims the run in the database first, so that of two programs one wins; then the file changes by
compare-and-swap. Whatever a crash leaves in between is repaired at the next opening, from hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.evals.examples import Example
from honeyguide.evolution.gates import GateInput, GateOptions, GateResult, first_failure, run_gates
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import (
    Conflict,
    GateRefused,
    HoneyguideError,
    InvalidInput,
    Locked,
    PolicyRefused,
    Stale,
)
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import Unit
from honeyguide.storage.records import AttemptRecord, RunRecord
from honeyguide.versions import Change, Deployed, commit_file, repository_of
from honeyguide.versions.diff import apply_hunks, compare, merge
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Home, Homes, text_sha256
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.overrides import KINDS
from honeyguide.workspace.targets import locked_passages
from honeyguide.workspace.version_history import announce, index_versions
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.reviews import (
    AcceptCheck,
    MergeView,
)

SELECTED = "selected by the reviewer"
EDITED = "edited by the reviewer"


@dataclass(frozen=True, slots=True)
class _Choice:
    """What would be deployed: the proposal, or a person's selection or wording of it."""

    text: str
    remark: str = ""


class Deciding:
    """Carries out decisions."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    async def check(
        self, uuid: str, *, hunks: Sequence[int] | None = None, edited_text: str | None = None
    ) -> AcceptCheck:
        """Say what accepting would do and whether it may be done; changes nothing. Raises NotFound, InvalidInput."""
        run, attempt = await self._load(uuid)
        home = await self._home(run)
        choice = _choose(run, hunks, edited_text)
        gates = await self._gates(run, attempt, home, choice)
        reason = _status_reason(run, "accepted") if run.status != "proposed" else ""
        reason = reason or self._policy_reason(attempt)
        failure = first_failure(gates)
        if not reason and failure is not None and choice.remark:
            reason = f"{failure.gate}: {failure.reason}"
        kind = KINDS.get(home.ref.kind)
        return AcceptCheck(
            allowed=not reason,
            reason=reason,
            needs_note=attempt is not None and attempt.needs_note,
            path=str(home.live.path),
            sha_before=text_sha256(home.text),
            sha_after=text_sha256(choice.text),
            text=choice.text,
            tells=(kind.reload_event if kind else f"{home.ref.kind.value}:reloaded",),
            gates=tuple(gate.to_json() for gate in gates),
            is_selection=bool(choice.remark),
        )

    async def merge(self, uuid: str) -> MergeView:
        """Merge the proposal with what the live text became since the run began; changes nothing. Raises NotFound."""
        run, _ = await self._load(uuid)
        home = await self._home(run)
        merged = await self._core.in_thread(lambda: merge(run.baseline_text, home.text, run.winner_text))
        return MergeView(
            is_clean=merged.is_clean,
            text=merged.text() if merged.is_clean else None,
            conflicts=tuple(conflict.to_json() for conflict in merged.conflicts),
            live_text=home.text,
            live_sha256=text_sha256(home.text),
            has_changed=home.text != run.baseline_text,
        )

    async def accept(
        self,
        uuid: str,
        *,
        note: str | None,
        hunks: Sequence[int] | None,
        edited_text: str | None,
        origin: Origin,
        onto: str | None = None,
    ) -> None:
        """Accept a proposal and deploy it.

        Args:
            onto: the hash of the live text that ``edited_text`` was merged with, when that changed since the run began.

        Raises:
            NotFound, Conflict: no such run, or it is not proposed (any more).
            PolicyRefused: the proof does not allow it, or asks for a note.
            GateRefused: the reviewer's own selection or wording fails a gate.
            Stale, Locked: nothing was written and the run stays proposed.
        """
        run, attempt = await self._load(uuid)
        if run.status != "proposed":
            raise Conflict(_status_reason(run, "accepted"))
        reason = self._policy_reason(attempt)
        if reason:
            raise PolicyRefused(reason)
        if attempt is not None and attempt.needs_note and not (note or "").strip():
            raise PolicyRefused(
                "The proof cannot tell whether this is better; accepting it needs a note.",
                hint="Say in a few words why you accept it (--note).",
            )
        home = await self._home(run)
        choice = _choose(run, hunks, edited_text)
        if choice.remark:
            failure = first_failure(await self._gates(run, attempt, home, choice))
            if failure is not None:
                raise GateRefused(f"{failure.gate}: {failure.reason}", details={"gate": failure.to_json()})
        remarks = [part for part in ((note or "").strip(), choice.remark) if part]
        full_note = "; ".join(remarks) or None
        await self._core.store.write(
            lambda unit: unit.runs.accept(uuid, full_note), actor=origin.for_store, durable=True
        )
        await self._deploy(run, attempt, home, choice.text, full_note, origin, onto)

    async def reject(self, uuid: str, *, reason: str | None, origin: Origin) -> None:
        """Reject a proposal. Raises NotFound, Conflict."""
        run, _ = await self._load(uuid)
        if run.status != "proposed":
            raise Conflict(_status_reason(run, "rejected"))
        await self._core.store.write(lambda unit: unit.runs.reject(uuid, reason), actor=origin.for_store)

    async def retry(self, uuid: str, *, origin: Origin) -> None:
        """Try a failed deploy once more. Raises NotFound, Conflict, Stale, Locked."""
        run, attempt = await self._load(uuid)
        if run.status != "failed":
            raise Conflict(f'Run is in status "{run.status}" — only failed runs can be retried')
        home = await self._home(run)
        text = await self._core.store.read(lambda unit: unit.settings.get(_accepted_key(uuid))) or run.winner_text
        await self._core.store.write(lambda unit: unit.runs.retry(uuid), actor=origin.for_store, durable=True)
        await self._deploy(run, attempt, home, str(text), run.user_note, origin)

    # --- inside

    async def _deploy(
        self,
        run: RunRecord,
        attempt: AttemptRecord | None,
        home: Home,
        text: str,
        note: str | None,
        origin: Origin,
        onto: str | None = None,
    ) -> None:
        files = self._core.deployer(*home.trusted)
        expected = attempt.baseline_sha256 if attempt is not None else text_sha256(run.baseline_text)
        if onto is not None and onto == text_sha256(home.text):
            expected = await self._core.in_thread(lambda: files.live_fingerprint(home.live))
        deployed_at = iso(self._core.clock.now())
        change = Change(home.live, home.compose(text, run.run_uuid, deployed_at), expected)
        try:
            await self._core.store.write(lambda unit: unit.settings.put(_accepted_key(run.run_uuid), text))
            done: Deployed = (
                await self._core.in_thread(
                    lambda: files.deploy([change], origin.for_files, run_uuid=run.run_uuid, note=note or "")
                )
            )[0]
        except (Stale, Locked):
            await self._core.store.write(lambda unit: unit.runs.withdraw_acceptance(run.run_uuid), durable=True)
            raise
        except HoneyguideError as error:
            await self._fail(run, error.message)
            return
        except OSError as error:
            await self._fail(run, f"The file could not be written: {error}.")
            return
        store = self._core.version_store
        versions = await self._core.in_thread(lambda: store.list(home.live.kind, home.live.name))

        def finish(unit: Unit) -> None:
            unit.runs.mark_deployed(run.run_uuid)
            unit.settings.remove(_accepted_key(run.run_uuid))
            index_versions(unit, home.ref, versions)
            announce(unit, home.ref, done.version.n)

        await self._core.store.write(finish, actor=origin.for_store, durable=True)
        await self._commit(home, done, run)

    async def _fail(self, run: RunRecord, reason: str) -> None:
        await self._core.store.write(lambda unit: unit.runs.mark_failed(run.run_uuid, reason), durable=True)

    async def _commit(self, home: Home, done: Deployed, run: RunRecord) -> None:
        if home.record is None or not self._core.settings.get("files.git_commit"):
            return
        if await self._core.in_thread(lambda: repository_of(done.path)) is None:
            return
        message = f"Improve {home.ref.name}\n\nAccepted proposal {run.run_uuid}, version {done.version.n}."
        await self._core.in_thread(lambda: commit_file(done.path, message))

    async def _gates(
        self, run: RunRecord, attempt: AttemptRecord | None, home: Home, choice: _Choice
    ) -> tuple[GateResult, ...]:
        locks = await self._core.store.read(lambda unit: unit.targets.locks(home.ref))
        training = await self._training(attempt)
        given = GateInput(
            kind=home.ref.kind,
            candidate=choice.text,
            baseline=run.baseline_text,
            dialect=home.dialect,
            not_variables=home.not_variables,
            locked=locked_passages(locks),
            training=training,
            carrier_checks=home.carrier_checks(),
        )
        asked = RunOptions.from_json(attempt.options) if attempt is not None and attempt.options else RunOptions()
        allowed = GateOptions(
            allow_looser=bool(self._core.settings.get("runs.allow_looser_gates")),
            allow_memorised=asked.allow_memorised,
        )
        options = allowed.overridden(asked.gate_options, home.ref.kind)
        return await self._core.in_thread(lambda: run_gates(given, options, None))

    async def _training(self, attempt: AttemptRecord | None) -> tuple[Example, ...]:
        known = attempt.dataset_hash if attempt is not None else None
        if known is None:
            return ()
        stored = await self._core.store.read(lambda unit: unit.datasets.get(known))
        if stored is None:
            return ()
        dataset = await self._core.store.read(lambda unit: unit.datasets.load(known))
        return (*dataset.train, *dataset.validation)

    async def _load(self, uuid: str) -> tuple[RunRecord, AttemptRecord | None]:
        return await self._core.store.read(lambda unit: (unit.runs.require(uuid), unit.attempts.get(uuid)))

    async def _home(self, run: RunRecord) -> Home:
        if run.target_name is None:
            raise InvalidInput("This run names no target.", hint="It cannot be deployed.")
        return await self._homes.home(TargetRef(TargetKind(run.target_kind), run.target_name))

    def _policy_reason(self, attempt: AttemptRecord | None) -> str:
        if attempt is not None and not attempt.can_accept:
            return "The judge was not usable, so nothing is known about this text; it cannot be accepted."
        return ""


def _choose(run: RunRecord, hunks: Sequence[int] | None, edited_text: str | None) -> _Choice:
    if edited_text is not None:
        if hunks is not None:
            raise InvalidInput("Choose changes or edit the text, not both.")
        return _Choice(run.winner_text) if edited_text == run.winner_text else _Choice(edited_text, EDITED)
    if hunks is None:
        return _Choice(run.winner_text)
    comparison = compare(run.baseline_text, run.winner_text)
    text = apply_hunks(comparison, hunks)
    if text == run.baseline_text:
        raise InvalidInput("With none of the changes there is nothing to accept.", hint="Reject the proposal instead.")
    if text == run.winner_text:
        return _Choice(text)
    numbers = ", ".join(str(number) for number in sorted(set(hunks)))
    return _Choice(text, f"changes {numbers}, {SELECTED}")


def _status_reason(run: RunRecord, wanted: str) -> str:
    return f'Run is in status "{run.status}" — only proposed runs can be {wanted}'


def _accepted_key(uuid: str) -> str:
    """The settings entry that holds the text of an acceptance until it is deployed, for a retry after a failure."""
    return f"accepted.{uuid}"

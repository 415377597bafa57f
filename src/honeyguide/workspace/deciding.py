"""A person's decision on a proposal: accept and deploy, reject, try a failed deploy again.

Accepting claims the run in the database first, so that of two programs one wins; then the file changes by
compare-and-swap. Whatever a crash leaves in between is repaired at the next opening, from hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.evals.examples import Example
from honeyguide.evolution.gates import GateResult, first_failure
from honeyguide.evolution.gating import judge_text
from honeyguide.evolution.requests import EvolutionRequest
from honeyguide.evolution.wholes import Whole
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
from honeyguide.storage import Unit
from honeyguide.storage.records import AttemptRecord, RunRecord
from honeyguide.versions import Change, Deployed, Expected, commit_file, repository_of
from honeyguide.versions.diff import apply_hunks, merge
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Home, text_sha256
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.overrides import KINDS
from honeyguide.workspace.preparing import text_request
from honeyguide.workspace.together import BASELINES, Group, Together, joined_of
from honeyguide.workspace.version_history import announce, index_versions
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.reviews import (
    AcceptCheck,
    FileChange,
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

    def __init__(self, core: Core, together: Together) -> None:
        self._core = core
        self._together = together

    async def check(
        self, uuid: str, *, hunks: Sequence[int] | None = None, edited_text: str | None = None
    ) -> AcceptCheck:
        """Say what accepting would do and whether it may be done; changes nothing. Raises NotFound, InvalidInput."""
        run, attempt = await self._load(uuid)
        group = await self._together.of_run(run)
        choice = _choose(run, hunks, edited_text)
        gates = await self._gates(run, attempt, group, choice)
        reason = _status_reason(run, "accepted") if run.status != "proposed" else ""
        reason = reason or self._policy_reason(attempt)
        failure = first_failure(gates)
        if not reason and failure is not None and choice.remark:
            reason = f"{failure.gate}: {failure.reason}"
        files = _files(run, group, choice.text)
        first = files[0]
        return AcceptCheck(
            allowed=not reason,
            reason=reason,
            needs_note=attempt is not None and attempt.needs_note,
            path=first.path,
            sha_before=first.sha_before,
            sha_after=first.sha_after,
            text=choice.text,
            tells=tuple(dict.fromkeys(file.tells for file in files if file.is_written)),
            gates=tuple(gate.to_json() for gate in gates),
            is_selection=bool(choice.remark),
            files=files,
        )

    async def merge(self, uuid: str) -> MergeView:
        """Merge the proposal with what the live text became since the run began; changes nothing. Raises NotFound."""
        run, _ = await self._load(uuid)
        group = await self._together.of_run(run)
        return await self._core.in_thread(lambda: _merged(run, group))

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
        group = await self._together.of_run(run)
        choice = _choose(run, hunks, edited_text)
        if choice.remark:
            failure = first_failure(await self._gates(run, attempt, group, choice))
            if failure is not None:
                raise GateRefused(f"{failure.gate}: {failure.reason}", details={"gate": failure.to_json()})
        remarks = [part for part in ((note or "").strip(), choice.remark) if part]
        full_note = "; ".join(remarks) or None
        await self._core.store.write(
            lambda unit: unit.runs.accept(uuid, full_note), actor=origin.for_store, durable=True
        )
        await self._deploy(run, attempt, group, choice.text, full_note, origin, onto)

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
        group = await self._together.of_run(run)
        text = await self._core.store.read(lambda unit: unit.settings.get(_accepted_key(uuid))) or run.winner_text
        await self._core.store.write(lambda unit: unit.runs.retry(uuid), actor=origin.for_store, durable=True)
        await self._deploy(run, attempt, group, str(text), run.user_note, origin)

    # --- inside

    async def _deploy(
        self,
        run: RunRecord,
        attempt: AttemptRecord | None,
        group: Group,
        text: str,
        note: str | None,
        origin: Origin,
        onto: str | None = None,
    ) -> None:
        files = self._core.deployer(*(path for home in group.homes for path in home.trusted))
        expected = _expected(run, attempt, group)
        if onto is not None and onto == text_sha256(group.live):
            expected = await self._core.in_thread(lambda: [files.live_fingerprint(home.live) for home in group.homes])
        deployed_at = iso(self._core.clock.now())
        changes: list[Change] = []
        kept: list[Expected] = []
        for home, own, fingerprint in zip(group.homes, group.texts(text), expected, strict=True):
            if own == home.text and group.joined is not None:
                kept.append(Expected(home.live, fingerprint))
            else:
                changes.append(Change(home.live, home.compose(own, run.run_uuid, deployed_at), fingerprint))
        if not changes:
            changes = [
                Change(home.live, home.compose(own, run.run_uuid, deployed_at), fingerprint)
                for home, own, fingerprint in zip(group.homes, group.texts(text), expected, strict=True)
            ]
            kept = []
        written = [home for home in group.homes if any(change.live is home.live for change in changes)]
        try:
            await self._core.store.write(lambda unit: unit.settings.put(_accepted_key(run.run_uuid), text))
            done: tuple[Deployed, ...] = await self._core.in_thread(
                lambda: files.deploy(
                    changes, origin.for_files, run_uuid=run.run_uuid, note=note or "", also_expected=kept
                )
            )
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
        versions = await self._core.in_thread(lambda: [store.list(home.live.kind, home.live.name) for home in written])

        def finish(unit: Unit) -> None:
            unit.runs.mark_deployed(run.run_uuid)
            unit.settings.remove(_accepted_key(run.run_uuid))
            for home, known, deployed in zip(written, versions, done, strict=True):
                index_versions(unit, home.ref, known)
                announce(unit, home.ref, deployed.version.n)

        await self._core.store.write(finish, actor=origin.for_store, durable=True)
        for home, deployed in zip(written, done, strict=True):
            await self._commit(home, deployed, run)

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
        self, run: RunRecord, attempt: AttemptRecord | None, group: Group, choice: _Choice
    ) -> tuple[GateResult, ...]:
        training = await self._training(attempt)
        asked = RunOptions.from_json(attempt.options) if attempt is not None and attempt.options else RunOptions()
        texts = [
            await text_request(self._core, home, asked, baseline)
            for home, baseline in zip(group.homes, group.texts(run.baseline_text), strict=True)
        ]
        own = texts[0]
        request = EvolutionRequest(
            target=own.target, live=run.baseline_text, gates=own.gates, locked=own.locked, dialect=own.dialect,
            not_variables=own.not_variables, carrier_checks=own.carrier_checks,
            texts=tuple(texts) if group.joined is not None else (),
        )  # fmt: skip
        return await self._core.in_thread(lambda: judge_text(request, choice.text, training))

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

    def _policy_reason(self, attempt: AttemptRecord | None) -> str:
        if attempt is not None and not attempt.can_accept:
            return "The judge was not usable, so nothing is known about this text; it cannot be accepted."
        return ""


def _choose(run: RunRecord, hunks: Sequence[int] | None, edited_text: str | None) -> _Choice:
    if edited_text is not None:
        if hunks is not None:
            raise InvalidInput("Choose changes or edit the text, not both.")
        joined = joined_of(run)
        if joined is not None:
            joined.split(edited_text)
        return _Choice(run.winner_text) if edited_text == run.winner_text else _Choice(edited_text, EDITED)
    if hunks is None:
        return _Choice(run.winner_text)
    comparison = Whole(joined_of(run)).compare(run.baseline_text, run.winner_text)
    text = apply_hunks(comparison, hunks)
    if text == run.baseline_text:
        raise InvalidInput("With none of the changes there is nothing to accept.", hint="Reject the proposal instead.")
    if text == run.winner_text:
        return _Choice(text)
    numbers = ", ".join(str(number) for number in sorted(set(hunks)))
    return _Choice(text, f"changes {numbers}, {SELECTED}")


def _expected(run: RunRecord, attempt: AttemptRecord | None, group: Group) -> list[str]:
    """Return what each live file has to be for an acceptance to go ahead: as it was when the run began."""
    if attempt is None:
        return [text_sha256(text) for text in group.texts(run.baseline_text)]
    if group.joined is None:
        return [attempt.baseline_sha256 or text_sha256(run.baseline_text)]
    known = attempt.options[BASELINES]
    return [str(known[str(ref)]) for ref in group.refs]


def _files(run: RunRecord, group: Group, text: str) -> tuple[FileChange, ...]:
    try:
        texts = group.texts(text)
    except InvalidInput:
        texts = group.texts(run.winner_text)
    found = []
    for home, own in zip(group.homes, texts, strict=True):
        kind = KINDS.get(home.ref.kind)
        found.append(
            FileChange(
                target=str(home.ref),
                path=str(home.live.path),
                sha_before=text_sha256(home.text),
                sha_after=text_sha256(own),
                tells=kind.reload_event if kind else f"{home.ref.kind.value}:reloaded",
                is_written=own != home.text or group.joined is None,
            )
        )
    return tuple(found)


def _merged(run: RunRecord, group: Group) -> MergeView:
    """Merge each text by itself; a conflict in one of them leaves all to the person."""
    sides = zip(
        group.texts(run.baseline_text), [home.text for home in group.homes], group.texts(run.winner_text), strict=True
    )
    merged = [merge(base, live, proposed) for base, live, proposed in sides]
    conflicts = [
        {**conflict.to_json(), **({} if group.joined is None else {"target": str(ref)})}
        for ref, one in zip(group.refs, merged, strict=True)
        for conflict in one.conflicts
    ]
    texts = [one.text() for one in merged] if not conflicts else []
    whole = Whole(group.joined)
    return MergeView(
        is_clean=not conflicts,
        text=whole.of(tuple(texts)) if texts else None,
        conflicts=tuple({**conflict, "n": n} for n, conflict in enumerate(conflicts, start=1)),
        live_text=group.live,
        live_sha256=text_sha256(group.live),
        has_changed=group.live != run.baseline_text,
    )


def _status_reason(run: RunRecord, wanted: str) -> str:
    return f'Run is in status "{run.status}" — only proposed runs can be {wanted}'


def _accepted_key(uuid: str) -> str:
    """The settings entry that holds the text of an acceptance until it is deployed, for a retry after a failure."""
    return f"accepted.{uuid}"

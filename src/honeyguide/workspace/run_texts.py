"""The texts that a stored run changes: usually one, several where they belong together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from honeyguide.evolution.wholes import Whole
from honeyguide.kernel.errors import HoneyguideError
from honeyguide.prompts import locks as passages
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.records import RunRecord
from honeyguide.versions.diff import Comparison
from honeyguide.workspace.together import joined_of, refs_of
from honeyguide.workspace.views.versions import DiffView, TextDiff, diff_view, view_of

if TYPE_CHECKING:
    from honeyguide.workspace.core import Core
    from honeyguide.workspace.homes import Homes


def texts_of_run(run: RunRecord) -> tuple[tuple[TargetRef, str, str], ...]:
    """Return target, text before and proposed text of each, the leading one first."""
    joined = joined_of(run)
    if joined is None:
        ref = TargetRef(TargetKind(run.target_kind), run.target_name or "")
        return ((ref, run.baseline_text, run.winner_text),)
    before, after = joined.split(run.baseline_text), joined.split(run.winner_text)
    return tuple(zip(joined.refs, before, after, strict=True))


def applied_texts(run: RunRecord) -> tuple[str, str]:
    """Return what a model is given of the text before and of the proposed one."""
    whole = Whole(joined_of(run))
    return whole.applied(run.baseline_text), whole.applied(run.winner_text)


async def diff_of(core: Core, run: RunRecord, worth: Mapping[int, Mapping[str, Any]]) -> DiffView:
    """Return what a proposal changes, with what is locked; its texts one by one where they are several."""
    texts = texts_of_run(run)
    locked = await core.store.read(lambda unit: [unit.targets.locks(ref) for ref, _, _ in texts])
    found = [
        [(start, end) for _, start, end in passages.places([_passage(lock) for lock in own], before)]
        for own, (_, before, _) in zip(locked, texts, strict=True)
    ]
    if not refs_of(run):
        view = await core.in_thread(lambda: diff_view(run.baseline_text, run.winner_text))
        return replace(view, locks=tuple(found[0]), worth=worth, memorised=_memorised(run))
    return await core.in_thread(lambda: _joined_view(run, found, worth))


def comparison_of(run: RunRecord) -> Comparison:
    """Compare the texts before with the proposed ones."""
    return Whole(joined_of(run)).compare(run.baseline_text, run.winner_text)


async def shown_texts(core: Core, homes: Homes, run: RunRecord) -> tuple[Mapping[str, Any], ...]:
    """Return each text of a run for ``runs show``: target, file, both wordings, changes, version, and the gates."""
    view = await diff_of(core, run, {})
    gates = json.loads(run.gate_reasons_json)
    shown = []
    for text in view.texts:
        said = [
            {"gate": gate["gate"], **{key: own[key] for key in ("verdict", "reason")}}
            for gate in gates
            if (own := gate["detail"].get("texts", {}).get(text.target)) is not None
        ]
        version = await _version(core, run, text.target)
        shown.append({**text.to_json(), "path": await _path(homes, text.target), "version": version, "gates": said})
    return tuple(shown)


async def _version(core: Core, run: RunRecord, target: str) -> int | None:
    """Return the number of the version that the run made of a target; ``None`` when it wrote none."""
    kind, _, name = target.partition(":")
    store = core.version_store
    known = await core.in_thread(lambda: store.list(kind, name))
    return next((version.n for version in known if version.run_uuid == run.run_uuid), None)


async def _path(homes: Homes, target: str) -> str | None:
    try:
        return str((await homes.home(target)).live.path)
    except HoneyguideError:
        return None  # the target is gone; the run stays readable


def _joined_view(
    run: RunRecord, locks: list[list[tuple[int, int]]], worth: Mapping[int, Mapping[str, Any]]
) -> DiffView:
    joined = joined_of(run)
    assert joined is not None
    whole = view_of(comparison_of(run), run.baseline_text, run.winner_text)
    parts, first = [], 0
    for (ref, before, after), own in zip(texts_of_run(run), locks, strict=True):
        view = diff_view(before, after)
        numbers = {hunk.n: hunk.n + first for hunk in view.hunks}
        gained = {n: worth[number] for n, number in numbers.items() if number in worth}
        leaked = _memorised(run, str(ref))
        parts.append(TextDiff(str(ref), first, replace(view, locks=tuple(own), worth=gained, memorised=leaked)))
        first += len(view.hunks)
    begins = joined.begins(run.baseline_text)
    spans = tuple((start + at, end + at) for at, own in zip(begins, locks, strict=True) for start, end in own)
    leaked = tuple(
        {**span, "start": span["start"] + at, "end": span["end"] + at}
        for at, part in zip(joined.begins(run.winner_text), parts, strict=True)
        for span in part.view.memorised
    )
    return replace(whole, locks=spans, worth=worth, texts=tuple(parts), memorised=leaked)


def _memorised(run: RunRecord, target: str | None = None) -> tuple[Mapping[str, Any], ...]:
    """Return what its gate found in the proposed text, or in one of several."""
    gate: Mapping[str, Any] = next((one for one in json.loads(run.gate_reasons_json) if one["gate"] == "memorised"), {})
    detail = gate.get("detail") or {}
    if target is not None:
        detail = ((detail.get("texts") or {}).get(target) or {}).get("detail") or {}
    return tuple(detail.get("spans", ()))


def _passage(lock: Any) -> passages.LockedPassage:
    return passages.LockedPassage(str(lock.id), lock.text)

"""From a target's history to its dataset."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from honeyguide.evals.datasets import DatasetOptions, build_dataset
from honeyguide.evals.examples import Dataset
from honeyguide.evals.rows import to_rows, write_jsonl
from honeyguide.evolution.plan import LEAST_HOLDOUT, Reason
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import Unit
from honeyguide.storage.records import CorrectionState, TraceFilter
from honeyguide.traces.records import Trace
from honeyguide.versions import write_atomically
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.linking import Linking
from honeyguide.workspace.suite_places import suite_examples
from honeyguide.workspace.views.runs import DatasetReport

MAX_TRACES = 10_000
"""The newest traces that a dataset is mined from."""
PREVIEW_ROWS = 20
LEAST_ANSWER = "history.least_answer"
"""The setting: how many characters make an answer worth being an example."""


class Mining:
    """Builds datasets; nothing is sent anywhere."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    async def dataset(self, refs: TargetRef | Sequence[TargetRef], seed: int) -> Dataset:
        """Return the dataset of a target as its history stands now; the cases of its suite are training examples.

        Of several targets: the history that speaks about any of them, each trace once, and the suite of the first.
        """
        asked = [refs] if isinstance(refs, TargetRef) else list(refs)
        home = await self._homes.home(asked[0])
        traces = await self._core.store.read(lambda unit: traces_of_all(unit, asked))
        withheld = [PurePath(folder) for folder in self._core.settings.get("privacy.never_send_folders")]
        usable = [_withheld(trace, withheld) for trace in traces]
        options = DatasetOptions(least_output=self._core.settings.get(LEAST_ANSWER))
        dataset = await asyncio.to_thread(build_dataset, usable, seed=seed, options=options)
        cases = await self._core.in_thread(lambda: suite_examples(self._core, home))
        return replace(dataset, train=(*dataset.train, *cases)) if cases else dataset

    async def about(self, refs: Sequence[TargetRef], dataset: Dataset) -> dict[str, tuple[int, ...]]:
        """Return by example id which of ``refs`` its trace speaks about; nothing for a single target.

        A target without a history of its own counts as spoken about by every case.
        """
        if len(refs) == 1:
            return {}
        traces = await self._core.store.read(
            lambda unit: [
                {row.id for row in unit.traces.rows(TraceFilter(target=ref), limit=MAX_TRACES)} for ref in refs
            ]
        )
        found = {}
        for example in (*dataset.train, *dataset.validation):
            trace = example.metadata.get("traceId")
            about = tuple(n for n, known in enumerate(traces) if not known or trace in known)
            if trace is not None and 0 < len(about) < len(refs):
                found[example.id] = about
        return found

    async def advice(self, ref: TargetRef, dataset: Dataset) -> tuple[Reason, ...]:
        """Say what a person can do about a target with few examples; nothing when there are enough."""
        if len(dataset.holdout) >= LEAST_HOLDOUT:
            return ()
        found = []
        waiting = await self._core.store.read(
            lambda unit: unit.corrections.count(state=CorrectionState.SUGGESTED, target=ref)
        )
        if waiting:
            words = f"{waiting} corrections about this target wait for a person's yes; each then becomes an example."
            found.append(Reason("corrections-waiting", words, blocks=False))
        short = dataset.dropped.get("too-short-output", 0)
        if short:
            least = self._core.settings.get(LEAST_ANSWER)
            words = f"{short} answers under {least} characters were left out. Labels need a lower 'Shortest answer'."
            found.append(Reason("short-answers", words, blocks=False))
        open_ones = await self._core.store.read(lambda unit: unit.traces.count(TraceFilter(target=ref, unsaid=True)))
        if open_ones:
            words = f"{open_ones} answers have no known end. Say which of them were good; each then becomes an example."
            found.append(Reason("unrated-history", words, blocks=False))
        unlinked = 0 if dataset.sourced else await Linking(self._core, self._homes).unlinked()
        if unlinked:
            words = f"{unlinked} traces in the history speak about no target. Say so if they are about this one."
            found.append(Reason("unlinked-history", words, blocks=False))
        return tuple(found)

    async def report(
        self, name: str | TargetRef, *, seed: int, out: Path | None, together: Sequence[str | TargetRef] = ()
    ) -> DatasetReport:
        """Build a dataset, store it, and write its rows to ``out`` when given. Raises Unwritable."""
        ref = await self._homes.resolve(name)
        others = [await self._homes.resolve(other) for other in together]
        dataset = await self.dataset([ref, *others], seed)
        await self._core.store.write(lambda unit: unit.datasets.save(dataset, ref))
        rows = list(to_rows(dataset))
        if out is not None:
            data = write_jsonl(rows).encode()
            await self._core.in_thread(lambda: write_file(out, data))
        return DatasetReport(
            dataset_hash=dataset.dataset_hash,
            seed=seed,
            train=len(dataset.train),
            validation=len(dataset.validation),
            holdout=len(dataset.holdout),
            sourced=dataset.sourced,
            dropped=dataset.dropped,
            path=None if out is None else str(out),
            preview=tuple(rows[:PREVIEW_ROWS]),
        )


def traces_of(unit: Unit, ref: TargetRef) -> list[Trace]:
    """Return the newest traces that speak about a target; for a section that none names, those of every persona."""
    found = unit.traces.query(TraceFilter(target=ref), limit=MAX_TRACES)
    if found or ref.kind is not TargetKind.SECTION:
        return found
    return [trace for trace in unit.traces.query(limit=MAX_TRACES) if trace.persona_id is not None]


def traces_of_all(unit: Unit, refs: Sequence[TargetRef]) -> list[Trace]:
    """Return the newest traces that speak about any of ``refs``, each once, newest first."""
    if len(refs) == 1:
        return traces_of(unit, refs[0])
    found = {trace.id: trace for ref in refs for trace in traces_of(unit, ref)}
    return sorted(found.values(), key=lambda trace: (trace.created_at, trace.id or 0), reverse=True)[:MAX_TRACES]


def write_file(path: Path, data: bytes) -> None:
    """Write a file that a person asked for, wherever they said. Raises Unwritable."""
    write_atomically(path, data)


def _withheld(trace: Trace, folders: list[PurePath]) -> Trace:
    project = trace.facts.project
    if project and any(PurePath(project).is_relative_to(folder) for folder in folders):
        return replace(trace, facts=replace(trace.facts, never_send=True))
    return trace

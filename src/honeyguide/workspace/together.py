"""Targets whose texts belong together: a persona and its tool descriptions, improved by one run and accepted as one.

Which targets stand with a leading one is kept in the workspace until a person says otherwise; a run may also be asked
for with others beside it, or alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from honeyguide.kernel.errors import InvalidInput
from honeyguide.prompts.joined import Joined
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Home, Homes
from honeyguide.workspace.standing import standing_key, standing_with
from honeyguide.workspace.views.options import RunOptions

if TYPE_CHECKING:
    from honeyguide.storage import Unit
    from honeyguide.storage.records import AttemptRecord, RunRecord

MOST_TEXTS = 12
"""More texts at once are no longer one thought, and no longer one review."""
BY_THEMSELVES = frozenset({TargetKind.FLOW, TargetKind.HARNESS})
ABOUT = "about"
"""Under this name it stands there which of the texts each case speaks about."""
BASELINES = "baselines"
"""Under this name the fingerprints of all live files stand in the options of an attempt on several texts."""


@dataclass(frozen=True, slots=True)
class Group:
    """The homes of the texts of one run, the leading one first; usually only that."""

    homes: tuple[Home, ...]

    @property
    def lead(self) -> Home:
        """The home of the target that the run is listed under."""
        return self.homes[0]

    @property
    def refs(self) -> tuple[TargetRef, ...]:
        """The targets, the leading one first."""
        return tuple(home.ref for home in self.homes)

    @property
    def joined(self) -> Joined | None:
        """The form of the run's text; ``None`` for a single one."""
        return Joined(self.refs) if len(self.homes) > 1 else None

    @property
    def live(self) -> str:
        """The live text, of all targets at once."""
        return self.lead.text if self.joined is None else self.joined.join([home.text for home in self.homes])

    def texts(self, text: str) -> tuple[str, ...]:
        """Return what of ``text`` goes into each home. Raises InvalidInput."""
        return (text,) if self.joined is None else self.joined.split(text)

    def filled(self, text: str) -> str:
        """Return a text for all targets from one that a person gave: all of them, or only that of the leading one."""
        joined = self.joined
        if joined is None or joined.is_whole(text):
            return text
        return joined.join([text, *(home.text for home in self.homes[1:])])

    def stored(self, options: RunOptions) -> RunOptions:
        """Return the options with these targets named, so that a resumed run works on exactly them."""
        others = tuple(str(ref) for ref in self.refs[1:])
        given = options.candidate_text
        candidate = given if given is None else self.filled(given)
        return replace(options, together=others, alone=not others, candidate_text=candidate)


class Together:
    """Knows which targets belong together."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    async def group(self, name: str | TargetRef, options: RunOptions) -> Group:
        """Return the homes that a run with ``options`` works on. Raises as ``Homes.home``, and InvalidInput."""
        lead = await self._homes.home(name)
        named = [await self._homes.resolve(other) for other in options.together]
        if not named and not options.alone:
            named = await self.standing(lead.ref)
        others = [ref for ref in dict.fromkeys(named) if ref != lead.ref]
        homes = [lead, *[await self._homes.home(ref) for ref in others]]
        _require_joinable(homes)
        return Group(tuple(homes))

    async def of_run(self, run: RunRecord) -> Group:
        """Return the homes of the texts that a stored run changes. Raises InvalidInput, NotFound, Unreadable."""
        if run.target_name is None:
            raise InvalidInput("This run names no target.", hint="It cannot be deployed.")
        refs = refs_of(run) or (TargetRef(TargetKind(run.target_kind), run.target_name),)
        return Group(tuple([await self._homes.home(ref) for ref in refs]))

    async def standing(self, ref: TargetRef) -> list[TargetRef]:
        """Return the targets that stand with ``ref`` in every run; those that are gone are left out."""
        stored = await self._core.store.read(lambda unit: standing_with(unit, ref))
        known = set(await self._homes.refs()) if stored else set()
        return [other for other in stored if other in known]

    async def join(self, name: str | TargetRef, others: Sequence[str | TargetRef]) -> list[TargetRef]:
        """Let ``others`` stand with a target in every run from now on, beside those that do; return all of them.

        Raises:
            InvalidInput: a kind that evolves by itself, or two texts in one file.
        """
        lead = await self._homes.home(name)
        known = await self.standing(lead.ref)
        wanted = [*known, *[await self._homes.resolve(other) for other in others]]
        return await self._keep(lead, wanted)

    async def part(self, name: str | TargetRef, others: Sequence[str | TargetRef]) -> list[TargetRef]:
        """Let ``others``, or all for none, no longer stand with a target; return those that still do.

        Raises:
            InvalidInput: one of them does not stand with it.
        """
        lead = await self._homes.home(name)
        known = await self.standing(lead.ref)
        gone = [await self._homes.resolve(other) for other in others]
        for ref in gone:
            if ref not in known:
                raise InvalidInput(f"{ref.name} does not stand with {lead.ref.name}.", hint="See 'targets show'.")
        return await self._keep(lead, [ref for ref in known if gone and ref not in gone])

    async def _keep(self, lead: Home, wanted: Sequence[TargetRef]) -> list[TargetRef]:
        refs = [ref for ref in dict.fromkeys(wanted) if ref != lead.ref]
        _require_joinable([lead, *[await self._homes.home(ref) for ref in refs]])

        def keep(unit: Unit) -> None:
            if refs:
                unit.settings.put(standing_key(lead.ref), [[ref.kind.value, ref.name] for ref in refs])
            else:
                unit.settings.remove(standing_key(lead.ref))

        await self._core.store.write(keep)
        return refs


def refs_of(run: RunRecord) -> tuple[TargetRef, ...]:
    """Return the targets of a run on several texts, the leading one first; empty for a single text."""
    if not run.artifacts_json:
        return ()
    named = json.loads(run.artifacts_json).get("texts") or ()
    return tuple(_ref(text) for text in named)


def joined_of(run: RunRecord) -> Joined | None:
    """Return the form of a stored run's texts; ``None`` for a single one."""
    refs = refs_of(run)
    return Joined(refs) if refs else None


def refs_of_attempt(attempt: AttemptRecord) -> tuple[TargetRef, ...]:
    """Return the targets that an attempt works on, the leading one first."""
    lead = TargetRef(TargetKind(attempt.target_kind), attempt.target_name or "")
    return (lead, *(_ref(text) for text in attempt.options.get("together") or ()))


def joined_of_attempt(attempt: AttemptRecord) -> Joined | None:
    """Return the form of an attempt's texts; ``None`` for a single one."""
    refs = refs_of_attempt(attempt)
    return Joined(refs) if len(refs) > 1 else None


def _ref(text: str) -> TargetRef:
    kind, _, name = text.partition(":")
    return TargetRef(TargetKind(kind), name)


def _require_joinable(homes: Sequence[Home]) -> None:
    if len(homes) == 1:
        return
    if len(homes) > MOST_TEXTS:
        raise InvalidInput(f"{len(homes)} texts are too many for one run.", hint=f"Choose at most {MOST_TEXTS}.")
    for home in homes:
        if home.ref.kind in BY_THEMSELVES:
            raise InvalidInput(f"{home.ref.name} is a {home.ref.kind.value} and evolves by itself.")
    paths = [home.live.path for home in homes]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise InvalidInput(f"Two of these texts stand in {twice}, which one change can write only once.")

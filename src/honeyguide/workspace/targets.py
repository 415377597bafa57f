"""The targets of a workspace: list, show, add, remove, lock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from honeyguide.evolution.schema import default_schema
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.prompts import limits as text_limits
from honeyguide.prompts import locks as passages
from honeyguide.prompts import rules as carrier_rules
from honeyguide.prompts import variables
from honeyguide.prompts.carriers import CarrierDocument, Selector, parse
from honeyguide.prompts.kinds import FileKind, profile
from honeyguide.prompts.places import kind_of, kind_of_json, name_of
from honeyguide.prompts.targets import SECTIONS, TargetKind, TargetRef, check_target_name
from honeyguide.storage.records import LockRecord, TargetRecord, TraceFilter
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Home, Homes, not_variables_key, read_file, text_sha256
from honeyguide.workspace.linking import Linking
from honeyguide.workspace.overrides import BuiltIn
from honeyguide.workspace.standing import standing_with
from honeyguide.workspace.views.targets import LimitUse, LockRow, TargetDetail, TargetRow

HARNESS_FILE = "harness.yaml"
"""The file that makes a folder a harness."""


class Targets:
    """Answers every question about targets."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    async def rows(self) -> list[TargetRow]:
        """Return every target with its figures; one whose file cannot be opened is listed with 0 characters."""
        rows = []
        for ref in await self._homes.refs():
            try:
                home = await self._homes.home(ref)
            except (NotFound, InvalidInput):
                continue
            rows.append(await self._row(home))
        return rows

    async def detail(self, name: str | TargetRef) -> TargetDetail:
        """Return one target. Raises NotFound, InvalidInput, Unreadable."""
        home = await self._homes.home(name)
        locks = await self._core.store.read(lambda unit: unit.targets.locks(home.ref))
        return TargetDetail(
            row=await self._row(home),
            text=home.text,
            sha256=text_sha256(home.text),
            variables=variables.names(home.text, home.dialect, home.not_variables),
            locks=tuple(_lock_row(lock, home.text) for lock in locks),
            limits=_limits(home),
            findings=_findings(home),
            encoding=home.document.source.encoding if home.document else None,
        )

    async def add(
        self,
        path: Path,
        *,
        kind: str | None = None,
        name: str | None = None,
        span: str | None = None,
        encoding: str | None = None,
    ) -> TargetRow:
        """Register a text that lives in its own file, and link the history that shows it; the file is only read.

        Raises:
            NotFound, Unreadable: the file.
            InvalidInput: a kind, span or name that does not fit.
            Conflict: there is a target of this kind and name.
        """
        file = await self._core.in_thread(lambda: _file_of(path.expanduser().absolute()))
        if file.name == HARNESS_FILE:
            kind, name = kind or TargetKind.HARNESS.value, name or file.parent.name
        data = await self._core.in_thread(lambda: read_file(file))
        file_kind = _file_kind(file, data, kind)
        selector = Selector.read(span) if span else None
        document = parse(data, file_kind, encoding, selector)
        target_kind = TargetKind(kind) if kind in set(TargetKind) else profile(file_kind).target
        chosen = check_target_name(name or _usual_name(file, file_kind, document))
        ref = TargetRef(target_kind, chosen)
        if ref in await self._homes.refs():
            raise Conflict(f"There is already a target {ref}.", hint="Give it another name with --name.")
        record = TargetRecord(
            kind=target_kind.value,
            name=chosen,
            path=str(file),
            span={"selector": str(document.selector)},
            encoding=document.source.encoding,
            options={"file_kind": file_kind.value, **({"encoding": encoding} if encoding else {})},
        )
        await self._core.store.write(lambda unit: unit.targets.add(record))
        await Linking(self._core, self._homes).recognise(ref)
        return await self._row(await self._homes.home(ref))

    async def remove(self, name: str | TargetRef) -> None:
        """Forget a registered target; its file and its versions stay. Raises NotFound, InvalidInput."""
        ref = await self._homes.resolve(name)
        known = await self._core.store.read(lambda unit: unit.targets.get(ref.kind.value, ref.name))
        if known is None:
            raise InvalidInput(f"{ref} belongs to the workspace and cannot be removed.", hint="It is part of 'base/'.")
        await self._core.store.write(lambda unit: unit.targets.remove(ref.kind.value, ref.name))

    async def lock(self, name: str | TargetRef, text: str) -> LockRow:
        """Lock a passage of the live text. Raises InvalidInput when it does not stand there."""
        home = await self._homes.home(name)
        passages.lock(home.text, text)
        record = await self._core.store.write(lambda unit: unit.targets.lock(home.ref, text.strip()))
        return _lock_row(record, home.text)

    async def unlock(self, name: str | TargetRef, lock_id: str) -> None:
        """Remove a lock. Raises NotFound."""
        ref = await self._homes.resolve(name)
        if not lock_id.isdigit():
            raise NotFound(f"There is no lock {lock_id!r} on {ref.name}.", hint="See 'honeyguide targets show'.")
        await self._core.store.write(lambda unit: unit.targets.unlock(ref, int(lock_id)))

    async def exclude_variable(self, name: str | TargetRef, spelled: str) -> tuple[str, ...]:
        """Note that something that looks like a variable is none; return all that was noted.

        Raises:
            InvalidInput: the text holds no variable that is spelled so.
        """
        home = await self._homes.home(name)
        if spelled not in variables.names(home.text, home.dialect):
            known = ", ".join(variables.names(home.text, home.dialect)) or "none"
            raise InvalidInput(f"{home.ref.name} has no variable {spelled!r}.", hint=f"It has: {known}.")
        noted = tuple(dict.fromkeys((*home.not_variables, spelled)))
        await self._core.store.write(lambda unit: unit.settings.put(not_variables_key(home.ref), list(noted)))
        return noted

    async def for_api(self) -> dict[str, Any]:
        """Return ``{personas, sections, defaultSchema}``; a deployed persona is listed once."""
        builtins = await self._core.in_thread(self._homes.overrides.builtins)
        facts = {b.ref.name: b.facts for b in builtins if b.ref.kind is TargetKind.PERSONA}
        refs = await self._homes.refs()
        personas = [ref.name for ref in refs if ref.kind is TargetKind.PERSONA]
        known = {ref.name for ref in refs if ref.kind is TargetKind.SECTION}
        return {
            "personas": [
                {
                    "id": name,
                    "name": str(facts.get(name, {}).get("name", name)),
                    "description": str(facts.get(name, {}).get("description", "")),
                    "icon": str(facts.get(name, {}).get("icon", "")),
                }
                for name in personas
            ],
            "sections": [*(s for s in SECTIONS if s in known), *sorted(known - set(SECTIONS))],
            "defaultSchema": default_schema().to_json(),
        }

    async def _row(self, home: Home) -> TargetRow:
        ref = home.ref
        traces, last, together = await self._core.store.read(
            lambda unit: (
                unit.traces.count(TraceFilter(target=ref)),
                unit.attempts.last_of(ref.kind.value, ref.name),
                standing_with(unit, ref),
            )
        )
        limit = text_limits.gate_limit(ref.kind)
        builtin: BuiltIn | None = home.builtin
        return TargetRow(
            ref=ref,
            path=None if home.origin == "base" else str(home.live.path),
            chars=len(home.text),
            limit=limit.maximum if limit else None,
            traces=traces,
            last_run=last.started_at if last else None,
            origin=home.origin,
            title=builtin.title if builtin else ref.name,
            description=str(builtin.facts.get("description", "")) if builtin and ref.kind is TargetKind.PERSONA else "",
            icon=str(builtin.facts.get("icon", "")) if builtin else "",
            together=tuple(str(other) for other in together),
        )


def locked_passages(locks: tuple[LockRecord, ...]) -> tuple[passages.LockedPassage, ...]:
    """Return stored locks as the gates take them."""
    return tuple(passages.LockedPassage(str(lock.id), lock.text) for lock in locks)


def _lock_row(lock: LockRecord, text: str) -> LockRow:
    place = passages.find(passages.LockedPassage(str(lock.id), lock.text), text)
    return LockRow(str(lock.id), lock.text, text.count("\n", 0, place[0]) + 1 if place else None)


def _limits(home: Home) -> tuple[LimitUse, ...]:
    if home.document is not None:
        measures = list(text_limits.measure(home.document, gate=True))
    else:
        own = text_limits.gate_limit(home.ref.kind)
        measures = [own.check(text_limits.sizes(home.text))] if own else []
    return tuple(
        LimitUse(m.limit.program, m.used, m.limit.maximum, m.limit.unit.value, m.state.value, m.sentence)
        for m in measures
    )


def _findings(home: Home) -> tuple[str, ...]:
    if home.document is None:
        return ()
    found = [*home.document.findings, *carrier_rules.check(home.document)]
    return tuple(f"line {finding.line}: {finding.message}" for finding in found)


def _file_of(path: Path) -> Path:
    """Return the file itself; for a harness folder the file that makes it one."""
    inside = path / HARNESS_FILE
    return inside if inside.is_file() else path


def _file_kind(path: Path, data: bytes, kind: str | None) -> FileKind:
    if kind is not None and kind in set(FileKind):
        return FileKind(kind)
    if kind is not None and kind not in set(TargetKind):
        known = ", ".join(k.value for k in TargetKind)
        raise InvalidInput(f"{kind!r} is not a kind of target.", hint=f"Use one of: {known}.")
    found = kind_of(path)
    if found is None and path.suffix.lower() == ".json":
        found = kind_of_json(data)
    return found or FileKind.PLAIN_TEXT


def _usual_name(path: Path, kind: FileKind, document: CarrierDocument) -> str:
    own = document.fields.get("name")
    return str(own) if isinstance(own, str) and own.strip() else name_of(path, kind)

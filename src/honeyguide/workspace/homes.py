"""Where a target's text is live: an override over a built-in text, or a file of its own, opened through its carrier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import HoneyguideError, InvalidInput, NotFound, Unreadable
from honeyguide.prompts import limits as text_limits
from honeyguide.prompts import rules as carrier_rules
from honeyguide.prompts.carriers import CarrierDocument, Selector, parse
from honeyguide.prompts.kinds import FileKind, profile
from honeyguide.prompts.targets import TargetKind, TargetRef, split_target_name
from honeyguide.prompts.variables import Dialect
from honeyguide.storage.records import TargetRecord
from honeyguide.versions import LiveFile
from honeyguide.workspace.core import Core
from honeyguide.workspace.overrides import KINDS, BuiltIn, Overrides, composer

Compose = Callable[[bytes | None], bytes]


@dataclass(frozen=True, slots=True)
class Home:
    """A target, resolved.

    Attributes:
        text: the live text.
        live: its file, for versions and deploys.
        builtin: what the agent ships with, for the kinds that a workspace deploys.
        document: the opened file, where the text stands in one.
        record: how a target in its own file was registered.
        not_variables: spellings that look like variables and are none, as a person said.
    """

    ref: TargetRef
    text: str
    live: LiveFile
    builtin: BuiltIn | None = None
    document: CarrierDocument | None = None
    record: TargetRecord | None = None
    not_variables: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """``base``, ``override`` or ``file``."""
        if self.record is not None:
            return "file"
        return "override" if self.live.path.is_file() else "base"

    @property
    def dialect(self) -> Dialect:
        """How variables are spelled in it."""
        return profile(FileKind(str(self.record.options["file_kind"]))).dialect if self.record else Dialect.ANY

    @property
    def trusted(self) -> tuple[Path, ...]:
        """The folder in which its file may be changed, because a person added it."""
        return (self.live.path.parent,) if self.record is not None else ()

    def compose(self, text: str, run_uuid: str | None, deployed_at: str) -> Compose:
        """Return what makes the new bytes of the file from the live ones."""
        if self.record is None:
            return composer(self.ref, self.builtin, text, run_uuid, deployed_at)
        record = self.record

        def write(live: bytes | None) -> bytes:
            if live is None:
                raise NotFound(f"{record.path} is gone.", hint="Put it back, or remove the target.")
            return open_registered(record, live).with_text(text)

        return write

    def text_in(self, data: bytes) -> str:
        """Return the text in the bytes of a version of the file. Raises Unreadable."""
        if self.record is not None:
            return open_registered(self.record, data).text
        return parse(data, KINDS[self.ref.kind].file_kind).text

    def carrier_checks(self) -> tuple[Callable[[str], Sequence[str]], ...]:
        """Return the rules of the program that loads the file, for the carrier gate."""
        if self.record is None or self.document is None:
            return ()
        document = self.document
        known = set(_complaints(document))

        def check(text: str) -> list[str]:
            try:
                reopened = document.reopen(document.with_text(text))
            except HoneyguideError as error:
                return [error.message]
            return [sentence for sentence in _complaints(reopened) if sentence not in known]

        return (check,)


class Homes:
    """Finds the home of a target by name."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._overrides = Overrides(core.layout)

    @property
    def overrides(self) -> Overrides:
        """The targets that the workspace itself deploys."""
        return self._overrides

    async def refs(self) -> list[TargetRef]:
        """Return every target: those of the workspace, then those in their own files."""
        registered = await self._core.store.read(lambda unit: unit.targets.list())
        own = [TargetRef(TargetKind(record.kind), record.name) for record in registered]
        return [*await self._core.in_thread(self._overrides.names), *own]

    async def resolve(self, name: str | TargetRef) -> TargetRef:
        """Return the target that ``NAME`` or ``KIND:NAME`` means.

        Raises:
            InvalidInput: no valid name, or two kinds share it.
            NotFound: there is no such target.
        """
        if isinstance(name, TargetRef):
            return name
        kind, bare = split_target_name(name)
        found = [ref for ref in await self.refs() if ref.name == bare and kind in (None, ref.kind)]
        if not found:
            raise NotFound(f"There is no target called {name!r}.", hint="See 'honeyguide targets list'.")
        if len(found) > 1:
            spelled = " or ".join(str(ref) for ref in found)
            raise InvalidInput(f"Several targets are called {bare!r}.", hint=f"Write {spelled}.")
        return found[0]

    async def home(self, name: str | TargetRef) -> Home:
        """Return where a target lives. Raises as ``resolve``, and Unreadable for a file that cannot be opened."""
        ref = await self.resolve(name)
        record, excluded = await self._core.store.read(
            lambda unit: (
                unit.targets.get(ref.kind.value, ref.name),
                unit.settings.get(not_variables_key(ref), []),
            )
        )
        home = await self._core.in_thread(lambda: self._home(ref, record))
        return replace(home, not_variables=tuple(str(item) for item in excluded))

    def live_text(self, ref: TargetRef) -> str:
        """Return what an agent loads now; for code without a loop. Raises NotFound, Unreadable."""
        record = self._core.store.read_now(lambda unit: unit.targets.get(ref.kind.value, ref.name))
        return self._home(ref, record).text

    def _home(self, ref: TargetRef, record: TargetRecord | None) -> Home:
        if record is not None:
            document = open_registered(record, read_file(Path(record.path)))
            return Home(
                ref, document.text, LiveFile(record.kind, record.name, Path(record.path)), None, document, record
            )
        if ref.kind not in KINDS:
            raise NotFound(f"There is no target called {str(ref)!r}.", hint="See 'honeyguide targets list'.")
        builtin = self._overrides.builtin(ref)
        return Home(ref, self._overrides.live_text(ref), self._overrides.live_file(ref, builtin), builtin)


def not_variables_key(ref: TargetRef) -> str:
    """Return the settings entry that holds what a person said is no variable of this target."""
    return f"not-variables.{ref}"


def open_registered(record: TargetRecord, data: bytes) -> CarrierDocument:
    """Open a registered target's file on its text. Raises Unreadable, NotFound, InvalidInput."""
    selector = Selector.read(str(record.span["selector"]))
    return parse(data, FileKind(str(record.options["file_kind"])), record.options.get("encoding"), selector)


def read_file(path: Path) -> bytes:
    """Return a file's bytes. Raises NotFound, InvalidInput, Unreadable."""
    if path.is_dir():
        raise InvalidInput(
            f"{path} is a folder, and a target is one file.",
            hint="Choose the file in it that holds the text.",
        )
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"{path} does not exist.", hint="Check the path.") from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from error


def text_sha256(text: str) -> str:
    """Return the hash of a target's text."""
    return sha256_hex(text)


def _complaints(document: CarrierDocument) -> list[str]:
    over = [
        f"{measure.limit.program}: {measure.sentence}"
        for measure in text_limits.measure(document)
        if measure.state is text_limits.State.OVER and measure.limit.strength is not text_limits.Strength.ADVISED
    ]
    broken = [finding.message for finding in document.findings if finding.severity == "error"]
    return over + broken + [finding.message for finding in carrier_rules.check(document) if finding.severity == "error"]

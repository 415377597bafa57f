"""Every prompt that an audit looks at, opened once, with the things several checks ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Protocol

from honeyguide.kernel.errors import HoneyguideError, NotFound
from honeyguide.prompts import carriers
from honeyguide.prompts.carriers.document import CarrierDocument
from honeyguide.prompts.kinds import Container, FileKind, profile
from honeyguide.prompts.places import PROGRAM_FOLDERS, name_of

_FENCE = re.compile(r"[ \t]*(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class ShelfFile:
    """A file to audit.

    Attributes:
        path: as the report shall show it.
        encoding: the code page a person named for it once.
    """

    path: str
    kind: FileKind
    data: bytes
    encoding: str | None = None


class SecretPlace(Protocol):
    """A secret in a text: its kind, and where; never the secret itself. What `traces.redaction.scan` returns fits."""

    @property
    def kind(self) -> str:
        """What sort of secret it is."""
        ...

    @property
    def start(self) -> int:
        """Where it begins."""
        ...


SecretScan = Callable[[str], Iterable[SecretPlace]]


@dataclass(frozen=True, slots=True)
class Usage:
    """How often history shows that prompts were used.

    Attributes:
        sessions: how many sessions the history holds; with none, nothing is called unused.
        calls: uses by the name of a skill, subagent or command.
        since: the first day of that history, ISO 8601; empty when unknown.
    """

    sessions: int
    calls: Mapping[str, int]
    since: str = ""


@dataclass(frozen=True, slots=True)
class AuditContext:
    """What an audit needs from outside; a check whose need is missing is reported as not run.

    Attributes:
        exists: says whether a path is there; a path may begin with ``~``.
        usage: what imported history knows.
        scan: finds secrets in a text.
        context_tokens: size of the model's context window, for the listing budget.
        listing_characters: the room for listings as the environment sets it.
    """

    exists: Callable[[str], bool] | None = None
    usage: Usage | None = None
    scan: SecretScan | None = None
    context_tokens: int | None = None
    listing_characters: int | None = None


@dataclass(frozen=True)
class Prompt:
    """One text of one file."""

    file: ShelfFile
    document: CarrierDocument
    label: str

    @property
    def path(self) -> str:
        """The path of its file."""
        return self.file.path

    @property
    def kind(self) -> FileKind:
        """The kind of its file."""
        return self.file.kind

    @cached_property
    def name(self) -> str:
        """Its own name, else that of its folder or file."""
        own = self.document.fields.get("name")
        if isinstance(own, str) and own.strip():
            return own.strip()
        return self.label if self.label != "body" else name_of(self.path, self.kind)

    @property
    def folder(self) -> PurePosixPath:
        """The folder of its file."""
        return _pure(self.path).parent

    @cached_property
    def scope(self) -> str:
        """The folder whose work it governs: what stands before ``.claude``, ``.github`` and the like, else its own.

        Written with a slash at its end; empty for the folder that all paths start from.
        """
        parts = _pure(self.path).parts[:-1]
        ends = (index for index, part in enumerate(parts) if part.lower() in PROGRAM_FOLDERS)
        above = parts[: next(ends, len(parts))]
        return "/".join(above).replace("//", "/") + "/" if above else ""

    @cached_property
    def lines(self) -> tuple[tuple[int, str], ...]:
        """The text's lines with their 1-based numbers in the file, lines of code blocks left out."""
        is_text = profile(self.kind).container is Container.TEXT
        first = self.document.first_line
        return tuple((first + index if is_text else first, line) for index, line in _prose(self.document.text))

    def line_at(self, offset: int) -> int:
        """Return the file's line of ``document.text[offset]``."""
        first = self.document.first_line
        if profile(self.kind).container is not Container.TEXT:
            return first
        return first + self.document.text.count("\n", 0, offset)


@dataclass(frozen=True)
class Unopened:
    """A file that could not be opened, and why."""

    file: ShelfFile
    error: HoneyguideError


@dataclass(frozen=True)
class Shelf:
    """All prompts of an audit; a file with several texts appears once per text."""

    prompts: tuple[Prompt, ...]
    unopened: tuple[Unopened, ...]
    context: AuditContext = field(default_factory=AuditContext)

    @cached_property
    def documents(self) -> tuple[Prompt, ...]:
        """One prompt per file."""
        return tuple({prompt.path: prompt for prompt in reversed(self.prompts)}.values())[::-1]


def works_together(first: Prompt, second: Prompt) -> bool:
    """Say whether both govern the same folder, or one a folder inside the other's."""
    return first.scope.startswith(second.scope) or second.scope.startswith(first.scope)


def open_shelf(files: Iterable[ShelfFile], context: AuditContext) -> Shelf:
    """Open every text of every file; what cannot be opened is kept with its reason."""
    prompts: list[Prompt] = []
    unopened: list[Unopened] = []
    for file in files:
        try:
            prompts.extend(_open(file))
        except NotFound:
            continue  # JSON or YAML of this kind with no text of its own, e.g. a promptfoo file that names prompt files
        except HoneyguideError as error:
            unopened.append(Unopened(file, error))
    return Shelf(tuple(prompts), tuple(unopened), context)


def _open(file: ShelfFile) -> Iterator[Prompt]:
    if profile(file.kind).container is Container.TEXT:
        yield Prompt(file, carriers.parse(file.data, file.kind, file.encoding), "body")
        return
    for choice in carriers.choices(file.data, file.kind, file.encoding):
        if choice.is_primary:
            document = carriers.parse(file.data, file.kind, file.encoding, choice.selector)
            yield Prompt(file, document, choice.name)


def _pure(path: str) -> PurePosixPath:
    return PurePosixPath(path.replace("\\", "/"))


def _prose(text: str) -> Iterator[tuple[int, str]]:
    fence = ""
    for index, line in enumerate(text.split("\n")):
        mark = _FENCE.match(line)
        if fence:
            if mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark.group(1)
        else:
            yield index, line

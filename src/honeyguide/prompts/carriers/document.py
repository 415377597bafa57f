"""An opened prompt file: its editable text, and the bytes of the file with another text in that place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import HoneyguideError, InvalidInput
from honeyguide.prompts.carriers import frontmatter as fm
from honeyguide.prompts.carriers.encoding import SourceText
from honeyguide.prompts.carriers.findings import CarrierFinding
from honeyguide.prompts.carriers.frontmatter import Frontmatter
from honeyguide.prompts.carriers.lines import editable, line_number, with_newlines
from honeyguide.prompts.carriers.selectors import Selector
from honeyguide.prompts.kinds import FileKind, FrontmatterRule, Profile, profile
from honeyguide.prompts.limits import Limit, limits_for

_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")


class SpanCodec(Protocol):
    """How the characters of a span are written in its file."""

    def decode(self, raw: str) -> str:
        """Return the editable text of ``raw``."""
        ...

    def spellings(self, new: str, raw: str) -> Iterable[str]:
        """Yield ways to write ``new`` where ``raw`` stands, best first."""
        ...


@dataclass(frozen=True, slots=True)
class CarrierDocument:
    """One file with one editable span.

    Attributes:
        data: the file.
        text: the editable text: ``\\n`` line ends, and none at its very end (those belong to the file).
        start, end: the span in ``source.text``.
        frontmatter: the block at the top, where the kind has one.
        body_start: where the text after the frontmatter begins in ``source.text``.
        findings: what is wrong or risky about the carrier itself; broken frontmatter is explained here.
    """

    kind: FileKind
    selector: Selector
    data: bytes = field(repr=False)
    source: SourceText = field(repr=False)
    start: int
    end: int
    text: str
    frontmatter: Frontmatter | None
    body_start: int
    findings: tuple[CarrierFinding, ...]
    codec: SpanCodec = field(repr=False, compare=False)
    surroundings: object = field(repr=False, compare=False)
    reopen: Callable[[bytes], CarrierDocument] = field(repr=False, compare=False)

    @property
    def profile(self) -> Profile:
        """What is known of this kind of file."""
        return profile(self.kind)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits of the program that loads this file; `limits.measure` counts against them."""
        return limits_for(self.kind)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The top-level frontmatter values; empty without a readable block."""
        return self.frontmatter.values if self.frontmatter else {}

    @property
    def body(self) -> str:
        """The text after the frontmatter, with ``\\n`` line ends."""
        return with_newlines(self.source.text[self.body_start :])

    @property
    def sha256(self) -> str:
        """The hash of the file, for compare-and-swap."""
        return sha256_hex(self.data)

    @property
    def first_line(self) -> int:
        """The 1-based line of the file in which the span begins."""
        return line_number(self.source.text, self.start)

    def with_text(self, new: str, *, keep_edges: bool = False) -> bytes:
        """Return the file with ``new`` in the span and every other byte as it is.

        The same text gives the same bytes. Line ends at the end of ``new`` do not count: the file keeps its
        own. What comes out was read again and holds exactly ``new``.

        Args:
            new: the text to put there.
            keep_edges: give ``new`` the blank lines that the present text begins with; for texts from a model,
                which trims them.

        Raises:
            InvalidInput: the file's encoding cannot hold a character (named), the text brings frontmatter of its
                own (see `incoming`), or this place cannot hold it.
        """
        wanted = editable(self.fit(new) if keep_edges else new)
        if wanted == self.text:
            return self.data
        if self._brings_frontmatter(wanted):
            raise InvalidInput(
                "This text brings frontmatter of its own; the file would have two blocks.",
                hint="Give only the body, or change the frontmatter as a change of its own.",
            )
        refusal: InvalidInput | None = None
        for raw in self.codec.spellings(wanted, self.source.text[self.start : self.end]):
            try:
                data = self.source.splice(self.start, self.end, self._after_line_end(raw))
            except InvalidInput as error:
                refusal = refusal or error
                continue
            if self._holds(data, wanted):
                return data
        raise refusal or InvalidInput(
            f"This place in the file ({self.selector}) cannot hold that text without changing its surroundings.",
            hint="Look for invisible characters, or for an alias that other values share.",
        )

    def fit(self, new: str) -> str:
        """Return ``new`` with the blank lines that the present text begins with, instead of its own."""
        present = _BLANK_LINES.match(self.text)
        lead = present.group() if present and self.text.strip() else ""
        return lead + _BLANK_LINES.sub("", with_newlines(new), count=1).rstrip("\n")

    def incoming(self, candidate: str) -> Incoming:
        """Say what a candidate would change besides the span: one that brings frontmatter of its own is taken apart.

        A candidate whose frontmatter says the same as the file's is just its body; one that says something else
        has ``changes``, which a gate refuses unless a person wants them.
        """
        text = with_newlines(candidate).removeprefix("\ufeff")
        rule = self.profile.frontmatter
        own = _own_frontmatter(text, loose=rule is FrontmatterRule.LOOSE)
        if own is None or self.selector.where != "body" or rule is FrontmatterRule.NONE:
            return Incoming(editable(text))
        block, offset = own
        changes = tuple(_field_changes(self.fields, block.values))
        ends = "\r\n" if "\r\n" in self.source.text else "\n"
        whole = self.source.mark + self.source.encode(text[offset:].replace("\n", ends))
        return Incoming(editable(text[offset + block.body :]), changes, whole)

    def _holds(self, data: bytes, wanted: str) -> bool:
        """Say whether ``data``, opened anew, has ``wanted`` in the span and everything else as it is here."""
        try:
            again = self.reopen(data)
        except HoneyguideError:
            return False
        return again.text == wanted and again.surroundings == self.surroundings

    def _after_line_end(self, raw: str) -> str:
        """Put a line end before a body whose file stops right at the closing ``---``."""
        at_fence = self.frontmatter and self.start == self.body_start and self.selector.where == "body"
        if raw and at_fence and not self.source.text[: self.start].endswith(("\n", "\r")):
            return ("\r\n" if "\r\n" in self.source.text else "\n") + raw
        return raw

    def _brings_frontmatter(self, wanted: str) -> bool:
        rule = self.profile.frontmatter
        if self.selector.where != "body" or rule is FrontmatterRule.NONE:
            return False
        loose = rule is FrontmatterRule.LOOSE
        return _own_frontmatter(wanted, loose=loose) is not None and _own_frontmatter(self.text, loose=loose) is None


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A frontmatter value that a candidate changes, adds or loses (``after`` or ``before`` is ``None`` then)."""

    key: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Incoming:
    """A candidate taken apart.

    Attributes:
        text: what goes into the span.
        changes: frontmatter values it would change as well; empty for a plain body.
        whole: the file as the candidate's own frontmatter would make it, for the gates to judge; ``None`` for a
            plain body.
    """

    text: str
    changes: tuple[FieldChange, ...] = ()
    whole: bytes | None = None


def with_findings(document: CarrierDocument, findings: Iterable[CarrierFinding]) -> CarrierDocument:
    """Return ``document`` with more findings."""
    return replace(document, findings=(*document.findings, *findings))


def _own_frontmatter(text: str, *, loose: bool) -> tuple[Frontmatter, int] | None:
    """Return the block that ``text`` begins with (blank lines before it allowed) and its offset."""
    blank = _BLANK_LINES.match(text)
    offset = blank.end() if blank else 0
    block = fm.read(text[offset:], loose=loose)
    if block is None or (block.problem is None and not block.values):
        return None
    return (block, offset) if fm.KEY_LINE.match(text, offset + block.start) else None


def _field_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[FieldChange]:
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key) or (key in before) != (key in after):
            yield FieldChange(key, before.get(key), after.get(key))

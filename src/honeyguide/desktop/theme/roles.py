"""Colours by what they mean, derived from two base colours and four signals, for light and for dark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from honeyguide.desktop.theme.colours import Colour

READABLE = 4.5
"""The least contrast of text (WCAG 2.2, AA)."""
STRONG = 7.0
"""The least contrast of text for a person who asked the system for more (WCAG 2.2, AAA)."""
VISIBLE = 3.0
"""The least contrast of a sign or a border that carries meaning (WCAG 2.2, 1.4.11)."""
_WHITE, _BLACK = Colour(255, 255, 255), Colour(0, 0, 0)


class Scheme(StrEnum):
    """Whether dark text stands on light, or light text on dark."""

    LIGHT = "light"
    DARK = "dark"


class Role(StrEnum):
    """What a colour is for.

    ``*_TINT`` are backgrounds for text in the colour they are named after; ``INSERT`` and ``DELETE`` are backgrounds
    of whole lines, ``*_WORD`` of the words in them.
    """

    SURFACE = "surface"
    SURFACE_2 = "surface-2"
    RAISED = "raised"
    TEXT = "text"
    TEXT_2 = "text-2"
    FAINT = "faint"
    LINE = "line"
    ACCENT = "accent"
    ON_ACCENT = "on-accent"
    ACCENT_TEXT = "accent-text"
    ACCENT_TINT = "accent-tint"
    SELECTION = "selection"
    HOVER = "hover"
    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    INFO = "info"
    GOOD_TINT = "good-tint"
    BAD_TINT = "bad-tint"
    WARN_TINT = "warn-tint"
    INFO_TINT = "info-tint"
    QUIET_TINT = "quiet-tint"
    INSERT = "insert"
    INSERT_WORD = "insert-word"
    DELETE = "delete"
    DELETE_WORD = "delete-word"


SIGNALS = (Role.GOOD, Role.BAD, Role.WARN, Role.INFO)
TINTS: Mapping[Role, Role] = {
    Role.GOOD: Role.GOOD_TINT,
    Role.BAD: Role.BAD_TINT,
    Role.WARN: Role.WARN_TINT,
    Role.INFO: Role.INFO_TINT,
    Role.ACCENT: Role.ACCENT_TINT,
    Role.TEXT_2: Role.QUIET_TINT,
}
"""The background that belongs to text of a colour."""


@dataclass(frozen=True, slots=True)
class Bases:
    """The colours that everything else is made from.

    Attributes:
        honey: the accent. ``ink``: text, lines and surfaces are shades of it.
        insert, delete: new and removed text; a person may choose others.
    """

    honey: Colour = field(default_factory=lambda: Colour.parse("#e3a008"))
    ink: Colour = field(default_factory=lambda: Colour.parse("#2a2520"))
    good: Colour = field(default_factory=lambda: Colour.parse("#2f8a4d"))
    bad: Colour = field(default_factory=lambda: Colour.parse("#c43d32"))
    warn: Colour = field(default_factory=lambda: Colour.parse("#b3630b"))
    info: Colour = field(default_factory=lambda: Colour.parse("#2f6cb3"))
    insert: Colour = field(default_factory=lambda: Colour.parse("#2f9a55"))
    delete: Colour = field(default_factory=lambda: Colour.parse("#d0463a"))


DEFAULT_BASES = Bases()
CHANGE_COLOURS: Mapping[str, Bases] = {
    "green-red": DEFAULT_BASES,
    "blue-orange": Bases(insert=Colour.parse("#0072b2"), delete=Colour.parse("#d55e00")),
}
"""What a person may choose for new and removed text; the second pair is for people who mix up green and red."""


@dataclass(frozen=True, slots=True)
class Theme:
    """All roles of one scheme."""

    scheme: Scheme
    colours: Mapping[Role, Colour]
    bases: Bases = DEFAULT_BASES

    def __getitem__(self, role: Role) -> Colour:
        return self.colours[role]

    def tint_of(self, role: Role) -> Colour:
        """Return the background on which text of ``role`` is readable; the raised surface for roles without one."""
        return self.colours[TINTS.get(role, Role.SURFACE_2)]


def derive(scheme: Scheme, bases: Bases = DEFAULT_BASES, *, is_strong: bool = False) -> Theme:
    """Return every role for ``scheme``; text has at least 4.5 : 1 on what it stands on.

    ``is_strong`` is for high contrast: 7 : 1 for text, black on white or white on black, and lines that stand out.
    """
    dark = scheme is Scheme.DARK
    readable = STRONG if is_strong else READABLE
    if dark:
        surface = bases.ink.lit(0.225)
        surface_2 = bases.ink.lit(0.262)
        raised = bases.ink.lit(0.29)
        text = bases.ink.lit(0.93)
        line = surface.mixed(text, 0.2)
    else:
        surface = _WHITE.mixed(bases.honey, 0.015)
        surface_2 = surface.mixed(bases.ink, 0.045)
        raised = _WHITE
        text = bases.ink
        line = surface.mixed(bases.ink, 0.17)
    if is_strong:
        surface, text = (_BLACK, _WHITE) if dark else (_WHITE, _BLACK)
        surface_2, raised = surface.mixed(text, 0.06), surface.mixed(text, 0.09 if dark else 0.0)
        line = surface.mixed(text, 0.5)
    grounds = [surface, surface_2, raised]
    tint_share = 0.2 if dark else 0.13
    tints = {tint: surface.mixed(_base(bases, role), tint_share) for role, tint in TINTS.items() if role in SIGNALS}
    accent_tint = surface.mixed(bases.honey, 0.2)
    selection = surface.mixed(bases.honey, 0.24 if dark else 0.22)
    hover = surface.mixed(text, 0.06)
    quiet = surface.mixed(text, 0.09)
    diffs = {
        Role.INSERT: _ground(surface, bases.insert, 0.2 if dark else 0.13, text, readable),
        Role.INSERT_WORD: _ground(surface, bases.insert, 0.48 if dark else 0.37, text, readable),
        Role.DELETE: _ground(surface, bases.delete, 0.2 if dark else 0.11, text, readable),
        Role.DELETE_WORD: _ground(surface, bases.delete, 0.48 if dark else 0.32, text, readable),
    }
    colours: dict[Role, Colour] = {
        Role.SURFACE: surface,
        Role.SURFACE_2: surface_2,
        Role.RAISED: raised,
        Role.TEXT: text.readable_on([*grounds, selection, hover, quiet, *diffs.values()], readable),
        Role.TEXT_2: surface.mixed(text, 0.66).readable_on(
            [*grounds, selection, hover, quiet, diffs[Role.INSERT], diffs[Role.DELETE]], readable
        ),
        Role.FAINT: surface.mixed(text, 0.42).readable_on(grounds, READABLE if is_strong else VISIBLE),
        Role.LINE: line.readable_on(grounds, VISIBLE) if is_strong else line,
        Role.ACCENT: bases.honey,
        Role.ON_ACCENT: bases.ink.lit(0.2).readable_on([bases.honey], readable),
        Role.ACCENT_TEXT: bases.honey.readable_on([*grounds, accent_tint, selection], readable),
        Role.ACCENT_TINT: accent_tint,
        Role.SELECTION: selection,
        Role.HOVER: hover,
        Role.QUIET_TINT: quiet,
        **tints,
        **diffs,
    }
    for role in SIGNALS:
        on = [*grounds, colours[TINTS[role]], selection, hover]
        colours[role] = _base(bases, role).readable_on(on, readable)
    return Theme(scheme, colours, bases)


def _ground(surface: Colour, base: Colour, share: float, text: Colour, readable: float) -> Colour:
    """Return a tint of ``base``, as strong as it may be for ``text`` to stay readable on it."""
    while share > 0.02 and surface.mixed(base, share).contrast(text) < readable * 1.2:
        share -= 0.02
    return surface.mixed(base, share)


def _base(bases: Bases, role: Role) -> Colour:
    return {Role.GOOD: bases.good, Role.BAD: bases.bad, Role.WARN: bases.warn, Role.INFO: bases.info}[role]

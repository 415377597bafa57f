from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QPushButton

from honeyguide.desktop.theme import (
    Bases,
    Colour,
    Metrics,
    Role,
    Scheme,
    ThemeChoice,
    ThemeSwitch,
    Type,
    active_theme,
    apply_theme,
    derive,
    icon,
    icon_names,
    motion_ms,
    paint_icon,
    use_icon,
)
from honeyguide.desktop.theme.motion import set_reduced_motion
from honeyguide.desktop.theme.outcomes import (
    kind_wording,
    origin_wording,
    outcome_wording,
    state_names,
    state_wording,
    trace_outcome_wording,
    verdict_wording,
)
from honeyguide.desktop.theme.roles import READABLE, STRONG, TINTS, VISIBLE
from honeyguide.kernel.resources import resource

GROUNDS = (Role.SURFACE, Role.SURFACE_2, Role.RAISED)
TEXTS = (
    (Role.TEXT, (*GROUNDS, Role.SELECTION, Role.HOVER, Role.QUIET_TINT, Role.INSERT, Role.DELETE,
                 Role.INSERT_WORD, Role.DELETE_WORD)),
    (Role.TEXT_2, (*GROUNDS, Role.SELECTION, Role.HOVER, Role.QUIET_TINT, Role.INSERT, Role.DELETE)),
    (Role.ACCENT_TEXT, (*GROUNDS, Role.ACCENT_TINT, Role.SELECTION)),
    (Role.ON_ACCENT, (Role.ACCENT,)),
    *((role, (*GROUNDS, TINTS[role], Role.SELECTION, Role.HOVER)) for role in
      (Role.GOOD, Role.BAD, Role.WARN, Role.INFO)),
)  # fmt: skip
OTHER_BASES = [
    Bases(),
    Bases(insert=Colour.parse("#0072b2"), delete=Colour.parse("#d55e00")),  # for people who mix up red and green
    Bases(honey=Colour.parse("#ffff00"), ink=Colour.parse("#000000")),
    Bases(insert=Colour.parse("#ffffff"), delete=Colour.parse("#000000")),
]


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("bases", OTHER_BASES)
@pytest.mark.parametrize(("text", "grounds"), TEXTS, ids=lambda value: str(value))
def test_text_is_readable_on_everything_it_stands_on(scheme, bases, text, grounds):
    theme = derive(scheme, bases)
    for ground in grounds:
        assert theme[text].contrast(theme[ground]) >= READABLE, ground


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("bases", OTHER_BASES)
def test_high_contrast_is_seven_to_one_and_its_lines_stand_out(scheme, bases):
    theme = derive(scheme, bases, is_strong=True)
    for text, grounds in TEXTS:
        for ground in grounds:
            assert theme[text].contrast(theme[ground]) >= STRONG, (text, ground)
    assert all(theme[Role.LINE].contrast(theme[ground]) >= VISIBLE for ground in GROUNDS)
    assert all(theme[Role.FAINT].contrast(theme[ground]) >= READABLE for ground in GROUNDS)


@pytest.mark.parametrize("scheme", Scheme)
def test_signs_and_edges_that_carry_meaning_can_be_seen(scheme):
    theme = derive(scheme)
    assert all(theme[Role.FAINT].contrast(theme[ground]) >= VISIBLE for ground in GROUNDS)


@pytest.mark.parametrize(
    ("one", "other", "ratio"), [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#abcdef", "#abcdef", 1.0)]
)
def test_contrast_is_that_of_wcag(one, other, ratio):
    assert Colour.parse(one).contrast(Colour.parse(other)) == pytest.approx(ratio, abs=0.01)


@given(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))
def test_mixing_with_nothing_changes_nothing_and_with_all_gives_the_other(red, green, blue):
    colour, other = Colour(red, green, blue), Colour.parse("#2f6cb3")
    assert colour.mixed(other, 0.0) == colour
    assert colour.mixed(other, 1.0) == other


@pytest.mark.parametrize("text", ["#12345", "red", "#gggggg", "", "#1234567"])
def test_what_is_no_colour_is_refused(text):
    with pytest.raises(ValueError, match="not a colour"):
        Colour.parse(text)


def test_icons_are_drawn_on_the_grid_in_the_colour_of_their_role():
    assert len(icon_names()) > 60
    for name in icon_names():
        tree = ElementTree.fromstring(resource("icons", f"{name}.svg").read_text())
        assert tree.attrib["viewBox"] == "0 0 16 16", name
        assert tree.attrib["stroke"] == "currentColor", name


def test_an_icon_takes_the_colour_of_the_theme(qapp):
    pixmap = QPixmap(32, 32)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_icon(painter, "waiting", QRectF(0, 0, 32, 32), Role.BAD)
    painter.end()
    assert pixmap.toImage().pixelColor(16, 16) == QColor(active_theme()[Role.BAD].hex)


def test_icons_of_buttons_and_actions_follow_the_theme(qapp, qtbot):
    button, action = QPushButton(), QAction()
    button.addAction(action)
    qtbot.addWidget(button)
    for target in (button, action):
        use_icon(target, "waiting", Role.TEXT)
    light = button.icon().pixmap(QSize(16, 16)).toImage().pixelColor(8, 8)
    apply_theme(qapp, derive(Scheme.DARK))
    for target in (button, action):
        assert target.icon().pixmap(QSize(16, 16)).toImage().pixelColor(8, 8) != light
    apply_theme(qapp, derive(Scheme.LIGHT))
    assert button.icon().pixmap(QSize(16, 16)).toImage().pixelColor(8, 8) == light


def test_a_disabled_icon_is_faint(qapp):
    made = icon("waiting", Role.TEXT)
    faint = made.pixmap(QSize(16, 16), made.Mode.Disabled).toImage().pixelColor(8, 8)
    assert faint == QColor(active_theme()[Role.FAINT].hex)


def test_the_theme_follows_a_choice_and_the_system(qapp, qtbot):
    switch = ThemeSwitch(qapp)
    try:
        with qtbot.waitSignal(switch.changed, timeout=1000):
            switch.set_choice(ThemeChoice.DARK)
        assert active_theme().scheme is Scheme.DARK
        assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(derive(Scheme.DARK)[Role.SURFACE].hex)
        with qtbot.waitSignal(switch.changed, timeout=1000):
            switch.set_choice(ThemeChoice.LIGHT)
        assert active_theme().scheme is Scheme.LIGHT
        qapp.styleHints().setColorScheme(Qt.ColorScheme.Dark)
        assert switch.scheme is Scheme.LIGHT, "a choice outlasts what the system does"
        with qtbot.waitSignal(switch.changed, timeout=1000):
            switch.set_bases(OTHER_BASES[1])
        assert active_theme().bases == OTHER_BASES[1]
    finally:
        switch.set_bases(Bases())
        switch.set_choice(ThemeChoice.LIGHT)
        qapp.styleHints().unsetColorScheme()
        switch.deleteLater()


def test_type_sizes_are_relative_to_the_systems_font(qapp):
    base = qapp.font().pointSizeF()
    assert Metrics.font(Type.PROSE).pointSizeF() == pytest.approx(base * 1.1)
    assert Metrics.font(Type.CAPTION).pointSizeF() == pytest.approx(base * 0.85)
    assert Metrics.font(Type.TITLE, strong=True).weight() > qapp.font().weight()
    assert Metrics.row_height() > 12


@pytest.mark.parametrize(("reduced", "milliseconds"), [(True, 0), (False, 120)])
def test_nothing_moves_where_a_person_wants_no_motion(qapp, reduced, milliseconds):
    set_reduced_motion(reduced)
    try:
        assert motion_ms() == milliseconds
    finally:
        set_reduced_motion(None)


@pytest.mark.parametrize(
    ("wording", "names"),
    [
        (state_wording, state_names()),
        (outcome_wording, ("verified_improvement", "regression_safe", "rejected", "inconclusive",
                           "capability_rejected")),
        (verdict_wording, ("better", "worse", "same", "unscored")),
        (origin_wording, ("found", "accepted", "restored", "edited-outside")),
        (trace_outcome_wording, ("pending", "success", "corrected", "abandoned", "verified")),
        (kind_wording, ("persona-system-prompt", "behavioral-spec-section", "tool-description", "skill-body", "generic",
                        "instruction-file", "subagent", "command", "harness", "flow")),
    ],
)  # fmt: skip
def test_every_name_has_words_of_its_own_and_a_sign_that_exists(wording, names):
    said = [wording(name) for name in names]
    assert len({one.words for one in said}) == len(names)
    assert all(one.icon in icon_names() for one in said)
    assert wording("something new").words == "something new"


@pytest.mark.parametrize("scheme", Scheme)
def test_the_style_sheet_has_every_colour_and_image_filled_in(qapp, scheme):
    apply_theme(qapp, derive(scheme))
    assert qapp.styleSheet()
    assert "$" not in qapp.styleSheet()

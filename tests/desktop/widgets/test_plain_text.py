from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocumentFragment

from honeyguide.desktop.theme.plain_text import (
    HIDDEN,
    Utf16Map,
    block,
    hidden_signs,
    isolated,
    one_line,
    runs_leftward,
    tooltip,
    visible,
)
from tests.desktop.samples import HOSTILE

ANY_TEXT = st.text(st.characters(), max_size=60)
SOME_SURROGATES = st.text(st.characters(categories=["L", "So", "Cs", "Cc", "Cf", "Zl"]), max_size=60)


@given(SOME_SURROGATES)
def test_visible_text_is_as_long_and_hides_nothing(text):
    shown = visible(text)
    assert len(shown) == len(text)
    assert not hidden_signs(shown)
    shown.encode("utf-16")  # no lone surrogate is left, Qt can take it


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext", "plain\ttext"),
        ("tro\u202ejan", f"tro{HIDDEN}jan"),
        ("a\x00b\x1b", f"a{HIDDEN}b{HIDDEN}"),
        ("line\u2028end", "line↵end"),
        ("\ud83d", "\ufffd"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("مرحبا", "مرحبا"),
    ],
)
def test_signs_without_a_picture_get_one(text, shown):
    assert visible(text) == shown


def test_hidden_signs_are_named():
    assert hidden_signs("a\u202eb\u200bc") == [(1, "right-to-left override"), (3, "zero width space")]
    assert hidden_signs("\x00")[0][1].startswith("u+")
    assert len(hidden_signs("\u200b" * 100)) == 20


@given(ANY_TEXT, st.integers(0, 60))
def test_places_survive_the_way_to_qt_and_back(text, place):
    place = min(place, len(text))
    units = Utf16Map(text)
    assert units.to_qt(place) == len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
    assert units.from_qt(units.to_qt(place)) == place


def test_a_place_inside_an_emoji_is_the_emoji():
    assert Utf16Map("a👍b").from_qt(2) == 1
    assert Utf16Map("a👍b").from_qt(3) == 2


@given(ANY_TEXT)
def test_one_line_has_one_line_and_a_least_length(text):
    line = one_line(text, 20)
    assert "\n" not in line
    assert "\r" not in line
    assert len(line) <= 20


def test_a_megabyte_is_cut_quickly():
    assert len(one_line("x" * 1_000_000)) == 240
    assert block("x" * 1_000_000, 100) == "x" * 100 + "…"


@given(ANY_TEXT)
def test_a_tooltip_shows_markup_as_text(text):
    said = tooltip("<b>" + text)
    assert "&lt;b&gt;" in said
    assert "<b>" not in said


def test_a_tooltip_reads_as_its_text():
    assert QTextDocumentFragment.fromHtml(tooltip("<i>a</i> & b")).toPlainText() == "<i>a</i> & b"
    assert tooltip("") == ""
    assert len(tooltip(HOSTILE)) > 50


@pytest.mark.parametrize(
    ("text", "leftward"),
    [("abc", False), ("123 שלום abc", True), ("abc שלום", False), ("مرحبا", True), ("123 👍", False)],
)
def test_the_first_letter_says_where_a_line_runs(text, leftward):
    assert runs_leftward(text) is leftward


def test_isolated_text_is_enclosed():
    assert isolated("x") == "\u2068x\u2069"

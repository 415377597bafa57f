"""For any file of any kind: the same text changes no byte, another text changes only its span."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import InvalidInput, Unreadable
from honeyguide.prompts import carriers
from honeyguide.prompts.carriers import CarrierDocument
from honeyguide.prompts.carriers.lines import editable
from honeyguide.prompts.kinds import PROFILES, FileKind
from tests.prompts.samples import SAMPLES

KINDS = sorted(SAMPLES)
ENCODINGS = {
    "utf-8": b"",
    "utf-8 with a mark": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
PIECES = [
    "a",
    "é",
    "😀",
    "中",
    '"',
    "'",
    "\\",
    "\t",
    "  ",
    "\n",
    "\n\n",
    ": ",
    " #",
    "- ",
    "---",
    "{{x}}",
    "{",
    "]",
    "`",
    "\u2028",
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=12).map("".join)


def written(text: str, line_end: str, encoding: str) -> bytes:
    """Return a file as a program with other habits would have written it."""
    mark = ENCODINGS[encoding]
    return mark + text.replace("\n", line_end).encode(encoding.split(" ", maxsplit=1)[0])


def outside(document: CarrierDocument) -> tuple[bytes, bytes]:
    """Return the bytes before and after the span."""
    source = document.source
    return source.mark + source.encode(source.text[: document.start]), source.encode(source.text[document.end :])


def every_text(data: bytes, kind: FileKind) -> list[CarrierDocument]:
    """Open a file on each text that it offers."""
    found = carriers.choices(data, kind)
    return [carriers.parse(data, kind, selector=choice.selector) for choice in found]


def test_there_is_a_sample_of_every_kind():
    assert set(SAMPLES) == set(FileKind) == set(PROFILES)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_text_changes_no_byte(kind, line_end, encoding):
    text = SAMPLES[kind]
    if line_end == "\r" and kind is FileKind.GEMINI_COMMAND:
        pytest.skip("TOML does not allow a lone carriage return")
    for shape in (text, text.rstrip("\n"), text + "\n\n"):
        data = written(shape, line_end, encoding)
        documents = every_text(data, kind)
        assert documents
        for document in documents:
            assert document.with_text(document.text) == data
            assert document.with_text(document.text + "\n\n") == data
            assert document.with_text(document.fit(document.text)) == data


@pytest.mark.parametrize("kind", KINDS)
@given(new=TEXTS, line_end=st.sampled_from(["\n", "\r\n"]), encoding=st.sampled_from(sorted(ENCODINGS)))
def test_a_new_text_changes_only_the_span(kind, new, line_end, encoding):
    data = written(SAMPLES[kind], line_end, encoding)
    for document in every_text(data, kind):
        try:
            changed = document.with_text(new)
        except InvalidInput:
            continue
        again = carriers.parse(changed, kind, selector=document.selector)
        assert again.text == editable(new)
        head, tail = outside(document)
        assert changed.startswith(head)
        assert changed.endswith(tail)
        assert len(changed) >= len(head) + len(tail)


@pytest.mark.parametrize("kind", KINDS)
@given(new=st.text(alphabet="abc éü中😀,.!?\n*_()", max_size=60))
def test_ordinary_prose_is_never_refused(kind, new):
    for document in every_text(SAMPLES[kind].encode(), kind):
        if kind is FileKind.CURSOR_RULE and document.selector.where == "field":
            continue  # one line without blanks around it is all that Cursor reads
        changed = document.with_text(new)
        assert carriers.parse(changed, kind, selector=document.selector).text == editable(new)


@given(
    lines=st.lists(
        st.tuples(st.text(alphabet="ab \t-#", max_size=6), st.sampled_from(["\n", "\r\n", "\r"])), max_size=12
    ),
    tail=st.text(alphabet="ab \t", max_size=4),
)
def test_mixed_line_ends_survive_the_same_text(lines, tail):
    data = ("".join(line + end for line, end in lines) + tail).encode()
    document = carriers.parse(data, FileKind.PLAIN_TEXT)
    assert document.with_text(document.text) == data


def test_kept_lines_keep_their_own_line_end_and_new_ones_get_the_usual_one():
    document = carriers.parse(b"one\r\ntwo\nthree\r\nfour", FileKind.PLAIN_TEXT)
    assert document.with_text("one\ntwo\nnew\nthree\nfour") == b"one\r\ntwo\nnew\r\nthree\r\nfour"


@given(data=st.binary(max_size=300))
def test_any_bytes_open_to_the_same_bytes_or_are_refused_as_unreadable(data):
    try:
        document = carriers.parse(data, FileKind.AGENT_SKILL)
    except Unreadable:
        return
    assert document.with_text(document.text) == data


@given(st.text(alphabet="-\n\r: ab'\"#|>\t{}[]&*!\ufeff", max_size=80))
def test_any_text_with_yaml_signs_opens_to_the_same_bytes(text):
    data = ("---\n" + text).encode()
    document = carriers.parse(data, FileKind.AGENT_SKILL)
    assert document.with_text(document.text) == data
    for name in document.frontmatter.scalars if document.frontmatter else ():
        if name:
            part = carriers.parse(data, FileKind.AGENT_SKILL, selector=carriers.field(name))
            assert part.with_text(part.text) == data

"""Line-based files of any size and state of repair."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Interrupted, InvalidInput, Unreadable
from honeyguide.traces import health
from honeyguide.traces.lines import BLOCK_BYTES, iter_json, iter_lines, noise_filter, storable
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.shortening import JsonShortener

DAMAGED = (
    b'\xef\xbb\xbf{"n":1}\r\n'
    b"\r\n"
    b'{"n":2\r\n'
    b"null\r\n"
    b"[1]\r\n" + b"\x00" * 64 + b"\r\n"
    b'\x00\x00{"n":7}\r\n'
    b'{"n":"caf\xe9"}\r\n'
    b'{"n":"a\\ud83d"}\r\n'
    b'{"n":"line\xe2\x80\xa8separator"}\r\n'
    b'{"n":NaN}\r\n'
    b'{"n":12'
)


def read(data: bytes, **options: object) -> tuple[list[dict[str, object]], ReadContext]:
    context = ReadContext(**options)  # type: ignore[arg-type]
    return [record.data for record in iter_json(io.BytesIO(data), context)], context


def test_every_good_line_of_a_damaged_file_is_read():
    objects, _ = read(DAMAGED)
    assert [o["n"] for o in objects] == [1, 7, "a\\ud83d", "line\u2028separator", None]


@pytest.mark.parametrize(
    ("problem", "lines"),
    [
        (health.BLANK_LINE, (2,)),
        (health.BROKEN_JSON, (3, 12)),
        (health.NOT_AN_OBJECT, (4, 5)),
        (health.NUL_BYTES, (6, 7)),
        (health.NOT_UTF8, (8,)),
        (health.LONE_SURROGATES, (9,)),
        (health.TORN_LAST_LINE, (12,)),
    ],
)
def test_every_bad_line_is_counted_with_its_number(problem, lines):
    _, context = read(DAMAGED)
    assert context.health.lines(problem) == lines
    assert context.health.count(problem) == len(lines)


def test_a_last_line_without_line_end_is_read_when_it_is_whole():
    objects, context = read(b'{"n":1}\n{"n":2}')
    assert [o["n"] for o in objects] == [1, 2]
    assert not context.health


def test_a_pair_of_surrogate_escapes_is_an_ordinary_character():
    objects, context = read(b'{"n":"\\ud83d\\ude00"}\n')
    assert objects == [{"n": "\U0001f600"}]
    assert not context.health


def test_nul_and_lone_surrogates_become_visible_escapes_in_keys_and_values():
    assert storable({"a\x00": ["\ud800x"]}) == {"a\\u0000": ["\\ud800x"]}


def test_utf16_with_its_mark_is_read_and_other_code_pages_only_when_named():
    text = '{"n":"écoute"}\n'
    assert read(text.encode("utf-16"))[0] == [{"n": "écoute"}]
    assert read(text.encode("cp1252"))[0] == []
    assert read(text.encode("cp1252"), encoding="cp1252")[0] == [{"n": "écoute"}]


def test_a_wrongly_named_code_page_is_said_and_nothing_is_replaced():
    with pytest.raises(Unreadable, match="ascii"):
        read('{"n":"é"}\n'.encode(), encoding="ascii")
    with pytest.raises(InvalidInput):
        read(b"{}\n", encoding="klingon")
    with pytest.raises(InvalidInput):
        read(b"{}\n", encoding="base64")


def test_an_over_long_line_stays_json_with_its_true_size():
    raw = json.dumps({"id": "x", "text": "é\n" * 400_000, "after": [1, 2]}).encode()
    data = b'{"n":1}\n' + raw + b'\n{"n":3}\n'
    context = ReadContext(line_limit=100_000)
    records = list(iter_json(io.BytesIO(data), context))
    assert [record.number for record in records] == [1, 2, 3]
    assert records[1].size == len(raw)
    assert records[1].data["after"] == [1, 2]
    assert len(records[1].data["text"]) < 100_000
    assert "bytes left out" in records[1].data["text"]
    assert context.health.lines(health.OVER_LONG) == (2,)


def test_no_half_of_a_secret_is_left_at_the_cut():
    secret = b"sk-ant-api03-Zx9Kq2Lm7Pn4Rt6Vw8Yb3Cd5"
    shortener = JsonShortener(10_000, 60)
    shortener.feed(b'{"t":"' + b"word " * 9 + secret + b" " + b"more " * 100 + b'"}')
    assert b"sk-ant" not in shortener.result()
    assert json.loads(shortener.result())["t"].startswith("word word")


def test_an_over_long_last_line_without_line_end_is_kept_too():
    data = b'{"n":1}\n{"text":"' + b"a" * (3 * BLOCK_BYTES) + b'"}'
    records = list(iter_json(io.BytesIO(data), ReadContext(line_limit=BLOCK_BYTES)))
    assert [record.number for record in records] == [1, 2]


def test_a_line_of_a_million_short_strings_is_bounded_and_counted_as_broken():
    data = b'{"a":[' + b'"x",' * 200_000 + b'"x"]}\n{"n":2}\n'
    context = ReadContext(line_limit=50_000)
    records = list(iter_json(io.BytesIO(data), context))
    assert [record.data for record in records] == [{"n": 2}]
    assert context.health.lines(health.BROKEN_JSON) == (1,)


def test_progress_grows_to_the_size_of_the_file_and_cancelling_stops_it():
    seen: list[int] = []
    data = b'{"n":1}\n' * 300_000
    list(iter_json(io.BytesIO(data), ReadContext(progress=seen.append), lambda raw: True))
    assert seen == sorted(seen) and seen[-1] == len(data)
    with pytest.raises(Interrupted):
        list(iter_json(io.BytesIO(data), ReadContext(is_cancelled=lambda: len(seen) > 0)))


@given(
    st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=12),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_lines_are_those_of_the_file_whatever_it_holds(lines, end):
    data = b'{"first":1}' + end + b"".join(line + end for line in lines)
    read_lines = {line.number: line.raw for line in iter_lines(io.BytesIO(data), ReadContext())}
    expected = {i + 2: line.removesuffix(b"\r") for i, line in enumerate(lines) if line.strip()}
    if end == b"\r\n":
        expected = {i + 2: line for i, line in enumerate(lines) if line.strip()}
    assert read_lines == {1: b'{"first":1}', **expected}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=4),
    max_leaves=10,
)


@given(JSON_VALUES, st.booleans(), st.integers(1, 9), st.integers(1, 30))
def test_shortening_leaves_json_of_the_same_shape_wherever_the_pieces_are_cut(value, ascii_only, step, string_limit):
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")
    shortener = JsonShortener(10_000, string_limit)
    for start in range(0, len(raw), step):
        shortener.feed(raw[start : start + step])
    assert shortener.size == len(raw)
    assert shape(json.loads(shortener.result())) == shape(value)


def shape(value: object) -> object:
    if isinstance(value, list):
        return [shape(item) for item in value]
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return "text" if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("line", "skipped"),
    [
        ('{"type":"progress","data":{}}', True),
        ('{ "parentUuid": null, "n": -1.5e3, "ok":true , "type" : "progress" , "x":1}', True),
        ('{"type":"queue-operation"}', True),
        ('{"type":"user","data":{"type":"progress"}}', False),
        ('{"data":{"type":"progress"},"type":"user"}', False),
        ('{"text":"\\",\\"type\\":\\"progress\\",","type":"user"}', False),
        ('{"type":"progressive"}', False),
        ('{"type":"progress"', False),
        ('[{"type":"progress"}]', False),
    ],
)
def test_noise_is_left_out_only_when_it_is_certain(line, skipped):
    assert bool(noise_filter("type", ["progress", "queue-operation"])(line.encode())) is skipped

"""Tables: columns guessed and mapped, ratings, references, spreadsheets, code pages."""

from __future__ import annotations

import io
import json
from datetime import datetime

import pytest

from honeyguide.kernel.errors import InvalidInput, Unreadable, Unsupported
from honeyguide.traces import health
from honeyguide.traces.conversations import SignalKind
from honeyguide.traces.readers import recognise
from honeyguide.traces.readers.detect import read_path
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.readers.table import guess_mapping, preview
from honeyguide.traces.records import TokenCounts, TraceOutcome
from tests.traces.readers.samples import jsonl, only, read, xlsx


@pytest.mark.parametrize(
    ("columns", "mapping"),
    [
        (["Question", "Answer"], {"Question": "input", "Answer": "output"}),
        (["Frage", "Antwort", "Bewertung"], {"Frage": "input", "Antwort": "output", "Bewertung": "rating"}),
        (["userQuestion", "bot-answer"], {"userQuestion": "input", "bot-answer": "output"}),
        (["質問", "回答"], {"質問": "input", "回答": "output"}),
        (["input", "expected_output", "output"], {"input": "input", "expected_output": "expected", "output": "output"}),
        (["prompt", "question"], {"prompt": "input"}),
        (["input_tokens", "output_tokens"], {"input_tokens": "input_tokens", "output_tokens": "output_tokens"}),
        (["colour", "size"], {}),
        (
            ["Ticket No", "What they wrote", "Our reply (final)", "CSAT 1-5"],
            {"Ticket No": "conversation", "Our reply (final)": "output", "CSAT 1-5": "rating"},
        ),
        (["request_id", "Question Nr", "question"], {"question": "input"}),
    ],
)
def test_columns_are_guessed_from_their_headers(columns, mapping):
    assert guess_mapping(columns) == mapping


def test_a_preview_shows_the_guess_and_the_first_rows():
    data = b"Frage,Antwort,Farbe\nWo?,Hier.,rot\nWann?,Jetzt.,blau\n"
    shown = preview(io.BytesIO(data), ReadContext())
    assert (shown.kind, shown.columns) == ("csv", ("Frage", "Antwort", "Farbe"))
    assert shown.mapping == {"Frage": "input", "Antwort": "output"}
    assert shown.rows[1] == {"Frage": "Wann?", "Antwort": "Jetzt.", "Farbe": "blau"}
    assert shown.to_json()["columns"] == ["Frage", "Antwort", "Farbe"]


def test_a_mapping_overrides_the_guess_and_frees_its_field():
    data = b"question,better_question,answer\nA?,B?,C.\n"
    trace = only("table", data, mapping={"better_question": "input"}).traces[0]
    assert (trace.payload.input, trace.payload.output) == ("B?", "C.")


@pytest.mark.parametrize(
    "mapping", [{"question": "colour"}, {"nowhere": "input"}, {"question": "input", "answer": "input"}]
)
def test_a_mapping_that_cannot_be_is_refused_with_a_way_out(mapping):
    with pytest.raises(InvalidInput) as caught:
        read("table", b"question,answer\nA?,B.\n", mapping=mapping)
    assert caught.value.hint


def test_a_table_without_a_known_question_asks_which_column_it_is():
    with pytest.raises(Unreadable) as caught:
        read("table", b"a,b\n1,2\n")
    assert "--map" in caught.value.hint


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_every_delimiter_and_quoted_line_ends(sign):
    data = f'question{sign}answer\n"A,\n;\t| ""x""?"{sign}"B."\n'.encode()
    trace = only("table", data).traces[0]
    assert (trace.payload.input, trace.payload.output) == ('A,\n;\t| "x"?', "B.")


def test_rows_that_are_too_wide_or_too_narrow_are_named_by_their_line():
    data = b'question,answer\n"A\nA?",B.\nC?\nD?,E.,F,G\nH?,I.\n'
    conversations, context = read("table", data)
    assert len(conversations) == 4
    assert context.health.lines(health.MALFORMED) == (4, 5)


def test_a_legacy_code_page_is_asked_for_and_never_guessed():
    data = "question,answer\nWo ist Köln?,Am Rhein.\n".encode("cp1252")
    with pytest.raises(Unreadable) as caught:
        read("table", data)
    assert "cp1252" in caught.value.hint
    assert only("table", data, encoding="cp1252").traces[0].payload.input == "Wo ist Köln?"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_that_carry_a_mark_are_read(encoding):
    data = "question,answer\nWo ist Köln?,Am Rhein.\n".encode(encoding)
    assert only("table", data).traces[0].payload.input == "Wo ist Köln?"


@pytest.mark.parametrize(
    "data",
    [
        json.dumps([{"question": "A?", "answer": "B."}]).encode(),
        json.dumps({"rows": [{"question": "A?", "answer": "B."}], "total": 1}).encode(),
        jsonl([{"question": "A?", "answer": "B."}, {"question": "C?", "answer": "D."}]),
        xlsx([["Export of May", None], [], ["Question", "Answer"], ["A?", "B."], [None, None]]),
    ],
    ids=["array", "rows", "jsonl", "xlsx"],
)
def test_rows_are_found_in_every_kind_of_file(data):
    assert recognise(data).name == "table"
    trace = read("table", data)[0][0].traces[0]
    assert (trace.payload.input, trace.payload.output) == ("A?", "B.")


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"input": "A?", "output": "B.", "total": 3}).encode(),
        b"Input: the file (4 results, all fine).\nExpected: nothing, really.\n",
        b"name,colour\nA,red\n",
        b"[1, 2, 3]",
        b"",
        b"\x00\x01\x02",
    ],
)
def test_what_is_no_table_of_questions_is_not_taken_unasked(data):
    assert recognise(data, "rows.csv") is None


def test_spreadsheet_dates_and_numbers_are_read():
    data = xlsx([["question", "answer", "date", "rating", "cost"], ["A?", "B.", datetime(2026, 5, 1, 10), 4, 0.5]])
    trace = only("table", data).traces[0]
    assert (trace.created_at, trace.cost_usd) == ("2026-05-01T10:00:00.000Z", 0.5)


def test_old_or_protected_spreadsheets_are_said_with_the_remedy():
    with pytest.raises(Unreadable) as caught:
        read("table", b"\xd0\xcf\x11\xe0" + b"\x00" * 100)
    assert "xlsx" in caught.value.hint


@pytest.mark.parametrize(
    ("ratings", "scores"),
    [
        (["5", "1", "3"], [1.0, 0.0, 0.5]),
        (["10", "1"], [1.0, 0.0]),
        (["0.9", "0.1"], [0.9, 0.1]),
        (["1", "-1"], [1.0, 0.0]),
        (["👍", "👎"], [1.0, 0.0]),
        (["ja", "nein"], [1.0, 0.0]),
        (["★★★★★", "★"], [1.0, 0.0]),
        (["4/5", "5/5"], [0.75, 1.0]),
        (["80%", "20 %"], [0.8, 0.2]),
        (["4.5", "1"], [0.875, 0.0]),
        (["soso", ""], [None, None]),
    ],
)
def test_ratings_on_every_scale(ratings, scores):
    rows = "".join(f"Q{i}?,A{i}.,{rating}\n" for i, rating in enumerate(ratings))
    conversations, _ = read("table", f"question,answer,rating\n{rows}".encode())
    found = [c.signals[0].score if c.signals else None for c in conversations]
    assert found == (scores if None in scores else pytest.approx(scores))


@pytest.mark.parametrize(
    ("rating", "outcome", "detail"),
    [
        (5, TraceOutcome.SUCCESS, "rated good"),
        (3, TraceOutcome.PENDING, "unknown"),
        (1, TraceOutcome.PENDING, "rated bad"),
    ],
)
def test_only_a_good_rating_is_a_success(rating, outcome, detail):
    data = f"question,answer,rating\nA?,B.,{rating}\nC?,D.,5\nE?,F.,1\n".encode()
    trace = read("table", data)[0][0].traces[0]
    assert (trace.outcome, trace.facts.outcome_detail) == (outcome, detail)


def test_an_expected_answer_alone_is_a_reference_and_beside_another_one_a_correction():
    alone = only("table", b"question,expected\nA?,B.\n")
    assert (alone.traces[0].payload.output, alone.traces[0].facts.outcome_detail) == ("B.", "reference")
    beside = only("table", b"question,answer,expected\nA?,C.,B.\n")
    assert [(s.kind, s.replacement) for s in beside.signals] == [(SignalKind.CORRECTION, "B.")]
    same = only("table", b"question,answer,expected\nA?,B.,B.\n")
    assert same.signals == ()


def test_rows_of_one_conversation_are_its_turns():
    data = b"session,question,answer\ns1,A?,B.\ns2,X?,Y.\ns1,C?,D.\n"
    conversations, _ = read("table", data)
    assert [(c.key, len(c.traces)) for c in conversations] == [("s1", 2), ("s2", 1)]
    assert [turn.text for turn in conversations[0].turns] == ["A?", "B.", "C?", "D."]
    assert conversations[0].traces[1].payload.input == "C?"


def test_the_same_row_again_is_one_trace_and_named():
    conversations, context = read("table", b"question,answer\nA?,B.\nA?,B.\n")
    assert len(conversations) == 1
    assert context.health.lines(health.DUPLICATE) == (3,)


def test_rows_with_ids_keep_their_key_when_other_columns_change():
    first = only("table", b"id,question,answer\n7,A?,B.\n").traces[0]
    second = only("table", b"id,question,answer\n7,A?,B. (edited)\n").traces[0]
    assert first.facts.source_key == second.facts.source_key


def test_every_field_is_read():
    header = "question,answer,system,model,input_tokens,output_tokens,cost,latency_ms,tags,project,comment,error"
    data = f'{header}\nA?,B.,Be kind.,model-1,12,3,0.25,1500,"red, blue",shop,Fine.,\n'.encode()
    conversation = only("table", data)
    trace = conversation.traces[0]
    assert trace.payload.tokens == TokenCounts(12, 3)
    assert (trace.model, trace.cost_usd, trace.duration_ms) == ("model-1", 0.25, 1500)
    assert (trace.payload.tags, trace.facts.project) == (("red", "blue"), "shop")
    assert [p.text for p in conversation.prompts] == ["Be kind."]
    assert [(s.kind, s.text) for s in conversation.signals] == [(SignalKind.ANNOTATION, "Fine.")]


def test_a_cell_that_holds_a_dialogue_is_read_as_one():
    messages = [
        {"role": "user", "content": "A?"},
        {"role": "assistant", "content": "B."},
        {"role": "user", "content": "C?"},
    ]
    conversation = only("table", jsonl([{"input": messages, "output": "D."}, {"input": "", "output": ""}]))
    assert conversation.traces[0].payload.input == "User: A?\n\nAssistant: B.\n\nUser: C?"
    assert conversation.counts.human_prompts == 2


def test_a_table_whose_columns_say_nothing_is_refused_with_their_names(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text("Customer wrote,Agent answered,Stars\nWhere is it?,On its way.,5\nAnd now?,Here.,4\n")
    with pytest.raises(Unsupported) as caught:
        list(read_path(path))
    assert "these columns: Customer wrote, Agent answered, Stars." in caught.value.hint
    assert '--map "Customer wrote=input" --map "Agent answered=output"' in caught.value.hint

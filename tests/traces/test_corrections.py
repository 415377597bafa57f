"""Finding where a person was not satisfied, and leaving them alone where they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.traces.conversations import Conversation, CorrectionSignal, Role, SignalKind, Turn
from honeyguide.traces.correction_cues import is_praise, likely_languages
from honeyguide.traces.correction_precision import DetectorPrecision, switched_off
from honeyguide.traces.corrections import DETECTORS, LONGEST_SPAN, find_corrections, find_cue
from honeyguide.traces.records import Trace, TraceFacts, TracePayload

COMPLAINTS = {
    "en": [
        "No, use the other table.",
        "that's not it, I need the totals per week",
        "You forgot the header row again",
        "The tests are still failing with the same error.",
        "I said two decimals, not three",
        "undo that please",
        "Wrong file. Look in src.",
        "hmm no, the second one",
        "It doesn't work, the page stays empty",
        "as I said before: no emojis",
        "Why did you delete the comments?",
        "This should have been in English.",
        "Not what I asked for.",
    ],
    "de": [
        "Nein, nimm die andere Tabelle.",
        "Das ist falsch, die Summe stimmt nicht",
        "Du hast die Kopfzeile vergessen.",
        "Der Test läuft immer noch nicht durch",
        "Ich sagte zwei Nachkommastellen",
        "Mach das bitte rückgängig",
        "Wie gesagt, keine Emojis.",
        "Warum hast du die Kommentare gelöscht?",
        "Stimmt so nicht.",
    ],
    "fr": [
        "Non, prends l'autre tableau.",
        "Ce n'est pas ce que je voulais",
        "Tu as oublié la ligne d'en-tête.",
        "Ça ne marche toujours pas, même erreur",
        "J'ai dit deux décimales",
        "C'est faux, la somme est 12.",
        "Pourquoi as-tu supprimé les commentaires ?",
    ],
    "es": [
        "No, usa la otra tabla.",
        "Eso no es lo que pedí",
        "Te faltó la fila de encabezado.",
        "Sigue fallando con el mismo error",
        "Te dije dos decimales",
        "Está mal, la suma es 12.",
        "¿Por qué borraste los comentarios?",
    ],
    "pt": [
        "Não, usa a outra tabela.",
        "Isso não é o que eu pedi",
        "Você esqueceu a linha de cabeçalho.",
        "Ainda não compila, o erro é o mesmo",
        "Eu disse duas casas decimais",
        "Está errado, a soma é 12.",
    ],
    "it": [
        "No, usa l'altra tabella.",
        "Non è quello che volevo",
        "Hai dimenticato la riga di intestazione.",
        "Ancora non funziona, stesso errore",
        "Ti ho detto due decimali",
        "È sbagliato, la somma è 12.",
        "Perché hai cancellato i commenti?",
    ],
    "ja": [
        "違います、もう一つの表を使ってください。",
        "そうじゃなくて、週ごとの合計です",
        "見出し行を忘れています。",
        "まだエラーが出ます",
        "元に戻してください",
        "動きません。",
        "小数点以下二桁と言ったのに",
    ],
    "zh": [
        "不对，用另一张表。",
        "不是这个意思，我要每周的合计",
        "你忘了表头。",
        "还是报错，一样的问题",
        "我说的是两位小数",
        "撤销刚才的修改",
        "為什麼你又刪了註解",
    ],
    "ru": [
        "Нет, возьми другую таблицу.",
        "Это не то, что я просил",
        "Ты забыл строку заголовка.",
        "Тест всё ещё не проходит",
        "Я же сказал: два знака после запятой",
        "Отмени это, пожалуйста",
        "Не работает, страница пустая",
    ],
}

CONTENT = [
    "No problem, thanks!",
    "no worries, looks good",
    "No thanks, that's all for today",
    "Great, now add a footer to the page.",
    "Thanks! Can you also export it as CSV?",
    "What's wrong with this function?",
    "Now in French, please.",
    "How many tables do we have?",
    "add a flag --no-cache to the command",
    "Please continue.",
    "Notice that the header has two rows; keep both",
    "```\nassert still failing\nno, wrong\n```\nadd a test for this",
    "> that's not it\nthe client wrote this, draft a reply to the \"that's wrong, you forgot it\" mail",
    "Nein danke, das passt so.",
    "Danke, jetzt noch eine Fußzeile bitte.",
    "Kannst du das auch für die Stadt Essen machen?",
    "Non merci, c'est parfait.",
    "Merci ! Ajoute aussi un pied de page.",
    "No, gracias, está perfecto.",
    "Perfecto, ahora añade un pie de página para los clientes",
    "Não, obrigado, está ótimo.",
    "Ótimo, agora faz um rodapé para a página",
    "No grazie, va bene così.",
    "Perfetto, ora aggiungi un piè di pagina.",
    "ありがとうございます。次はフッターを追加してください。",
    "いいえ、大丈夫です。ありがとう。",
    "很好，再加一个页脚。",
    "不用了，谢谢。",
    "对应的表也请更新一下",
    "Нет, спасибо, всё хорошо.",
    "Спасибо, теперь добавь нижний колонтитул.",
    "не только таблицу, но и график добавь",
]


@pytest.mark.parametrize(("language", "text"), [(lang, text) for lang, texts in COMPLAINTS.items() for text in texts])
def test_complaints_are_found_in_nine_languages(language, text):
    hit = find_cue(text)
    assert hit is not None
    assert text[hit.start : hit.end].strip()
    if len(text) > 25:
        assert hit.language == language


@pytest.mark.parametrize("text", CONTENT)
def test_content_people_are_left_alone(text):
    assert find_cue(text) is None


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("Thanks. But you forgot the header row. Also add a footer.", "you forgot the header row."),
        ("No, use the other table.\nThen stop.", "No, use the other table."),
        ("違います、もう一つの表です。あとで", "違います、もう一つの表です。"),
        ("  Nein, nimm die andere Tabelle", "Nein, nimm die andere Tabelle"),
    ],
)
def test_the_span_runs_from_the_cue_to_the_end_of_its_sentence(text, span):
    hit = find_cue(text)
    assert text[hit.start : hit.end] == span


def test_a_bare_no_after_a_question_is_an_answer():
    assert find_cue("No.", after_question=True) is None
    assert find_cue("No.") is not None
    assert find_cue("No, that's not it", after_question=True) is not None


def test_the_middle_of_a_pasted_text_is_not_looked_at():
    assert find_cue("log: " + "x " * 2000 + "that's wrong, you forgot it " + "y " * 2000) is None


@given(st.text(max_size=200))
def test_a_span_always_lies_in_its_text(text):
    hit = find_cue(text)
    if hit is not None:
        assert 0 <= hit.start < hit.end <= len(text)
        assert hit.end - hit.start <= LONGEST_SPAN


@pytest.mark.parametrize(
    ("text", "language"),
    [(texts[1], lang) for lang, texts in COMPLAINTS.items()],
)
def test_the_language_is_the_likeliest(text, language):
    assert likely_languages(text)[0] == language


# -- conversations ----------------------------------------------------------------------------------------------------


def trace(key: str, request: str, answer: str) -> Trace:
    return Trace(TracePayload(input=request, output=answer), facts=TraceFacts(source="x", source_key=key))


def conversation(*turns: Turn, signals: tuple[CorrectionSignal, ...] = ()) -> Conversation:
    keys = sorted({turn.trace_key for turn in turns if turn.trace_key})
    said = {key: [t.text for t in turns if t.trace_key == key and t.role is Role.USER] for key in keys}
    answers = {key: [t.text for t in turns if t.trace_key == key and t.role is Role.ASSISTANT] for key in keys}
    traces = tuple(trace(key, " ".join(said[key]), " ".join(answers[key])) for key in keys)
    return Conversation(source="x", key="c", traces=traces, turns=turns, signals=signals)


def human(key: str, text: str, trace_key: str, **more: bool) -> Turn:
    return Turn(Role.USER, text, key, trace_key=trace_key, **more)  # type: ignore[arg-type]


def agent(key: str, text: str, trace_key: str, **more: bool) -> Turn:
    return Turn(Role.ASSISTANT, text, key, trace_key=trace_key, **more)  # type: ignore[arg-type]


DELIVERY = (human("u1", "How long is delivery?", "t1"), agent("a1", "Three days.", "t1"))


def test_a_complaint_speaks_about_the_answer_before_it():
    (found,) = find_corrections(conversation(*DELIVERY, human("u2", "No, it is two days.", "t2")))
    assert (found.trace_key, found.prior_answer, found.request) == ("t1", "Three days.", "How long is delivery?")
    assert (found.detector, found.place, found.text) == ("cue-words-en", "turn:u2", "No, it is two days.")
    assert found.context[found.start : found.end] == found.text
    assert "it is two days" in found.rubric


def test_the_first_words_of_a_person_and_machine_texts_are_no_complaints():
    assert find_corrections(conversation(human("u1", "No, that's wrong", "t1"))) == ()
    machine = human("u2", "Verification failed: that's wrong", "t2", machine=True)
    assert find_corrections(conversation(*DELIVERY, machine)) == ()
    left = human("u2", "No, two days.", "t2", left_behind=True)
    assert find_corrections(conversation(*DELIVERY, left)) == ()


def test_two_human_turns_in_a_row_are_one_request_not_a_complaint():
    assert find_corrections(conversation(human("u1", "Hello", "t1"), human("u2", "No, wait, I mean hi", "t1"))) == ()


def test_a_refusal_counts_with_its_reason_only():
    signals = (
        CorrectionSignal(SignalKind.REFUSAL, "t1", "Do not touch the lock file.", "line 7"),
        CorrectionSignal(SignalKind.REFUSAL, "t1", "", "line 9"),
    )
    (found,) = find_corrections(conversation(*DELIVERY, signals=signals))
    assert (found.detector, found.text, found.place) == ("refusal", "Do not touch the lock file.", "line 7")


def test_an_interrupt_counts_with_what_the_person_said_next_and_not_twice():
    turns = (*DELIVERY, human("u2", "No, only the shop in Bern.", "t2"))
    signals = (
        CorrectionSignal(SignalKind.INTERRUPT, "t1", where="line 5", turn_key="u2"),
        CorrectionSignal(SignalKind.INTERRUPT, "t1", where="line 8"),
    )
    (found,) = find_corrections(conversation(*turns, signals=signals))
    assert (found.detector, found.place, found.text) == ("interrupt", "turn:u2", "No, only the shop in Bern.")


def test_a_rewind_shows_what_was_written_instead():
    signal = CorrectionSignal(SignalKind.REWIND, "t1", where="line 3", turn_key="u1", replacement="How long to Bern?")
    (found,) = find_corrections(conversation(*DELIVERY, signals=(signal,)))
    assert (found.detector, found.text, found.prior_answer) == ("rewind", "How long to Bern?", "Three days.")


@pytest.mark.parametrize(("score", "hits"), [(0.0, 1), (0.49, 1), (0.5, 0), (1.0, 0), (None, 0)])
def test_low_scores_of_a_person_count(score, hits):
    signal = CorrectionSignal(SignalKind.SCORE, "t1", "too vague", "scores[0]", score=score)
    assert len(find_corrections(conversation(*DELIVERY, signals=(signal,)))) == hits


def test_a_low_score_without_a_comment_has_an_empty_span():
    signal = CorrectionSignal(SignalKind.SCORE, "t1", where="scores[0]", score=0.0)
    (found,) = find_corrections(conversation(*DELIVERY, signals=(signal,)))
    assert (found.text, found.start, found.end, found.rubric) == ("", 0, 0, "")


def test_praise_is_no_correction_unless_the_score_says_so():
    praise = CorrectionSignal(SignalKind.ANNOTATION, "t1", "Great, thanks!", "comment")
    low = CorrectionSignal(SignalKind.SCORE, "t1", where="scores[0]", score=0.0)
    assert find_corrections(conversation(*DELIVERY, signals=(praise,))) == ()
    assert len(find_corrections(conversation(*DELIVERY, signals=(praise, low)))) == 2
    remark = CorrectionSignal(SignalKind.ANNOTATION, "t1", "Name the city.", "comment")
    assert [s.text for s in find_corrections(conversation(*DELIVERY, signals=(remark,)))] == ["Name the city."]


@pytest.mark.parametrize("kind", [SignalKind.CORRECTION, SignalKind.PREFERENCE])
def test_a_better_answer_becomes_the_replacement(kind):
    signal = CorrectionSignal(kind, "t1", where="row 1", replacement="Two days.")
    (found,) = find_corrections(conversation(*DELIVERY, signals=(signal,)))
    assert (found.replacement, found.text) == ("Two days.", "Two days.")
    assert found.rubric == "The answer must agree with this one: Two days."


def test_the_praise_of_nine_languages_is_praise_and_mixed_praise_is_not():
    assert all(map(is_praise, ("Great work", "Danke, super", "Merci", "gracias", "ありがとう", "很好", "спасибо")))
    assert not any(map(is_praise, ("Good, but the total is off", "not good", "Name the city.", "gut, aber zu lang")))


def test_detectors_that_are_switched_off_stay_silent():
    talk = conversation(*DELIVERY, human("u2", "No, it is two days.", "t2"))
    assert find_corrections(talk, switched_off={"cue-words-en"}) == ()
    assert {s.detector for s in find_corrections(talk)} <= set(DETECTORS)


@pytest.mark.parametrize(
    ("confirmed", "dismissed", "precision", "off"),
    [
        (0, 0, None, False),
        (0, 9, 0.0, False),
        (4, 6, 0.4, True),
        (5, 5, 0.5, False),
        (0, 10, 0.0, True),
        (49, 51, 0.49, True),
        (99, 1, 0.99, False),
    ],
)
def test_a_detector_that_is_wrong_too_often_switches_itself_off(confirmed, dismissed, precision, off):
    record = DetectorPrecision("rewind", confirmed, dismissed)
    assert (record.precision, record.is_switched_off) == (precision, off)
    assert switched_off([record]) == (frozenset({"rewind"}) if off else frozenset())
    assert ("Switched off" in record.sentence) is off

"""Which column of a table is what: the fields a table may fill, and a guess from the headers that a person can edit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from honeyguide.kernel.errors import InvalidInput

FIELDS: Mapping[str, str] = {
    "input": "what the agent was asked",
    "output": "what it answered",
    "expected": "the answer that would have been right",
    "rating": "how good a person found the answer",
    "comment": "what a person said about the answer",
    "system": "the system prompt in force",
    "prompt_name": "the name of the prompt in force",
    "conversation": "what belongs together",
    "id": "a stable id of the row",
    "model": "the model that answered",
    "timestamp": "when it happened",
    "duration_ms": "how long it took, in milliseconds",
    "duration_s": "how long it took, in seconds",
    "input_tokens": "tokens in",
    "output_tokens": "tokens out",
    "cost_usd": "what it cost, in US dollars",
    "tags": "labels, separated by commas",
    "project": "the project or folder",
    "error": "an error of the infrastructure",
    "ignore": "left out",
}
"""Field name to what it holds, in the order in which a person is offered them."""

_SYNONYMS: Mapping[str, str] = {
    "input": """
        input question query prompt request user user_message user_input message instruction
        task ticket text frage eingabe anfrage question_client entrée entrada pregunta
        pergunta domanda вопрос запрос 问题 输入 質問 入力 ask user_query utterance
    """,
    "output": """
        output answer response reply completion assistant generation assistant_message
        model_output bot prediction antwort ausgabe réponse sortie respuesta salida resposta
        saída risposta ответ 回答 输出 答案 出力 actual actual_output result
    """,
    "expected": """
        expected expected_output expected_answer ideal reference ground_truth gold golden
        target correct correct_answer correction corrected corrected_answer should_be label
        erwartet korrektur richtig attendu correction_attendue esperado correcto corrigido
        atteso corretto ожидаемый 期望 正确答案 期待 正解
    """,
    "rating": """
        rating score stars thumbs grade vote satisfaction csat quality bewertung note
        valoración puntuación avaliação nota valutazione оценка 评分 評価 feedback_score
        human_score good is_good helpful
    """,
    "comment": """
        comment comments feedback remark notes review reason explanation kommentar anmerkung
        commentaire comentario comentário commento комментарий 评论 コメント human_feedback
    """,
    "system": """
        system system_prompt system_message instructions persona systemprompt
    """,
    "prompt_name": """
        prompt_name prompt_id template template_name prompt_version
    """,
    "conversation": """
        conversation conversation_id session session_id thread thread_id chat_id dialog_id
        ticket_id case_id gespräch
    """,
    "id": """
        id uuid row_id trace_id run_id message_id example_id nr no key
    """,
    "model": """
        model model_name engine llm modell modèle modelo modello
    """,
    "timestamp": """
        timestamp time date created created_at datetime when datum zeit fecha data
        horodatage дата 时间 日期 日時
    """,
    "duration_ms": """
        duration_ms latency_ms latency time_ms elapsed_ms response_time_ms
    """,
    "duration_s": """
        duration duration_s seconds latency_s elapsed response_time
    """,
    "input_tokens": """
        input_tokens prompt_tokens tokens_in
    """,
    "output_tokens": """
        output_tokens completion_tokens tokens_out
    """,
    "cost_usd": """
        cost_usd cost usd price total_cost kosten coût coste custo costo
    """,
    "tags": """
        tags labels category categories topic kategorie
    """,
    "project": """
        project repo workspace projekt projet proyecto
    """,
    "error": """
        error exception error_message fehler erreur
    """,
}
_BY_NAME = {word: field for field, words in _SYNONYMS.items() for word in words.split()}
_MANY = frozenset({"tags", "ignore"})
_NUMBERS = frozenset(
    ("id", "no", "nr", "num", "number", "nummer", "numero", "número", "numéro", "key", "ref", "uuid")
)  # fmt: skip
"""A header that ends in one of these numbers something (``Ticket No``, ``request_id``); it never holds its words."""


def normalised(header: str) -> str:
    """Return a header as it is compared: lower case, camelCase split, other signs as ``_``."""
    split = re.sub(r"(?<=[a-zà-ÿ0-9])(?=[A-Z])", "_", header.strip())
    return re.sub(r"[\W_]+", "_", split.lower()).strip("_")


def guess_mapping(columns: Sequence[str]) -> dict[str, str]:
    """Return column to field for the columns whose header says what they hold; each field once, the best header first.

    A header that *is* a known word beats one that only contains it (``user_question`` for ``input``).
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    names = {column: normalised(column) for column in columns}
    for exact in (True, False):
        for column in columns:
            if column in found:
                continue
            field = _BY_NAME.get(names[column]) if exact else _contained(names[column])
            if field is not None and (field not in taken or field in _MANY):
                found[column] = field
                taken.add(field)
    return {column: found[column] for column in columns if column in found}


def exact_fields(columns: Iterable[str]) -> set[str]:
    """Return the fields that some header names outright."""
    return {field for column in columns if (field := _BY_NAME.get(normalised(column))) is not None}


def check_mapping(mapping: Mapping[str, str], columns: Iterable[str]) -> dict[str, str]:
    """Return ``mapping`` if its fields exist and its columns stand in the table.

    Raises:
        InvalidInput: an unknown field, an unknown column, or one field named twice.
    """
    known = list(columns)
    for column, field in mapping.items():
        if field not in FIELDS:
            raise InvalidInput(f"There is no field called {field!r}.", hint=f"Fields: {', '.join(FIELDS)}.")
        if column not in known:
            raise InvalidInput(
                f"The table has no column called {column!r}.", hint=f"Its columns: {', '.join(known[:40])}."
            )
    named = [field for field in mapping.values() if field not in _MANY]
    twice = next((field for field in named if named.count(field) > 1), None)
    if twice is not None:
        raise InvalidInput(
            f"Two columns are mapped to {twice!r}.", hint="Map each field once; map the other to 'ignore'."
        )
    return dict(mapping)


def effective_mapping(columns: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the guess, changed by what a person said; a field they name is taken from where it was guessed."""
    checked = check_mapping(given, columns)
    said = {field for field in checked.values() if field not in _MANY}
    guessed = {c: f for c, f in guess_mapping(columns).items() if c not in checked and f not in said}
    return {c: f for c in columns for f in [checked.get(c, guessed.get(c, "ignore"))] if f != "ignore"}


def _contained(name: str) -> str | None:
    words = name.split("_")
    if len(words) > 1 and words[-1] in _NUMBERS:
        field = _BY_NAME.get("_".join([*words[:-1], "id"]))
        return field if field in ("id", "conversation", "prompt_name") else None
    for size in (3, 2, 1):
        for start in range(len(words) - size, -1, -1):
            field = _BY_NAME.get("_".join(words[start : start + size]))
            # A lone "id" or "time" inside a longer name says too little.
            if field is not None and (size > 1 or field not in ("id", "timestamp", "duration_s", "tags", "error")):
                return field
    return None

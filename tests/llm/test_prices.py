"""Prices come from a dated table, and what it does not say is unknown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Unreadable
from honeyguide.llm.prices import PriceTable, worst_input_tokens
from honeyguide.llm.protocol import ModelRef, Usage
from honeyguide.llm.registry import costs_money, quote_for
from honeyguide.llm.settings import DEFAULT_MODELS, ModelSettings, grades_itself
from tests.llm.support import HAIKU, ask

TABLE = PriceTable.load()


@pytest.mark.parametrize(
    ("usage", "batch", "dollars"),
    [
        (Usage(1_000_000, 0), False, 1.0),
        (Usage(0, 1_000_000), False, 5.0),
        (Usage(0, 0, 1_000_000, 0), False, 0.1),
        (Usage(0, 0, 0, 1_000_000), False, 1.25),
        (Usage(1000, 200, 3000, 0), False, 0.0023),
        (Usage(1000, 200, 3000, 0), True, 0.00115),
    ],
)
def test_a_call_is_priced_by_its_tokens(usage: Usage, batch: bool, dollars: float) -> None:
    money = TABLE.estimate(HAIKU, usage, batch=batch)
    assert money is not None
    assert money.amount == pytest.approx(dollars)
    assert "estimated" in money.label()


def test_long_requests_have_their_own_rates() -> None:
    ref = ModelRef("anthropic", "claude-haiku-5-5")
    short, long = TABLE.estimate(ref, Usage(100_000, 0)), TABLE.estimate(ref, Usage(100_001, 0))
    assert short is not None
    assert long is not None
    assert long.amount > 4 * short.amount


@pytest.mark.parametrize(
    ("model", "is_known"),
    [
        ("claude-haiku-4-5-20251001", True),
        ("claude-haiku-4-5-latest", True),
        ("claude-haiku-4-5-fast", False),
        ("x", False),
    ],
)
def test_a_dated_name_has_the_price_of_its_model_and_no_other_name_has(model: str, is_known: bool) -> None:
    assert (TABLE.price(ModelRef("anthropic", model)) is not None) == is_known


def test_usage_that_nobody_reported_has_no_price() -> None:
    assert TABLE.estimate(HAIKU, Usage(None, 5)) is None


def test_the_default_models_are_in_the_table_and_it_is_dated() -> None:
    assert all(TABLE.price(ref) is not None for ref in DEFAULT_MODELS.values())
    assert len(TABLE.as_of) == 10


def test_a_persons_own_rows_win(tmp_path: Path) -> None:
    own = tmp_path / "prices.json"
    row = {"provider": "mine", "model": "big", "input": 2, "output": 4}
    own.write_text(json.dumps({"as_of": "2030-01-01", "models": [row]}))
    table = PriceTable.load(own)
    assert table.as_of == "2030-01-01"
    assert table.quote(ModelRef("mine", "big")).cost(Usage(500_000, 250_000)) == 2.0
    assert table.price(HAIKU) is not None


@pytest.mark.parametrize("text", ["", "[]", '{"models": []}', '{"as_of": "x", "models": [{"provider": "a"}]}'])
def test_a_broken_table_is_named(tmp_path: Path, text: str) -> None:
    own = tmp_path / "prices.json"
    own.write_text(text)
    with pytest.raises(Unreadable, match=r"prices\.json"):
        PriceTable.load(own)


@given(prompt=st.text(), system=st.text(), max_tokens=st.integers(1, 5000), share=st.floats(0, 1))
def test_the_worst_case_is_never_below_the_price(prompt: str, system: str, max_tokens: int, share: float) -> None:
    request = ask(prompt, system=system, max_tokens=max_tokens)
    most = worst_input_tokens(request)
    read = int(most * share)
    quote = TABLE.quote(HAIKU)
    worst, cost = quote.worst_case(request), quote.cost(Usage(most - read, max_tokens, 0, read))
    assert worst is not None
    assert cost is not None
    assert cost <= worst


@pytest.mark.parametrize(
    ("ref", "url", "paid"),
    [
        ("practice", None, False),
        ("replay:anthropic:x", None, False),
        ("gguf:x", None, False),
        ("anthropic:x", None, True),
        ("openai:x", None, True),
        ("ollama:x", None, False),
        ("openai:x", "http://localhost:8080/v1", False),
        ("anthropic:x", "http://127.0.0.9:1", False),
        ("openai:x", "http://[::1]:8080/v1", False),
        ("ollama:x", "http://192.168.1.5:11434/v1", True),
        ("openai:x", "http://localhost.example.com", True),
    ],
)
def test_who_costs_money(ref: str, url: str | None, paid: bool) -> None:
    assert costs_money(ModelRef.parse(ref), url) is paid


@pytest.mark.parametrize(
    ("environ", "price"),
    [
        ({}, 1.0),
        ({"ANTHROPIC_BASE_URL": "https://api.anthropic.com/"}, 1.0),
        ({"ANTHROPIC_BASE_URL": "https://gateway.example.com"}, None),
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, 0.0),
    ],
)
def test_another_vendors_address_makes_the_price_unknown(environ: dict[str, str], price: float | None) -> None:
    assert quote_for(HAIKU, ModelSettings(), environ, TABLE).cost(Usage(1_000_000, 0)) == price


def test_a_model_that_grades_itself_is_known_to() -> None:
    assert grades_itself(HAIKU, HAIKU)
    assert not grades_itself(HAIKU, ModelRef("anthropic", "claude-opus-5-5"))

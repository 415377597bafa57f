"""Canonical JSON and hashes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.canonical import canonical_json, fingerprint, sha256_hex
from honeyguide.kernel.errors import InvalidInput

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_canonical_json_reads_back_as_the_same_value(value):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_order_of_keys_does_not_matter(data):
    assert fingerprint(data) == fingerprint(dict(reversed(list(data.items()))))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(InvalidInput, match="cannot be written as JSON"):
        canonical_json(value)


def test_text_and_its_utf8_bytes_have_the_same_hash():
    assert sha256_hex("grün") == sha256_hex("grün".encode())


def test_a_lone_surrogate_can_be_hashed():
    assert len(sha256_hex("\ud800")) == 64

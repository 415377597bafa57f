"""Every error has its code and exit number; both are public."""

from __future__ import annotations

import pytest

from honeyguide.kernel import errors
from honeyguide.kernel.ids import is_safe_name, new_uuid

CODES = {
    "internal": 1,
    "invalid": 2,
    "unreadable": 2,
    "unsupported": 2,
    "not-found": 3,
    "conflict": 4,
    "stale": 4,
    "locked": 4,
    "no-key": 5,
    "auth": 5,
    "unreachable": 5,
    "rate-limited": 5,
    "gate": 6,
    "capability": 6,
    "budget": 6,
    "policy": 6,
    "untrusted": 6,
    "interrupted": 130,
}


def every_error() -> list[type[errors.HoneyguideError]]:
    found, queue = [], [errors.HoneyguideError]
    while queue:
        kind = queue.pop()
        found.append(kind)
        queue += kind.__subclasses__()
    return found


def test_the_public_codes_exist_with_their_exit_numbers():
    known = {kind.code: kind.exit_code for kind in every_error()}
    assert {code: known.get(code) for code in CODES} == CODES


def test_an_error_becomes_json_with_sentence_and_hint():
    error = errors.NotFound("No such target.", hint="See targets list.", details={"name": "x"})
    assert error.to_json() == {
        "code": "not-found",
        "message": "No such target.",
        "hint": "See targets list.",
        "name": "x",
    }


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("coder", True),
        ("Müller & Söhne", True),
        ("../../x", False),
        ("a/b", False),
        ("a\\b", False),
        (".hidden", False),
        ("nul\x00", False),
        ("", False),
        (" x", False),
        ("x" * 201, False),
    ],
)
def test_names_that_could_leave_a_folder_are_not_safe(name, safe):
    assert is_safe_name(name) is safe


def test_ids_are_different():
    assert len({new_uuid() for _ in range(100)}) == 100

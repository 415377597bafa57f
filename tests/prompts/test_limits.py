from __future__ import annotations

import pytest

from honeyguide.prompts import carriers, limits
from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.limits import State, Unit
from honeyguide.prompts.targets import SEED_KINDS, TargetKind


def states(data: bytes, kind: FileKind) -> dict[str, State]:
    return {m.limit.code: m.state for m in limits.measure(carriers.parse(data, kind))}


def test_an_emoji_is_one_character_two_code_units_and_four_bytes():
    counted = limits.sizes("a😀\n")
    assert (counted.characters, counted.code_units, counted.bytes, counted.lines) == (3, 4, 6, 1)


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2)])
def test_lines_are_counted_as_an_editor_counts(text, lines):
    assert limits.sizes(text).lines == lines


@pytest.mark.parametrize(
    ("kind", "maximum"), list(zip(SEED_KINDS, (3_000, 4_000, 500, 15_000, 8_000), strict=True)), ids=str
)
def test_the_gate_counts_code_units_up_to_the_seed_size(kind, maximum):
    limit = limits.gate_limit(kind)
    assert limit is not None
    assert limit.unit is Unit.CODE_UNITS
    assert limit.check(limits.sizes("x" * maximum)).state is State.NEAR
    assert limit.check(limits.sizes("x" * (maximum + 1))).state is State.OVER
    assert limit.check(limits.sizes("😀" * (maximum // 2 + 1))).state is State.OVER


def test_other_kinds_have_no_gate_size():
    assert limits.gate_limit(TargetKind.INSTRUCTION_FILE) is None


@pytest.mark.parametrize(
    ("length", "state"), [(1_000, State.WITHIN), (1_010, State.NEAR), (1_024, State.NEAR), (1_025, State.OVER)]
)
def test_a_skill_description_has_1024_characters(length, state):
    data = f"---\nname: a\ndescription: {'x' * length}\n---\nBody\n".encode()
    assert states(data, FileKind.AGENT_SKILL)["skill-description"] is state


def test_codex_counts_bytes_of_the_file_with_its_mark():
    data = b"\xef\xbb\xbf" + "é".encode() * 16_383 + b"x"
    assert len(data) == 32_770
    assert states(data, FileKind.AGENTS_MD) == {"codex-project-doc": State.OVER}


@pytest.mark.parametrize(
    ("kind", "data", "code"),
    [
        (FileKind.CLAUDE_MEMORY, b"x\n" * 201, "claude-memory-lines"),
        (FileKind.CLAUDE_MEMORY, b"x" * 40_001, "claude-memory-size"),
        (FileKind.WINDSURF_RULE, b"x" * 12_001, "windsurf-rule"),
        (FileKind.COPILOT_AGENT, b"---\ndescription: d\n---\n" + b"x" * 30_001, "copilot-agent"),
        (FileKind.CURSOR_RULE, b"x\n" * 501, "cursor-rule-lines"),
        (FileKind.TOOL_OVERRIDE, b'{"name": "t", "description": "' + b"x" * 2_049 + b'"}', "tool-description-cut"),
    ],
)
def test_each_program_has_its_limit(kind, data, code):
    assert states(data, kind)[code] is State.OVER


def test_description_and_when_to_use_share_the_listing():
    data = f"---\nname: a\ndescription: {'x' * 900}\nwhen_to_use: {'y' * 700}\n---\nBody\n".encode()
    found = states(data, FileKind.AGENT_SKILL)
    assert (found["skill-description"], found["skill-listing"]) == (State.WITHIN, State.OVER)


def test_a_measure_shows_every_count():
    document = carriers.parse(b'{"section": "s", "text": "caf\xc3\xa9"}', FileKind.SECTION_OVERRIDE)
    (measure,) = limits.measure(document, gate=True)
    assert measure.sentence == "4 of 4,000 code units (4 characters, 5 bytes)"

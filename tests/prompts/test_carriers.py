"""What a carrier edits, keeps, explains and refuses."""

from __future__ import annotations

import json
import tomllib

import pytest
import yaml

from honeyguide.kernel.errors import InvalidInput, NotFound, Unreadable, Unsupported
from honeyguide.prompts import carriers
from honeyguide.prompts.carriers import Selector, field, pointer
from honeyguide.prompts.kinds import FileKind
from tests.prompts.samples import SAMPLES

SKILL = b"\xef\xbb\xbf---\r\nname: tidy\r\ndescription: Tidies.\r\n---\r\n\r\n# Tidy\r\n\r\nKeep tabs\t\r\nand blanks  "


def test_the_text_has_plain_line_ends_and_none_at_its_end():
    document = carriers.parse(SKILL, FileKind.AGENT_SKILL)
    assert document.text == "\n# Tidy\n\nKeep tabs\t\nand blanks  "
    assert document.first_line == 5


def test_a_new_line_changes_one_line_of_the_file():
    document = carriers.parse(SKILL, FileKind.AGENT_SKILL)
    assert document.with_text(document.text.replace("# Tidy", "# Tidy up")) == SKILL.replace(b"# Tidy", b"# Tidy up")


def test_a_missing_final_line_end_stays_missing():
    document = carriers.parse(SKILL, FileKind.AGENT_SKILL)
    assert document.with_text("Short.\n\n").endswith(b"---\r\nShort.")


def test_a_model_that_trims_its_answer_does_not_move_the_body():
    document = carriers.parse(SKILL, FileKind.AGENT_SKILL)
    assert document.with_text("# New\n", keep_edges=True).endswith(b"---\r\n\r\n# New")


def test_a_body_can_be_written_into_a_file_that_stops_at_its_fence():
    document = carriers.parse(b"---\nname: a\n---", FileKind.AGENT_SKILL)
    assert document.text == ""
    assert document.with_text("Hello") == b"---\nname: a\n---\nHello"


@pytest.mark.parametrize(
    ("line", "new", "expected"),
    [
        ("description: plain", "still plain", "description: still plain"),
        ("description: plain", "now: with colon", 'description: "now: with colon"'),
        ("description: plain", "two\nlines", 'description: "two\\nlines"'),
        ("description: plain", "true", 'description: "true"'),
        ("description: plain # note", "other", "description: other # note"),
        ("description: 'it''s'", "it's not", "description: 'it''s not'"),
        ("description: 'one'", "a\nb", 'description: "a\\nb"'),
        ('description:   "old"  ', 'say "hi"', 'description:   "say \\"hi\\""  '),
        ("description: |\n  old\n  text", "new\n\n  deep\ntext", "description: |\n  new\n\n    deep\n  text"),
        ("description: |-\n    old", "new", "description: |-\n    new"),
        ("description: >\n  old\n  text", "new\n\ntext", "description: >\n  new\n\n\n  text"),
        ("description: |\n  old", "  indented first", 'description: "  indented first\\n"'),
    ],
)
def test_a_frontmatter_value_keeps_its_style_while_that_can_hold_the_text(line, new, expected):
    before = f"---\nname: a\n{line}\nlicense: MIT\n---\nBody\n"
    document = carriers.parse(before.encode(), FileKind.AGENT_SKILL, selector=field("description"))
    after = document.with_text(new).decode()
    assert after == before.replace(line, expected)
    assert yaml.safe_load(after.split("---")[1])["description"].rstrip("\n") == new


def test_a_cursor_value_is_read_to_the_end_of_its_line_not_as_yaml():
    document = carriers.parse(SAMPLES[FileKind.CURSOR_RULE].encode(), FileKind.CURSOR_RULE, selector=field("globs"))
    assert document.text == "*.ts,*.tsx"
    assert b"globs: *.py\nalwaysApply" in document.with_text("*.py")
    with pytest.raises(InvalidInput):
        document.with_text("two\nlines")


def test_json_keeps_the_escapes_and_spacing_of_what_did_not_change():
    data = SAMPLES[FileKind.TOOL_JSON].encode()
    document = carriers.parse(data, FileKind.TOOL_JSON)
    assert document.text == 'Finds an order.\nReturns "none" when absent: café.'
    assert document.with_text(document.text.replace("an order", "one order")) == data.replace(b"an order", b"one order")
    assert json.loads(document.with_text("naïve"))["tools"][0]["description"] == "naïve"
    assert b"na\\u00efve" in document.with_text("naïve")


def test_a_tool_list_is_opened_by_the_name_of_the_tool():
    tools = {"tools": [{"name": n, "description": n.upper(), "inputSchema": {}} for n in ("a/b", "c")]}
    data = json.dumps(tools).encode()
    with pytest.raises(InvalidInput) as refused:
        carriers.parse(data, FileKind.TOOL_JSON)
    assert [choice["name"] for choice in refused.value.details["choices"]] == ["a/b", "c"]
    chosen = carriers.choices(data, FileKind.TOOL_JSON)[1]
    assert carriers.parse(data, FileKind.TOOL_JSON, selector=chosen.selector).text == "C"


def test_openai_functions_are_tools_too():
    data = json.dumps([{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}]).encode()
    assert str(carriers.parse(data, FileKind.TOOL_JSON).selector) == "pointer:/0/function/description"


def test_of_repeated_json_keys_the_one_that_counts_is_edited():
    data = b'{"section": "x", "text": "first", "text": "second"}'
    document = carriers.parse(data, FileKind.SECTION_OVERRIDE)
    assert document.text == "second"
    assert document.with_text("third") == b'{"section": "x", "text": "first", "text": "third"}'


def test_pointers_with_slashes_and_tildes_are_followed():
    document = carriers.parse(b'{"a/b": {"m~n": "x"}}', FileKind.TOOL_JSON, selector=pointer("/a~1b/m~0n"))
    assert document.with_text("y") == b'{"a/b": {"m~n": "y"}}'


@pytest.mark.parametrize(
    ("raw", "new", "expected"),
    [
        ('"old"', "new", '"new"'),
        ('"old"', "a\nb", '"a\\nb"'),
        ("'C:\\x'", "C:\\y", "'C:\\y'"),
        ("'old'", "it's", '"it\'s"'),
        ('"""\nold\n"""', "two\nlines", '"""\ntwo\nlines\n"""'),
        ('"""\nold\n"""', 'three """ quotes', '"""\nthree \\"\\"\\" quotes\n"""'),
        ("'''\nold'''", "back\\slash\nnext", "'''\nback\\slash\nnext'''"),
        ("'''old'''", "has ''' inside", '"""has \'\'\' inside"""'),
    ],
)
def test_a_toml_string_keeps_its_quotes_while_they_can_hold_the_text(raw, new, expected):
    before = f'# top\ndescription = "d"\nprompt = {raw} # end\n[t]\nx = 1\n'
    document = carriers.parse(before.encode(), FileKind.GEMINI_COMMAND)
    after = document.with_text(new).decode()
    assert tomllib.loads(after)["prompt"].strip("\n") == new
    if '"""' not in new:
        assert after == before.replace(raw, expected)
    assert after.startswith("# top\n")
    assert after.endswith(" # end\n[t]\nx = 1\n")


def test_toml_strings_are_found_in_tables_arrays_and_inline_tables():
    text = 'a."b c" = "1"\n[[t]]\nx = "2"\n[[t]]\nx = ["3", {y = "4"}]\n[t.u]\nd = 1979-05-27 07:32:00\nz = \'5\'\n'
    for path, value in {"/a/b c": "1", "/t/0/x": "2", "/t/1/x/0": "3", "/t/1/x/1/y": "4", "/t/1/u/z": "5"}.items():
        assert carriers.parse(text.encode(), FileKind.GEMINI_COMMAND, selector=pointer(path)).text == value


def test_a_dspy_program_offers_only_its_instructions():
    names = [choice.name for choice in carriers.choices(SAMPLES[FileKind.DSPY_PROGRAM].encode(), FileKind.DSPY_PROGRAM)]
    assert names == ["answer.predict"]


def test_promptfoo_addresses_of_files_are_no_prompts():
    text = "prompts:\n  - file://a.txt\n  - prompts/b.json\n  - 'Say {{x}}'\n  - {label: c, raw: Hello there}\n"
    assert [choice.name for choice in carriers.choices(text.encode(), FileKind.PROMPTFOO)] == ["prompt-3", "c"]
    with pytest.raises(NotFound):
        carriers.parse(b"prompts: file://a.txt\n", FileKind.PROMPTFOO)


def test_a_yaml_value_that_others_share_is_not_edited_behind_their_back():
    text = b"prompts:\n  - &p 'Say hi'\nother: *p\n"
    document = carriers.parse(text, FileKind.PROMPTFOO)
    with pytest.raises(InvalidInput):
        document.with_text("Say bye")


def test_a_yaml_bomb_is_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(Unsupported):
        carriers.parse("\n".join(lines).encode(), FileKind.PROMPTFOO)


# --- encodings -------------------------------------------------------------------------------------------------------


def test_a_file_that_is_not_utf8_asks_for_its_code_page():
    with pytest.raises(Unreadable) as refused:
        carriers.parse("a\nGrüße".encode("cp1252"), FileKind.PLAIN_TEXT)
    assert refused.value.details["needs_encoding"] is True
    assert "line 2" in refused.value.message


def test_a_legacy_code_page_is_kept():
    document = carriers.parse("Grüße".encode("cp1252"), FileKind.PLAIN_TEXT, encoding="cp1252")
    assert document.with_text("Größe €") == "Größe €".encode("cp1252")


def test_what_a_code_page_cannot_hold_is_refused_by_name():
    document = carriers.parse("Grüße".encode("latin-1"), FileKind.PLAIN_TEXT, encoding="latin-1")
    with pytest.raises(InvalidInput) as refused:
        document.with_text("5 €")
    assert "U+20AC EURO SIGN" in refused.value.message


def test_json_in_a_legacy_code_page_escapes_what_it_cannot_hold():
    data = '{"section": "é", "text": "a"}'.encode("latin-1")
    document = carriers.parse(data, FileKind.SECTION_OVERRIDE, encoding="latin-1")
    assert document.with_text("€") == '{"section": "é", "text": "\\u20ac"}'.encode("latin-1")


def test_a_lone_surrogate_is_refused_not_replaced():
    with pytest.raises(InvalidInput, match="U\\+D800"):
        carriers.parse(b"abc", FileKind.PLAIN_TEXT).with_text("x\ud800")


@pytest.mark.parametrize("name", ["utf-7", "rot13", "no-such", "idna"])
def test_only_code_pages_are_taken(name):
    with pytest.raises(InvalidInput):
        carriers.parse(b"abc", FileKind.PLAIN_TEXT, encoding=name)


def test_binary_files_are_not_text():
    with pytest.raises(Unreadable, match="not a text file"):
        carriers.parse(b"\x89PNG\x00\x00\xff", FileKind.PLAIN_TEXT)


# --- broken frontmatter ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "fixed_line"),
    [
        ("description: Use when: asked", 'description: "Use when: asked"'),
        ("description: @mention first", 'description: "@mention first"'),
        ("description: `code` first", 'description: "`code` first"'),
        ("description: 'never closed", 'description: "never closed"'),
        ('description: a "b": c', "description: 'a \"b\": c'"),
        ('description: "a" and b', "description: '\"a\" and b'"),
        ("description: *.md, *.txt", 'description: "*.md, *.txt"'),
        ("metadata:\n\towner: x", "  owner: x"),
        ("description:nothing\nlicense: MIT", "description: nothing"),
    ],
)
def test_broken_frontmatter_is_explained_and_a_one_line_fix_is_offered(block, fixed_line):
    before = f"---\r\nname: a\n{block}\r\n---\r\nBody  \n"
    document = carriers.parse(before.encode(), FileKind.AGENT_SKILL)
    (found,) = [f for f in document.findings if f.code == "frontmatter-broken"]
    assert found.fix is not None
    assert found.fix.after == fixed_line
    assert found.line == found.fix.line
    fixed = carriers.parse(found.fix.data, FileKind.AGENT_SKILL)
    assert fixed.findings == ()
    assert fixed.fields["name"] == "a"
    changed = [(a, b) for a, b in zip(before.encode().split(b"\n"), found.fix.data.split(b"\n"), strict=True) if a != b]
    assert len(changed) == 1
    assert document.with_text(document.text) == before.encode()


def test_a_block_nobody_can_mend_in_one_line_has_no_fix():
    document = carriers.parse(b"---\na: [1\nb: {2\nc: ]}\n---\nx\n", FileKind.AGENT_SKILL)
    (found,) = document.findings
    assert (found.code, found.fix) == ("frontmatter-broken", None)


def test_an_unclosed_block_can_be_closed():
    document = carriers.parse(b"---\nname: a\ndescription: b\n\n# Body\n", FileKind.AGENT_SKILL)
    (found,) = document.findings
    assert found.code == "frontmatter-unclosed"
    assert found.fix is not None
    assert found.fix.data == b"---\nname: a\ndescription: b\n---\n\n# Body\n"


def test_a_blank_line_before_the_block_can_be_removed():
    document = carriers.parse(b"\n---\nname: a\ndescription: b\n---\nx\n", FileKind.AGENT_SKILL)
    (found,) = document.findings
    assert found.code == "frontmatter-not-first"
    assert found.fix is not None
    assert found.fix.data == b"---\nname: a\ndescription: b\n---\nx\n"


def test_a_byte_order_mark_is_reported_and_can_be_removed():
    (found,) = carriers.parse(SKILL, FileKind.AGENT_SKILL).findings
    assert (found.severity, found.code) == ("warning", "bom")
    assert found.fix is not None
    assert found.fix.data == SKILL[3:]


def test_a_description_cut_by_a_comment_is_reported():
    data = b"---\nname: a\ndescription: Knows C # and F\n---\nx\n"
    assert [f.code for f in carriers.parse(data, FileKind.AGENT_SKILL).findings] == ["frontmatter-comment"]


def test_a_key_that_stands_twice_is_reported():
    data = b"---\nname: a\nname: b\n---\nx\n"
    (found,) = carriers.parse(data, FileKind.AGENT_SKILL).findings
    assert (found.code, found.line) == ("frontmatter-repeated-key", 3)


def test_a_rule_between_paragraphs_is_no_frontmatter():
    data = b"---\n\nA rule above.\n"
    document = carriers.parse(data, FileKind.CLAUDE_COMMAND)
    assert (document.frontmatter, document.findings) == (None, ())


# --- candidates ------------------------------------------------------------------------------------------------------


def test_a_candidate_with_the_same_frontmatter_is_just_its_body():
    document = carriers.parse(SKILL, FileKind.AGENT_SKILL)
    incoming = document.incoming('---\ndescription: "Tidies."\nname: tidy\n---\nNew body\n')
    assert (incoming.text, incoming.changes) == ("New body", ())


def test_a_candidate_that_changes_frontmatter_says_so():
    document = carriers.parse(SKILL, FileKind.AGENT_SKILL)
    incoming = document.incoming("\n---\nname: other\nlicense: MIT\n---\nBody\n")
    assert {(c.key, c.before, c.after) for c in incoming.changes} == {
        ("name", "tidy", "other"),
        ("description", "Tidies.", None),
        ("license", None, "MIT"),
    }
    assert incoming.whole is not None
    assert incoming.whole.count(b"---\r\n") == 2


def test_there_are_never_two_frontmatter_blocks():
    document = carriers.parse(SKILL, FileKind.AGENT_SKILL)
    with pytest.raises(InvalidInput, match="frontmatter of its own"):
        document.with_text("---\nname: x\n---\nBody")


def test_a_plain_instruction_file_may_begin_with_such_a_block():
    document = carriers.parse(b"Hello\n", FileKind.AGENTS_MD)
    assert document.with_text("---\nname: x\n---\nBody") == b"---\nname: x\n---\nBody\n"


@pytest.mark.parametrize("text", ["body", "field:description", "pointer:/tools/0/description"])
def test_selectors_read_back_as_written(text):
    assert str(Selector.read(text)) == text


@pytest.mark.parametrize("text", ["", "body:x", "field:", "pointer:tools", "other"])
def test_what_names_no_part_is_refused(text):
    with pytest.raises(InvalidInput):
        Selector.read(text)


def test_a_field_that_is_not_there_is_not_found():
    with pytest.raises(NotFound, match="when_to_use"):
        carriers.parse(SKILL, FileKind.AGENT_SKILL, selector=field("when_to_use"))

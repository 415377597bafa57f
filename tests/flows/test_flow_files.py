"""The file format, capabilities, templates and command lines, on texts of our own."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.flows.capabilities import compare, full_manifest, manifest
from honeyguide.flows.document import parse_flow
from honeyguide.flows.engines.ladder import choose_engine
from honeyguide.flows.engines.table import ADAPTERS, SYSTEM_FILE, command_line
from honeyguide.flows.imports import find_actions
from honeyguide.flows.liquid import LiquidError, render, variables
from honeyguide.flows.maintainer import read_body
from honeyguide.flows.places import config_values, normalised_remote, place_of
from honeyguide.flows.rendering import RenderSite, fill_in, matches
from honeyguide.flows.symbols import symbol_in
from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused, Unreadable, Unsupported

# --- the file

PREFIXES = [
    "",
    "\ufeff",
    "#!/usr/bin/env md\n",
    "---\na: 1\n---\n",
    "\ufeff#!/x\r\n---\r\na: 1\r\n---  \r\n\r\n",
    "--- \na: 1\n---\n",
]
BOMB = "---\na: &x [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
BOMB += "".join(f"b{n}: &{'x' * (n + 2)} [{', '.join(['*' + 'x' * (n + 1)] * 9)}]\n" for n in range(7)) + "---\n"
TEXT = st.text(alphabet="ab !`@{}-\n\r\t#é", max_size=80)


@given(st.sampled_from(PREFIXES), TEXT, TEXT)
def test_a_new_prompt_never_changes_a_byte_before_it(prefix, old, new):
    before = parse_flow((prefix + old).encode())
    after = before.with_body(new)
    assert after.data.startswith(before.prefix.encode())
    if after.body:
        assert after.text.endswith("\n") == before.text.endswith("\n")
    assert before.data == (prefix + old).encode()


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("---\nengine: a\n---\nBody\n", {"engine": "a"}, "Body\n"),
        ("---  \nengine: a\n---\nBody\n", {"engine": "a"}, "Body\n"),
        ("---\n---\nBody", {}, "Body"),
        ("---\na: |\n  ---\n  x\n---\nBody", {"a": "---\nx\n"}, "Body"),
        ("---\nno end\n", {}, "---\nno end\n"),
        ("---\nevolve: off\nyes: no\n---\n", {"evolve": "off", "yes": "no"}, ""),
        ("----\nx\n----\n", {}, "----\nx\n----\n"),
    ],
)
def test_what_stands_before_the_prompt(text, fields, body):
    document = parse_flow(text)
    assert (dict(document.fields), document.body) == (fields, body)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\na: [\n---\n", "Line"),
        ("---\n- a\n---\n", "keys and values"),
        ("---\na: 1\na: 2\n---\n", "duplicate"),
        (BOMB, "too many"),
    ],
)
def test_a_broken_frontmatter_is_said_with_its_line(text, words):
    with pytest.raises(InvalidInput, match=words):
        _ = parse_flow(text).fields


def test_what_is_no_utf8_is_refused():
    with pytest.raises(Unreadable, match="byte 4"):
        parse_flow(b"Say \xff")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git@Host.org:a/B.git", "https://host.org/a/b"),
        ("https://host.org/a/b.git/", "https://host.org/a/b"),
        ("ssh://git@host.org/a/b", "ssh://git@host.org/a/b"),
    ],
)
def test_a_remote_has_one_spelling(one, other):
    assert normalised_remote(one) == normalised_remote(other)


def test_an_id_moves_with_its_checkout_when_it_can(tmp_path):
    text = parse_flow("Say.\n")
    for name in ("one", "two"):
        git = tmp_path / name / ".git"
        git.mkdir(parents=True)
        (git / "config").write_text('[remote "origin"]\n\turl = git@host.org:a/b.git\n')
    first = place_of(tmp_path / "one" / "f.md", text)
    assert first.flow_id == place_of(tmp_path / "two" / "f.md", text).flow_id
    assert first.flow_id != place_of(tmp_path / "two" / "g.md", text).flow_id
    own = parse_flow("---\n_flow_id: mine\n---\nSay.\n")
    assert place_of(tmp_path / "three.md", own).flow_id == "mine"
    with pytest.raises(InvalidInput):
        place_of(tmp_path / "three.md", parse_flow("---\n_flow_id: ../x\n---\nSay.\n"))


# --- capabilities (promise 3)


@pytest.mark.parametrize(
    ("before", "after", "added"),
    [
        ("Say x", "Say y", []),
        ("@./a.md text", "text", []),
        ("@git:log(5)", "@git:log(50)", ["provider:git:log:50"]),
        ("!`a`", "! `a`", []),
        ("!` a `", "!`a`", []),
        ("!`a`", "!`b`", ["command:b"]),
        ("x", "```sh\n#!/bin/sh\nls\n```", None),
        ("x", "```sh\nls\n```", []),
        ("x", "see @https://example.org/x", ["url:https://example.org/x"]),
        ("x", "@~/secret", ["file:local:~/secret"]),
        ("x", "@../up/*.md", ["glob:../up/*.md"]),
        ("@./a.ts#B", "@./a.ts", ["file:local:./a.ts"]),
        ("@./a.ts:1-5", "@./a.ts", ["file:local:./a.ts:whole"]),
        ("@./a.ts:1-5", "@./a.ts:2-4", []),
        ("@./a.ts", "@./a.ts:1-9", []),
        ("x", "`@./a.md` and\n\n    !`code`\n", []),
        ("x", "<!-- @./a.md -->", ["file:local:./a.md:flow"]),
        ("x {{ _a }}", "x {{ _a | upcase }} {% if _a %}y{% endif %}", []),
        ("{{ _a }}", "@./{{ _a }}", None),
        ("x", "{{ '!' }}`ls`", None),
        ("x", "{% assign m = '!' %}{{ m }}`ls`", None),
        ("x", "{% capture m %}!{% endcapture %}{{ m }}`ls`", None),
        ("x {{ _a }}", "x {{ _a }}`ls`", None),
        ("x", "{{ 'a!b' | split: 'a' | join: '' | replace: 'b', '' }}`ls`", None),
        ("x", "{% if true %}!`ls`{% endif %}", ["command:ls"]),
        ("x", "{% raw %}!{% endraw %}`ls`", None),
    ],
)
def test_what_is_gained_is_seen_and_what_is_lost_is_safe(before, after, added):
    change = compare(parse_flow(before), parse_flow(after))
    if added is None:
        assert not change.is_safe
    else:
        assert list(change.added) == added


@pytest.mark.parametrize(
    "key", ["dangerously-skip-permissions: true", "_env: {A: b}", "_hooks: x", "_steps: []", "tools: Bash"]
)
def test_the_frontmatter_grants_too(key):
    change = compare(parse_flow("---\nengine: a\n---\nx"), parse_flow(f"---\nengine: a\n{key}\n---\nx"))
    assert change.added[0].startswith(f"frontmatter:{key.split(':')[0]}:")


@given(TEXT)
def test_the_same_text_gains_nothing_and_dropping_it_loses_all(text):
    document = parse_flow("x\n" + text)
    assert compare(document, document).is_safe
    assert not compare(document, parse_flow("x\n")).added


@given(st.text(alphabet="`!@./ \n-*>ab~#{}%", max_size=120))
def test_no_text_breaks_the_search_for_capabilities(text):
    for action in find_actions(text):
        assert 0 <= action.start < action.end <= len(text)
    assert full_manifest(parse_flow(text)) == full_manifest(parse_flow(text))


def test_hostile_texts_are_looked_through_quickly():
    import time

    began = time.monotonic()
    for text in ("!`" * 20_000, "`" * 30_000 + "!", "> " * 5_000 + "x", "@./" + "a" * 100_000, "<!-- " * 5_000):
        manifest(text)
    assert time.monotonic() - began < 8


# --- templates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ _a }}", "one"),
        ("{{ _none }}|{{ _none | default: 'd' }}", "|d"),
        ("{% if _n > 2 and _a == 'one' %}y{% else %}n{% endif %}", "y"),
        ("{% if _a contains 'x' or _list.size == 2 %}y{% endif %}", "y"),
        ("{% unless _a %}n{% else %}y{% endunless %}", "y"),
        ("{% case _a %}{% when 'two' %}2{% when 'one', 'uno' %}1{% else %}0{% endcase %}", "1"),
        (
            "{% for i in _list %}{{ forloop.index }}{{ i }}{% unless forloop.last %},{% endunless %}{% endfor %}",
            "1p,2q",
        ),
        ("{% for i in _none %}x{% else %}none{% endfor %}", "none"),
        ("{% for i in (1..3) reversed %}{{ i }}{% endfor %}", "321"),
        ("{% assign x = _list | join: '-' %}{{ x | upcase }}", "P-Q"),
        ("{% capture x %}[{{ _a }}]{% endcapture %}{{ x }}{{ x }}", "[one][one]"),
        ("a {%- comment -%} {{ broken {%- endcomment -%} b", "ab"),
        ('{{ "}}" }}', "}}"),
        ("{{ _quote | q }}", "'it'\\''s'"),
        ("{{ _a | slice: 0, 2 | append: '!' }}", "on!"),
        ("{{ _deep.a.b[0] }}", "z"),
        ("{{ _inner }}", "{{ _a }}"),
    ],
)
def test_a_template_is_filled_in(text, expected):
    values = {
        "_a": "one",
        "_n": 3,
        "_list": ["p", "q"],
        "_quote": "it's",
        "_deep": {"a": {"b": ["z"]}},
        "_inner": "{{ _a }}",
    }
    assert render(text, values) == expected


@pytest.mark.parametrize(
    "text",
    ["{{ a", "{% if %}", "{% if a %}", "{% endif %}", "{{ a | nosuch }}", "{% include 'x' %}", "{{ a b }}",
     "{% for i in (1..999999999) %}{% endfor %}",
     "{% for i in (1..9999) %}{% for j in (1..9999) %}x{% endfor %}{% endfor %}"],
)  # fmt: skip
def test_a_template_that_cannot_be_filled_in_is_an_error(text):
    with pytest.raises(LiquidError):
        render(text, {"a": 1})


def test_the_variables_of_a_template_are_those_it_does_not_set():
    text = "{% assign _x = _y %}{{ _x }}{% for _i in _list %}{{ _i }}{% endfor %}{% if _c %}{{ plain }}{% endif %}"
    assert variables(text) == ("_y", "_list", "_c")


@given(st.text(alphabet="{}%|'\"_a .:-if\n", max_size=60))
def test_no_template_runs_wild(text):
    try:
        render(text, {"_a": "x"})
    except LiquidError:
        return


# --- engines


@pytest.mark.parametrize(
    ("engine", "fields", "argv"),
    [
        ("claude", {"model": "m"}, ["--print", "--safe-mode", "--no-session-persistence", "--model", "m", "P"]),
        ("claude", {"_isolated": False}, ["--print", "P"]),
        ("codex", {"config": "a=1"}, ["exec", "--ignore-user-config", "--ephemeral", "--config",
                                      "project_doc_max_bytes=0", "--config", "a=1", "P"]),
        ("gemini", {"max-tokens": 5}, ["--extensions", "none", "--max-output-tokens", "5", "P"]),
        ("copilot", {}, ["--silent", "--no-custom-instructions", "--disable-builtin-mcps", "--prompt", "P"]),
        ("droid", {"_subcommand": ["exec", "now"]}, ["exec", "now", "P"]),
        ("opencode", {"x": True, "y": False, "z": None}, ["run", "--pure", "-x", "P"]),
        ("pi", {"temperature": 1, "max_tokens": 3},
         ["--print", "--no-extensions", "--no-skills", "--no-prompt-templates", "--no-context-files", "--no-session",
          "P"]),
        ("cursor-agent", {"output-format": "json"}, ["--print", "--output-format", "json", "P"]),
        ("agy", {"$1": "ask"}, ["--print", "--ask", "P"]),
        ("mine", {"maxTokens": 5, "tools": "a, b"}, ["--maxTokens", "5", "--tools=a", "--tools=b", "P"]),
    ],
)  # fmt: skip
def test_each_program_is_started_its_own_way(engine, fields, argv):
    assert list(command_line(engine, "P", fields).argv) == [engine, *argv]


def test_system_prompts_go_where_the_program_takes_them():
    fields = {"_system-prompt": "S", "_append-system-prompt": ["A", "B"]}
    assert "A\n\nB" in command_line("claude", "P", fields).argv
    assert command_line("pi", "P", fields).argv.count("--append-system-prompt") == 2
    codex = command_line("codex", "P", fields)
    assert f"model_instructions_file={SYSTEM_FILE}" in codex.argv and codex.files == ((SYSTEM_FILE, "S"),)
    assert command_line("gemini", "P", {"_system-prompt": "S"}).env == {"GEMINI_SYSTEM_MD": SYSTEM_FILE}
    for engine in ("copilot", "droid", "opencode", "cursor-agent", "agy", "mine"):
        with pytest.raises(Unsupported):
            command_line(engine, "P", fields)
    assert len(ADAPTERS) == 9


@pytest.mark.parametrize(
    ("name", "fields", "options", "engine", "source"),
    [
        ("a.md", {}, {}, "pi", "default"),
        ("a.claude.md", {"engine": "codex"}, {}, "claude", "filename"),
        ("a.final.md", {}, {}, "pi", "default"),
        ("a.md", {"engine": "codex"}, {"config": "gemini"}, "codex", "frontmatter"),
        ("a.md", {}, {"config": "gemini"}, "gemini", "config"),
        ("a.claude.md", {}, {"environ": {"MDFLOW_ENGINE": "agy"}}, "agy", "env"),
        ("a.claude.md", {}, {"environ": {"MDFLOW_ENGINE": "agy"}, "cli": "practice"}, "practice", "cli"),
    ],
)
def test_the_nearest_choice_of_an_engine_wins(name, fields, options, engine, source):
    choice = choose_engine(PurePath(name), fields, **options)
    assert (choice.engine, choice.source) == (engine, source)


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"a: 1", "nothing else"), (b"engine: [x]", "text"), (b"commands: {claude: 3}", "plain"), (b"\xff", "read"),
     (b"commands: {claude: {x: {y: 1}}}", "plain"), (b"[", "read")],
)  # fmt: skip
def test_a_configuration_holds_what_it_may(data, words):
    with pytest.raises(InvalidInput, match=words):
        config_values(data, "c.yaml")


# --- filling in


def _site(root: Path) -> RenderSite:
    return RenderSite(root, root, root, env={"PATH": "/usr/bin:/bin"})


def test_imports_commands_and_template_in_one_pass(tmp_path):
    (tmp_path / "a.md").write_text("---\nx: 1\n---\nHello {{ _name }} !`printf '{{ _name }}'`\n")
    (tmp_path / "b.txt").write_text("{{ not a template }}\nline two\nline three\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "x.ts").write_text("export function One() {\n  return 1;\n}\nconst two = 2;\n")
    flow = parse_flow("---\n_name: Ada\n---\n@./a.md | @./b.txt:2-2 | @./src/**/*.ts | @./src/x.ts#One")
    text = fill_in(flow, {}, _site(tmp_path))
    assert text.startswith('Hello Ada {{ _name }} | line two | <file path="src/x.ts">')
    assert text.endswith("export function One() {\n  return 1;\n}")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("@../x", PolicyRefused),
        ("@~/x", PolicyRefused),
        ("@./none", NotFound),
        ("@./loop.md", InvalidInput),
        ("@./bin", Unreadable),
        ("!`exit 3`", InvalidInput),
        ("@https://example.org/x", Unsupported),
        ("{{ _missing }}", InvalidInput),
        ("@./link", PolicyRefused),
    ],
)
def test_what_cannot_be_pulled_in_is_said(tmp_path, body, error):
    (tmp_path / "loop.md").write_text("@./loop.md")
    (tmp_path / "bin").write_bytes(b"\0\1")
    (tmp_path / "link").symlink_to("/etc/hostname")
    with pytest.raises(error):
        fill_in(parse_flow(body), {}, _site(tmp_path))


@pytest.mark.parametrize(
    ("name", "pattern", "fits"),
    [("a/b/c.ts", "a/**/*.ts", True), ("a/c.ts", "a/**/*.ts", True), ("b/c.ts", "a/**/*.ts", False),
     ("a/b.ts", "a/*", True), ("a/b/c.ts", "a/*", False), ("x1.md", "x?.md", True), ("xb.md", "x[ab].md", True)],
)  # fmt: skip
def test_globs(name, pattern, fits):
    assert matches(name, pattern) is fits


def test_a_symbol_is_taken_whole():
    text = "import x\n\nclass A:\n    def f(self):\n        return {1: 2}\n\n\ndef g():\n    pass\n"
    assert symbol_in(text, "A", "m.py") == "class A:\n    def f(self):\n        return {1: 2}"
    with pytest.raises(NotFound):
        symbol_in(text, "B", "m.py")


# --- the maintainer's reply


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        ("<new_prompt>\nX\n</new_prompt>", "X"),
        ("Sure:\n<new_prompt>\n```sh\ncode\n```\nmore\n</new_prompt>\nBye", "```sh\ncode\n```\nmore"),
        ('{"body":"X","extra":1}', "X"),
        ('```json\n{"body": "X"}\n```', "X"),
        ("```markdown\nX\n\n```sh\ninner\n```\nY\n```", "X\n\n```sh\ninner\n```\nY"),
        ("Here it is:\n```md\nX\n```\n", "X"),
        ("<think>hm</think>\n<new_prompt>\nX\n</new_prompt>", "X"),
        ('{"body": "%s"}' % ("x" * 1_000_000), "x" * 1_000_000),
        ("just prose", None),
        ('{"body": 5}', None),
        ('{"text": "X"}', None),
        ('{"body": "  "}', None),
        ("```\na\n```\n```\nb\n```", None),
        ("```python\nx = 1\n```", None),
        ("<new_prompt>\nX", None),
        ("", None),
        ('{"body": "%s"}' % ("x" * 1_000_001), None),
    ],
)  # fmt: skip
def test_a_reply_is_a_prompt_or_it_is_not(reply, body):
    found, problem = read_body(reply, current="old")
    assert found == body
    assert bool(problem) == (body is None)


@pytest.mark.parametrize("key", ["_hooks: true", "_output: {format: json}", "_interactive:", "_i: true"])
def test_what_a_flow_asks_for_and_is_not_done_here_is_refused_by_name(tmp_path, key):
    document = parse_flow(f"---\nengine: claude\n{key}\n---\nSay hello.\n")
    with pytest.raises(Unsupported, match=key.split(":")[0]):
        fill_in(document, {}, RenderSite(tmp_path, tmp_path, tmp_path))
    plain = parse_flow("---\nengine: claude\n_hooks: false\n---\nSay hello.\n")
    assert fill_in(plain, {}, RenderSite(tmp_path, tmp_path, tmp_path)) == "Say hello."

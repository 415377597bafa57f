"""What the shelf audit says of small shelves, each with one fault."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest

from honeyguide.prompts.audit import AuditContext, AuditReport, Finding, ShelfFile, Usage, audit, rows, to_html, to_json
from honeyguide.prompts.kinds import FileKind


def skill(name: str, description: str = "", body: str = "", root: str = "p") -> ShelfFile:
    body = body or f"Read all of {name} twice.\n"
    description = description or f"Works on {name}"
    text = f"---\nname: {name}\ndescription: {description}\n---\n{body}"
    return ShelfFile(f"{root}/.claude/skills/{name}/SKILL.md", FileKind.AGENT_SKILL, text.encode())


def memory(text: str, path: str = "p/CLAUDE.md", kind: FileKind = FileKind.CLAUDE_MEMORY) -> ShelfFile:
    return ShelfFile(path, kind, text.encode())


def only(report: AuditReport, code: str) -> Finding:
    (found,) = [f for f in report.findings if f.code == code]
    return found


def codes(*files: ShelfFile, **context: object) -> list[str]:
    return [f.code for f in audit(files, AuditContext(**context)).findings]  # type: ignore[arg-type]


def test_a_clean_shelf_has_no_findings():
    assert codes(skill("tidy"), memory("# House\n\nBe kind.\n")) == []


def test_broken_frontmatter_is_an_error_with_a_fix():
    report = audit([skill("tidy", "Use when: asked")])
    found = only(report, "frontmatter-broken")
    assert (found.severity, found.line) == ("error", 3)
    assert found.fix is not None
    fixed = ShelfFile(found.path, FileKind.AGENT_SKILL, found.fix.data)
    assert audit([fixed]).findings == ()


def test_a_file_in_an_unknown_code_page_is_said_and_opens_once_the_page_is_named():
    data = "---\nname: tidy\ndescription: Grüße\n---\nHallo\n".encode("cp1252")
    path = "p/.claude/skills/tidy/SKILL.md"
    found = only(audit([ShelfFile(path, FileKind.AGENT_SKILL, data)]), "encoding")
    assert (found.severity, found.line) == ("error", 3)
    assert audit([ShelfFile(path, FileKind.AGENT_SKILL, data, "cp1252")]).findings == ()


def test_broken_json_is_an_error_on_its_line():
    found = only(audit([ShelfFile("t.json", FileKind.TOOL_JSON, b'{\n "a": \n}')]), "unreadable")
    assert found.line == 3


def test_a_description_over_its_limit_stands_on_its_line():
    found = only(audit([skill("tidy", "x" * 1_030)]), "limit-exceeded")
    assert (found.severity, found.line) == ("error", 3)
    assert "1,030 of 1,024 characters" in found.message


def test_project_documents_are_joined_before_codex_counts():
    long = "x" * 20_000
    files = [memory(long, path, FileKind.AGENTS_MD) for path in ("p/AGENTS.md", "p/sub/AGENTS.md")]
    found = only(audit(files), "limit-joined")
    assert found.path == "p/sub/AGENTS.md"
    assert codes(files[0], memory(long, "q/sub/AGENTS.md", FileKind.AGENTS_MD)) == ["duplicate"]


def test_a_full_listing_names_what_no_longer_fits():
    files = [skill(f"s{n}", f"w{n}" * 450) for n in range(9)]
    report = audit(files)
    found = [f for f in report.findings if f.code == "listing-full"]
    assert {f.message.split(" uses")[0] for f in found} == {"The listing of Claude Code", "The listing of Codex"}
    assert "no room is left for s8" in found[0].message
    assert report.budgets[0].share > 1


def test_overlapping_descriptions_name_the_shared_words():
    report = audit(
        [
            skill("notes", "Writes release notes from merged pull requests"),
            skill("log", "Keeps the changelog and writes release notes for merged pull requests of a version"),
            skill("plan", "Plans a trip by train"),
        ]
    )
    found = only(report, "overlapping-descriptions")
    assert "'notes' and 'log'" in found.message
    assert "release" in found.message
    assert [quote.line for quote in found.quotes] == [3, 3]


def test_unused_skills_need_enough_history():
    files = [skill("tidy"), skill("plan")]
    assert codes(*files, usage=Usage(9, {})) == []
    report = audit(files, AuditContext(usage=Usage(40, {"office:tidy": 2}, "2026-01-01")))
    assert "'plan' was never used in 40 sessions since 2026-01-01" in only(report, "never-used").message


CLASHES = [
    ("Use tabs for indentation.", "Indent with spaces."),
    ("Always run the tests before a commit.", "Never run the tests before a commit."),
    ("Answer in at most 100 words.", "Answer in at least 200 words."),
    ("Keep answers under 5 lines.", "Keep answers within 8 lines."),
    ("Use pnpm for packages.", "Use npm, not yarn, for packages."),
    ("Apologise for every delay.", "Don't apologise for a delay."),
    ("Write in British English.", "Use American English."),
]
COMPATIBLE = [
    ("Use tabs in makefiles.", "Use spaces in python modules."),
    ("Always run the tests before a commit.", "Never commit without running the tests."),
    ("Never push to main.", "Always push feature branches."),
    ("Never offer a refund unless a manager agrees.", "Offer a refund."),
    ("Use single quotes in Python.", "Use double quotes in JavaScript."),
    ("Answer in at most 100 words.", "Write titles in at most 8 words."),
    ("Use npm, not yarn.", "Prefer npm over yarn."),
    ("Never forget to greet the customer.", "Always greet the customer."),
    ("The server never answers twice.", "Answer twice."),
    ("Do not mention prices.", "Mention the delivery date."),
]


@pytest.mark.parametrize(("first", "second"), CLASHES)
def test_two_lines_that_cannot_both_be_followed_are_quoted(first, second):
    report = audit([memory(f"# House\n\n- {first}\n- Be kind.\n"), skill("tidy", body=f"Read.\n\n{second}\n")])
    found = only(report, "contradiction")
    assert [(q.path, q.line, q.text) for q in found.quotes] == [
        ("p/CLAUDE.md", 3, f"- {first}"),
        ("p/.claude/skills/tidy/SKILL.md", 7, second),
    ]


@pytest.mark.parametrize(("first", "second"), COMPATIBLE)
def test_lines_that_can_both_be_followed_are_left_alone(first, second):
    assert codes(memory(f"- {first}\n- {second}\n")) == []


def test_texts_that_are_never_loaded_together_do_not_contradict_each_other():
    first, second = CLASHES[0]
    assert codes(skill("one", body=first + "\n"), skill("two", body=second + "\n")) == []
    assert codes(memory(first), memory(second, "q/CLAUDE.md")) == []
    assert codes(memory(first), memory(second, "p/sub/CLAUDE.md")) == ["contradiction"]


def test_examples_in_code_blocks_are_no_instructions():
    assert codes(memory("Use tabs.\n\n```text\nUse spaces.\n```\n")) == []


def test_dead_references_and_imports_are_found_where_they_stand():
    there = {"p/docs/style.md", "p/.claude/skills/tidy/scripts/run.py", "p/a b.md"}
    files = [
        memory(
            "See @docs/style.md and @docs/gone.md\n[a](docs/style.md#top) [b](<a%20b.md>) [c](gone.md) [d](https://x.example)\n"
        ),
        skill("tidy", body="Run `scripts/run.py`, then `scripts/gone.py`.\n"),
    ]
    report = audit(files, AuditContext(exists=there.__contains__))
    assert [(f.code, f.path, f.line) for f in report.findings] == [
        ("dead-import", "p/CLAUDE.md", 1),
        ("dead-reference", "p/.claude/skills/tidy/SKILL.md", 5),
        ("dead-reference", "p/CLAUDE.md", 2),
    ]


def test_packages_and_addresses_are_no_imports():
    assert codes(memory("Install @scope/package, write to a@b.example, ask @maria.\n"), exists=lambda _: False) == []


def test_a_circle_of_imports_is_found():
    files = [memory("@b/CLAUDE.md\n"), memory("@../CLAUDE.md\n", "p/b/CLAUDE.md")]
    assert codes(*files, exists=lambda _: True) == ["import-cycle", "import-cycle"]


def test_a_chain_of_imports_can_be_too_deep():
    files = [
        memory(f"Level {n}\n@{n + 1}/CLAUDE.md\n", "p/" + "".join(f"{k}/" for k in range(1, n + 1)) + "CLAUDE.md")
        for n in range(8)
    ]
    assert codes(*files, exists=lambda _: True) == ["import-too-deep"]


def test_a_subagent_that_names_an_unknown_skill():
    agent = b"---\nname: a\ndescription: d\nskills: tidy, gone\n---\nYou work.\n"
    file = ShelfFile("p/.claude/agents/a.md", FileKind.CLAUDE_SUBAGENT, agent)
    report = audit([skill("tidy"), file], AuditContext(exists=lambda _: True))
    assert "'gone'" in only(report, "dead-skill").message


class Hit(NamedTuple):
    kind: str
    start: int
    end: int


def test_a_secret_is_located_and_never_repeated():
    secret = "zq-" + "7" * 20
    report = audit(
        [memory(f"One\nToken {secret}\n")],
        AuditContext(scan=lambda text: [Hit("token", text.index(secret), len(text))]),
    )
    assert only(report, "secret").line == 2
    assert secret not in json.dumps(to_json(report)) + to_html(report)


def test_copies_and_names_used_twice_are_found():
    report = audit(
        [skill("tidy"), skill("tidy", root="p/sub"), skill("other", body="Something else entirely.\n", root="q")]
    )
    assert sorted((f.code, f.path) for f in report.findings) == [
        ("duplicate", "p/sub/.claude/skills/tidy/SKILL.md"),
        ("same-name", "p/sub/.claude/skills/tidy/SKILL.md"),
    ]


def test_nearly_equal_texts_are_found():
    lines = [
        f"Step {word}: look at every part of it with care." for word in ("one", "two", "three", "four", "five", "six")
    ]
    changed = [*lines[:5], "Step six: stop when nothing is left to look at."]
    report = audit([skill("first", body="\n".join(lines)), skill("second", body="\n".join(changed))])
    assert "5 of 6 lines" in only(report, "near-duplicate").message


def test_each_text_of_a_tool_list_is_looked_at():
    tools = [{"name": n, "description": n * 2_100, "inputSchema": {}} for n in ("a", "b")]
    report = audit([ShelfFile("tools.json", FileKind.TOOL_JSON, json.dumps(tools).encode())])
    assert [f.message.split(" is over")[0] for f in report.findings if "2,048" in f.message] == [
        "The text of 'a'",
        "The text of 'b'",
    ]


# --- the report ------------------------------------------------------------------------------------------------------


def test_checks_that_lack_what_they_need_are_said():
    assert set(audit([]).not_run) == {"references", "never-used", "secrets"}


def test_errors_come_first_and_json_and_rows_agree():
    report = audit([memory("x" * 40_001), skill("Bad", "")])
    data = json.loads(json.dumps(to_json(report)))
    assert [f["severity"] for f in data["findings"]] == sorted(
        (f.severity for f in report.findings), key=["error", "warning", "info"].index
    )
    assert data["total"] == len(rows(report)) == sum(data["counts"].values())
    assert data["files"] == 2
    assert data["kinds"] == {"agent-skill": 1, "claude-memory": 1}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_stands_alone_and_escapes_what_prompts_say():
    evil = '<script>alert("x")</script>'
    report = audit([memory(f"- Use tabs {evil}.\n- Use spaces.\n"), skill("tidy", f"Use when: {evil}")])
    page = _Page()
    page.feed(to_html(report, title="Shelf <1>", made_at="2026-01-01"))
    assert "script" not in page.tags
    assert page.loaded == []
    assert evil in page.text
    assert page.tags.count("article") == len(report.findings)


@pytest.mark.soak
def test_two_thousand_files_are_looked_over_in_five_seconds():
    script = Path(__file__).parents[3] / "benchmarks" / "audit.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout

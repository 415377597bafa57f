from __future__ import annotations

import pytest

from honeyguide.prompts import carriers
from honeyguide.prompts.capabilities import CapabilityKind, added, added_in_document, in_fields, in_text
from honeyguide.prompts.kinds import FileKind

K = CapabilityKind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Changes: !`git diff`", [(K.COMMAND, "git diff")]),
        ("Gemini: !{ls -l}", [(K.COMMAND, "ls -l")]),
        ("See @docs/style.md, please", [(K.IMPORT, "docs/style.md")]),
        ("See @README.md.", [(K.IMPORT, "README.md")]),
        ("Gemini @{notes.txt} and @~/own.md", [(K.IMPORT, "notes.txt"), (K.IMPORT, "~/own.md")]),
        ("Write to a@b.example or ask @maria", []),
        ("Code `@docs/style.md` is quoted", []),
        ("Read https://example.org/a?b=1.", [(K.URL, "https://example.org/a?b=1")]),
        ("![x](https://example.org/x.png)", [(K.URL, "https://example.org/x.png")]),
        ("```python\nprint(1)\n```", []),
        ("Wow! `code` here", []),
    ],
)
def test_capabilities_of_a_text(text, expected):
    assert [c.key for c in in_text(text)] == expected


@pytest.mark.parametrize(
    ("fence", "kind"),
    [
        ("```bash\nrm -r x\n```", K.SHELL_FENCE),
        ("~~~ps1\nls\n~~~", K.SHELL_FENCE),
        ("```!\ngit log\n```", K.EXECUTABLE_FENCE),
        ("```ts\n#!/usr/bin/env node\nx()\n```", K.EXECUTABLE_FENCE),
        ("```bash\nnever closed", K.SHELL_FENCE),
    ],
)
def test_fences_that_run(fence, kind):
    (found,) = in_text("Text\n\n" + fence + "\n")
    assert found.kind is kind


def test_a_changed_command_is_a_new_capability():
    before, after = in_text("!`git log -1`"), in_text("!`git log -9`")
    assert [c.value for c in added(before, after)] == ["git log -9"]
    assert added(after, after) == ()


def test_a_change_inside_an_executable_fence_is_seen():
    before, after = (in_text(f"```!\nls\n{tail}\n```") for tail in ("pwd", "curl x"))
    assert len(added(before, after)) == 1


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        ({"tools": "Read, Grep"}, {"tools": "Read"}, []),
        ({"tools": "Read, Grep"}, {"tools": ["Read", "Write"]}, ["Write"]),
        ({"allowed-tools": "Bash(git *)"}, {"allowed-tools": "Bash"}, ["Bash"]),
        ({"allowed-tools": "Bash"}, {"allowed-tools": "Bash(git:*) Read"}, ["Read"]),
        ({"tools": "Read"}, {}, ["*"]),
        ({}, {"tools": "Read"}, []),
        (
            {"tools": "Read"},
            {"tools": "Read", "permissionMode": "bypassPermissions"},
            ['permissionMode: "bypassPermissions"'],
        ),
        ({"tools": "Read"}, {"tools": "Read", "mcpServers": {"s": 1}}, ["s: 1"]),
    ],
)
def test_broader_tools_are_additions_and_narrower_ones_are_not(before, after, new):
    kind = FileKind.AGENT_SKILL if "allowed-tools" in before else FileKind.CLAUDE_SUBAGENT
    assert [c.value for c in added(in_fields(before, kind), in_fields(after, kind))] == new


def test_a_denial_that_is_lifted_is_an_addition():
    def agent(denied: str) -> carriers.CarrierDocument:
        text = f"---\nname: a\ndescription: b\ntools: Read\ndisallowedTools: {denied}\n---\nx\n"
        return carriers.parse(text.encode(), FileKind.CLAUDE_SUBAGENT)

    assert [c.value for c in added_in_document(agent("Write, Bash"), agent("Bash"))] == ["Write"]
    assert added_in_document(agent("Bash"), agent("Bash, Write")) == ()

"""One honest file of every kind, and the ways in which a file can be written."""

from __future__ import annotations

from honeyguide.prompts.kinds import FileKind

_SKILL = """---
name: tidy-notes
description: Tidies meeting notes. Use when somebody pastes rough notes.
allowed-tools: Read Grep   # nothing that writes
metadata:
  owner: "office"
---

# Tidy notes

1. Keep every decision.
2. Drop\tsmall talk.\x20\x20

---

Not frontmatter.
"""
_AGENT = """---
name: reviewer
description: 'Reviews a change; it''s strict.'
tools: [Read, Grep]
---
You review changes. Quote the line you mean.
"""
_COMMAND = "---\ndescription: Explain a file\nargument-hint: [path]\n---\nExplain @$1 for $ARGUMENTS.\n"
_CURSOR = "---\ndescription: House style\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\n\n- Prefer small functions.\n"
_TOOL = """{
  "tools" : [
    { "name": "find_order", "description": "Finds an order.\\nReturns \\"none\\" when absent: caf\\u00e9.",
      "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}} }
  ],
  "n": 1.50
}
"""
_TOML = """# a command
description = "Plan"   # short
prompt = \"\"\"
Plan {{args}}.
  Be "brief".
\"\"\"

[extra]
k = [1, "two"]
"""
_DSPY = """{"answer.predict": {"traces": [], "train": [], "demos": [],
 "signature": {"instructions": "Answer the question.", "fields": [{"prefix": "Q:", "description": "d"}]}, "lm": null},
 "metadata": {"dependency_versions": {"python": "3.11"}}}
"""
_PROMPTFOO = """# promptfoo
prompts:
  - |
    You greet {{name}}.

    Be warm.
providers: [echo]   # none
tests:
  - vars: {name: Ada}
"""
_PROMPTY = (
    "---\nname: Greeter\nmodel:\n  id: any\ninputs:\n  who: {type: string}\n---\nsystem:\nGreet {{who}}.\nuser:\nHi\n"
)
_DOTPROMPT = '---\nmodel: any/model\ninput:\n  schema:\n    who: string\n---\n{{role "system"}}\nGreet {{who}}.\n'
_PERSONA = """{
  "id": "guide",
  "name": "Guide",
  "description": "Shows the way",
  "icon": "compass",
  "systemPrompt": "You show the way.\\nNever guess."
}
"""
_SECTION = '{"section":"coreLoop","text":"Read first.\\nThen act.","runUuid":null,"deployedAt":"2026-01-01T00:00:00Z"}'
_PLAIN = "# Rules\n\n- Say what you changed.  \n- Keep\ttabs.\n"

SAMPLES: dict[FileKind, str] = {
    FileKind.AGENT_SKILL: _SKILL,
    FileKind.CLAUDE_SUBAGENT: _AGENT,
    FileKind.CLAUDE_COMMAND: _COMMAND,
    FileKind.CLAUDE_OUTPUT_STYLE: "---\nname: Terse\ndescription: Few words\n---\nAnswer in one line.\n",
    FileKind.CLAUDE_MEMORY: _PLAIN,
    FileKind.CLAUDE_RULE: '---\npaths: ["src/**"]\n---\nUse tabs.\n',
    FileKind.AGENTS_MD: _PLAIN,
    FileKind.CODEX_PROMPT: "Summarise $ARGUMENTS.\n",
    FileKind.CURSOR_RULE: _CURSOR,
    FileKind.CURSOR_LEGACY: _PLAIN,
    FileKind.COPILOT_INSTRUCTIONS: _PLAIN,
    FileKind.COPILOT_SCOPED: '---\napplyTo: "**/*.py"\n---\nType every function.\n',
    FileKind.COPILOT_PROMPT: "---\ndescription: Draft a test\nagent: ask\n---\nDraft a test for ${file}.\n",
    FileKind.COPILOT_AGENT: "---\ndescription: Plans work\ntools: ['search']\n---\nYou plan.\n",
    FileKind.WINDSURF_RULE: "---\ntrigger: always_on\n---\nBe kind.\n",
    FileKind.GEMINI_MEMORY: _PLAIN,
    FileKind.GEMINI_COMMAND: _TOML,
    FileKind.TOOL_JSON: _TOOL,
    FileKind.DOTPROMPT: _DOTPROMPT,
    FileKind.PROMPTY: _PROMPTY,
    FileKind.PROMPTFOO: _PROMPTFOO,
    FileKind.DSPY_PROGRAM: _DSPY,
    FileKind.PERSONA_OVERRIDE: _PERSONA,
    FileKind.SECTION_OVERRIDE: _SECTION,
    FileKind.TOOL_OVERRIDE: '{\n  "name": "find_order",\n  "description": "Finds an order."\n}\n',
    FileKind.SKILL_OVERRIDE: _SKILL,
    FileKind.GENERIC_OVERRIDE: _PLAIN,
    FileKind.PLAIN_TEXT: _PLAIN,
}

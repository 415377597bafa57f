"""Finds the sentences that the engine can say to a person, in its source: errors with their hints, findings, reasons.

Every module below the front ends is read, so a new one is found by itself; what is left out is said here, with why.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import honeyguide

ENGINE = Path(honeyguide.__file__).parent
_FRONTS = ("cli", "desktop", "server")
TO_MODELS = (
    "llm/practice/", "evolution/strategies.py", "evolution/mutation.py", "evolution/briefing.py",
    "evolution/answer_structure.py", "evolution/schema_generators.py", "evolution/schema_search.py",
    "evals/judge_prompt.py", "evals/datasets.py", "flows/maintainer.py", "harnesses/changes/requests.py",
    "harnesses/changes/automatic.py", "harnesses/deploy/agents.py", "harnesses/running/answering.py",
    "harnesses/running/conversation.py", "harnesses/running/policies.py", "harnesses/running/prompts.py",
    "harnesses/running/spilling.py", "harnesses/running/runner.py", "harnesses/running/validators.py",
    "harnesses/running/tools.py", "llm/blocks.py", "llm/parsing/",
    "traces/readers/_claude_lines.py", "traces/readers/_machine_text.py", "traces/corrections.py",
    "workspace/sample/", "evolution/schema.py", "workspace/corrections.py",
)  # fmt: skip
"""Speak to a model, or recognise what another program wrote; what they raise is said to a person all the same."""
TO_FILES = (
    "prompts/audit/page.py", "workspace/exporting.py", "suites/suite_schema.py", "suites/yaml_suite.py",
    "feedback/drafts.py", "harnesses/scaffold.py", "harnesses/deploy/", "workspace/crash.py", "flows/keeping.py",
    "suites/failure_classes.py", "evals/language.py", "evals/memorisation.py", "prompts/leftovers.py",
    "prompts/templates.py", "traces/correction_cues.py",
)  # fmt: skip
"""Write documents or hold patterns."""
_FOR_PROGRAMMERS = {
    "ValueError", "TypeError", "KeyError", "AssertionError", "AttributeError", "ImportError", "SystemExit",
    "FetchRefused", "CodeFailed", "_Refused", "StepHalted", "RunEnded",
}  # fmt: skip
"""Raised for other code, which says it in its own words or hands it to a model."""
_FRAGMENTS = (
    "evals/receipts.py", "evolution/gates/", "evolution/orchestrator.py", "evals/findings.py",
    "prompts/audit/report.py", "prompts/discovery.py", "harnesses/changes/capabilities.py", "harnesses/trust.py",
    "harnesses/changes/proof.py", "flows/receipts.py", "workspace/harness_drafting.py", "versions/watch.py",
    "prompts/audit/checks/", "prompts/carriers/repair.py", "llm/providers/gguf.py", "harnesses/changes/gate.py",
    "flows/liquid",
    "harnesses/evidence/friction.py", "harnesses/running/guardrails.py", "prompts/audit/directives.py",
    "traces/readers/openai_agents.py", "traces/readers/_codex_session.py", "traces/readers/waggle_jsonl.py",
)  # fmt: skip
"""Modules of which also half sentences reach the window."""
_SENTENCE = re.compile(r"(?:[\w'\"]|\{\d\}).*[.?!:]", re.DOTALL)
_NAMED = re.compile(r"\{(?:who|program)\}")
"""Places of sentences that are kept as templates."""
_NEXT = re.compile(r"(?<=[.?])\s+(?=[A-Z])|(?<=\})\s(?=(?:It|The|Switched)\b)")
_NOT_WORDS = re.compile(r".*(?:\\b|\(\?)|SELECT |AND |# |always never|write format|most maximum|\(words\?")
COMMAND = re.compile(
    r"(?<!The )honeyguide [a-z]+\b|(?:^|[ (])--\w|'harness |pip install|docs/|'hiveloom |HONEYGUIDE_|apt-get|"
    r"chmod |and 'eval'|inspect log|(?:updates|service)\.\w"
)
"""What belongs into a terminal or a settings file: never said in the window."""
_WORDS = re.compile(r"[a-z]{2,}")
PLACES = re.compile(r"\{\d\}")
_NOT_SAID = {
    "Better, proven", "Safe, not proven", "Cannot tell yet", "Adds a capability",  # the window has its own words
    "{0} {1} {2} within {3} days.", "harness_name = ?", "hvs. hvb. hvr.",
    "Seconds a call may take; 120 for answers and grades, 300 for the rest, 900 on this computer.",  # a setting
    "Improve {0}\n\nAccepted proposal {1}, version {2}.",  # a commit message
}  # fmt: skip


@cache
def engine_sentences() -> dict[str, str]:
    """Return every sentence, with ``{0}``, ``{1}`` for what stands between, and the module that says it."""
    found: dict[str, str] = {}
    for path in sorted(ENGINE.rglob("*.py")):
        name = path.relative_to(ENGINE).as_posix()
        if name.split("/")[0] in _FRONTS or name == "__main__.py":
            continue
        for sentence in _of(ast.parse(path.read_text(encoding="utf-8")), name):
            if sentence not in _NOT_SAID:
                found.setdefault(sentence, name)
    return found


def _of(tree: ast.Module, name: str) -> Iterator[str]:
    raised, skipped = _raised(tree), _skipped(tree, is_read_by_people=name.startswith("harnesses/spec/"))
    only_raised = name.startswith(TO_MODELS + TO_FILES)
    with_fragments = name.startswith(_FRAGMENTS)
    for node in ast.walk(tree):
        if id(node) in skipped or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        if only_raised and id(node) not in raised:
            continue
        text = pattern(node)
        for part in [text] if text.startswith("inconclusive") else _NEXT.split(text):
            said = _renumbered(part.strip())
            if not _WORDS.search(PLACES.sub("", said)) or " " not in said or _NOT_WORDS.match(said):
                continue
            if with_fragments or id(node) in raised or _SENTENCE.fullmatch(said) or COMMAND.search(said):
                yield said


def _raised(tree: ast.Module) -> set[int]:
    """Return the nodes of what is raised, or made to be raised, for a person."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)) or (
            isinstance(node, ast.keyword) and node.arg in ("hint", "message", "reason", "advice")
        ):
            found |= {id(inner) for inner in ast.walk(node)}
    return found


def _skipped(tree: ast.Module, *, is_read_by_people: bool) -> set[int]:
    """Return the nodes that nobody is told: docstrings, patterns, logs, errors for programmers, pieces of f-strings.

    What is wrong with a harness is said by errors of its models, which a person does read.
    """
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            found |= {id(inner) for inner in ast.walk(node) if inner is not node}
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            kind = ast.unparse(node.exc.func).rpartition(".")[2]
            if kind in _FOR_PROGRAMMERS and not (is_read_by_people and kind == "ValueError"):
                found |= {id(inner) for inner in ast.walk(node)}
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("compile", "sub", "search", "match", "warning", "debug", "Setting", "getLogger"):
                found |= {id(inner) for inner in ast.walk(node)}
    return found


def pattern(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a literal, with numbered places."""
    if isinstance(node, ast.Constant):
        return _NAMED.sub("{0}", node.value) if isinstance(node.value, str) else ""
    text, number = "", 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
        elif not text.endswith("}"):
            text += f"{{{number}}}"
            number += 1
    return text


def _renumbered(text: str) -> str:
    numbers = iter(range(10))
    return PLACES.sub(lambda _: f"{{{next(numbers)}}}", text)

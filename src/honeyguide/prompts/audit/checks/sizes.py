"""Texts over a limit of the program that loads them, or so near that programs may disagree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

from honeyguide.prompts import limits, rules
from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Prompt, Shelf
from honeyguide.prompts.carriers.findings import Severity
from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.limits import Measure, State, Strength

_WHY = {
    Strength.REFUSED: "{program} refuses what is longer.",
    Strength.CUT: "{program} drops the rest without a word.",
    Strength.ADVISED: "{program} works worse with longer texts; its makers advise to stay below.",
}
_PROJECT_DOC_BYTES = 32_768


def check(shelf: Shelf) -> Iterator[Finding]:
    """Yield every limit that is exceeded or nearly reached."""
    for prompt in shelf.prompts:
        for measure in limits.measure(prompt.document):
            if measure.state is not State.WITHIN:
                yield _finding(prompt, measure)
    yield from _joined_project_docs(shelf)


def _finding(prompt: Prompt, measure: Measure) -> Finding:
    limit = measure.limit
    is_over = measure.state is State.OVER
    severity: Severity = "error" if is_over and limit.strength is Strength.REFUSED else "warning"
    if limit.strength is Strength.ADVISED or not is_over:
        severity = "info" if limit.strength is Strength.ADVISED else "warning"
    what = _subject(limit.scope, prompt)
    verb = f"is over the limit of {limit.program}"
    if not is_over:
        verb = f"is so near the limit of {limit.program} that programs may disagree"
    return Finding(
        severity,
        "limit-exceeded" if is_over else "limit-near",
        prompt.path,
        _line(prompt, limit.scope),
        f"{what} {verb}: {measure.sentence}.",
        _WHY[limit.strength].format(program=limit.program),
    )


def _subject(scope: str, prompt: Prompt) -> str:
    if scope.startswith("fields:"):
        return " and ".join(repr(name) for name in scope.removeprefix("fields:").split("+"))
    return {"file": "The file", "body": "The body", "span": f"The text of {prompt.name!r}"}[scope]


def _line(prompt: Prompt, scope: str) -> int:
    if scope.startswith("fields:"):
        return rules.line_of_field(prompt.document, scope.removeprefix("fields:").split("+")[0])
    return prompt.document.first_line if scope == "span" else 1


def _joined_project_docs(shelf: Shelf) -> Iterator[Finding]:
    """Codex joins the AGENTS.md files from the project's root down to the working folder, up to one total."""
    by_folder: dict[PurePosixPath, list[Prompt]] = defaultdict(list)
    for prompt in shelf.documents:
        if prompt.kind is FileKind.AGENTS_MD:
            by_folder[prompt.folder].append(prompt)
    for folder in sorted(by_folder):
        above = [parent for parent in reversed(folder.parents) if parent in by_folder]
        if not above:
            continue
        chain = [_read_first(by_folder[part]) for part in (*above, folder)]
        total = sum(len(prompt.file.data) for prompt in chain)
        own = len(chain[-1].file.data)
        if total > _PROJECT_DOC_BYTES >= own:
            yield Finding(
                "warning",
                "limit-joined",
                chain[-1].path,
                1,
                f"With the AGENTS.md files above it, {total:,} of {_PROJECT_DOC_BYTES:,} bytes are used here.",
                "Codex joins them from the root down and drops the rest without a word.",
            )


def _read_first(prompts: list[Prompt]) -> Prompt:
    """Return the file that Codex takes in a folder: the override where there is one."""
    return next((p for p in prompts if p.path.lower().endswith("override.md")), prompts[0])

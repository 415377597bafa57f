"""The prompt that an engine is given: imports pulled in, commands run, the template filled in, in this order.

Actions are recognised in the flow's own text and in the markdown files that it pulls in, and nowhere else: what a
command printed, a page said, or a variable holds is text, however it looks.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from honeyguide.flows.document import FlowDocument, parse_flow
from honeyguide.flows.engines.watching import ProcessWatcher
from honeyguide.flows.imports import Action, ActionKind, find_actions
from honeyguide.flows.liquid import LiquidError, render, variables
from honeyguide.flows.symbols import symbol_in
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused, Unreadable, Unsupported
from honeyguide.kernel.processes import Finished, run
from honeyguide.suites.snapshots import listed_files

MAX_FILE_BYTES: Final = 10 * 1024 * 1024
MAX_OUTPUT: Final = 100_000
MAX_FILES: Final = 512
COMMAND_SECONDS: Final = 30.0
INPUTS: Final = ("_1", "_args", "_stdin")
_MARKDOWN = re.compile(r"\.(?:md|mdown|markdown)\Z", re.IGNORECASE)
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "git:diff": ("git", "diff"),
    "git:staged": ("git", "diff", "--staged"),
    "git:status": ("git", "status", "--porcelain"),
    "tree": ("find", ".", "-type", "f", "-not", "-path", "./.git/*"),
}


@dataclass(frozen=True, slots=True)
class RenderSite:
    """Where a flow is filled in.

    Attributes:
        root: imports may not leave it.
        folder: of the flow, in ``root``.
        cwd: where commands run.
        repository: where git is asked; ``None`` for ``cwd``. A copy for a test has no git of its own.
        home: what ``~`` is.
        fetch: returns a page's text; ``None`` when addresses are not fetched.
        env: of commands.
        watcher: notes the commands while they run, so that none outlives a crash.
    """

    root: Path
    folder: Path
    cwd: Path
    repository: Path | None = None
    home: Path | None = None
    fetch: Callable[[str], str] | None = None
    env: Mapping[str, str] | None = None
    watcher: ProcessWatcher | None = None


def fill_in(document: FlowDocument, values: Mapping[str, Any], site: RenderSite) -> str:
    """Return the prompt of a flow. Blocking: call it in a worker thread.

    Raises:
        InvalidInput: a variable without a value, a broken template, a command that failed.
        NotFound, Unreadable, PolicyRefused: a file that is not there, is no text, or lies outside.
        Unsupported: an address while nothing is fetched.
    """
    require_plain(document.fields)
    known = {**defaults(document.fields), **values}
    missing = [name for name in required(document) if name not in known]
    if missing:
        raise InvalidInput(
            f"The flow needs a value for {', '.join(missing)}.", hint="Give it in the frontmatter or as an argument."
        )
    expansion = _Expansion(site)
    template = expansion.expand(document.prompt, site.folder, ())
    try:
        text = render(template, known)
    except LiquidError as error:
        raise InvalidInput(f"The template cannot be filled in: {error}.", hint="Correct the flow.") from error
    return expansion.with_outputs(text)


def require_plain(fields: Mapping[str, Any]) -> None:
    """Raise Unsupported for what a flow asks for and is not done here, rather than run it without."""
    asked = [name for name in ("_hooks", "_output") if fields.get(name) not in (None, False)]
    asked += [name for name in ("_interactive", "_i") if name in fields and fields[name] is not False]
    if asked:
        raise Unsupported(
            f"The flow asks for {asked[0]}, which is not done here.", hint="Remove it, or run the flow with mdflow."
        )


def required(document: FlowDocument) -> tuple[str, ...]:
    """Return the variables that have to be given: those read by the prompt, without the ways of input."""
    try:
        names = variables(document.prompt)
    except LiquidError as error:
        raise InvalidInput(f"The template cannot be read: {error}.", hint="Correct the flow.") from error
    return tuple(name for name in names if name not in INPUTS and not re.fullmatch(r"_\d+", name))


def defaults(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that the frontmatter gives its variables."""
    values = {key: value for key, value in fields.items() if key.startswith("_") and key not in _CONTROL}
    inputs = fields.get("_inputs")
    if isinstance(inputs, Mapping):
        for name, definition in inputs.items():
            if isinstance(definition, Mapping) and "default" in definition:
                values[str(name)] = definition["default"]
            elif isinstance(definition, Mapping) and definition.get("required") is False:
                values.setdefault(str(name), "")
    return values


_CONTROL: Final = frozenset(
    ("_inputs", "_env", "_isolated", "_system-prompt", "_append-system-prompt", "_hooks", "_steps", "_output", "_cwd",
     "_subcommand", "_interactive", "_i", "_mdflow_version", "_compat", "_flow_id", "_dry-run", "_edit", "_trust",
     "_no-cache", "_no-menu", "_command", "_c", "_tool", "_context_window", "_context_budget_tokens",
     "_max_prompt_tokens", "_max_runtime_ms")
)  # fmt: skip


def takes_input(document: FlowDocument) -> bool:
    """Say whether the prompt has a place for what it is given."""
    try:
        names = variables(document.prompt)
    except LiquidError:
        return False
    return any(name in INPUTS or re.fullmatch(r"_\d+", name) for name in names)


def input_values(document: FlowDocument, given: str | None, stdin: str | None, prompt: str | None) -> dict[str, Any]:
    """Return the variables that carry a case's input, by the way the flow takes it."""
    try:
        names = variables(document.prompt)
    except LiquidError:
        names = ()
    if given is not None:
        if "_stdin" in names:
            stdin = given
        else:
            prompt = given
    return {"_1": prompt or "", "_args": f"1. {prompt}" if prompt else "", "_stdin": stdin or ""}


@dataclass(slots=True)
class _Expansion:
    site: RenderSite
    outputs: dict[str, str] = field(default_factory=dict)
    files: int = 0

    def expand(self, text: str, folder: Path, open_files: tuple[Path, ...]) -> str:
        pieces: list[str] = []
        position = 0
        for action in find_actions(text):
            if action.start < position:
                continue  # it stands inside another one
            pieces.append(text[position : action.start])
            pieces.append(self._done(action, folder, open_files))
            position = action.end
        pieces.append(text[position:])
        return "".join(pieces)

    def with_outputs(self, text: str) -> str:
        for mark, output in self.outputs.items():
            text = text.replace(mark, output)
        return text

    def _done(self, action: Action, folder: Path, open_files: tuple[Path, ...]) -> str:
        if action.kind is ActionKind.FILE:
            return self._file(action, folder, open_files)
        if action.kind is ActionKind.GLOB:
            return self._glob(action, folder)
        if action.kind is ActionKind.SYMBOL:
            return self._kept(symbol_in(self._text(self._path(action.value, folder)), action.argument, action.value))
        if action.kind is ActionKind.URL:
            if self.site.fetch is None:
                raise Unsupported(f"{action.value} is not fetched here.", hint="Keep a copy beside the flow.")
            return self._kept(self.site.fetch(action.value))
        if action.kind is ActionKind.PROVIDER:
            return self._kept(self._provider(action))
        if action.kind is ActionKind.COMMAND:
            return self._kept(self._command(["sh", "-c", action.value.strip()], action.value.strip()))
        return self._kept(self._fence(action))

    def _kept(self, output: str) -> str:
        """Put a mark where output will stand, so that no template is seen in it."""
        mark = f"\ue000{sha256_hex(f'{len(self.outputs)}')[:20]}\ue001"
        self.outputs[mark] = output
        return mark

    def _file(self, action: Action, folder: Path, open_files: tuple[Path, ...]) -> str:
        path = self._path(action.value, folder)
        if path in open_files:
            raise InvalidInput(f"{action.value} pulls itself in.", hint="Break the circle.")
        text = self._text(path)
        if action.lines:
            first, last = action.lines
            return self._kept("".join(text.splitlines(keepends=True)[max(first - 1, 0) : last]).rstrip("\r\n"))
        if not _MARKDOWN.search(path.name):
            return self._kept(text)
        return self.expand(parse_flow(text).prompt, path.parent, (*open_files, path))

    def _glob(self, action: Action, folder: Path) -> str:
        pattern = os.path.relpath(os.path.normpath(folder / action.value), self.site.root).replace(os.sep, "/")
        if pattern == ".." or pattern.startswith("../"):
            raise PolicyRefused(f"{action.value} leads out of the project.", hint="Use a path inside it.")
        names = [name for name in listed_files(self.site.root) if matches(name, pattern) and not name.endswith(".log")]
        parts = [f'<file path="{name}">\n{self._text(self.site.root / name)}\n</file>' for name in sorted(names)]
        return self._kept("\n".join(parts))

    def _path(self, value: str, folder: Path) -> Path:
        if value.startswith("~"):
            home = self.site.home or Path.home()
            path = home / value[1:].lstrip("/")
        else:
            path = folder / value
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(Path(os.path.realpath(self.site.root))):
            raise PolicyRefused(f"{value} leads out of the project.", hint="Use a path inside it.")
        return real

    def _text(self, path: Path) -> str:
        self.files += 1
        if self.files > MAX_FILES:
            raise InvalidInput(f"The flow pulls in more than {MAX_FILES} files.")
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                raise Unreadable(f"{path.name} is no regular file.")
            if path.stat().st_size > MAX_FILE_BYTES:
                raise Unreadable(f"{path.name} is larger than {MAX_FILE_BYTES // 1024**2} MiB.")
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise NotFound(f"{path.name} is not there.", hint="Check the flow's imports.") from error
        except OSError as error:
            raise Unreadable(f"{path.name} cannot be read: {error.strerror}.") from error
        return _text_of(data, path.name)

    def _provider(self, action: Action) -> str:
        cwd = self.site.repository or self.site.cwd
        if action.value == "git:log":
            argv: list[str] = ["git", "log", "--oneline", f"-{action.argument}"]
        elif action.value == "rg":
            argv = ["rg", "--no-heading", "--", action.argument, "."]
        else:
            argv = list(_PROVIDERS[action.value])
        finished = self._finished(argv, cwd)
        if action.value == "git:diff" and len(finished.stdout) > MAX_OUTPUT:
            finished = self._finished([*argv, "--stat"], cwd)
        allowed = (0, 1) if action.value == "rg" else (0,)
        return self._printed(finished, allowed, f"@{action.value}")

    def _fence(self, action: Action) -> str:
        descriptor, name = tempfile.mkstemp(prefix="honeyguide-fence-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(f"{action.argument}\n{action.value}\n")
            os.chmod(name, 0o700)  # noqa: PTH101
            return self._command([name], f"the block that begins {action.argument}")
        finally:
            os.unlink(name)  # noqa: PTH108

    def _command(self, argv: list[str], shown: str) -> str:
        return self._printed(self._finished(argv, self.site.cwd), (0,), shown)

    def _finished(self, argv: list[str], cwd: Path) -> Finished:
        watcher = self.site.watcher
        if watcher is None:
            return run(argv, cwd=cwd, env=self.site.env, timeout=COMMAND_SECONDS)
        begun: list[subprocess.Popen[bytes]] = []

        def started(process: subprocess.Popen[bytes]) -> None:
            begun.append(process)
            watcher.started(process)

        try:
            return run(argv, cwd=cwd, env=self.site.env, timeout=COMMAND_SECONDS, on_start=started)
        finally:
            for process in begun:
                watcher.ended(process)

    def _printed(self, finished: Finished, allowed: tuple[int, ...], shown: str) -> str:
        if finished.timed_out:
            raise InvalidInput(f"{shown[:80]} did not end within {COMMAND_SECONDS:g} s.")
        if finished.exit_code not in allowed:
            raise InvalidInput(
                f"{shown[:80]} ended with exit code {finished.exit_code}.", hint="Run it by hand to see why."
            )
        return _text_of((finished.stdout + finished.stderr)[: MAX_OUTPUT * 4], shown)[:MAX_OUTPUT].rstrip("\r\n")


def matches(name: str, pattern: str) -> bool:
    """Say whether a path matches a glob; ``**`` stands for any number of folders."""
    return _matches(name.split("/"), pattern.split("/"))


def _matches(names: list[str], patterns: list[str]) -> bool:
    reachable = {0}
    for pattern in patterns:
        if pattern == "**":
            reachable = {n for start in reachable for n in range(start, len(names) + 1)}
        else:
            reachable = {n + 1 for n in reachable if n < len(names) and fnmatchcase(names[n], pattern)}
    return len(names) in reachable


def _text_of(data: bytes, name: str) -> str:
    if b"\0" in data[:1024]:
        raise Unreadable(f"{name[:80]} is no text.")
    try:
        return _ANSI.sub("", data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Unreadable(f"{name[:80]} is no UTF-8 text (byte {error.start}).") from error

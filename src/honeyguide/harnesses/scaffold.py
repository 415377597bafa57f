"""Makes a new harness folder that runs as it is."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

from honeyguide.harnesses.spec.canonical import dump_yaml
from honeyguide.harnesses.spec.reading import FILE_NAME
from honeyguide.kernel.errors import Conflict, InvalidInput, Unwritable
from honeyguide.kernel.ids import is_safe_name

RUNTIME: Final = "hiveloom==1.3.0"
_IGNORED: Final = ".env\n.venv/\n.hiveloom/\n__pycache__/\n"


def make_folder(root: Path, name: str, description: str, prompt: str) -> list[str]:
    """Make the folder and return the files written.

    Raises:
        Conflict: there is a harness already.
        InvalidInput: the name cannot name a folder.
    """
    if not is_safe_name(name):
        raise InvalidInput(f"{name!r} cannot name a harness.", hint="Use letters, digits, blanks and dashes.")
    if (root / FILE_NAME).exists():
        raise Conflict(f"{root} holds a harness already.", hint="Name another folder.")
    spec = {
        "schema_version": "0.2.0",
        "name": name,
        "id": f"hl-{secrets.token_hex(6)}",
        "description": description,
        "system_prompt": prompt if prompt.endswith("\n") else prompt + "\n",
        "guardrails": [{"builtin": "max_cost_usd", "value": 0.5}],
        "loop": {"policy": "react", "max_turns": 8},
    }
    files = {
        FILE_NAME: dump_yaml(spec),
        ".gitignore": _IGNORED,
        ".env.example": "ANTHROPIC_API_KEY=\n",
        "pyproject.toml": _pyproject(name, description),
        "README.md": f"# {name}\n\n{description}\n\nRun it with `honeyguide harness run . --input TEXT`.\n",
    }
    written = []
    try:
        for folder in ("", "tools", "validators", "schemas", ".hiveloom/traces"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            path = root / file
            if file == ".gitignore" and path.exists():
                text = _with_lines(path.read_text(encoding="utf-8"), text)
            elif path.exists():
                continue
            path.write_text(text, encoding="utf-8")
            written.append(file)
    except OSError as error:
        raise Unwritable(f"{root} cannot be written: {error.strerror}.") from error
    return written


def _with_lines(there: str, wanted: str) -> str:
    missing = [line for line in wanted.splitlines() if line not in there.splitlines()]
    text = there if not there or there.endswith("\n") else there + "\n"
    return text + "".join(line + "\n" for line in missing)


def _pyproject(name: str, description: str) -> str:
    slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower()).strip("-") or "harness"
    said = description.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return (
        f'[project]\nname = "{slug}"\nversion = "0.1.0"\ndescription = "{said}"\nrequires-python = ">=3.11"\n'
        f'dependencies = ["{RUNTIME}"]\n\n[tool.uv]\npackage = false\n'
    )

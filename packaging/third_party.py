"""Write THIRD-PARTY.md from the lock, and gather the licence texts that ship with the installers.

usage: python packaging/third_party.py [--check] [--texts FOLDER]

Run it with the packaging environment, whose packages carry their licences in their metadata. ``--check`` writes
nothing and fails when the file is out of date. ``--texts`` copies every licence file, one folder a package.
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "packaging" / "requirements-package.lock"
PROGRAM_LOCK = ROOT / "requirements.lock"
BEYOND = ROOT / "packaging" / "licences" / "beyond-python.toml"
TARGET = ROOT / "THIRD-PARTY.md"
LOCAL = ("xllamacpp",)
"""What the installers hold beyond requirements.lock."""
CLASSIFIERS = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
}
SPELLINGS = {"PSFL": "PSF-2.0", "ISC License": "ISC"}

INTRODUCTION = """\
# Third-party software

Honeyguide itself is under the Apache License 2.0 (`LICENSE`). The installers also hold the software below; a wheel
holds none of it, but asks for the same packages. This file is made from `requirements.lock` by
`packaging/third_party.py`; the full texts stand in the installed folder `licences`.
"""

QT = """\
## Qt and PySide6

Qt and PySide6 (with Shiboken) are used under the GNU Lesser General Public License, version 3, whose text ships as
`licences/LGPL-3.0.txt` together with `licences/GPL-3.0.txt`, which it refers to.

- They are shared libraries in files of their own, unchanged, as their makers built them: on Linux
  `_internal/PySide6/Qt/lib/libQt6*.so.6` and `_internal/PySide6/*.so`, on Windows `_internal\\PySide6\\*.dll`, on macOS
  `Contents/Frameworks`. Any of them can be replaced by another build with the same interface: put the file in its place
  and start the program. Nothing checks them or stops that; on macOS a changed app must be signed anew, which
  `codesign --force --deep --sign - Honeyguide.app` does without an account.
- Taking the program apart to find faults in such a change is allowed.
- The sources of the versions named here are published by The Qt Company: <https://download.qt.io/official_releases/>
  (folders `qt` and `QtForPython`). Qt's own third-party parts and their licences:
  <https://doc.qt.io/qt-6/licenses-used-in-qt.html>.
"""


@dataclass(frozen=True, order=True)
class Package:
    """One locked package. ``systems`` is empty when it is used on all of them."""

    name: str
    version: str
    licence: str
    home: str
    systems: str = ""


def locked() -> list[tuple[str, str, str]]:
    """Return name, version and marker of everything that ships, in the order of the lock."""
    found = []
    for path, wanted in ((PROGRAM_LOCK, None), (LOCK, LOCAL)):
        for match in re.finditer(r"^([a-z0-9][\w.-]*)==(\S+)(?: ; (.*?))? \\$", path.read_text(), re.MULTILINE):
            name, version, marker = match[1], match[2], match[3] or ""
            if (wanted is None or name in wanted) and "emscripten'" not in marker.replace("!= 'emscripten'", ""):
                found.append((name, version, marker))
    return found


def packages() -> list[Package]:
    """Return every package with its licence; stops at one whose licence is not known."""
    beyond = {entry["name"]: entry for entry in tomllib.loads(BEYOND.read_text())["package"]}
    listed = []
    for name, version, marker in locked():
        systems = _systems(marker)
        if name in beyond:
            entry = beyond[name]
            listed.append(Package(name, version, entry["licence"], entry["home"], entry["systems"]))
            continue
        facts = metadata.distribution(name).metadata
        listed.append(Package(name, version, _licence(name, facts), _home(facts), systems))
    return listed


def document() -> str:
    """Return THIRD-PARTY.md."""
    rows = [
        f"| {p.name} | {p.version} | {p.licence} | {p.systems or 'all'} | {f'<{p.home}>' if p.home else ''} |"
        for p in packages()
    ]
    parts = [
        f"| {part['name']} | {part['licence']} | {part['note']} | <{part['home']}> |"
        for part in tomllib.loads(BEYOND.read_text())["part"]
    ]
    return "\n".join(
        [
            INTRODUCTION,
            QT,
            "## Python packages\n",
            "| package | version | licence | where | home |\n|---|---|---|---|---|",
            *rows,
            "\n## Other parts of the installers\n",
            "| part | licence | what it is | home |\n|---|---|---|---|",
            *parts,
            "",
        ]
    )


def gather_texts(folder: Path) -> int:
    """Copy the licence files of every installed package into ``folder`` and return how many there are."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for text in sorted((ROOT / "packaging" / "licences").glob("*.txt")):
        shutil.copyfile(text, folder / text.name)
    count = 0
    for name in sorted({name for name, _, _ in locked()}):
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # of another system
        for file in distribution.files or []:
            if ".dist-info/" in str(file) and re.search(r"(?i)licen[cs]e|copying|notice|authors", file.name):
                target = folder / name / file.name
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(str(file.locate()), target)
                count += 1
    python = Path(sys.base_prefix)
    for candidate in (
        python / "LICENSE.txt",
        python / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "LICENSE.txt",
    ):
        if candidate.is_file():
            (folder / "CPython").mkdir(exist_ok=True)
            shutil.copyfile(candidate, folder / "CPython" / "LICENSE.txt")
            count += 1
            break
    return count


def _licence(name: str, facts: metadata.PackageMetadata) -> str:
    expression = facts.get("License-Expression")
    if expression:
        return str(expression)
    named = str(facts.get("License") or "").strip()
    if named and "\n" not in named:
        return SPELLINGS.get(named, named)
    for classifier in facts.get_all("Classifier") or []:
        short = str(classifier).rsplit(":: ", 1)[-1]
        if str(classifier).startswith("License") and short in CLASSIFIERS:
            return CLASSIFIERS[short]
    raise SystemExit(f"the licence of {name} is not known: say it in {BEYOND.name}")


def _home(facts: metadata.PackageMetadata) -> str:
    urls = [str(url).partition(", ") for url in facts.get_all("Project-URL") or []]
    ranked = [
        url
        for wanted in ("homepage", "home", "source", "repository", "source code", "documentation")
        for label, _, url in urls
        if label.lower() == wanted
    ]
    candidates = [*ranked, str(facts.get("Home-page") or ""), *(url for _, _, url in urls)]
    return next((url for url in candidates if url.startswith("http")), "")


def _systems(marker: str) -> str:
    for wanted, said in (("== 'linux'", "Linux"), ("== 'win32'", "Windows"), ("< '3.12'", "Python 3.11")):
        if wanted in marker:
            return said
    return "Python 3.12 and later" if ">= '3.12'" in marker else ""


def main(arguments: list[str]) -> int:
    """Write or check the file; gather the texts when asked to."""
    made = document()
    if "--check" in arguments:
        if not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != made:
            print("THIRD-PARTY.md is out of date: run packaging/third_party.py")
            return 1
    else:
        TARGET.write_text(made, encoding="utf-8")
    if "--texts" in arguments:
        folder = Path(arguments[arguments.index("--texts") + 1])
        print(f"{gather_texts(folder)} licence texts in {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

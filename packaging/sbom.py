"""Write the list of everything that ships (CycloneDX, JSON) from the lock.

usage: python packaging/sbom.py TARGET.cdx.json

Run it with the packaging environment, where the licences are known. HONEYGUIDE_SBOM_PYTHON names the Python that has
packaging/requirements-sbom.lock installed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import third_party


def shipped_lock() -> str:
    """Return the program's lock with the further packages that the installers hold."""
    extra = []
    text = third_party.LOCK.read_text(encoding="utf-8")
    for name in third_party.LOCAL:
        found = re.search(rf"^{name}==.*?(?=^[a-z0-9]|\Z)", text, re.MULTILINE | re.DOTALL)
        if found is None:
            raise SystemExit(f"{name} is not in {third_party.LOCK.name}")
        extra.append(found[0])
    return third_party.PROGRAM_LOCK.read_text(encoding="utf-8") + "".join(extra)


def write(target: Path) -> int:
    """Write the list, with licences, and return the number of components."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "requirements.txt"
        lock.write_text(shipped_lock(), encoding="utf-8")
        command = [os.environ["HONEYGUIDE_SBOM_PYTHON"], "-m", "cyclonedx_py", "requirements", str(lock)]
        command += ["--output-reproducible", "--output-format", "JSON", "--spec-version", "1.6"]
        command += ["--pyproject", str(third_party.ROOT / "pyproject.toml"), "--mc-type", "application"]
        subprocess.run([*command, "--output-file", str(target)], check=True)
    document = json.loads(target.read_text(encoding="utf-8"))
    licences = {(package.name, package.version): package.licence for package in third_party.packages()}
    for component in document["components"]:
        component.pop("description", None)  # the line of the lock once more
        licence = licences.get((component["name"], component.get("version", "")))
        if licence and "licenses" not in component:
            component["licenses"] = [{"license": {"name": licence}}]
    target.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return len(document["components"])


if __name__ == "__main__":
    print(f"{write(Path(sys.argv[1]))} components in {sys.argv[1]}")

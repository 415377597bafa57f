"""The version resource of the Windows programs: what the Explorer shows under Properties, Details."""

from __future__ import annotations

import re
from typing import Any

STRINGS = {
    "CompanyName": "The Honeyguide project",
    "FileDescription": "Honeyguide",
    "InternalName": "honeyguide",
    "LegalCopyright": "Apache License 2.0",
    "OriginalFilename": "honeyguide.exe",
    "ProductName": "Honeyguide",
}


def numbers(version: str) -> tuple[int, int, int, int]:
    """Return four numbers for a version: ``0.1.0`` is ``(0, 1, 0, 0)``; a suffix like ``rc1`` is left out."""
    found = [int(part) for part in re.findall(r"\d+", version.split("+")[0].split("rc")[0].split(".dev")[0])][:4]
    first, second, third, fourth = [*found, 0, 0, 0, 0][:4]
    return first, second, third, fourth


def version_info(version: str) -> Any:
    """Return the resource as PyInstaller takes it."""
    from PyInstaller.utils.win32 import versioninfo as resource

    fixed = numbers(version)
    strings = {**STRINGS, "FileVersion": version, "ProductVersion": version}
    table = resource.StringTable("040904B0", [resource.StringStruct(name, text) for name, text in strings.items()])
    return resource.VSVersionInfo(
        ffi=resource.FixedFileInfo(filevers=fixed, prodvers=fixed),
        kids=[
            resource.StringFileInfo([table]),
            resource.VarFileInfo([resource.VarStruct("Translation", [0x0409, 1200])]),
        ],
    )

"""What of the installers can be checked on any system: their parts fit each other, the program and the locks."""

from __future__ import annotations

import configparser
import plistlib
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import typer.main
import yaml

from honeyguide import __version__
from honeyguide.cli.app import command_line
from honeyguide.workspace.exporting import _HEAD

RESOURCES = "resources/desktop"
_REGISTRIES = {"pypi": "org", "pythonhosted": "org", "npmjs": "(com|org)", "deb[.]debian": "org", "crates": "io"}
REGISTRY_HOSTS = re.compile("|".join(f"{name}[.]{end}" for name, end in _REGISTRIES.items()), re.IGNORECASE)


def locked(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([a-z0-9][\w.-]*)==(\S+)", path.read_text(), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


# --- icons


@pytest.mark.parametrize("size", [16, 22, 24, 32, 48, 64, 128, 256, 512])
def test_each_icon_has_the_size_of_its_name(root: Path, size: int) -> None:
    data = (root / "resources/icons/app" / f"honeyguide-{size}.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (size, size)


def test_the_windows_icon_holds_every_size(root: Path) -> None:
    data = (root / "packaging/windows/honeyguide.ico").read_bytes()
    reserved, kind, count = struct.unpack("<HHH", data[:6])
    widths = {data[6 + 16 * n] or 256 for n in range(count)}
    assert (reserved, kind, widths) == (0, 1, {16, 24, 32, 48, 64, 128, 256})


def test_the_macos_icon_holds_every_size(root: Path) -> None:
    data = (root / "packaging/macos/honeyguide.icns").read_bytes()
    assert data[:4] == b"icns" and struct.unpack(">I", data[4:8]) == (len(data),)
    widths, at = set(), 8
    while at < len(data):
        length = struct.unpack(">I", data[at + 4 : at + 8])[0]
        if data[at + 8 : at + 16] == b"\x89PNG\r\n\x1a\n":
            widths.add(struct.unpack(">I", data[at + 24 : at + 28])[0])
        at += length
    assert widths >= {32, 64, 128, 256, 512, 1024}


# --- desktop files


def desktop(root: Path, name: str) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(root / RESOURCES / name, encoding="utf-8")
    return parser["Desktop Entry"]


def test_one_type_of_file_is_named_everywhere(root: Path, script) -> None:
    mime = ET.parse(root / RESOURCES / "honeyguide-mime.xml").getroot()
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    kind = mime.find("m:mime-type", space)
    assert kind is not None
    name, pattern = kind.get("type"), kind.find("m:glob", space).get("pattern")  # type: ignore[union-attr]
    assert desktop(root, "honeyguide-review.desktop")["MimeType"] == f"{name};"
    metainfo = ET.parse(root / RESOURCES / "org.honeyguide.Honeyguide.metainfo.xml").getroot()
    assert metainfo.findtext("provides/mediatype") == name
    declared = script("macos/info_plist").entries("1.0")["UTExportedTypeDeclarations"][0]["UTTypeTagSpecification"]
    assert declared == {"public.filename-extension": ["honeyguide-review"], "public.mime-type": [name]}
    assert pattern == "*.honeyguide-review"
    nsis = (root / "packaging/windows/honeyguide.nsi").read_text(encoding="utf-8")
    assert f'"{name}"' in nsis and '"Software\\Classes\\.honeyguide-review"' in nsis
    assert script("pyinstaller/launch").REVIEW_SUFFIX == ".honeyguide-review"


def test_the_metainfo_tells_of_this_version_and_its_menu_entry(root: Path) -> None:
    metainfo = ET.parse(root / RESOURCES / "org.honeyguide.Honeyguide.metainfo.xml").getroot()
    release = metainfo.find("releases/release")
    assert release is not None and release.get("version") == __version__
    assert metainfo.findtext("launchable") == "honeyguide.desktop"
    assert metainfo.findtext("id") in (root / "packaging/honeyguide.spec").read_text()
    assert desktop(root, "honeyguide.desktop")["StartupWMClass"] == "honeyguide"


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("desktop-file-validate", [f"{RESOURCES}/honeyguide.desktop", f"{RESOURCES}/honeyguide-review.desktop"]),
        ("appstreamcli", ["validate", "--no-net", f"{RESOURCES}/org.honeyguide.Honeyguide.metainfo.xml"]),
    ],
)
def test_the_validators_are_content(root: Path, program: str, arguments: list[str]) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([program, *arguments], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_manual_page_tells_every_command(root: Path) -> None:
    command = typer.main.get_command(command_line())
    page = (root / RESOURCES / "honeyguide.1").read_text(encoding="utf-8")
    told = set(re.findall(r"^\.It Cm (\S+)$", page, re.MULTILINE))
    assert set(command.commands) <= told  # type: ignore[attr-defined]


def test_an_exported_page_begins_as_the_program_that_opens_it_expects() -> None:
    from honeyguide.workspace import exported_reviews

    head = _HEAD.format(title="t", style="")
    assert (
        head.startswith(exported_reviews.BEGINNING)
        and exported_reviews.POLICY in head[: exported_reviews.HEAD_CHARACTERS]
    )


# --- what goes into the program


@pytest.mark.parametrize(
    ("name", "source", "ships"),
    [
        ("PySide6/Qt/lib/libQt6Gui.so.6", "/venv/x", True),
        ("PySide6/Qt/lib/libQt6Quick.so.6", "/venv/x", False),
        ("PySide6/QtWidgets.abi3.so", "/venv/x", True),
        ("PySide6/QtQml.abi3.so", "/venv/x", False),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", "/venv/x", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", "/venv/x", True),
        ("PySide6/Qt/plugins/platforms/libqwayland.so", "/venv/x", True),
        ("PySide6/Qt/plugins/platforms/libqeglfs.so", "/venv/x", False),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", "/venv/x", False),
        ("PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboardplugin.so", "/venv/x", False),
        ("PySide6/Qt/plugins/iconengines/libqsvgicon.so", "/venv/x", True),
        ("PySide6/Qt6Core.dll", "C:\\venv\\x", True),
        ("PySide6\\Qt6Quick.dll", "C:\\venv\\x", False),
        ("PySide6\\plugins\\platforms\\qwindows.dll", "C:\\venv\\x", True),
        ("PySide6\\plugins\\sqldrivers\\qsqlite.dll", "C:\\venv\\x", False),
        ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", "/venv/x", True),
        ("PySide6/Qt/lib/QtGui.framework/Versions/A/QtGui", "/venv/x", True),
        ("PySide6/Qt/lib/QtQuick.framework/Versions/A/QtQuick", "/venv/x", False),
        ("libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", False),
        ("libgtk-3.so.0", "/usr/lib/x86_64-linux-gnu/libgtk-3.so.0", False),
        ("libglib-2.0.so.0", "/lib/x86_64-linux-gnu/libglib-2.0.so.0", False),
        ("libxcb-cursor.so.0", "/usr/lib/x86_64-linux-gnu/libxcb-cursor.so.0", True),
        ("libsqlite3.so.0", "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", True),
        ("libpython3.13.so.1.0", "/opt/python/lib/libpython3.13.so.1.0", True),
        ("lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so", "/usr/lib/python3.11/lib-dynload/_ssl.so", True),
        ("numpy.libs/libscipy_openblas64_.so", "/venv/x", True),
    ],
)
def test_the_libraries_that_ship(script, name: str, source: str, ships: bool) -> None:
    assert script("pyinstaller/selection").keeps_binary(name, source) is ships


@pytest.mark.parametrize(
    ("name", "ships"),
    [
        ("PySide6/Qt/translations/qtbase_de.qm", True),
        ("PySide6/Qt/translations/designer_de.qm", False),
        ("PySide6/Qt/qml/QtQuick/qmldir", False),
        ("PySide6/QtCore.pyi", False),
        ("numpy/tests/data/x.bin", False),
        ("honeyguide/storage/migrations/versions/0001_the_first_tables.py", True),
        ("honeyguide/resources/sample/base/personas/coder.json", True),
        ("x/libthing.so.debug", False),
    ],
)
def test_the_data_that_ships(script, name: str, ships: bool) -> None:
    assert script("pyinstaller/selection").keeps_data(name) is ships


def test_symbols_stay_only_where_strip_can_break_things(script) -> None:
    selection, root = script("pyinstaller/selection"), Path("/p")
    stripped = {
        name: selection.is_stripped(root / name, root)
        for name in ("_internal/libpython3.11.so.1.0", "_internal/PySide6/QtCore.abi3.so", "_internal/numpy.libs/a.so")
    }
    assert list(stripped.values()) == [True, False, False]


def test_what_no_lock_names_is_noticed(script) -> None:
    not_locked = script("pyinstaller/selection").not_locked
    assert not_locked(["honeyguide.kernel", "json", "pytest.x"], ["pydantic"]) == ["pytest"]
    assert not_locked(["pydantic.main", "yaml"], ["pydantic", "pyyaml"]) == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF files")
def test_needs_are_read_from_the_files(script) -> None:
    if shutil.which("readelf") is None:
        pytest.skip("binutils is not installed")
    wanted, own, glibc = script("linux/needs").wanted_and_own([Path(sys.executable).resolve()])
    assert "libc.so.6" in wanted and own >= {Path(sys.executable).resolve().name} and glibc >= (2, 17)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (
            {"LD_LIBRARY_PATH": "/p/_internal", "LD_LIBRARY_PATH_ORIG": "/opt/x", "_PYI_A": "1"},
            {"LD_LIBRARY_PATH": "/opt/x"},
        ),
        ({"LD_LIBRARY_PATH": "/p/_internal", "_PYI_PARENT_PROCESS_LEVEL": "-1", "PATH": "/bin"}, {"PATH": "/bin"}),
    ],
)
def test_what_a_frozen_program_starts_gets_the_systems_libraries(script, monkeypatch, given, left) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    script("pyinstaller/launch").forget_own_libraries(given)
    assert given == left


# --- locks, licences, scripts


def test_the_installers_are_built_from_the_locked_versions(root: Path) -> None:
    program = locked(root / "requirements.lock")
    built = locked(root / "packaging/requirements-package.lock")
    assert {name: built.get(name) for name in program} == program, "run packaging/lock.sh"


def test_every_package_that_ships_is_listed_with_its_licence(root: Path, script) -> None:
    text = (root / "THIRD-PARTY.md").read_text(encoding="utf-8")
    listed = {
        (row[0], row[1]) for row in re.findall(r"^\| ([a-z0-9][\w.-]*) \| (\S+) \| ([^|]+) \|", text, re.MULTILINE)
    }
    assert listed >= {(name, version) for name, version, _ in script("third_party").locked()}, "run third_party.py"
    assert "LGPL" in text and "replaced" in text


@pytest.mark.parametrize("name", ["LGPL-3.0.txt", "GPL-3.0.txt"])
def test_the_texts_that_qt_asks_for_ship(root: Path, name: str) -> None:
    assert (
        "GNU" in (root / "packaging/licences" / name).read_text()
        and len((root / "packaging/licences" / name).read_text()) > 7000
    )


def test_no_file_names_the_host_of_a_registry(root: Path) -> None:
    places = [root / "packaging", root / "resources", root / ".github", root / "docs"]
    files = [root / "THIRD-PARTY.md", *(path for place in places for path in place.rglob("*") if path.is_file())]
    texts = {".md", ".py", ".sh", ".yml", ".toml", ".lock", ".in", ".txt", ".nsi", ".xml", ".desktop", ".spec"}
    named = [path for path in files if path.suffix in texts and REGISTRY_HOSTS.search(path.read_text(encoding="utf-8"))]
    assert named == []


def test_every_shell_script_can_be_parsed_and_started(root: Path) -> None:
    scripts = sorted((root / "packaging").rglob("*.sh"))
    assert len(scripts) > 10
    for path in scripts:
        shell = "sh" if path.read_text().startswith("#!/bin/sh") else "bash"
        done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{path}: {done.stderr}"


def test_the_workflow_calls_only_what_is_there(root: Path) -> None:
    text = (root / ".github/workflows/release.yml").read_text()
    workflow = yaml.safe_load(text)
    for called in set(re.findall(r"packaging/[\w./-]+\.(?:sh|py)", text)):
        assert (root / called).is_file(), called
    makefile = (root / "Makefile").read_text()
    for target in re.findall(r"run: make (\w+)", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    jobs = workflow["jobs"]
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}
    assert all("timeout-minutes" in job for name, job in jobs.items() if name != "publish")
    assert workflow["permissions"] == {"contents": "read"}


def test_the_macos_entitlements_are_a_property_list(root: Path) -> None:
    granted = plistlib.loads((root / "packaging/macos/entitlements.plist").read_bytes())
    assert all(value is True for value in granted.values())
    assert "com.apple.security.cs.disable-library-validation" in granted, "Qt's libraries could not be replaced"


def test_the_windows_version_is_four_numbers(script) -> None:
    numbers = script("windows/version_resource").numbers
    assert [numbers(text) for text in ("0.1.0", "1.2", "1.2.3rc4", "2.0.0.dev1", "1.2.3.4")] == [
        (0, 1, 0, 0), (1, 2, 0, 0), (1, 2, 3, 0), (2, 0, 0, 0), (1, 2, 3, 4),
    ]  # fmt: skip


def test_the_windows_installer_compiles(root: Path) -> None:
    if shutil.which("makensis") is None:
        pytest.skip("makensis is not installed")
    done = subprocess.run(["bash", "packaging/windows/lint.sh"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

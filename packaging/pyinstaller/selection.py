"""Which files go into the frozen program and which stay out: the tables, and what reads them. Used by the spec."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatch
from importlib import metadata
from pathlib import Path

EXCLUDED_MODULES = (
    "IPython", "PIL", "docutils", "hypothesis", "jedi", "lxml", "matplotlib", "mypy",
    "pandas", "pip", "pkg_resources", "psycopg", "psycopg2", "pytest", "readline", "scipy", "setuptools", "sphinx",
    "test", "tkinter", "wheel",
    "OpenGL", "cupy", "h5py", "numba", "pyqtgraph.examples", "pyqtgraph.opengl",
    "sqlalchemy.dialects.mssql", "sqlalchemy.dialects.mysql", "sqlalchemy.dialects.oracle",
    "PySide6.QtDesigner", "PySide6.QtHelp", "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickControls2",
    "PySide6.QtQuickTest", "PySide6.QtQuickWidgets", "PySide6.QtSql", "PySide6.QtUiTools", "PySide6.QtXml",
)  # fmt: skip
"""Optional imports of libraries we use, build tools of the same environment, and Qt's modules that we do not use."""

COLLECTED_PACKAGES = ("honeyguide", "keyring.backends", "uvicorn", "anthropic", "openai", "mcp", "alembic.ddl")
"""Packages whose modules are partly found by name at run time."""

HIDDEN_MODULES = (
    "keyring.backends.SecretService", "logging.config", "sqlalchemy.dialects.sqlite.pysqlite", "xllamacpp"
)  # fmt: skip

WITH_METADATA = ("keyring", "opentelemetry-api", "mcp", "pydantic")
"""Distributions that look up their own version or their entry points."""

KEPT_PLUGINS = (
    "iconengines/*qsvgicon*",
    "imageformats/*qico*",
    "imageformats/*qsvg*",
    "platforminputcontexts/*",
    "platforms/*cocoa*",
    "platforms/*offscreen*",
    "platforms/*qwayland*",
    "platforms/*qwindows*",
    "platforms/*qxcb*",
    "platformthemes/*xdgdesktopportal*",
    "styles/*",
    "wayland-decoration-client/*",
    "wayland-graphics-integration-client/*qt-plugin-wayland-egl*",
    "wayland-shell-integration/*xdg-shell*",
    "xcbglintegrations/*",
)
"""Qt plugins that ship. Out stay the on-screen keyboard (it needs Qt Quick), GTK's theme, databases, TLS, printing."""

DROPPED_PLUGINS = ("platforminputcontexts/*virtualkeyboard*",)

KEPT_QT = {
    "Core", "DBus", "Gui", "Network", "OpenGL", "OpenGLWidgets", "PrintSupport", "Svg", "SvgWidgets", "Test",
    "WaylandClient", "WaylandEglClientHwIntegration", "Widgets", "WlShellIntegration", "XcbQpa",
}  # fmt: skip
"""Qt's own libraries that ship, without the prefix that each system gives them."""

KEPT_SYSTEM_LIBRARIES = (
    "libbz2.so*", "libcrypto.so*", "libffi.so*", "libgomp.so*", "liblzma.so*", "libsqlite3.so*", "libssl.so*",
    "libxcb-cursor.so*", "libxcb-icccm.so*", "libxcb-image.so*", "libxcb-keysyms.so*", "libxcb-render-util.so*",
    "libxcb-util.so*",
)  # fmt: skip
"""Libraries of the building system that ship: Python's own, and the small X helpers that many desktops lack.

All others (C and C++ runtime, graphics, fonts, D-Bus, GLib) come from the system that runs it: they must match its
drivers and its settings, and get its security updates.
"""

SYSTEM_FOLDERS = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")
UNSTRIPPED = ("_internal/PySide6/*", "_internal/shiboken6/*", "_internal/numpy/*", "_internal/numpy.libs/*")
"""Libraries that keep their symbols: their makers relocated parts of them, and strip can break that."""


def keeps_binary(name: str, source: str) -> bool:
    """Say whether a library ships.

    Args:
        name: its path inside the program.
        source: where it comes from.
    """
    path = name.replace("\\", "/")
    file = path.rsplit("/", 1)[-1]
    if "/plugins/" in path and ("PySide6" in path or "Qt" in path):
        plugin = path.split("/plugins/", 1)[1]
        return _is_any(plugin, KEPT_PLUGINS) and not _is_any(plugin, DROPPED_PLUGINS)
    qt = qt_module(file)
    if qt is not None:
        return qt in KEPT_QT
    if source.startswith(SYSTEM_FOLDERS):
        return _is_any(file, KEPT_SYSTEM_LIBRARIES) or "/python3" in source
    return True


def keeps_data(name: str) -> bool:
    """Say whether a data file ships: no debug files, tests, type stubs, nor Qt's words for its own tools."""
    path = name.replace("\\", "/")
    file = path.rsplit("/", 1)[-1]
    if "/translations/" in path and path.startswith("PySide6"):
        return file.startswith("qtbase_")
    if path.startswith("PySide6") and "/qml/" in path:
        return False
    if file.endswith((".debug", ".pdb", ".pyi", ".dSYM", ".map")) or file == "py.typed":
        return False
    return "/tests/" not in path or path.startswith("honeyguide/")


def not_locked(modules: Iterable[str], locked: Iterable[str]) -> list[str]:
    """Return the distributions that modules come from and that the lock does not name: none may slip in.

    Args:
        modules: full names of what was collected.
        locked: distribution names as the lock spells them.
    """
    distributions = metadata.packages_distributions()
    known = set(locked)
    found = {
        re.sub(r"[-_.]+", "-", name).lower()
        for top in {module.partition(".")[0] for module in modules}
        for name in distributions.get(top, [])
    }
    return sorted(found - known - {"honeyguide"})


def qt_module(file: str) -> str | None:
    """Return the Qt module of a library's or binding's file name (``libQt6Gui.so.6``: ``Gui``), else ``None``."""
    stem = file.split(".", 1)[0]
    for prefix in ("libQt6", "Qt6"):
        if stem.startswith(prefix):
            return stem.removeprefix(prefix)
    if stem.startswith("Qt") and (".abi3." in file or file.endswith(".pyd") or "." not in file):
        return stem.removeprefix("Qt")
    return None


def is_stripped(path: Path, root: Path) -> bool:
    """Say whether a file of the finished program may lose its symbols."""
    return not _is_any(path.relative_to(root).as_posix(), UNSTRIPPED)


def _is_any(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(text, pattern) for pattern in patterns)

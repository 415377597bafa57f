"""One window per workspace: a second start raises the first, hands it the file it was started with, and ends."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

RAISE = b"raise\n"
OPEN = b"open "
"""Followed by the absolute path as a JSON string in ASCII, and the end of the line."""
MOST_BYTES = 32 * 1024
"""Of what a second start says; a longer one is not listened to."""
_CONNECT_MS = 800
_ANSWER_MS = 10_000
"""Whoever can be connected to is there; it may be starting itself, and answers when it comes to it."""


def server_name(workspace: Path) -> str:
    """Return the name under which a workspace's window listens; the same for every way to write its path."""
    return "honeyguide-" + hashlib.sha256(str(workspace.expanduser().resolve()).encode()).hexdigest()[:20]


def ask_other(workspace: Path, file: Path | None = None) -> bool:
    """Ask the window of this workspace to come forward and to open ``file``; says whether one answered."""
    socket = QLocalSocket()
    socket.connectToServer(server_name(workspace))
    if not socket.waitForConnected(_CONNECT_MS):
        return False
    socket.write(RAISE if file is None else OPEN + json.dumps(str(file.absolute())).encode("ascii") + b"\n")
    socket.flush()
    heard = socket.waitForReadyRead(_ANSWER_MS) and bytes(socket.readAll().data()).startswith(b"ok")
    socket.disconnectFromServer()
    return heard


class SingleInstance(QObject):
    """Listens for second starts.

    Signals:
        raise_wanted(). file_wanted(Path): a second start was to open this file, which is there.
    """

    raise_wanted = Signal()
    file_wanted = Signal(object)

    def __init__(self, workspace: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._workspace = workspace
        self._name = server_name(workspace)

    def claim(self, file: Path | None = None) -> bool:
        """Be the window of the workspace from now on; ``False`` when another one is, which was asked to come forward
        and to open ``file``.

        Of two starts at the same moment one gets the name; the other one then finds it. What a crashed window left
        behind is taken away.
        """
        if ask_other(self._workspace, file):
            return False
        if self._server.listen(self._name):
            return True
        if ask_other(self._workspace, file):
            return False
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return True

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _on_connection(self) -> None:
        socket = self._server.nextPendingConnection()
        socket.disconnected.connect(socket.deleteLater)
        socket.readyRead.connect(lambda: self._on_words(socket))

    def _on_words(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > MOST_BYTES:
                socket.abort()
            return
        line = bytes(socket.readLine(MOST_BYTES + 1).data())
        file = wanted_file(line)
        if line != RAISE and file is None:
            socket.abort()
            return
        socket.write(b"ok\n")
        socket.flush()
        self.raise_wanted.emit()
        if file is not None:
            self.file_wanted.emit(file)


def wanted_file(line: bytes) -> Path | None:
    """Return the file that a second start names; ``None`` unless it is an absolute path of something that is there."""
    if not line.startswith(OPEN) or not line.endswith(b"\n") or len(line) > MOST_BYTES:
        return None
    try:
        said = json.loads(line[len(OPEN) :])
        file = Path(said) if isinstance(said, str) else None
        return file if file is not None and file.is_absolute() and file.exists() else None
    except (ValueError, OSError, RecursionError):
        return None

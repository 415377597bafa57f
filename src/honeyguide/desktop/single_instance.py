"""One window per workspace: a second start raises the first and ends."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

RAISE = b"raise\n"
_CONNECT_MS = 800
_ANSWER_MS = 10_000
"""Whoever can be connected to is there; it may be starting itself, and answers when it comes to it."""


def server_name(workspace: Path) -> str:
    """Return the name under which a workspace's window listens; the same for every way to write its path."""
    return "honeyguide-" + hashlib.sha256(str(workspace.expanduser().resolve()).encode()).hexdigest()[:20]


def ask_other(workspace: Path) -> bool:
    """Ask the window of this workspace to come forward; says whether there is one that answered."""
    socket = QLocalSocket()
    socket.connectToServer(server_name(workspace))
    if not socket.waitForConnected(_CONNECT_MS):
        return False
    socket.write(RAISE)
    socket.flush()
    heard = socket.waitForReadyRead(_ANSWER_MS) and bytes(socket.readAll().data()).startswith(b"ok")
    socket.disconnectFromServer()
    return heard


class SingleInstance(QObject):
    """Listens for second starts.

    Signals:
        raise_wanted()
    """

    raise_wanted = Signal()

    def __init__(self, workspace: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._workspace = workspace
        self._name = server_name(workspace)

    def claim(self) -> bool:
        """Be the window of the workspace from now on; ``False`` when another one is, which was asked to come forward.

        Of two starts at the same moment one gets the name; the other one then finds it. What a crashed window left
        behind is taken away.
        """
        if ask_other(self._workspace):
            return False
        if self._server.listen(self._name):
            return True
        if ask_other(self._workspace):
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
        if bytes(socket.readAll().data()).startswith(RAISE.strip()):
            socket.write(b"ok\n")
            socket.flush()
            self.raise_wanted.emit()

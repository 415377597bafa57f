"""A server on loopback that answers every request with exactly the bytes it is told to, however wrong they are."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator

Answer = bytes | Callable[[], Iterable[bytes]]
"""All bytes at once, or pieces that are sent until the client has hung up."""


class HostileServer:
    """The server; a context manager.

    Attributes:
        url: its address, without a path.
        requests: how many came in.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.requests = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> HostileServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self.requests += 1
            threading.Thread(target=self._treat, args=(client,), daemon=True).start()

    def _treat(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            _read_request(client)
            for piece in [self._answer] if isinstance(self._answer, bytes) else self._answer():
                client.sendall(piece)
            client.shutdown(socket.SHUT_WR)
            client.recv(1)


def answer(
    body: bytes, *, status: str = "200 OK", kind: str = "application/json", headers: str = "", length: int | None = None
) -> bytes:
    """Return a whole HTTP answer; ``length`` is what it says of its body, where that shall be a lie."""
    said = len(body) if length is None else length
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {said}\r\nconnection: close\r\n{headers}\r\n"
    return head.encode("latin-1") + body


def forever(first: bytes, piece: bytes, *, pause: float = 0.0, seconds: float = 20.0) -> Callable[[], Iterator[bytes]]:
    """Return what sends ``piece`` again and again after ``first``."""

    def pieces() -> Iterator[bytes]:
        yield first
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield piece
            time.sleep(pause)

    return pieces


def _read_request(client: socket.socket) -> None:
    data = b""
    while b"\r\n\r\n" not in data:
        data += client.recv(65536) or b"\r\n\r\n"
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += client.recv(65536)

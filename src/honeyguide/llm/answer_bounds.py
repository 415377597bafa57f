"""How long an answer may be: a server that never stops sending must not fill the memory.

An HTTP client reads an answer to its end before anybody sees it, and unpacks a compressed one on the way. So the
bytes are counted as they arrive, and what is compressed may only be so long that unpacked it still fits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

LONGEST_ANSWER = 32 * 1024 * 1024
"""Bytes of one answer; the longest replies of models have a few hundred thousand."""
LONGEST_COMPRESSED = 64 * 1024
"""Bytes of a compressed one, which we don't ask for; deflate makes at most 1,032 bytes out of one."""
LONGEST_RESULTS = 1024 * 1024 * 1024
"""Bytes of a batch's results: ten thousand replies in one file."""
NO_COMPRESSION = {"accept-encoding": "identity"}


class AnswerTooLong(ValueError):
    """An answer went on past its bound."""


async def bound_answer(response: Any) -> None:
    """Hook of the HTTP client: make ``response`` raise AnswerTooLong when its body gets too long."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            taken = 0
            async for part in inner:
                taken += len(part)
                if taken > most:
                    raise AnswerTooLong(f"more than {most} bytes")
                yield part

        async def aclose(self) -> None:
            await inner.aclose()

    inner, most = response.stream, _bound(response)
    response.stream = Bounded()


def _bound(response: Any) -> int:
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        return LONGEST_COMPRESSED
    is_results = response.request.url.path.endswith("/results")
    return LONGEST_RESULTS if is_results else LONGEST_ANSWER

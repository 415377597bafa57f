"""Being the only one: a lease on something that one program may do at a time, refused with who does it now."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from honeyguide.kernel.errors import Locked
from honeyguide.storage import Lease, Store


@asynccontextmanager
async def held(store: Store, name: str, taken: str) -> AsyncIterator[Lease]:
    """Hold a lease while the block runs.

    Args:
        taken: how the sentence begins that says somebody else holds it.

    Raises:
        Locked: with process, host and since when in its details.
    """
    is_ours = False
    try:
        async with store.lease(name) as lease:
            is_ours = True
            yield lease
    except Locked as error:
        about = error.details
        if is_ours or "pid" not in about:
            raise
        raise Locked(
            f"{taken}: process {about['pid']} on {about['host']}, since {about['since']}.",
            hint="Stop it first, or use that one.",
            details=about,
        ) from error

"""Replies that were cut off at the length limit: noticed by the stop reason, and asked for once more with more room."""

from __future__ import annotations

from dataclasses import replace

from honeyguide.llm.protocol import ModelClient, ModelReply, ModelRequest, ModelRole, StopReason

GROWTH = 2
LARGEST_REPLY = 32_000
"""Tokens; above it a longer reply is not asked for."""
WHOLE_ROLES = frozenset({ModelRole.JUDGE, ModelRole.MUTATOR, ModelRole.MAINTAINER})
"""Whose replies are of no use when they are cut off. An executor's limit belongs to what is measured."""


def is_truncated(reply: ModelReply) -> bool:
    """Say whether the reply ended because it reached its length limit."""
    return reply.stop_reason is StopReason.MAX_TOKENS


async def complete_whole(
    client: ModelClient, request: ModelRequest, *, growth: int = GROWTH, largest: int = LARGEST_REPLY
) -> ModelReply:
    """Ask, and if the reply was cut off ask once more with ``growth`` times the room (at most ``largest``).

    Both calls go through ``client`` and are journaled and paid like any other. The second reply may still be cut
    off: look at ``is_truncated``.
    """
    reply = await client.complete(request)
    room = min(request.max_tokens * growth, largest)
    if not is_truncated(reply) or room <= request.max_tokens:
        return reply
    return await client.complete(replace(request, max_tokens=room))

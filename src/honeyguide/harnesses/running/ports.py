"""What a run needs of the world around it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from honeyguide.harnesses.running.tools import RunHooks
from honeyguide.kernel.clock import Clock
from honeyguide.llm.prices import Quote
from honeyguide.llm.protocol import ModelClient, ModelRef


@dataclass(slots=True)
class RunPorts:
    """What a run needs of the world.

    Attributes:
        quote: what calls cost.
        on_event: told of every journal event, redacted.
        child_command: how the process for the folder's code is started, where not in our own way.
        is_stopped: asked between calls; returns why to stop, or nothing.
    """

    client: ModelClient
    model: ModelRef
    quote: Quote
    clock: Clock
    environ: Mapping[str, str]
    hooks: RunHooks = field(default_factory=RunHooks)
    on_event: Callable[[Mapping[str, Any]], None] = lambda event: None
    child_command: Sequence[str] | None = None
    is_stopped: Callable[[], str] = lambda: ""


def new_run_id() -> str:
    """Return a fresh run id."""
    return f"run_{secrets.token_hex(8)}"

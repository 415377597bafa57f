"""Talking to models: one protocol, the layers that make a call careful, and the providers.

Every room above may import it; it imports only ``kernel``. A name is imported
when it is first asked for; no model SDK is, and nothing is opened.
A run gets its models from ``RunModels``; ``docs/models.md`` tells the whole story.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.kernel.exports import exports

if TYPE_CHECKING:
    from honeyguide.llm.budget import Allowance, Amount, Budget, Ledger, Spend
    from honeyguide.llm.cancel import Cancellation
    from honeyguide.llm.diagnosis import Diagnosis, diagnose
    from honeyguide.llm.journal import Journal, read_entries
    from honeyguide.llm.journal_entries import JournalEntry
    from honeyguide.llm.keys import Key, KeySource, KeyStore
    from honeyguide.llm.prices import Money, PriceTable
    from honeyguide.llm.protocol import (
        Message,
        ModelClient,
        ModelRef,
        ModelReply,
        ModelRequest,
        ModelRole,
        StopReason,
        Usage,
    )
    from honeyguide.llm.registry import ModelRegistry, costs_money, gguf_name, make_provider
    from honeyguide.llm.retry import OnWait
    from honeyguide.llm.settings import DEFAULT_MODELS, Endpoint, ModelSettings, grades_itself, own_endpoints
    from honeyguide.llm.stack import ModelStack, RunModels, build_stack
    from honeyguide.llm.whole import complete_whole, is_truncated

__all__ = [
    "DEFAULT_MODELS",
    "Allowance",
    "Amount",
    "Budget",
    "Cancellation",
    "Diagnosis",
    "Endpoint",
    "Journal",
    "JournalEntry",
    "Key",
    "KeySource",
    "KeyStore",
    "Ledger",
    "Message",
    "ModelClient",
    "ModelRef",
    "ModelRegistry",
    "ModelReply",
    "ModelRequest",
    "ModelRole",
    "ModelSettings",
    "ModelStack",
    "Money",
    "OnWait",
    "PriceTable",
    "RunModels",
    "Spend",
    "StopReason",
    "Usage",
    "build_stack",
    "complete_whole",
    "costs_money",
    "diagnose",
    "gguf_name",
    "grades_itself",
    "is_truncated",
    "make_provider",
    "own_endpoints",
    "read_entries",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        ".budget": (
            "Allowance",
            "Amount",
            "Budget",
            "Ledger",
            "Spend",
        ),
        ".cancel": ("Cancellation",),
        ".diagnosis": (
            "Diagnosis",
            "diagnose",
        ),
        ".journal": (
            "Journal",
            "read_entries",
        ),
        ".journal_entries": ("JournalEntry",),
        ".keys": (
            "Key",
            "KeySource",
            "KeyStore",
        ),
        ".prices": (
            "Money",
            "PriceTable",
        ),
        ".protocol": (
            "Message",
            "ModelClient",
            "ModelRef",
            "ModelReply",
            "ModelRequest",
            "ModelRole",
            "StopReason",
            "Usage",
        ),
        ".registry": (
            "ModelRegistry",
            "costs_money",
            "gguf_name",
            "make_provider",
        ),
        ".retry": ("OnWait",),
        ".settings": (
            "DEFAULT_MODELS",
            "Endpoint",
            "ModelSettings",
            "grades_itself",
            "own_endpoints",
        ),
        ".stack": (
            "ModelStack",
            "RunModels",
            "build_stack",
        ),
        ".whole": (
            "complete_whole",
            "is_truncated",
        ),
    },
)

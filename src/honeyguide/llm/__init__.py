"""Talking to models: one protocol, the layers that make a call careful, and the providers.

Every room above may import it; it imports only ``kernel``. Importing it imports no model SDK and opens nothing.
A run gets its models from ``RunModels``; ``docs/models.md`` tells the whole story.
"""

from honeyguide.llm.budget import Allowance, Amount, Budget, Ledger, Spend
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.diagnose import Diagnosis, diagnose
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
from honeyguide.llm.settings import DEFAULT_MODELS, Endpoint, ModelSettings, grades_itself
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
    "read_entries",
]

"""The database of a workspace: tables, migrations, repositories, and the ``Store`` that owns its threads.

Only ``workspace`` imports this room. Nothing of SQLAlchemy leaves it: plain dataclasses come out.

Use::

    store = Store.open(folder / "honeyguide.db", create=True)
    run = await store.write(lambda unit: unit.runs.accept(uuid, note))
    rows = await store.read(lambda unit: unit.attempts.list(limit=50))
    await store.aclose()
"""

from honeyguide.storage.attempts import RESUMABLE, SHOWN_STATES, STATES
from honeyguide.storage.day_ledger import DayLedger
from honeyguide.storage.leases import DAEMON, SERVER, run_lease
from honeyguide.storage.leasing import Lease
from honeyguide.storage.run_sink import StoredAttempt, keep_verification
from honeyguide.storage.runs import clamped_limit
from honeyguide.storage.store import Store, current_actor
from honeyguide.storage.trace_sink import StoredTraces
from honeyguide.storage.unit import Unit
from honeyguide.storage.watching import EventWatcher, State

__all__ = [
    "DAEMON",
    "RESUMABLE",
    "SERVER",
    "SHOWN_STATES",
    "STATES",
    "DayLedger",
    "EventWatcher",
    "Lease",
    "State",
    "Store",
    "StoredAttempt",
    "StoredTraces",
    "Unit",
    "clamped_limit",
    "current_actor",
    "keep_verification",
    "run_lease",
]

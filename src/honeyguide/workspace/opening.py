"""Making and opening a workspace: folder, database, settings, redaction key, and the repair of what a crash left."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from honeyguide.kernel.clock import Clock, SystemClock
from honeyguide.kernel.errors import Conflict, NotFound, Unwritable
from honeyguide.kernel.ids import IdFactory, new_uuid
from honeyguide.llm import KeyStore
from honeyguide.storage import Store
from honeyguide.workspace.core import Core, redaction_key
from honeyguide.workspace.events import EventHub
from honeyguide.workspace.layout import Layout
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.settings import Settings

SAMPLE_SETTINGS = {
    "models.executor": "practice:practice",
    "models.judge": "practice:practice",
    "models.mutator": "practice:practice",
    "models.maintainer": "practice:practice",
}


def make_folder(path: Path, *, sample: bool) -> None:
    """Make the folder of a new workspace with its settings; nothing that is there is overwritten.

    Raises:
        Conflict: there is a workspace already.
        Unwritable: the folder cannot be made.
    """
    layout = Layout(path)
    if layout.database.exists():
        raise Conflict(f"There is already a workspace in {path}.", hint="Open it, or choose another folder.")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unwritable(f"{path} cannot be made: {error.strerror}.", hint="Choose another folder.") from error
    if sample:
        from honeyguide.workspace.sample import write_base

        write_base(path)
        settings = Settings(layout.settings)
        for key, value in SAMPLE_SETTINGS.items():
            settings.set(key, value)


def open_core(
    path: Path,
    *,
    create: bool,
    clock: Clock | None = None,
    new_id: IdFactory = new_uuid,
    environ: Mapping[str, str] | None = None,
    origin: Origin | None = None,
) -> Core:
    """Open the parts of a workspace; blocking. Raises NotFound, Unreadable, Unsupported, Locked."""
    layout = Layout(path.expanduser().absolute())
    if not create and not layout.database.exists():
        raise NotFound(f"There is no workspace at {layout.root}.", hint="Make one with 'honeyguide init DIR'.")
    environ = os.environ if environ is None else environ
    clock = clock or SystemClock()
    settings = Settings(layout.settings)
    key = redaction_key(layout.redaction_key)
    store = Store.open(
        layout.database, create=create, clock=clock, new_id=new_id, actor=(origin or Origin.here()).for_store
    )
    return Core(
        layout=layout,
        store=store,
        settings=settings,
        clock=clock,
        new_id=new_id,
        environ=environ,
        keys=KeyStore(environ),
        redaction_key=key,
        hub=EventHub(store),
    )

"""A workspace's desk for flows: its folders, feedback, models, trusted code, and how it changes files."""

from __future__ import annotations

import http.client
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from honeyguide import __version__
from honeyguide.feedback import FeedbackLog
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.home import FlowHome
from honeyguide.kernel.errors import Unreadable, Unsupported
from honeyguide.prompts.targets import TargetKind
from honeyguide.workspace.core import Core
from honeyguide.workspace.flow_models import FlowModels
from honeyguide.workspace.origins import Origin

TRUSTED_SUITES = "suites.trusted"
TOLD_SUITES = "suites.told"
FETCH_SECONDS = 10.0
MAX_PAGE = 1_000_000
_TEXT_TYPES = ("text/markdown", "text/plain", "application/json", "text/x-markdown")


def open_desk(core: Core, origin: Origin) -> FlowDesk:
    """Return the desk of an open workspace."""
    redactor = core.redactor()
    home = FlowHome(core.layout.root)
    person = core.environ.get("HOME") or core.environ.get("USERPROFILE")

    def told(kind: str, data: Mapping[str, Any]) -> None:
        subject = str(data.get("runId", ""))
        rest = {key: value for key, value in data.items() if key not in ("runId", "flow")}
        core.store.write_now(lambda unit: unit.events.append(kind, subject, **rest))

    return FlowDesk(
        home=home,
        clock=core.clock,
        feedback=FeedbackLog(home.feedback_log, clock=core.clock, redact=redactor.text),
        product=__version__,
        environ=dict(core.environ),
        person_home=Path(person) if person else None,
        models=FlowModels(core),
        trusts_code=lambda digest: digest in _trusted(core),
        deployer=lambda folder: core.deployer(folder),
        actor=origin.for_files,
        redact=redactor.text,
        fetch=fetch_page,
        version_name=lambda path, flow_id: _registered_name(core, path) or flow_id,
        on_change=told,
    )


def trust_suite(core: Core, digest: str) -> None:
    """Remember that a person has read and trusts a code suite as it is. Blocking."""
    known = _trusted(core)
    if digest not in known:
        core.store.write_now(lambda unit: unit.settings.put(TRUSTED_SUITES, [*known, digest][-500:]))


def tell_once(core: Core, digest: str) -> bool:
    """Remember that a person is told what a suite may do; ``True`` when they were not told before. Blocking."""
    stored = core.store.read_now(lambda unit: unit.settings.get(TOLD_SUITES))
    known = [str(one) for one in stored] if isinstance(stored, list) else []
    if digest in known:
        return False
    core.store.write_now(lambda unit: unit.settings.put(TOLD_SUITES, [*known, digest][-500:]))
    return True


def fetch_page(url: str) -> str:
    """Return the text of a page that a flow pulls in. Raises Unreadable, Unsupported."""
    if not url.startswith(("http://", "https://")):
        raise Unsupported(f"{url} is no address of a page.")
    request = urllib.request.Request(url, headers={"Accept": ", ".join(_TEXT_TYPES)})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=FETCH_SECONDS) as answer:  # noqa: S310
            kind = answer.headers.get_content_type()
            data = answer.read(MAX_PAGE + 1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Unsupported(f"{url} could not be fetched: {type(error).__name__}.", hint="Try again later.") from error
    if kind not in _TEXT_TYPES:
        raise Unreadable(f"{url} is {kind}; markdown, plain text and JSON are read.")
    if len(data) > MAX_PAGE:
        raise Unreadable(f"{url} is larger than {MAX_PAGE // 1000} kB.")
    try:
        return str(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Unreadable(f"{url} is no UTF-8 text.") from error


def _trusted(core: Core) -> list[str]:
    stored = core.store.read_now(lambda unit: unit.settings.get(TRUSTED_SUITES))
    return [str(digest) for digest in stored] if isinstance(stored, list) else []


def _registered_name(core: Core, path: Path) -> str | None:
    records = core.store.read_now(lambda unit: unit.targets.list())
    flow = TargetKind.FLOW.value
    return next((r.name for r in records if r.kind == flow and Path(r.path) == path), None)

"""What work on flows needs, in one place: folders, clock, models, the person's environment; and a flow, looked at."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from honeyguide.evals.receipts import Receipt
from honeyguide.feedback.items import FeedbackItem, actionable
from honeyguide.feedback.log import FeedbackLog
from honeyguide.flows.document import FlowDocument, parse_flow
from honeyguide.flows.engines.ladder import EngineChoice, choose_engine
from honeyguide.flows.engines.running import Engine, ModelEngine, ProcessEngine
from honeyguide.flows.engines.table import API, MODEL_ENGINES, PRACTICE
from honeyguide.flows.engines.watching import ProcessWatcher
from honeyguide.flows.fingerprints import receipt
from honeyguide.flows.home import FlowHome
from honeyguide.flows.places import Config, FlowPlace, place_of, read_config
from honeyguide.flows.policy import Policy, resolve_policy
from honeyguide.flows.receipts import ReceiptBook
from honeyguide.flows.runs import RunStore
from honeyguide.flows.suites_of_flows import FlowSuite, load_suite, suite_path
from honeyguide.kernel.clock import Clock
from honeyguide.kernel.errors import InvalidInput, NotFound, Unreadable
from honeyguide.llm.protocol import ModelClient, ModelRef, ModelRole
from honeyguide.suites.runner import Rubric
from honeyguide.versions.deploy import Deployer
from honeyguide.versions.records import Actor

MAINTAINER = "maintainer"


class ModelAccess(Protocol):
    """One run's models, with its journal and its budget."""

    def client(self, ref: ModelRef) -> ModelClient:
        """Return the model."""
        ...

    async def close(self) -> None:
        """Close the journal."""
        ...


class ModelSource(Protocol):
    """Where models come from; the workspace implements it."""

    def ref(self, named: str | None, role: ModelRole) -> ModelRef:
        """Return the model of a name (``PROVIDER:MODEL``), else that of the role. Raises InvalidInput."""
        ...

    def open(self, folder: Path) -> ModelAccess:
        """Open a run's models; the journal stands in ``folder``."""
        ...

    def price(self, ref: ModelRef, prompt_chars: int) -> float | None:
        """Return the most that one call can cost, in US dollars; ``None`` when nobody knows."""
        ...

    def rubric(self, access: ModelAccess) -> Rubric | None:
        """Return a judge for rubrics; ``None`` when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class FlowDesk:
    """Everything that work on flows needs.

    Attributes:
        home: the private folders.
        product: the program's version, part of every receipt.
        environ: the person's environment, handed to engines.
        person_home: where ``~/.mdflow/config.yaml`` is looked for; ``None`` for nowhere.
        models: our own access to models.
        trusts_code: whether a code suite with this hash may be run.
        deployer: what changes flow files, given the folder that the person named.
        redact: for everything that is stored.
    """

    home: FlowHome
    clock: Clock
    feedback: FeedbackLog
    product: str
    environ: Mapping[str, str]
    person_home: Path | None = None
    models: ModelSource | None = None
    trusts_code: Callable[[str], bool] = lambda digest: False
    deployer: Callable[[Path], Deployer] | None = None
    actor: Actor = field(default_factory=lambda: Actor("unknown", "python"))
    redact: Callable[[str], str] = lambda text: text
    fetch: Callable[[str], str] | None = None
    version_name: Callable[[Path, str], str] = lambda path, flow_id: flow_id
    on_change: Callable[[str, Mapping[str, Any]], None] = lambda kind, data: None

    @property
    def runs(self) -> RunStore:
        """All proposals."""
        return RunStore(self.home, self.clock)

    @property
    def receipts(self) -> ReceiptBook:
        """The last results of each suite."""
        return ReceiptBook(self.home)

    def look(self, path: Path, *, engine: str | None = None) -> FlowView:
        """Look at a flow; nothing is run, imported or written.

        Raises:
            NotFound, Unreadable: no such file, or no text.
            InvalidInput: a broken frontmatter, policy or engine name.
        """
        path = path.expanduser().absolute()
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise NotFound(
                f"There is no flow {path}.", hint="Check the path.", details={"reason_code": "FLOW_NOT_FOUND"}
            ) from error
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
        return self.look_at(path, data, engine=engine)

    def look_at(self, path: Path, data: bytes, *, engine: str | None = None, root: Path | None = None) -> FlowView:
        """Look at a flow whose bytes are known. ``root``: of a copy, instead of the repository that is found."""
        document = parse_flow(data, path.name)
        place = place_of(path, document)
        if root is not None:
            place = FlowPlace(place.path, root.resolve(), None, place.flow_id)
        config = read_config(place, self.person_home)
        layers = list(config.policies)
        if "evolve" in document.fields:
            layers.append((path.name, document.fields["evolve"]))
        policy = resolve_policy(layers, self.environ)
        choice = choose_engine(
            path, document.fields, cli=engine, environ=self.environ, config=config.engine,
            is_installed=lambda name: shutil.which(name, path=self.environ.get("PATH")) is not None,
        )  # fmt: skip
        found = suite_path(place.path)
        suite = load_suite(found, repetitions=policy.repetitions) if found is not None else None
        return FlowView(place, data, document, config, policy, choice, suite)

    def engine(
        self,
        name: str,
        view: FlowView,
        *,
        access: ModelAccess | None = None,
        model: str | None = None,
        role: ModelRole = ModelRole.EXECUTOR,
        watcher: ProcessWatcher | None = None,
    ) -> Engine:
        """Return an engine, ready to run. Raises InvalidInput when a model is wanted and none can be had."""
        if name not in MODEL_ENGINES:
            return ProcessEngine(name, self.environ, config=view.config.flags(name), watcher=watcher)
        if access is None or self.models is None:
            raise InvalidInput(f"The engine {name!r} needs access to models.", hint="Open a workspace.")
        ref = self.model_ref(name, model, role)
        return ModelEngine(name, access.client(ref), ref, prompt_is_system=name == PRACTICE)

    def model_ref(self, engine: str, model: str | None, role: ModelRole) -> ModelRef:
        """Return which model an engine of ours asks."""
        if engine == PRACTICE:
            return ModelRef("practice", model or "practice")
        if self.models is None:
            raise InvalidInput(f"The engine {engine!r} needs access to models.", hint="Open a workspace.")
        return self.models.ref(model, role)

    def evidence(self, view: FlowView, *, only: Sequence[str] | None = None) -> tuple[FeedbackItem, ...]:
        """Return the problems that a proposal for this flow may begin with."""
        items = [item for item in self.feedback.read().items if item.name == view.place.flow_id]
        return actionable(items, view.policy.triggers, only=only)


@dataclass(frozen=True, slots=True)
class FlowView:
    """A flow, looked at."""

    place: FlowPlace
    data: bytes
    document: FlowDocument
    config: Config
    policy: Policy
    choice: EngineChoice
    suite: FlowSuite | None

    @property
    def model(self) -> str | None:
        """The flow's model, as its frontmatter and configuration say."""
        named = self.document.fields.get("model", self.config.flags(self.choice.engine).get("model"))
        return str(named) if named is not None else None

    @property
    def maintainer_engine(self) -> str:
        """Who is asked for a new prompt."""
        return self.policy.engine or self.choice.engine

    @property
    def maintainer_model(self) -> str | None:
        """The maintainer's model; the flow's own only when it is the same engine of ours."""
        if self.policy.model is not None:
            return self.policy.model
        same = self.maintainer_engine == self.choice.engine and self.choice.engine in MODEL_ENGINES
        return self.model if same and self.choice.engine != API else None

    @property
    def maintainer_source(self) -> str:
        """Who chose the maintainer's engine."""
        return "policy" if self.policy.engine else self.choice.source

    @property
    def is_from_registry(self) -> bool:
        """Whether flow or suite came from a registry of other people's flows."""
        paths = [self.place.path.resolve(), *([self.suite.path.resolve()] if self.suite else [])]
        return any("/.mdflow/registry/" in path.as_posix() for path in paths)

    def receipt(self, desk: FlowDesk, *, data: bytes | None = None) -> Receipt:
        """Return the receipt of a verification as it would be made now. Blocking. Raises InvalidInput."""
        if self.suite is None:
            raise InvalidInput("There is no suite.")
        name = self.choice.engine
        version = (
            str(desk.model_ref(name, self.model, ModelRole.EXECUTOR))
            if name in MODEL_ENGINES
            else ProcessEngine(name, desk.environ).version()
        )
        return receipt(
            self.place, self.data if data is None else data, self.suite.path, self.suite.plan, self.config,
            engine=name, engine_source=self.choice.source, engine_version=version, model=self.model,
            product=desk.product,
        )  # fmt: skip

"""A repository with one flow, a suite, a private home, and an engine that is a small real program."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from honeyguide.feedback import FeedbackDraft, FeedbackItem, FeedbackLog
from honeyguide.flows.applying import apply, roll_back
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.home import FlowHome
from honeyguide.flows.plans import FlowPlan, make_plan
from honeyguide.flows.proposing import propose
from honeyguide.flows.runs import FlowRun
from honeyguide.kernel.clock import ManualClock
from honeyguide.versions import Deployer, VersionStore
from tests.fakes.flow_engine import FakeEngine, install

FLOW = "---\nengine: claude\ndescription: answers with a colour\n---\nSay BLUE.\n"


@dataclass
class Bench:
    """Everything that a test needs."""

    root: Path
    engine: FakeEngine
    clock: ManualClock
    desk: FlowDesk
    told: list[tuple[str, Any]] = field(default_factory=list)

    @property
    def repo(self) -> Path:
        return self.root / "repo"

    @property
    def flow(self) -> Path:
        return self.repo / "flows" / "color.md"

    @property
    def suite(self) -> Path:
        return self.flow.with_name("color.eval.yaml")

    def write(self, text: str | bytes) -> None:
        self.flow.write_bytes(text.encode() if isinstance(text, str) else text)

    def cases(self, *cases: str) -> None:
        """Write the suite; each case is a line of YAML in flow style."""
        self.suite.write_text("cases:\n" + "".join(f"  - {case}\n" for case in cases))

    def green(self, *evidence: str, **more: Any) -> None:
        """Write a suite with the one case that wants GREEN."""
        extra = "".join(f", {key.replace('_', '-')}: {value}" for key, value in more.items())
        self.cases(f"{{name: answers green, evidence: [{', '.join(evidence)}], checks: [{{contains: GREEN}}]{extra}}}")

    def complain(self, message: str = "blue is wrong, must be green") -> FeedbackItem:
        flow_id = self.desk.look(self.flow).place.flow_id
        return self.desk.feedback.add(FeedbackDraft("flow", flow_id, message, path=str(self.flow)))

    def state(self, item: FeedbackItem) -> str:
        return self.desk.feedback.get(item.id).state.value

    def plan(self, **options: Any) -> FlowPlan:
        return make_plan(self.desk, self.flow, **options)

    def propose(self, *, confirmed: bool = True, **options: Any) -> FlowRun:
        plan = self.plan(**options)
        return asyncio.run(propose(self.desk, plan, confirmed=confirmed, report=lambda k, d: self.told.append((k, d))))

    def apply(self, run: FlowRun, **options: Any) -> FlowRun:
        return apply(self.desk, run.id, **options)

    def roll_back(self, run: FlowRun) -> FlowRun:
        return roll_back(self.desk, run.id)

    def artifact(self, run: FlowRun, name: str) -> Any:
        return self.desk.runs.read_json(run.id, name)

    def again(self) -> FlowDesk:
        """Return a second desk on the same folders, as another process has one."""
        return replace(self.desk)

    @property
    def runs(self) -> Sequence[FlowRun]:
        return self.desk.runs.all()[0]


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    engine = install(tmp_path / "bin")
    clock = ManualClock()
    workspace = tmp_path / "workspace"
    home = FlowHome(workspace)
    environ = {"PATH": f"{engine.folder}{os.pathsep}/usr/bin:/bin", "HOME": str(tmp_path / "home")}
    store = VersionStore(workspace / "versions", clock=clock)
    desk = FlowDesk(
        home=home,
        clock=clock,
        feedback=FeedbackLog(home.feedback_log, clock=clock),
        product="0.1.0",
        environ=environ,
        person_home=tmp_path / "home",
        deployer=lambda folder: Deployer(store, [folder]),
    )
    found = Bench(tmp_path, engine, clock, desk)
    found.flow.parent.mkdir(parents=True)
    found.write(FLOW)
    git(found.repo, "init", "-q")
    return found

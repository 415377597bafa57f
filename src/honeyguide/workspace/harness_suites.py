"""The eval suite of a harness folder: run on copies of it, red and green for a draft, and what applying that resolves.

It stands beside the folder, ``NAME.eval.yaml`` next to ``NAME/``, so that it is no part of the version. Trials run in
copies that know nothing of the harness's past and leave nothing in it; a draft is applied to a copy, never approved.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from honeyguide import __version__
from honeyguide.evals.receipts import Receipt
from honeyguide.feedback import FailureClass
from honeyguide.flows.receipts import SuiteVerdict
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.ports import RunPorts
from honeyguide.harnesses.running.runner import run_harness
from honeyguide.harnesses.running.support import model_ref, require_supported, with_model
from honeyguide.kernel.canonical import fingerprint, sha256_hex
from honeyguide.kernel.errors import AuthFailed, Conflict, InvalidInput, ModelError, NoKey, NotFound, PolicyRefused
from honeyguide.llm import ModelRef, RunModels
from honeyguide.suites import Attempt, EvalCase, SuiteOutcome, run_suite
from honeyguide.suites.proof import SuiteRecord, proved
from honeyguide.suites.runner import SuiteProgress
from honeyguide.versions import write_atomically
from honeyguide.workspace.harness_feedback import proof_path, read_proof
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_places import harness_name, suite_beside
from honeyguide.workspace.harness_reviewing import HarnessReviewing
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.suite_places import TargetSuite, looked_at
from honeyguide.workspace.views.suites import SuiteView

_SKIPPED: Final = ("traces", "runs", "calls", "__pycache__", ".venv", ".git")


@dataclass(frozen=True, slots=True)
class HarnessSubject:
    """A ``Subject``: a copy of a harness, run once a trial."""

    folder: Path
    models: RunModels
    ref: ModelRef
    home: HarnessHome
    requested: ModelRef | None = None

    async def run(self, case: EvalCase, folder: Path) -> Attempt:
        """As ``Subject.run``; a model that fails is an attempt that failed."""
        given = "\n\n".join(text for text in (case.input, case.prompt, case.stdin) if text)
        harness = await asyncio.to_thread(Harness.open, self.folder)
        spec = harness.spec if self.requested is None else with_model(harness.spec, self.requested)
        ports = RunPorts(
            self.models.client(self.ref), self.ref, self.home.registry().quote(self.ref), self.home.clock,
            self.home.environ,
        )  # fmt: skip
        try:
            work = run_harness(harness, spec, given or " ", ports, requested=self.requested)
            outcome = await asyncio.wait_for(work, case.timeout_ms / 1000)
        except TimeoutError:
            return Attempt("", "no answer in time", None, timed_out=True)
        except (NoKey, AuthFailed) as error:
            return Attempt("", error.message, 1, failure=FailureClass.AUTH)
        except ModelError as error:
            return Attempt("", error.message, 1, failure=FailureClass.PROVIDER)
        return Attempt(outcome.output or "", outcome.reason, outcome.exit_code)


class HarnessSuites:
    """Looks at, runs and compares."""

    def __init__(self, home: HarnessHome) -> None:
        self.home = home

    def view(self, path: Path) -> SuiteView:
        """Look at a harness's suite; nothing is run. Blocking. Raises NotFound, InvalidInput."""
        harness = Harness.open(path)
        file = suite_beside(harness.root)
        suite = looked_at(file) if file.is_file() else None
        said = "its suite is run when asked" if suite is not None else "no eval suite beside the folder"
        return SuiteView(
            target=f"harness:{harness_name(harness)}",
            path=None if suite is None else file,
            cases=() if suite is None else suite.suite.plan.cases,
            problem=None if suite is None else suite.problem,
            verdict=(SuiteVerdict.UNVERIFIED, False, said),
            results=None,
            calls=0 if suite is None else suite.calls,
            costs_money=suite is not None and self.home.registry().costs_money(model_ref(harness.spec)),
        )

    async def evaluate(
        self,
        path: Path,
        *,
        model: ModelRef | None = None,
        case: str | None = None,
        confirmed: bool = False,
        report: Callable[[SuiteProgress], None] = lambda progress: None,
    ) -> SuiteOutcome:
        """Run a harness's suite on it as it is. Raises NotFound, PolicyRefused, Untrusted, InvalidInput."""
        harness, suite, ref = await self._ready(path, model, confirmed)
        if case is not None and case not in [one.name for one in suite.cases]:
            raise InvalidInput(f"The suite has no case {case!r}.", details={"reason_code": "FILTER_EMPTY"})
        with self._private() as private:
            return await self._side(harness.root, private, suite, ref, model, case, report)

    async def prove(
        self,
        path: Path,
        proposal: str,
        *,
        evidence: frozenset[str],
        model: ModelRef | None = None,
        confirmed: bool = False,
        report: Callable[[SuiteProgress], None] = lambda progress: None,
    ) -> SuiteRecord:
        """Run the suite on a harness and on a copy with a draft applied, and keep what it says.

        Raises:
            PolicyRefused, Untrusted, NotFound: as ``evaluate``.
            Conflict, GateRefused: the draft cannot be applied as it is, for example without an approval.
        """
        if not proposal.replace("_", "").replace("-", "").isalnum():
            raise InvalidInput(f"{proposal[:60]!r} is no proposal.")
        harness, suite, ref = await self._ready(path, model, confirmed)
        receipt = self._receipt(harness, suite, ref, proposal)
        with self._private() as private:
            changed = await asyncio.to_thread(_copied, harness.root, private / "proposal" / harness.root.name)
            elsewhere = replace(self.home, state=private / "state")
            draft = await asyncio.to_thread(Harness.open, changed)
            await asyncio.to_thread(lambda: elsewhere.trust.trust(draft, self.home.now, "the trial"))
            await HarnessReviewing(elsewhere).apply(changed, proposal, Origin.here("trial"))
            version = (await asyncio.to_thread(Harness.open, changed)).version
            if version == harness.version:
                raise Conflict(f"Nothing of {proposal} can be applied without an approval.", hint="Look at its gate.")

            async def side(_: str, name: str) -> SuiteOutcome:
                root = harness.root if name == "current" else changed
                return await self._side(root, private, suite, ref, model, None, report)

            planned = 2 * suite.suite.plan.invocations
            record = await proved("", "", side, evidence, planned=planned, receipt=receipt)
        kept = {**record.to_json(), "proposal_id": proposal, "from": harness.version, "to": version}
        await asyncio.to_thread(lambda: self._keep(harness, proposal, kept))
        await asyncio.to_thread(self.home.on_proved, kept)
        return record

    def proof(self, path: Path, proposal: str) -> dict[str, Any] | None:
        """Return what was kept of a draft's proof, and whether it is current. Blocking. Raises NotFound."""
        harness = Harness.open(path)
        found = read_proof(proof_path(self.home.state, harness, proposal))
        if found is None:
            return None
        file = suite_beside(harness.root)
        sealed = ((found.get("receipt") or {}).get("parts") or {}).get("suite")
        holds = file.is_file() and sha256_hex(file.read_bytes()) == sealed
        return found | {"is_current": holds and found.get("from") == harness.version}

    async def _ready(
        self, path: Path, model: ModelRef | None, confirmed: bool
    ) -> tuple[Harness, TargetSuite, ModelRef]:
        harness = await asyncio.to_thread(Harness.open, path)
        suite_file = suite_beside(harness.root)
        if not suite_file.is_file():
            raise NotFound(f"There is no eval suite {suite_file}.", hint="Write it beside the folder.")
        suite = await asyncio.to_thread(looked_at, suite_file)
        if suite.problem is not None:
            raise PolicyRefused(suite.problem[1], details={"reason_code": suite.problem[0]})
        if suite.asks_judge:
            raise PolicyRefused("Rubrics are not asked for harnesses; use checks.")
        self.home.trust.require(harness)
        require_supported(harness.spec)
        ref = model or model_ref(harness.spec)
        if self.home.registry().costs_money(ref) and not confirmed:
            raise PolicyRefused(f"{ref} costs money, and nobody agreed to that.", hint="Add --yes.")
        return harness, suite, ref

    async def _side(
        self, root: Path, private: Path, suite: TargetSuite, ref: ModelRef, model: ModelRef | None,
        case: str | None, report: Callable[[SuiteProgress], None],
    ) -> SuiteOutcome:  # fmt: skip
        base = Path(tempfile.mkdtemp(prefix="side-", dir=private))
        copy = await asyncio.to_thread(_copied, root, base / root.name)
        models = await asyncio.to_thread(
            lambda: RunModels.open(
                self.home.registry(), base / "calls.jsonl", max_calls=self.home.max_calls, max_usd=self.home.max_usd,
                max_tokens=self.home.max_tokens, shared=self.home.ledgers(), redact=self.home.redact,
            )
        )  # fmt: skip
        try:
            return await run_suite(
                [one for one in suite.cases if case in (None, one.name)],
                HarnessSubject(copy, models, ref, self.home, model),
                base=suite.path.parent,
                seal=lambda: sha256_hex(suite.path.read_bytes()),
                redact=self.home.redact,
                report=report,
            )
        finally:
            await models.close()

    @contextmanager
    def _private(self) -> Iterator[Path]:
        self.home.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = Path(tempfile.mkdtemp(prefix="suite-", dir=self.home.state))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _receipt(self, harness: Harness, suite: TargetSuite, ref: ModelRef, proposal: str) -> Receipt:
        return Receipt(
            {
                "baseline": harness.version,
                "candidate": proposal,
                "suite": sha256_hex(suite.path.read_bytes()),
                "cases": fingerprint([case.plan.id for case in suite.cases]),
                "executor_model": str(ref),
                "product": __version__,
            }
        )

    def _keep(self, harness: Harness, proposal: str, record: dict[str, Any]) -> None:
        path = proof_path(self.home.state, harness, proposal)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode())


def _copied(root: Path, target: Path) -> Path:
    """Copy a harness without its past runs."""
    shutil.copytree(root, target, symlinks=True, ignore=shutil.ignore_patterns(*_SKIPPED))
    return target

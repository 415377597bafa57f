"""Which suite belongs to a flow, and what can be known of it without running anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from honeyguide.flows.document import FlowDocument
from honeyguide.flows.engines.table import MODEL_ENGINES
from honeyguide.flows.planning import ReasonCode
from honeyguide.flows.rendering import takes_input
from honeyguide.kernel.errors import InvalidInput
from honeyguide.suites.cases import EvalCase, SuitePlan
from honeyguide.suites.typescript import inspect
from honeyguide.suites.yaml_suite import read_suite

ENDINGS: Final = (".eval.yaml", ".eval.yml", ".eval.ts")
MAX_SUITE_BYTES: Final = 2_000_000
_MD = re.compile(r"\.md\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FlowSuite:
    """A flow's suite.

    Attributes:
        cases: of a declarative suite; ``None`` for one in code.
        problem: (code, sentence) when it cannot be planned.
    """

    path: Path
    plan: SuitePlan
    cases: tuple[EvalCase, ...] | None
    problem: tuple[ReasonCode, str] | None = None
    details: Mapping[str, Any] | None = None

    @property
    def is_code(self) -> bool:
        """Whether it is a program rather than a description."""
        return self.path.suffix == ".ts"


def suite_path(flow: Path) -> Path | None:
    """Return the suite beside a flow, the declarative one first; ``None`` when there is none."""
    stem = _MD.sub("", flow.name)
    return next((path for ending in ENDINGS if (path := flow.with_name(stem + ending)).is_file()), None)


def default_suite_path(flow: Path) -> Path:
    """Return where a flow's suite would stand."""
    return flow.with_name(_MD.sub("", flow.name) + ENDINGS[0])


def load_suite(path: Path, *, repetitions: int) -> FlowSuite:
    """Look at a suite; what is wrong with it is part of the result."""
    try:
        data = path.read_bytes()
        if len(data) > MAX_SUITE_BYTES:
            raise InvalidInput(f"{path.name} is too long for a suite.")
        text = data.decode("utf-8-sig")
        if path.suffix == ".ts":
            return FlowSuite(path, inspect(text, path.name, repetitions=repetitions), None)
        suite = read_suite(text, path.name, repetitions=repetitions)
    except InvalidInput as error:
        code = ReasonCode.DYNAMIC_SUITE if path.suffix == ".ts" else ReasonCode.SUITE_INVALID
        if "has a case of this name already" in error.message:
            code = ReasonCode.DUPLICATE_NAMES
        return FlowSuite(path, SuitePlan(()), None, (code, error.message), error.details)
    except (OSError, UnicodeDecodeError) as error:
        return FlowSuite(path, SuitePlan(()), None, (ReasonCode.SUITE_INVALID, f"{path.name} cannot be read: {error}."))
    return FlowSuite(path, suite.plan, suite.cases)


def unused_inputs(document: FlowDocument, suite: FlowSuite, engine: str) -> tuple[str, ...]:
    """Return the cases whose input the flow would drop silently; a model can be given one beside the prompt."""
    if takes_input(document) or engine in MODEL_ENGINES:
        return ()
    return tuple(case.name for case in suite.plan.cases if case.name in suite.plan.with_input)

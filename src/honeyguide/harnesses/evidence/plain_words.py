"""What of a complaint may be sent without the opt-in for excerpts: words of the folder, and words that say nothing of
a run. Every other word may come from a journal and is replaced.

The folder's own words are those of its spec, of the files that the spec names and of the Python beside them: they were
written by its author, and the proposing model sees the spec anyway.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.friction import template_of
from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.canonical import hashed_text
from honeyguide.harnesses.spec.fingerprints import Fingerprints
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.kernel.resources import resource

STAND_IN: Final = "<data>"
MOST_FILE_BYTES: Final = 256 * 1024
_WORD: Final = re.compile(r"<(?:list|str|url|num|data)>|\w+|[^\x00-\x7f]+")
_REPEATED: Final = re.compile(rf"{STAND_IN}(?:[^\w<>]{{0,3}}{STAND_IN})+")


@cache
def plain() -> frozenset[str]:
    """Return what checks of any folder say: built-in validators, JSON and its schemas, small words of English."""
    lines = resource("harnesses", "plain-words.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@dataclass(frozen=True, slots=True)
class PlainWords:
    """The words that a folder may say without telling anything of its runs; compared without regard to case."""

    known: frozenset[str]

    @classmethod
    def of(cls, spec: HarnessSpec, root: Path | None = None, found: Fingerprints | None = None) -> PlainWords:
        """Return the words of a folder; without a ``root`` those of its spec."""
        texts = [hashed_text(spec)]
        texts += [*catalogue.TOOLS, *catalogue.GUARDRAILS, *catalogue.VALIDATORS]
        names = [] if found is None else [name for name, _ in found.files]
        names += [] if found is None else [name for name in found.beyond if name.endswith(".py")]
        for name in names if root is not None else ():
            path = Path(str(root), name)
            if path.is_file() and path.stat().st_size <= MOST_FILE_BYTES:
                texts.append(path.read_bytes().decode("utf-8", "backslashreplace"))
                texts.append(name)
        return cls(frozenset(word.casefold() for text in texts for word in re.findall(r"\w+", text)))

    def allows(self, word: str) -> bool:
        """Say whether a word tells nothing of a run."""
        folded = word.casefold()
        return word.startswith("<") or folded in plain() or folded in self.known

    def text(self, said: str) -> str:
        """Return a text with every other word replaced, and its particulars as templates have them."""
        return self._masked(template_of(said))

    def name(self, feature: str) -> str:
        """Return a feature, target, component or status with every part replaced that the folder does not know."""
        family, colon, rest = feature.partition(":")
        return f"{family}:{self._masked(rest)}" if colon else self._masked(feature)

    def signal(self, signal: Mapping[str, Any]) -> dict[str, Any]:
        """Return a signal map as it is sent: without prose, and without names that only a journal knows."""
        sent = {key: value for key, value in signal.items() if key not in ("headline", "harness_name")}
        for part in ("signals", "failure_features", "mechanisms"):
            sent[part] = [self._row(row) for row in sent[part]]
        sent["statuses"] = {self.name(status): count for status, count in sent["statuses"].items()}
        sent["targets"] = [target for target in sent["targets"] if self.name(target) == target]
        return sent

    def _masked(self, text: str) -> str:
        masked = _WORD.sub(lambda match: match[0] if self.allows(match[0]) else STAND_IN, text)
        return _REPEATED.sub(STAND_IN, masked)

    def _row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        sent = dict(row)
        for key in ("feature", "target", "component"):
            if isinstance(sent.get(key), str):
                sent[key] = self.name(sent[key])
        if "aliases" in sent:
            sent["aliases"] = [self.name(alias) for alias in sent["aliases"]]
        return sent

"""The proof of a draft for a harness as it is shown: each recorded input on both sides, and what the proof rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.gate_list import GateRow
from honeyguide.desktop.widgets.trials import TrialCase, TrialSide

_UNSCORED = ("error", "stopped")


def replay_cases(data: Mapping[str, Any]) -> list[TrialCase]:
    """Return the recorded inputs of a draft's proof, each named by how it begins, else by its run."""
    tr = QCoreApplication.translate
    proof = data.get("proof") or {}
    tasks = (data.get("receipt_state") or {}).get("tasks") or {}
    failed = (tr("HarnessProof", "a recorded failure"),)
    found = []
    for trial in proof.get("trials") or ():
        run = str(trial["run_id"])
        task = one_line(str(tasks.get(run) or ""), 120)
        name = f"{task} · {run}" if task else run
        evidence = failed if trial.get("had_failed") else ()
        found.append(TrialCase(name, evidence, _side(trial.get("current")), _side(trial.get("proposal"))))
    return found


def receipt_rows(data: Mapping[str, Any]) -> list[GateRow]:
    """Return what the proof rests on, what of it changed since, and what the draft was written from."""
    tr = QCoreApplication.translate
    receipt = (data.get("proof") or {}).get("receipt") or {}
    now = data.get("receipt_state") or {}
    group = tr("HarnessProof", "Receipt: is the proof still about what is live?")
    words = tr("HarnessProof", "Proof and present state")
    digest = str(receipt.get("digest") or "")
    if now.get("state") == "current":
        said = tr("HarnessProof", "Nothing that decided it has changed. Receipt {digest}")
        rows = [GateRow("receipt", "pass", said.format(digest=one_line(digest, 16)), None, group, words)]
    elif now.get("state") == "stale":
        said = tr("HarnessProof", "Stale: what it rests on changed. Receipt {digest}")
        rows = [GateRow("receipt", "warn", said.format(digest=one_line(digest, 16)), None, group, words)]
    else:
        said = spoken(str(now.get("problem") or "")) or tr("HarnessProof", "This draft holds no receipt.")
        rows = [GateRow("receipt", "warn", said, None, group, words)]
    names = {
        "baseline": tr("HarnessProof", "Version before the change"),
        "candidate": tr("HarnessProof", "The draft"),
        "inputs": tr("HarnessProof", "Recorded inputs"),
        "executor_model": tr("HarnessProof", "Model that answers"),
        "product": tr("HarnessProof", "Version of Honeyguide"),
        "thresholds": tr("HarnessProof", "Thresholds of the proof"),
    }
    changed = now.get("changed") or {}
    for part, value in (receipt.get("parts") or {}).items():
        why = spoken(str(changed.get(part) or ""))
        said = one_line(str(value), 40)
        verdict = "warn" if why else "pass"
        rows.append(GateRow(part, verdict, f"{why} {said}".strip(), None, group, names.get(part, part)))
    return rows + _evidence(data)


def _evidence(data: Mapping[str, Any]) -> list[GateRow]:
    tr = QCoreApplication.translate
    evidence = data.get("evidence") or {}
    if not evidence.get("digest"):
        return []
    group = tr("HarnessProof", "Evidence: what the draft was written from")
    said = tr("HarnessProof", "{n} runs, digest {digest}").format(
        n=figures.whole(len(set(evidence.get("run_ids") or ()))), digest=one_line(str(evidence["digest"]), 16)
    )
    return [GateRow("evidence", "pass", said, None, group, tr("HarnessProof", "What the model was shown"))]


def _side(status: object) -> TrialSide:
    said = str(status or "")
    if not said:
        return TrialSide()
    went = "pass" if said == "success" else "inconclusive" if said in _UNSCORED else "fail"
    reason = "" if went == "pass" else said.replace("_", " ")
    return TrialSide(went, reason, int(went == "pass"), 1, ((went, reason),))

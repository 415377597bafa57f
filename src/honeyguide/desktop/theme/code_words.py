"""Words for the short names that the engine uses: units, what was wrong with a file, who found a correction, states."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.said import spoken


def _tr(sentence: str) -> str:
    return QCoreApplication.translate("Codes", sentence)


def unit_words(unit: str) -> str:
    """Return what is counted: a person does not tell code units from characters; the numbers of both are close."""
    return {"bytes": _tr("bytes"), "lines": _tr("lines")}.get(unit, _tr("characters"))


def model_words(model: str) -> str:
    """Return a model as a person calls it; the practice model by its name."""
    return _tr("practice model") if model == "practice" or model.startswith("practice:") else model


def provider_words(provider: str) -> str:
    """Return who answers."""
    return {
        "practice": _tr("practice model"),
        "anthropic": "Anthropic",
        "openai": "OpenAI",
        "gguf": _tr("a model file"),
        "replay": _tr("answers of an earlier run"),
    }.get(provider, provider)


def way_words(way: str) -> str:
    """Return by which way somebody did something."""
    return {
        "window": _tr("in the window"),
        "command line": _tr("on the command line"),
        "http": _tr("over HTTP"),
        "mcp": _tr("through an agent"),
        "daemon": _tr("by the service"),
        "python": _tr("by a program"),
        "noticed": _tr("outside of Honeyguide"),
    }.get(way, way)


def score_words(name: str) -> str:
    """Return what a part of a score measures."""
    return {
        "overall": _tr("Score"),
        "correctness": _tr("Correctness"),
        "procedure": _tr("Procedure followed"),
        "conciseness": _tr("Conciseness"),
    }.get(name, name)


def health_words(problem: str) -> str:
    """Return what an import could not use, in words; an unknown name without its hyphens."""
    return {
        "broken-json": _tr("broken lines"),
        "not-an-object": _tr("lines that hold no record"),
        "blank-line": _tr("empty lines"),
        "nul-bytes": _tr("lines with zero bytes"),
        "over-long": _tr("lines that are too long"),
        "torn-last-line": _tr("the last line breaks off"),
        "lone-surrogates": _tr("halves of characters"),
        "not-utf8": _tr("bytes that are no text"),
        "unknown-type": _tr("records of an unknown kind"),
        "malformed": _tr("records with parts missing"),
        "no-input": _tr("records without a question"),
        "no-text": _tr("records without text"),
        "duplicate": _tr("records that stand there twice"),
        "missing-parent": _tr("records whose predecessor is missing"),
        "broken-chain": _tr("a journal that somebody changed"),
    }.get(problem, problem.replace("-", " "))


def detector_words(detector: str) -> str:
    """Return how a correction was found."""
    if detector.startswith("cue-words"):
        return _tr("its words")
    return {
        "refusal": _tr("a refusal"),
        "interrupt": _tr("an interruption"),
        "rewind": _tr("going back"),
        "score": _tr("a low rating"),
        "annotation": _tr("a comment"),
        "correction": _tr("a correction"),
        "preference": _tr("a preferred answer"),
    }.get(detector, detector.replace("-", " ").replace("_", " "))


def part_words(name: str) -> str:
    """Return what the check of the installation looks at."""
    return {
        "python": "Python",
        "resources": _tr("Files of the program"),
        "sqlite": _tr("Database"),
        "workspace": _tr("Workspace"),
        "settings": _tr("Settings"),
        "disk space": _tr("Disk space"),
        "permissions": _tr("Permissions"),
        "versions": _tr("Versions"),
        "journals": _tr("Journals"),
        "key ring": _tr("Key ring"),
        "models": _tr("Models"),
        "git": "git",
        "window": _tr("Window"),
    }.get(name, name.replace("-", " ").capitalize())


def status_words(status: str) -> str:
    """Return how a run of a harness ended, in words; an unknown state without its underscores."""
    return {
        "success": _tr("succeeded"),
        "verify_failed": _tr("not verified"),
        "guardrail_halt": _tr("halted by a guardrail"),
        "max_turns": _tr("too many turns"),
        "truncated": _tr("cut off"),
        "error": _tr("failed"),
        "step_failed": _tr("a step failed"),
        "stopped": _tr("stopped"),
        "incomplete": _tr("never ended"),
    }.get(status, status.replace("_", " "))


def friction_words(category: str) -> str:
    """Return what got in the way of a run, in words; another text (a failed check) as it is."""
    return {
        "verifier_failure": _tr("an answer did not pass a check"),
        "output_validation": _tr("an answer had the wrong form"),
        "retry": _tr("a call was made again after an error"),
        "tool_error": _tr("a tool reported an error"),
        "output_truncated": _tr("an answer was cut off"),
        "context_compaction": _tr("the conversation was shortened"),
        "provider_error": _tr("the model could not be used"),
        "guardrail_halt": _tr("a guardrail halted the run"),
        "guardrail_block": _tr("a guardrail stepped in"),
        "user_steer": _tr("a person stepped in"),
        "loop_limit": _tr("the run reached its limit of calls"),
    }.get(category, spoken(category))

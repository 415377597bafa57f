"""Which texts a file offers: its body, its description, each tool of a list, each predictor of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.prompts.carriers.selectors import BODY, Selector, field, join_pointer, pointer
from honeyguide.prompts.kinds import FileKind, profile

_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")
_PROSE_FIELDS = ("description", "when_to_use", "compatibility")


@dataclass(frozen=True, slots=True)
class SpanChoice:
    """One text of a file that can be a target.

    Attributes:
        selector: where it is.
        name: what to call it: a tool's name, a predictor's, a prompt's label, ``body``, ``description``.
        is_primary: it is what the kind is about; a file with one primary text opens on it.
    """

    selector: Selector
    name: str
    is_primary: bool


def choices_in_text(fields: Mapping[str, Any]) -> tuple[SpanChoice, ...]:
    """Return the choices of a text file: its body, and the frontmatter values that are prose."""
    prose = (name for name in _PROSE_FIELDS if isinstance(fields.get(name), str))
    return (SpanChoice(BODY, "body", True), *(SpanChoice(field(name), name, False) for name in prose))


def choices_in_data(value: Any, kind: FileKind) -> tuple[SpanChoice, ...]:
    """Return the choices of a JSON, TOML or YAML file by its kind."""
    finder = _FINDERS.get(kind)
    return tuple(finder(value)) if finder else ()


def only_primary(found: tuple[SpanChoice, ...], kind: FileKind) -> Selector:
    """Return the one primary text. Raises NotFound without any, InvalidInput with several."""
    primary = [choice for choice in found if choice.is_primary]
    if not primary:
        raise NotFound(
            f"This file holds no text that a {profile(kind).label} would have.",
            hint="Check its kind, or name the text by a pointer.",
        )
    if len(primary) > 1:
        raise InvalidInput(
            f"This file holds {len(primary)} texts: {', '.join(choice.name for choice in primary[:10])}.",
            hint="Say which one.",
            details={"choices": [{"name": c.name, "selector": str(c.selector)} for c in primary]},
        )
    return primary[0].selector


def _fixed(*keys: str) -> Any:
    """Return a finder: the first of ``keys`` that is a string is the text, the others can be chosen."""

    def find(value: Any) -> Iterator[SpanChoice]:
        present = [key for key in keys if isinstance(value, dict) and isinstance(value.get(key), str)]
        for index, key in enumerate(present):
            yield SpanChoice(pointer(join_pointer(key)), key, index == 0)

    return find


def tools_in(value: Any, *steps: str | int, depth: int = 0) -> Iterator[SpanChoice]:
    """Yield the description of every tool in ``value``, however it is wrapped, then those of its parameters."""
    if depth > 8:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from tools_in(item, *steps, index, depth=depth + 1)
    elif isinstance(value, dict):
        if _is_tool(value):
            name = str(value["name"])
            yield SpanChoice(pointer(join_pointer(*steps, "description")), name, True)
            for key in _SCHEMA_KEYS:
                yield from _parameters(value.get(key), name, *steps, key)
        else:
            for key, item in value.items():
                yield from tools_in(item, *steps, key, depth=depth + 1)


def _is_tool(value: Mapping[str, Any]) -> bool:
    named = isinstance(value.get("name"), str) and isinstance(value.get("description"), str)
    return named and any(isinstance(value.get(key), dict) for key in _SCHEMA_KEYS)


def _parameters(schema: Any, tool: str, *steps: str | int) -> Iterator[SpanChoice]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, item in properties.items() if isinstance(properties, dict) else ():
        if isinstance(item, dict) and isinstance(item.get("description"), str):
            place = pointer(join_pointer(*steps, "properties", name, "description"))
            yield SpanChoice(place, f"{tool}.{name}", False)


def _tool_file(value: Any) -> Iterator[SpanChoice]:
    found = list(tools_in(value))
    if found:
        yield from found
    else:
        yield from _fixed("description", "text")(value)


def predictors_in(value: Any) -> Iterator[SpanChoice]:
    """Yield ``signature.instructions`` of every predictor of a saved DSPy program, however deep it is nested."""
    yield from _predictors(value, (), 0)


def _predictors(value: Any, steps: tuple[str, ...], depth: int) -> Iterator[SpanChoice]:
    if not isinstance(value, dict) or depth > 8:
        return
    signature = value.get("signature")
    if isinstance(signature, dict) and isinstance(signature.get("instructions"), str):
        place = pointer(join_pointer(*steps, "signature", "instructions"))
        yield SpanChoice(place, ".".join(steps) or "instructions", True)
        return
    for key, item in value.items():
        if key not in ("traces", "train", "demos", "lm", "metadata"):
            yield from _predictors(item, (*steps, key), depth + 1)


def _promptfoo(value: Any) -> Iterator[SpanChoice]:
    prompts = value.get("prompts") if isinstance(value, dict) else None
    if _is_inline(prompts):
        yield SpanChoice(pointer("/prompts"), "prompt", True)
    for index, item in enumerate(prompts) if isinstance(prompts, list) else ():
        if _is_inline(item):
            yield SpanChoice(pointer(join_pointer("prompts", index)), f"prompt-{index + 1}", True)
        elif isinstance(item, dict) and _is_inline(item.get("raw")):
            name = str(item.get("label") or item.get("id") or f"prompt-{index + 1}")
            yield SpanChoice(pointer(join_pointer("prompts", index, "raw")), name, True)


def _is_inline(value: Any) -> bool:
    """Say whether a promptfoo prompt is text and not the address of a file."""
    if not isinstance(value, str) or value.startswith(("file://", "exec:", "langfuse://", "portkey://")):
        return False
    one_path = "\n" not in value and " " not in value and "{{" not in value
    return not (one_path and value.endswith((".txt", ".json", ".md", ".yaml", ".yml", ".py", ".js", ".j2", "*")))


_FINDERS = {
    FileKind.TOOL_JSON: _tool_file,
    FileKind.TOOL_OVERRIDE: _fixed("description", "text"),
    FileKind.PERSONA_OVERRIDE: _fixed("systemPrompt", "description"),
    FileKind.SECTION_OVERRIDE: _fixed("text"),
    FileKind.GEMINI_COMMAND: _fixed("prompt", "description"),
    FileKind.PROMPTFOO: _promptfoo,
    FileKind.DSPY_PROGRAM: predictors_in,
}

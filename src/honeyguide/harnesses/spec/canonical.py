"""The canonical text of a spec: what the version hash is taken over, and what a journal records.

It must match hiveloom's own text byte for byte, so it is written by PyYAML's pure-Python dumper.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import BaseModel

from honeyguide.harnesses.spec.evolving import TraceExcerpts
from honeyguide.harnesses.spec.memory import Memory
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.references import BuiltinRef

_WIDTH = 100


def canonical_mapping(spec: HarnessSpec) -> dict[str, Any]:
    """Return the spec with its defaults, in the fixed order, without what stands for "not used"."""
    data: dict[str, Any] = _plain(spec)
    if not data["model"]["params"]:
        del data["model"]["params"]
    loop = data["loop"]
    if loop["policy"] != "best_of_n" and loop["attempts"] == 3:
        del loop["attempts"]
    for name in ("extensions", "hooks", "skills"):
        if not data[name]:
            del data[name]
    evolution = data["evolution"]
    if evolution["trace_excerpts"] == _plain(TraceExcerpts()):
        del evolution["trace_excerpts"]
    if not evolution["objectives"]:
        del evolution["objectives"]
    if data["memory"] == _plain(Memory()):
        del data["memory"]
    redact = data["logging"]["redact"]
    if not redact["keys"] and not redact["paths"]:
        data["logging"]["redact"] = redact["patterns"]
    return data


def hashed_text(spec: HarnessSpec) -> str:
    """Return the text that the version hash is taken over."""
    data = canonical_mapping(spec)
    version = data.pop("schema_version")
    return dump_yaml({"version": version, **data})


def recorded_text(spec: HarnessSpec) -> str:
    """Return the text that a journal records: the same, with the field named ``schema_version``."""
    return dump_yaml(canonical_mapping(spec))


def dump_yaml(data: Mapping[str, Any]) -> str:
    """Return a mapping as block-style YAML, texts of several lines as literals, lines folded at 100."""
    return yaml.dump(
        dict(data), Dumper=_Dumper, sort_keys=False, default_flow_style=False, allow_unicode=True, width=_WIDTH
    )


class _Dumper(yaml.SafeDumper):
    """The pure-Python dumper with literal blocks."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def _plain(value: Any) -> Any:
    """Return models as mappings: fields in order, ``None`` left out; a builtin's parameters follow untouched."""
    if isinstance(value, BaseModel):
        data = {name: _plain(item) for name in type(value).model_fields if (item := getattr(value, name)) is not None}
        if isinstance(value, BuiltinRef):
            data |= {key: item for key, item in value.parameters.items() if item is not None}
        return data
    if isinstance(value, list):
        return [_plain(item) if isinstance(item, BaseModel) else item for item in value]
    return value

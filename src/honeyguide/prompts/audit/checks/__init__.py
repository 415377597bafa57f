"""The checks of the shelf audit, one file each; every one is ``check(shelf)`` and yields findings.

`CHECKS` is the order in which they run. Only `honeyguide.prompts.audit` imports from here.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from honeyguide.prompts.audit.checks import (
    carrier,
    contradictions,
    duplicates,
    listings,
    overlap,
    references,
    secrets,
    sizes,
    unused,
)
from honeyguide.prompts.audit.findings import Finding
from honeyguide.prompts.audit.shelf import Shelf

CHECKS: Mapping[str, Callable[[Shelf], Iterator[Finding]]] = MappingProxyType(
    {
        "frontmatter": carrier.check,
        "limits": sizes.check,
        "listing": listings.check,
        "overlap": overlap.check,
        "never-used": unused.check,
        "contradictions": contradictions.check,
        "references": references.check,
        "secrets": secrets.check,
        "duplicates": duplicates.check,
    }
)

__all__ = ["CHECKS"]

"""What front ends import for harness folders: the three parts, and the plain data they hand out."""

from honeyguide.workspace.harness_evolving import Evolved, EvolveOptions, HarnessEvolving
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_pages import HarnessPages
from honeyguide.workspace.harness_running import HarnessRun, HarnessRunning
from honeyguide.workspace.harness_serving import HarnessServing
from honeyguide.workspace.harness_values import parse_metric_lines, parse_value
from honeyguide.workspace.harnesses import Harnesses
from honeyguide.workspace.views.harness_pages import HarnessFileDiff, HarnessFolderRow, HarnessLook, HarnessVersion
from honeyguide.workspace.views.harnesses import (
    HarnessClusterRow,
    HarnessDocument,
    HarnessLine,
    HarnessOverview,
    HarnessProposalRow,
    HarnessVersionRow,
)

__all__ = [
    "EvolveOptions",
    "Evolved",
    "HarnessClusterRow",
    "HarnessDocument",
    "HarnessEvolving",
    "HarnessFileDiff",
    "HarnessFolderRow",
    "HarnessHome",
    "HarnessLine",
    "HarnessLook",
    "HarnessOverview",
    "HarnessPages",
    "HarnessProposalRow",
    "HarnessRun",
    "HarnessRunning",
    "HarnessServing",
    "HarnessVersion",
    "HarnessVersionRow",
    "Harnesses",
    "parse_metric_lines",
    "parse_value",
]

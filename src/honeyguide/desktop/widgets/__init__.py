"""The widgets: each takes plain data, says with signals what a person did, and can be shown alone in a test.

They know nothing of the workspace. They may import ``theme``, ``models`` and ``kernel``; pages and dialogs import
them. The charts import pyqtgraph only when they are first seen.
"""

from honeyguide.desktop.widgets.bars import IntervalBar, LimitsBar, WinsBar
from honeyguide.desktop.widgets.buttons import Button, Look, ToolButton
from honeyguide.desktop.widgets.charts import BestSoFarChart, ChartFormat, ParetoChart, ProgressPoint, SpendChart
from honeyguide.desktop.widgets.chips import FilterChip, FilterChips, OutcomeBadge, StatusChips
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.decision_bar import DecisionBar, DecisionState
from honeyguide.desktop.widgets.diff import DiffLine, DiffPanel, DiffRow, DiffView, Layout, Side, TextMark
from honeyguide.desktop.widgets.evidence_panel import EvidencePanel
from honeyguide.desktop.widgets.flow_layout import FlowLayout
from honeyguide.desktop.widgets.gate_list import GateList, GateRow
from honeyguide.desktop.widgets.hint_bar import HintBar, KeyHints, Severity
from honeyguide.desktop.widgets.journal_list import JournalList
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel, named
from honeyguide.desktop.widgets.lineage_tree import LineageTree
from honeyguide.desktop.widgets.schema_diff import FieldChange, SchemaDiffTable, schema_changes
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.spend_meter import SpendMeter
from honeyguide.desktop.widgets.states import RoleIcon, StateAction, StateStack, StateView
from honeyguide.desktop.widgets.version_timeline import VersionTimeline

__all__ = [
    "BestSoFarChart",
    "Button",
    "ChartFormat",
    "DataTable",
    "DecisionBar",
    "DecisionState",
    "DiffLine",
    "DiffPanel",
    "DiffRow",
    "DiffView",
    "ElidedLabel",
    "EvidencePanel",
    "FieldChange",
    "FilterChip",
    "FilterChips",
    "FlowLayout",
    "GateList",
    "GateRow",
    "HintBar",
    "IntervalBar",
    "JournalList",
    "KeyHints",
    "Layout",
    "LimitsBar",
    "LineageTree",
    "Look",
    "OutcomeBadge",
    "ParetoChart",
    "PlainLabel",
    "ProgressPoint",
    "RoleIcon",
    "SchemaDiffTable",
    "SearchField",
    "Severity",
    "Side",
    "SpendChart",
    "SpendMeter",
    "StateAction",
    "StateStack",
    "StateView",
    "StatusChips",
    "TextMark",
    "ToolButton",
    "VersionTimeline",
    "WinsBar",
    "named",
    "schema_changes",
]

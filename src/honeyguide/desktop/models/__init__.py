"""Table models over rows that are kept here as plain data: they sort and filter on an index of their own.

Models hold rows and no logic. They know no widget and no workspace; a page hands them rows. Widgets and pages may
import from here.
"""

from honeyguide.desktop.models.calls import CallRow, CallTableModel
from honeyguide.desktop.models.candidates import Candidate, CandidateModel
from honeyguide.desktop.models.cells import CELL_ROLE, KEY_ROLE, Cell
from honeyguide.desktop.models.columns import Column, ColumnState
from honeyguide.desktop.models.evidence import EvidenceModel, EvidenceRow, Verdict
from honeyguide.desktop.models.export import Format, export_rows
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.models.paged import PagedTableModel
from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.models.runs import RunTableModel
from honeyguide.desktop.models.traces import TraceRow, TraceTableModel
from honeyguide.desktop.models.versions import VersionModel, VersionRow

__all__ = [
    "CELL_ROLE",
    "KEY_ROLE",
    "CallRow",
    "CallTableModel",
    "Candidate",
    "CandidateModel",
    "Cell",
    "Column",
    "ColumnState",
    "EvidenceModel",
    "EvidenceRow",
    "Format",
    "IndexedTableModel",
    "PagedTableModel",
    "RunRow",
    "RunTableModel",
    "TraceRow",
    "TraceTableModel",
    "Verdict",
    "VersionModel",
    "VersionRow",
    "export_rows",
]

"""Charts of a run, drawn by pyqtgraph: the trade-off between candidates, the best so far, the spend.

pyqtgraph takes half a second to import: it is imported in a thread when a chart is first seen, never before.
``front`` is pure. Updates are put together ten times a second.
"""

from honeyguide.desktop.widgets.charts.best_so_far import BestSoFarChart, ProgressPoint
from honeyguide.desktop.widgets.charts.frame import ChartFormat, ChartFrame
from honeyguide.desktop.widgets.charts.pareto import ParetoChart
from honeyguide.desktop.widgets.charts.spend import SpendChart

__all__ = ["BestSoFarChart", "ChartFormat", "ChartFrame", "ParetoChart", "ProgressPoint", "SpendChart"]

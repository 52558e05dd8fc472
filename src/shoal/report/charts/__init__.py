"""The charts of the report: inline SVG, no script, no font, no network.

In all charts, before is gray and after is the one strong color. Every chart has a description for screen readers, its
marks have tooltips, and its numbers are in a table that can be unfolded. Only positions are computed here.
"""

from shoal.report.charts.classes import class_sizes
from shoal.report.charts.cloud import correlation_drift, group_losses
from shoal.report.charts.columns import distribution, loss_by_column
from shoal.report.charts.groups import Projection, group_sizes, risk_curve, scatter
from shoal.report.charts.maps import AreaMap, area_map
from shoal.report.charts.outliers import left_out
from shoal.report.charts.questions import Asked, overlaps, question_rates
from shoal.report.charts.ratios import Line, distance_from_best, frontier
from shoal.report.charts.risk_utility import Placed, risk_map
from shoal.report.charts.svg import Chart, in_words_of

__all__ = [
    "AreaMap",
    "Asked",
    "Chart",
    "Line",
    "Placed",
    "Projection",
    "area_map",
    "class_sizes",
    "correlation_drift",
    "distance_from_best",
    "distribution",
    "frontier",
    "group_losses",
    "group_sizes",
    "in_words_of",
    "left_out",
    "loss_by_column",
    "overlaps",
    "question_rates",
    "risk_curve",
    "risk_map",
    "scatter",
]

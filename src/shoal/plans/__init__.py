"""Release plans: the recoding of a release, kept so that it can be applied to another table."""

from shoal.plans.fit_rows import Fitted, fit
from shoal.plans.from_release import marks, plan_of
from shoal.plans.moved_cells import moved
from shoal.plans.plan import Plan

__all__ = ["Fitted", "Plan", "fit", "marks", "moved", "plan_of"]

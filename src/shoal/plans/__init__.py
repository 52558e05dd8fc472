"""The recoding of a release, kept so that it can be applied to another table."""

from shoal.plans.form import Plan
from shoal.plans.make import marks, plan_of
from shoal.plans.match import Fitted, fit

__all__ = ["Fitted", "Plan", "fit", "marks", "plan_of"]

"""Utility as analysts mean it: whether the same analysis of the original table and of a release says the same.

Confidence intervals of means, shares and regression coefficients that overlap; a propensity score that cannot tell
the two tables apart; models that predict as well when they were trained on the release.
"""

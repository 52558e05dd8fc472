"""Noise that keeps means and covariances: correlated noise, and then the linear map that restores them.

Guarantee   The mean of every column and the covariance of every pair of columns are those before, up to the rounding
            of floating-point numbers (PERTURB-3, docs/proofs/perturbation.md).

Noise with the covariances of the data, times the square of `spread`, is added. Of all linear maps that then restore
the covariances exactly, the one is taken that moves the numbers least.

References  Kim: A method for limiting disclosure in microdata based on random noise and transformation, 1986.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DEPENDENT = 1e-10
"""A column whose variance, given the columns before it, is below this share of its own is a function of them."""


def with_noise(values: Floats, spread: float, normal: Floats) -> Floats:
    """Return the numbers (n, d) with noise; `normal` has independent standard normal numbers of the same shape.

    Columns that are linear functions of the columns before them get the same function of the noise. A column of one
    number stays as it is.
    """
    mean, scale = values.mean(axis=0), np.abs(values).max(axis=0)
    deviation = np.sqrt((((values - mean) / np.where(scale > 0, scale, 1.0)) ** 2).mean(axis=0)) * scale
    varies = deviation > DEPENDENT * scale
    unit = np.where(varies, deviation, 1.0)
    known = np.where(varies, (values - mean) / unit, 0.0)
    known -= known.mean(axis=0)
    root, basis = _root(known.T @ known / len(known))
    white = np.linalg.solve(root[basis], known[:, basis].T).T if len(basis) else known[:, :0]
    noisy = white + spread * (normal[:, : len(basis)] - normal[:, : len(basis)].mean(axis=0))
    noisy -= noisy.mean(axis=0)
    restored = noisy @ _inverse_root(noisy.T @ noisy / len(noisy)) if len(basis) else noisy
    found = mean + (restored @ root.T) * unit
    return np.where(varies, found - (found.mean(axis=0) - mean), values)


def _root(covariance: Floats) -> tuple[Floats, list[int]]:
    """Return the Cholesky factor (d, r) of a covariance of rank r, and the r columns that are independent."""
    d = len(covariance)
    root, basis = np.zeros((d, 0)), list[int]()
    for j in range(d):
        rest = covariance[:, j] - root @ root[j]
        if rest[j] > DEPENDENT * max(covariance[j, j], np.finfo(float).tiny):
            column = rest / np.sqrt(rest[j])
            column[[*range(j)]] = np.where(np.isin(np.arange(j), basis), 0.0, column[:j])
            root, basis = np.column_stack([root, column]), [*basis, j]
    return root, basis


def _inverse_root(covariance: Floats) -> Floats:
    """Return the inverse of the symmetric square root of a positive definite matrix."""
    length, axes = np.linalg.eigh(covariance)
    found: Floats = (axes / np.sqrt(length)) @ axes.T
    return found

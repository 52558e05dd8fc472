"""One switch for every kernel: compiled on first call, cached in the user's cache folder, never fast-math.

`SHOAL_NUMBA_CACHE=0` turns the cache off; `SHOAL_CACHE_DIR` moves it. Kernels hold no lock (`nogil`), so
two threads run two of them; parallel work is split by the caller into slots that do not overlap, which
keeps results equal for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., Any])


def cache_folder() -> Path:
    """Where compiled kernels are kept between runs."""
    chosen = os.environ.get("SHOAL_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("shoal") / "kernels"


def jit(function: F) -> F:
    """`numba.njit` as all kernels use it; the signature of `function` is kept for the type checker."""
    cached = os.environ.get("SHOAL_NUMBA_CACHE", "1") != "0"
    settings: Any = numba.config
    before = settings.CACHE_DIR
    # numba picks the folder when the function is decorated; set it for ours alone.
    settings.CACHE_DIR = str(cache_folder())
    try:
        return cast(F, numba.njit(cache=cached, nogil=True)(function))
    finally:
        settings.CACHE_DIR = before

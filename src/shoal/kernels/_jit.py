"""The decorators that compile kernels, with the same options for all of them.

Kernels are compiled by numba on their first call and cached in the user's cache folder. `SHOAL_NUMBA_CACHE=0` turns
the cache off and `SHOAL_CACHE_DIR` moves it. `fastmath` is never used, because it would let the compiler reorder
sums. Kernels release the interpreter lock (`nogil`), so that several threads can run them at once. Callers split
parallel work into ranges that do not overlap, so results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.event import Listener, register
from platformdirs import user_cache_path

from shoal.kernels._cache import KernelCache, trouble_with
from shoal.kernels._compile_events import callbacks

F = TypeVar("F", bound=Callable[..., Any])

int64 = cast(type[int], np.int64)
"""Converts to a 64-bit integer whose value is not part of its numba type, unlike that of a literal; see `jit`."""


class _Compilations(Listener):
    """Listens to numba's compile events and calls every registered callback.

    Loading a kernel from the cache is no compile event.
    """

    def on_start(self, event: Any) -> None:
        for callback in callbacks:
            callback()

    def on_end(self, event: Any) -> None:
        pass


cast(Any, register)("numba:compile", _Compilations())


def cache_folder() -> Path:
    """Return the folder in which compiled kernels are cached: `SHOAL_CACHE_DIR`, else one in the user's cache."""
    chosen = os.environ.get("SHOAL_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("shoal") / "kernels"


@cache
def cache_trouble() -> str | None:
    """Return why the cache folder cannot be used, as a clause of a sentence.

    None if it can be used, and also if the user has turned the cache off.
    """
    return trouble_with(cache_folder()) if _cache_is_on() else None


def _cache_is_on() -> bool:
    return os.environ.get("SHOAL_NUMBA_CACHE", "1") != "0"


_njit: Any = numba.njit
"""`numba.njit` without types, because numba's type hints do not list all options that are used here."""


def jit(function: F) -> F:
    """Compile a kernel that Python calls, and cache it; its signature stays as it is for the type checker.

    Numba compiles a kernel once more for each literal it is called with by another kernel. Therefore kernels pass
    `int64(0)` rather than `0`, and a variable that changes later starts as an `int64` too.
    """
    kernel = _njit(nogil=True, no_cfunc_wrapper=True)(function)
    _attach_cache(kernel, function)
    return cast(F, kernel)


def _attach_cache(kernel: Any, function: Callable[..., Any]) -> None:
    """Give `kernel` a cache on disk, unless the cache is off or unusable or numba's compiler is disabled."""
    if not hasattr(kernel, "_cache") or not _cache_is_on() or cache_trouble() is not None:
        return
    settings: Any = numba.config
    before = settings.CACHE_DIR
    # numba reads its setting when the cache object is made; it is set for our kernels only and then restored.
    settings.CACHE_DIR = str(cache_folder())
    try:
        kernel._cache = KernelCache(function)
    except (OSError, RuntimeError):  # the disk may have filled up: the kernel is then compiled in every run
        return
    finally:
        settings.CACHE_DIR = before


def inner(function: F) -> F:
    """Compile a function that only kernels call. It is cached as part of them and cannot be called from Python."""
    return cast(F, _njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function))


def inlined(function: F) -> F:
    """Compile like `inner`, and inline the function into its callers, for functions inside the innermost loops."""
    return cast(F, _njit(nogil=True, forceinline=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function))

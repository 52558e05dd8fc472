"""One switch for every kernel: compiled on first call, cached in the user's cache folder, never fast-math.

`SHOAL_NUMBA_CACHE=0` turns the cache off; `SHOAL_CACHE_DIR` moves it. Kernels hold no lock (`nogil`), so
two threads run two of them; parallel work is split by the caller into slots that do not overlap, which
keeps results equal for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.event import Listener, register
from platformdirs import user_cache_path

from shoal.kernels._cache import KernelCache, trouble_with

F = TypeVar("F", bound=Callable[..., Any])

int64 = cast(type[int], np.int64)
"""A number that numba does not take for a literal; an int to the type checker."""


class _Compilations(Listener):
    """Hears numba compile (a kernel found in the cache is not compiled) and tells who asked to know."""

    def __init__(self) -> None:
        self.told: list[Callable[[], None]] = []

    def on_start(self, event: Any) -> None:
        for tell in self.told:
            tell()

    def on_end(self, event: Any) -> None:
        pass


_compilations = _Compilations()
cast(Any, register)("numba:compile", _compilations)


@contextmanager
def on_compile(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` whenever a kernel has to be compiled inside the block."""
    _compilations.told.append(tell)
    try:
        yield
    finally:
        _compilations.told.remove(tell)


def cache_folder() -> Path:
    """Where compiled kernels are kept between runs."""
    chosen = os.environ.get("SHOAL_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("shoal") / "kernels"


@cache
def cache_trouble() -> str | None:
    """Why kernels are not kept between runs, where the folder is at fault; None where they are or nobody wants it."""
    return trouble_with(cache_folder()) if _wanted() else None


def _wanted() -> bool:
    return os.environ.get("SHOAL_NUMBA_CACHE", "1") != "0"


_njit: Any = numba.njit
"""Untyped, because numba's types do not know all of its options."""


def jit(function: F) -> F:
    """`numba.njit` as all kernels use it; the signature of `function` is kept for the type checker.

    A kernel is compiled anew for every literal it is called with: pass `int64(0)`, not `0`, and let a variable that
    changes begin as one.
    """
    kernel = _njit(nogil=True, no_cfunc_wrapper=True)(function)
    _keep(kernel, function)
    return cast(F, kernel)


def _keep(kernel: Any, function: Callable[..., Any]) -> None:
    """Give the kernel its place in the cache, where there is one; not where numba's compiler is turned off."""
    if not hasattr(kernel, "_cache") or not _wanted() or cache_trouble() is not None:
        return
    settings: Any = numba.config
    before = settings.CACHE_DIR
    # numba picks the folder when the cache is made; set it for ours alone.
    settings.CACHE_DIR = str(cache_folder())
    try:
        kernel._cache = KernelCache(function)
    except (OSError, RuntimeError):  # a disk that is full by now: compiled in every run
        return
    finally:
        settings.CACHE_DIR = before


def inner(function: F) -> F:
    """For what only kernels call: kept with them in the cache, and not made ready to be called from Python."""
    return cast(F, _njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function))


def inlined(function: F) -> F:
    """`inner` for innermost loops: becomes part of the kernel, so that arrays are not passed around."""
    return cast(F, _njit(nogil=True, forceinline=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function))

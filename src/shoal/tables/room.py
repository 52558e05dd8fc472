"""A limit on the memory that the cells of a file may take, because a small packed file may unpack to a very large
one.
"""

from __future__ import annotations

import os
from pathlib import Path

from shoal.caller import setting
from shoal.errors import TableError

_SHARE = 0.5  # share of the free memory that the cells may take; working on them needs about as much again
_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def room() -> int:
    """Return the bytes that the cells of a table may take: half of what is free.

    What is free is the least of the machine's available memory, the limit of its container and the process's own
    limit.
    """
    found = [free for free in (_free(), _within_limit(), *(_in_container(*pair) for pair in _CGROUPS)) if free]
    return int(_SHARE * min(found)) if found else 1 << 62


def refuse_beyond_room(path: Path, needed: int) -> None:
    """Raise a `TableError` if a file needs more memory than there is room for."""
    if needed > (free := room()):
        raise TableError(
            f"{str(path)!r} needs {_size(needed)} or more of memory, and this machine has room for {_size(free)}.",
            "check where the file comes from; a table of this size needs more memory, or fewer columns or rows, or "
            f"can be anonymized in blocks ({setting('engine', 'local')}).",
        )


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{max(n_bytes, 0) / 1e6:.0f} MB"


def _free() -> int | None:
    """Return the bytes of available memory, or of all memory where the system does not say; None if unknown."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        pass
    try:
        return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return None


def _within_limit() -> int | None:
    """Return the bytes that the limit on the process's address space (`ulimit -v`) leaves; None without a limit."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
    return None if limit == resource.RLIM_INFINITY else max(limit - used, 1)


def _in_container(limit: str, used: str) -> int | None:
    """Return the bytes that the container's memory limit leaves; None without a limit."""
    try:
        most, now = (Path(file).read_text(encoding="ascii").strip() for file in (limit, used))
        return None if most == "max" else max(int(most) - int(now), 1)
    except (OSError, ValueError):
        return None

"""How much memory a file may take once it is unpacked: a small one may say that it holds the world."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import TableError

_SHARE = 0.5  # of the free memory, for the cells alone: working on them takes as much again
_CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def room() -> int:
    """Bytes that the cells of a table may take here: half of what the machine, its container and its limits leave."""
    found = [free for free in (_free(), _within_limit(), *(_in_container(*pair) for pair in _CGROUPS)) if free]
    return int(_SHARE * min(found)) if found else 1 << 62


def refuse_beyond_room(path: Path, needed: int) -> None:
    """One sentence for a file that unpacks to more than there is room for."""
    if needed > (free := room()):
        raise TableError(
            f"{str(path)!r} unpacks to {_size(needed)} or more, and {_size(free)} is what this machine has room for.",
            "check where the file comes from; a true table of this size needs more memory, or fewer columns or rows.",
        )


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{max(n_bytes, 0) / 1e6:.0f} MB"


def _free() -> int | None:
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
    """What `ulimit -v` leaves to this process."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
    return None if limit == resource.RLIM_INFINITY else max(limit - used, 1)


def _in_container(limit: str, used: str) -> int | None:
    try:
        most, now = (Path(file).read_text(encoding="ascii").strip() for file in (limit, used))
        return None if most == "max" else max(int(most) - int(now), 1)
    except (OSError, ValueError):
        return None

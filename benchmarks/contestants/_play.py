"""What every contestant does: read what is asked, make a first small run, time the second, tell how it went.

Only the standard library: this file runs in every peer's environment.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any


def asked() -> tuple[str, str, dict[str, Any]]:
    """Where the input is, where the output goes, and the options."""
    return sys.argv[1], sys.argv[2], json.loads(sys.argv[3])


def play(work: Callable[[], Any], first: Callable[[], Any] | None = None, **more: Callable[[Any], Any]) -> Any:
    """What `work` returns, timed after `first` (whatever compiles, compiles there); `more` is told of the result."""
    if first is not None:
        first()
    print("ready", flush=True)
    begun, cpu = time.perf_counter(), time.process_time()
    found = work()
    told = {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}
    print(json.dumps(told | {name: of(found) for name, of in more.items()}), flush=True)
    return found

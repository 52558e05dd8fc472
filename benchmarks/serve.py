"""What a user of `shoal serve` waits for: the first page, a table that is ready, and pages during a run.

`python -m benchmarks.serve adult.csv` starts the server in a process of its own and asks it as a browser does, but
draws nothing: the first page from the start of the process, the table from its upload to the page of its columns, the
slowest of many answers while a release is made.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

PAUSE, ANSWERS = 0.05, 60


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    given = parser.parse_args()
    begun = time.perf_counter()
    command = [sys.executable, "-m", "shoal", "serve", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None
            address = found[0].rstrip("/")
            _get(address + "/")
            first = time.perf_counter() - begun
            print(json.dumps({"first page, s": round(first, 2)} | _table(address, given.table)))
        finally:
            server.terminate()


def _table(address: str, table: Path) -> dict[str, float]:
    origin = re.match(r"http://[^/]+", address)
    assert origin is not None
    begun = time.perf_counter()
    headers = {"x-file-name": table.name, "accept": "application/json", "origin": origin[0]}
    answer = json.loads(_send(f"{address}/upload", table.read_bytes(), headers))
    at = origin[0] + answer["location"].rpartition("/")[0]
    while "data-events" in _get(f"{at}/columns"):  # it is still being read
        time.sleep(PAUSE)
    ready = time.perf_counter() - begun
    _get(f"{at}/rows?start=0&count=50")  # the page of the data shows rows before any run
    _send(f"{at}/questions/-1", b"", {"origin": origin[0]})  # everything is kept as it is proposed
    _send(f"{at}/run", b"", {"origin": origin[0]})
    waits = []
    for _ in range(ANSWERS):
        asked = time.perf_counter()
        _get(f"{at}/rows?start=900&count=50")
        waits.append(time.perf_counter() - asked)
        time.sleep(PAUSE)
    waits.sort()
    middle, slowest = waits[len(waits) // 2], waits[-1]
    return {
        "ready to configure, s": round(ready, 2),
        "a page during a run, the middle, ms": round(1000 * middle, 1),
        "the slowest, ms": round(1000 * slowest, 1),
    }


def _get(address: str) -> str:
    with urllib.request.urlopen(address) as answer:
        return str(answer.read().decode("utf-8"))


def _send(address: str, body: bytes, headers: dict[str, str]) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(address, body, headers)) as answer:
        return bytes(answer.read())


if __name__ == "__main__":
    main()

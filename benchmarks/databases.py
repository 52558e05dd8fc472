"""How long a release takes from PostgreSQL and back, and that a process that is killed leaves the old table.

    python -m benchmarks.databases [--rows 1000000]

A server is started in a temporary folder, as the tests do. A generated table is written to it; a release is made of
it, written back to another table, read back and verified, by the command line as a user runs it. Then the same is run
again with --replace, and killed (SIGKILL) while the server fills the new table. Wall time, time of all cores of the
command (the server's own is not in it) and its most memory are printed.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.postgres_server import Server, server

TABLE = """
create table patients as select g as id, date '1930-01-01' + (random() * 30000)::int as born,
  (10000 + (random() * 900)::int)::text as zip, (array['f', 'm'])[1 + (random() * 1.99)::int] as sex,
  (random() * 60)::int as job, (random() * 200000)::numeric(12, 2) as income, (random() * 30)::int as visits,
  (array['flu', 'cold', 'angina', 'asthma', 'gout', 'burn', 'none'])[1 + (random() * 6.99)::int] as illness,
  (random() * 9000)::numeric(10, 2) as cost, md5(g::text)::uuid as token,
  timestamp '2024-01-01' + random() * interval '300 days' as seen, random() < .3 as insured,
  (random() * 40)::int as ward, (random() * 5)::int as stars
from generate_series(1, {rows}) g
"""
ROLES = [
    "--identifier", "id,token", "--quasi", "born,zip,sex,job,income,visits", "--sensitive", "illness",
    "--other", "cost,seen,insured,ward,stars", "--publish-rare", "cost,seen", "-k", "5", "--method", "mondrian",
]  # fmt: skip


def command(running: Server, out: Path, *more: str) -> list[str]:
    shoal = [sys.executable, "-m", "shoal", "anonymize", running.uri(), "--table", "patients", "--out", str(out)]
    return [*shoal, "--format", "parquet", "--to-table", "anon.patients", "--quiet", *ROLES, *more]


def timed(what: str, words: list[str]) -> None:
    begin = time.perf_counter()
    process = subprocess.Popen(words)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, what
    wall = time.perf_counter() - begin
    print(
        f"{what}: {wall:.0f} s wall, {used.ru_utime + used.ru_stime:.0f} s of cores, {used.ru_maxrss / 2**20:.2f} GiB"
    )


def digest(running: Server) -> list[tuple[object, ...]]:
    return running.run("select count(*), sum(hashtext(p::text)::bigint) from anon.patients p")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with server() as running, tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"
        running.run("select setseed(.5)", TABLE.format(rows=rows), "create schema anon")
        timed(f"{rows} rows x 14 columns from PostgreSQL to a release and back", command(running, out))
        verify = [sys.executable, "-m", "shoal", "verify", running.uri(), "--table", "anon.patients"]
        timed("verified in the database", [*verify, str(out / "certificate.json"), "--quiet"])
        before = digest(running)
        process = subprocess.Popen(command(running, out, "--replace"))
        active = "select count(*) from pg_stat_activity where state = 'active' and query like 'insert into%'"
        while not running.run(active)[0][0]:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(1)
        tables = running.run(
            "select count(*) from pg_class where relnamespace = 'anon'::regnamespace and relkind = 'r'"
        )
        assert digest(running) == before
        assert tables == [(1,)]
        timed(
            "verified after a run was killed while it filled the new table",
            [*verify, str(out / "certificate.json"), "-q"],
        )


if __name__ == "__main__":
    main()

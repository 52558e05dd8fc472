"""The benchmark code measures, judges and tells what it says it does; nothing is timed here."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks import data, fit, history, judge, page, profiles, results, scaling, verdicts
from benchmarks.contests import Contest, Contestant, contests
from benchmarks.process import READY, Run, RunError, run
from benchmarks.results import Limits, Line, Spread

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_exponent_of_made_up_times_is_found_and_its_interval_is_narrow():
    sizes = [10**e for e in range(3, 8)]
    exact = fit.power(sizes, [3e-6 * n**1.2 for n in sizes])
    assert exact.slope == pytest.approx(1.2)
    assert exact.high - exact.low < 1e-6


def test_the_interval_holds_the_true_exponent_in_95_of_100_noisy_sweeps():
    rng = np.random.default_rng(0)
    sizes = np.array([1e4, 3e4, 1e5, 3e5, 1e6])
    fits = [fit.power(sizes, sizes**1.1 * np.exp(rng.normal(0, 0.2, 5))) for _ in range(400)]
    assert 0.92 <= np.mean([one.low <= 1.1 <= one.high for one in fits]) <= 0.98


def test_two_sizes_leave_nothing_to_judge_an_exponent_by():
    assert math.isinf(fit.power([10, 100], [1, 10]).high)
    with pytest.raises(ValueError, match="two different sizes"):
        fit.power([10, 10], [1, 2])


def test_small_sizes_do_not_hide_the_growth_and_memory_is_per_record():
    def seconds(n):
        return 0.5 if n < 10_000 else 1e-5 * n**1.5

    rows = [
        scaling.Measure("mst", "n", n, 3, 5, cores, cores * seconds(n), 1.0, 100 + n * 64 / 2**20)
        for n in (1_000, 10_000, 100_000, 1_000_000)
        for cores in (1, 2)
    ]
    found = {one.cores: one for one in scaling.exponents(rows)}
    assert [found[cores].slope for cores in (1, 2)] == pytest.approx([1.5, 1.5])
    assert found[2].bytes_per_record == pytest.approx(64)
    assert scaling.speedups(rows) == [("mst", 1_000_000, 0.5)]


def released(folder: Path, cells: list[tuple[str, str]]) -> tuple[Path, Path]:
    given, made = folder / "given.csv", folder / "made.csv"
    pl.DataFrame({"age": [20, 30, 40, 50, 60], "sex": list("fmfmf"), "s": list("abcde")}).write_csv(given)
    pl.DataFrame(cells, schema=["age", "sex"], orient="row").with_columns(s=pl.lit("x")).write_csv(made)
    return made, given


def test_the_loss_of_a_release_is_its_ranges_and_sets(tmp_path):
    found = judge.release(*released(tmp_path, [("20..30", "f|m")] * 2 + [("40..60", "f")] * 3))
    assert (found.by_sql, found.by_verify, found.lost_records) == (2, 2, 0)
    assert found.loss == pytest.approx(((10 / 40 + 1) * 2 + 20 / 40 * 3) / 10)
    assert found.meets(2)


def test_a_release_broken_on_purpose_is_seen_by_both_counts(tmp_path):
    cells = [("20..30", "f|m")] * 2 + [("40..60", "f")] * 2 + [("40..59", "f")]
    found = judge.release(*released(tmp_path, cells))
    assert (found.by_sql, found.by_verify) == (1, 1)
    assert not found.meets(2)
    assert found.note(2) == "smallest group 1"


def test_records_that_a_peer_left_out_count_as_lost_whole(tmp_path):
    found = judge.release(*released(tmp_path, [("20..20", "f")] * 3))
    assert found.loss == pytest.approx(2 / 5)
    assert "2 records left out" in found.note(2)


def test_either_count_alone_refuses_a_release():
    assert not judge.Verdict(0.1, 5, 4).meets(5)
    assert not judge.Verdict(0.1, 4, 5).meets(5)
    assert judge.Verdict(0.1, 4, 5).note(5) == "SQL counts 4, verify 5"


def test_nodes_cost_their_share_of_all_leaves_of_the_hierarchy(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "SHARED", tmp_path / "absent")
    folder = data.hierarchies(tmp_path / "made")
    given, made = tmp_path / "given.csv", tmp_path / "made.csv"
    race = [f"race {i}" for i in range(4)]
    pl.DataFrame({"race": race, "s": race}).write_csv(given)
    pl.DataFrame({"race": ["race of 0"] * 2 + ["race 2", "*"], "s": race}).write_csv(made)
    found = judge.nodes(made, given, hierarchies=folder)
    assert found.loss == pytest.approx((2 * 3 / 5 + 0 + 1) / 4)
    assert found.by_sql == found.by_verify == 1


def test_groups_of_points_are_counted_twice(tmp_path):
    np.save(tmp_path / "x.npy", np.array([[0.0], [2.0], [10.0], [12.0], [30.0]]))
    np.save(tmp_path / "labels.npy", np.array([7, 7, 3, 3, 9]))
    found = judge.groups(tmp_path / "labels.npy", tmp_path / "x.npy")
    assert (found.by_sql, found.by_verify) == (1, 1)
    assert found.loss == pytest.approx(100 * 4 / ((np.array([0, 2, 10, 12, 30]) - 10.8) ** 2).sum())


def test_a_group_of_regions_in_two_pieces_is_judged_by_the_lighter_piece(tmp_path):
    np.savez(tmp_path / "map.npz", edges=np.array([[0, 1], [1, 2], [2, 3]]), weights=np.array([5, 6, 7, 8]))
    np.save(tmp_path / "labels.npy", np.array([1, 2, 1, 1]))
    found = judge.connected(tmp_path / "labels.npy", tmp_path / "map.npz")
    assert (found.loss, found.by_sql, found.by_verify) == (20, 5, 5)


def test_ratios_are_of_the_same_turn():
    ours = {0: Run(1, 1, 1, {"seconds": 1.0}), 1: Run(1, 1, 1, {"seconds": 10.0})}
    theirs = {
        0: Run(1, 1, 1, {"seconds": 2.0}),
        1: Run(1, 1, 1, {"seconds": 30.0}),
        2: Run(1, 1, 1, {"seconds": 9.0}),
    }
    assert results.ratios(theirs, ours) == Spread(2.5, 2.0, 3.0, 2)
    assert results.ratios({2: theirs[2]}, ours) is None


class Scripted(Contestant):
    """Writes groups without a process."""

    def compete(self, source, target, limit):
        self.options.setdefault("turns", []).append(self.options["clock"](self.name))
        if self.options.get("fails"):
            raise RunError("stopped after 1 s")
        np.save(target, self.options["labels"])
        return Run(self.options["wall"], 1.0, 50.0, {"seconds": self.options["wall"]})


def test_contestants_take_turns_and_one_that_fails_or_is_slow_does_not_stop_the_others(tmp_path):
    played = []

    def clock(name):
        played.append(name)

    def one(name, labels, wall, **more):
        return Scripted(name, "shoal", "", {"labels": np.array(labels), "wall": wall, "clock": clock} | more)

    contest = Contest(
        "four points",
        "",
        "",
        lambda folder: data._kept(folder / "x.npy", np.array([[0.0], [1.0], [5.0], [6.0]])),
        (
            one("Shoal", [0, 0, 1, 1], 1.0),
            one("slow", [0, 0, 1, 1], 9.0),
            one("broken", [0, 0, 0, 1], 1.0),
            one("absent", [], 1.0, fails=True),
        ),
        judge.groups,
        2,
    )
    lines = {line.contestant: line for line in results.play(contest, Limits(3, 10, 1))}
    assert played == ["Shoal", "slow", "broken", "absent", "Shoal", "broken", "Shoal", "broken"]
    assert lines["slow"].times == Spread(9.0, 9.0, 9.0, 1)
    assert lines["broken"].meets is False
    assert (lines["broken"].by_sql, lines["broken"].by_verify) == (1, 1)
    assert lines["absent"].seconds is None
    assert lines["absent"].note == "stopped after 1 s"


def test_a_process_is_measured_by_itself_and_stopped_only_after_it_is_ready():
    grown = np.ones(2**25)  # what this process holds must not count
    found = run(sys.executable, "-I", "-c", "print('{\"seconds\": 0.5}')")
    assert found.seconds == 0.5
    assert found.peak_mb < 60 < grown.nbytes / 2**20
    with pytest.raises(RunError, match="stopped after 0 s"):
        run(sys.executable, "-I", "-c", f"print('{READY}', flush=True); import time; time.sleep(60)", limit=0.1)
    with pytest.raises(RunError, match="ValueError: no"):
        run(sys.executable, "-I", "-c", "raise ValueError('no')")
    with pytest.raises(RunError, match=r"^ValueError: not in \.\.\.$"):
        run(sys.executable, "-I", "-c", "raise ValueError('not in /some/where/file.csv')")


def row(contestant, seconds, loss, meets=True, **more):
    spread = None if seconds is None else {"middle": seconds, "least": seconds, "most": seconds * 1.1, "count": 3}
    known = {"contest": "a contest", "contestant": contestant, "version": "1", "seconds": spread, "times": spread}
    known |= {
        "loss": loss,
        "losses": 1.0,
        "meets": meets,
        "by_sql": 5,
        "by_verify": 5,
        "peak_mb": 10.0,
        "memory": 1.0,
    }
    return known | {"cpu": 1.0, "target": None, "note": "", "because": ""} | more


@pytest.mark.parametrize(
    ("peer", "kind"),
    [
        (row("peer", 2.0, 1.0), verdicts.AHEAD),
        (row("peer", 0.5, 1.0), verdicts.BEHIND),
        (row("peer", 0.95, 1.0), verdicts.LEVEL),
        (row("peer", 0.5, 1.2), verdicts.BEHIND),
        (row("peer", 20.0, 0.4), verdicts.BEHIND),
        (row("peer", 5.0, 0.7), verdicts.BEHIND),
        (row("peer", 0.1, 0.1, meets=False), verdicts.MISSES),
        (row("peer", None, None, None, note="stopped"), verdicts.ABSENT),
        (row("peer", 2.0, 1.0 - 1e-8), verdicts.AHEAD),
    ],
)
def test_a_peer_is_behind_only_if_one_method_is_as_fast_and_loses_no_more(peer, kind):
    ours = [row("Shoal (mdav)", 1.0, 1.0), row("Shoal (best)", 10.0, 0.5)]
    (found,) = verdicts.outcomes([*ours, peer])
    assert found.kind == kind
    assert found.text.endswith(".")


def test_a_lost_line_is_told_with_its_reason():
    rows = [row("Shoal (mdav)", 1.0, 1.0), row("Shoal (best)", 10.0, 0.5)]
    (found,) = verdicts.outcomes([*rows, row("peer", 0.5, 1.0, because="It does less.")])
    assert found.text == (
        "peer 1 takes 0.5 of the time of Shoal (mdav), at the same loss (Shoal (best) loses 50 % less, in 10 s). "
        "It does less."
    )


def small_result() -> dict:
    lines = [
        row("Shoal", 1.0, 1.0, target=0.5),
        row("fast", 0.5, 1.0, because="It does less."),
        row("slow", 30.0, 2.0),
    ]
    measures = [
        {"task": "mst", "sweep": "n", "n": n, "d": 3, "k": 5, "cores": cores, "seconds": n / 1e5, "cpu": 1.0}
        | {"peak_mb": 100.0 + n / 1e4}
        for n in (10_000, 100_000, 1_000_000)
        for cores in (1, 2)
    ]
    grown = scaling.exponents([scaling.Measure(**one) for one in measures])
    return {
        "commit": "abc",
        "machine": "a machine, 2 cores, 8 GiB",
        "quick": True,
        "contests": [{"name": "a contest", "what": "points", "loss": "SSE"}],
        "lines": lines,
        "waits": [{"name": "shoal --help", "seconds": 0.2, "cpu": 0.2, "peak_mb": 30.0}],
        "measures": measures,
        "exponents": [vars(one) for one in grown],
        "profiles": [{"name": "read", "seconds": 0.5, "floor": 0.01, "limit": "bytes"}],
        "papers": [{"paper": "mst", "what": "table 6", "theirs": "printed", "ours": "1.0"}],
        "paper_seconds": {"mst": 3.0},
        "steps": [{"name": "mdav", "seconds": 1.0, "least": 0.9, "most": 1.1, "rounds": 3}],
        "minutes": 3.0,
    }


def test_the_page_names_what_is_lost_with_the_reason_and_the_tables_stand_behind_it(tmp_path):
    text = page.write(small_result(), tmp_path).read_text()
    assert "in 1 the\npeer is ahead" in text
    assert "- **fast** takes 0.5 of the time at the same loss: a contest. It does less." in text
    assert "| slow 1 | a contest | 30 | 2 | yes |" in text
    tables = (tmp_path / "benchmarks-tables.md").read_text()
    assert "](benchmarks-tables.md)" in text
    assert "| a contest, Shoal | 0.5 | 1.0000 | **missed** |" in tables
    assert "| mst | n | 2 | 1.00 | 1.00 to 1.00 | 3 | 10,000 |" in tables
    assert "| read | 0.500 | 0.01 | 50 | bytes |" in tables
    for name, where in (("peers", text), ("growth", tables), ("steps", tables)):
        picture = (tmp_path / "images" / f"benchmarks-{name}.svg").read_text()
        assert f"images/benchmarks-{name}.svg" in where
        assert picture.startswith("<svg")
        assert len(picture) < 50_000
    for written in (text, tables):
        assert "nan" not in written
        assert str(Path.cwd()) not in written


def test_what_one_peer_wins_for_one_reason_is_one_paragraph():
    lost = [
        verdicts.Outcome(f"{table}, k = {k}", "peer", verdicts.BEHIND, times, "", 1.0, "It does less.")
        for table, k, times in (("Census", 3, 0.5), ("Census", 5, 0.25), ("a, b", 3, 0.4))
    ]
    wanted = "- **peer** takes 0.25 to 0.5 of the time at the same loss: Census, k = 3, 5; a, b, k = 3. It does less."
    assert page._lost(lost) == wanted


def test_the_table_that_a_person_reads_has_ten_lines_at_most(tmp_path):
    many = small_result()
    many["lines"] += [row(f"peer {n}", 3.0, 1.0, memory=0.25) for n in range(12)]
    text = page.write(many, tmp_path).read_text()
    assert len(re.findall(r"^\| (?!peer \|).* \| a contest \|", text, flags=re.MULTILINE)) == 10
    assert "4 more are among all tables." in text
    assert "**Memory**: in 12 of 14 comparisons the peer needs less, 0.25 of Shoal's peak." in text


def test_the_pages_are_those_of_a_run_that_is_kept(tmp_path):
    stored = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    commit = re.search(r"commit `(\w+\+?)`", stored)[1]
    (kept,) = history.RESULTS.rglob(f"{commit}.json")
    page.write(json.loads(kept.read_text(encoding="utf-8")), tmp_path)
    for file in ("benchmarks.md", "benchmarks-tables.md", "images/benchmarks-peers.svg"):
        assert (tmp_path / file).read_text(encoding="utf-8") == (DOCS / file).read_text(encoding="utf-8"), file


def test_a_run_that_failed_in_part_still_has_its_page(tmp_path):
    bare = {"commit": "abc", "machine": "m", "quick": False, "contests": [], "lines": []}
    bare["contests"].append({"name": "unplayed", "what": "points", "loss": ""})
    assert "No peer could be compared" in page.write(bare, tmp_path).read_text()
    assert "could not be played" in (tmp_path / "benchmarks-tables.md").read_text()


def test_results_are_kept_by_machine_and_commit_and_two_are_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "RESULTS", tmp_path)
    before, after = small_result(), small_result() | {"commit": "def"}
    after["steps"] = [after["steps"][0] | {"seconds": 0.5, "least": 0.4, "most": 0.6}]
    after["lines"] = [row("Shoal", 1.05, 0.9)]
    kept = [history.save(one) for one in (before, after)]
    assert [path.name for path in kept] == ["abc.quick.json", "def.quick.json"]
    assert json.loads(kept[0].read_text()) == history.load("abc")
    assert history.load("unknown") == {}
    lines = history.compare(history.load("abc"), history.load("def"))
    assert any(line.startswith("mdav") and "0.50*" in line for line in lines)
    assert any(line.startswith("a contest: Shoal") and "1.05 " in line and "0.9000" in line for line in lines)


def test_the_machine_is_described_and_not_named():
    import platform

    assert "cores" in history.machine()
    assert platform.node() not in history.machine()


def test_a_revision_that_is_none_is_told_in_a_sentence():
    with pytest.raises(SystemExit, match="no commit of this repository"):
        history.commit("no-such-revision")


def test_a_step_has_its_own_time_without_those_inside_it():
    now = [0.0]
    watch = profiles.Stopwatch(lambda: now[0])
    with watch.step("groups", None):
        now[0] += 1
        with watch.step("nearest records", 10) as advance:
            advance(10)
            now[0] += 5
        now[0] += 2
    assert watch.seconds == {"nearest records": 5.0, "groups": 3.0}


def test_the_steps_of_a_profile_add_up_to_the_whole():
    clock = {"read": 1.0, "roles": 0.5, "points": 0.5, "groups": 10.0, "publish": 2.0, "verify": 3.0, "measure": 4.0}
    found = profiles.split(clock, {"nearest records": 4.0, "regrouping": 3.0, "groups": 1.0}, writing=5.0)
    assert tuple(found) == profiles.STEPS
    assert (found["code"], found["neighbors"], found["improve"], found["partition"]) == (1.0, 4.0, 3.0, 3.0)
    assert sum(found.values()) == sum(clock.values()) + 5.0


def test_the_least_of_a_step_is_bytes_over_speed():
    found = profiles.floors(1000, 8, given=10**6, made=2 * 10**6, speeds=profiles.Speeds(1e6, 1e6, 1e9))
    assert set(found) == set(profiles.STEPS)
    assert found["read"][0] == 1.0
    assert found["write"][0] == 2.0
    assert found["neighbors"][0] == pytest.approx(16 * 1000 * 8 * 8 / 1e9)


def test_every_table_is_generated_where_the_reference_data_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "SHARED", tmp_path / "absent")
    assert pl.read_csv(data.mixed(tmp_path)).shape == (30_162, 9)
    assert pl.read_csv(data.mixed(tmp_path, 5_000, distinct=True))["age"].n_unique() == 5_000
    for name in ("Tarragona", "Census"):
        assert np.load(data.reference(tmp_path, name)).shape[1] == 13
    assert np.load(data.places(tmp_path)).shape == (33_120, 2)
    assert np.load(data.name_frequencies(tmp_path)).shape[1] == 1
    assert np.load(data.regions(tmp_path))["edges"].shape[1] == 2
    folder = data.hierarchies(tmp_path / "made")
    leaves = (folder / "adult_hierarchy_race.csv").read_text().splitlines()
    assert leaves[0] == "race 0;race of 0;*"
    assert len(contests(quick=False)) > len(contests(quick=True)) > 10


def test_no_benchmark_is_collected_by_the_tests():
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:anyio", "benchmarks"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        check=False,
    )
    assert collected.returncode == 5, "no tests collected"


def test_a_line_is_written_as_it_is_shown():
    from benchmarks.terminal import line_of

    shown = line_of(row("peer", 2.0, 1.0, note="4 records left out"))
    assert "meets k (SQL 5, verify 5)" in shown
    assert shown.endswith("4 records left out")
    assert line_of(vars(Line("c", "peer", "1", note="stopped after 90 s"))) == "stopped after 90 s"

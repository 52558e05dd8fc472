"""Folders that were tampered with: what the certificate does not list, lists otherwise, or what is no file at all."""

from __future__ import annotations

import json
import os
import shutil
import signal
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from shoal.certify import Certificate, sha256_of, verify
from shoal.errors import ParameterError, ShoalError
from tests.certify import forgeries, releases


@pytest.fixture
def release(tmp_path) -> Path:
    return forgeries.written(tmp_path / "out")


@contextmanager
def within(seconds: int):
    """What waits on a pipe or reads without end is stopped, and fails."""

    def stop(_number, _frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def holds(released: Path, *policy: object) -> bool:
    with within(20):
        try:
            return verify(released, *policy).holds
        except ShoalError as refused:
            return "\n" in refused.message  # one sentence


def refused(release: Path) -> bool:
    """By the folder, by the file in it, and with a policy of one's own."""
    own = forgeries.policy(release.parent.with_name("own"))
    forgeries.written(release.parent.with_name("own"))
    return not holds(release.parent) and not holds(release) and not holds(release, own)


def reissued(folder: Path, **changes: object) -> None:
    """A certificate of the forger's own, true to the folder as it is now."""
    file = folder / "certificate.json"
    found = Certificate.from_json(file.read_text(encoding="utf-8"))
    files = {name: sha256_of(folder / name) for name in found.files}
    fresh = replace(found, files=files, published_sha256=files["release.csv"], **changes)
    file.write_text(fresh.to_public_json(), encoding="utf-8")


def test_the_honest_folder_holds(release):
    assert holds(release.parent)
    assert holds(release, forgeries.policy(release.parent))


@pytest.mark.parametrize(
    "name", ["raw.csv", ".hidden", "release.csv~", "Certificate.json", "notes.txt", "legend.json.bak"]
)
def test_nothing_else_lies_in_the_folder(release, name):
    (release.parent / name).write_text("Anna Meyer,47,HIV\n")
    assert refused(release)


def test_a_stranger_cannot_be_listed_either(release):
    """The files of a release follow from its policy; a list that has one more is no certificate."""
    (release.parent / "raw.csv").write_text("Anna Meyer,47,HIV\n")
    file = release.parent / "certificate.json"
    found = json.loads(file.read_text())
    found["files"]["raw.csv"] = sha256_of(release.parent / "raw.csv")
    file.write_text(json.dumps(found))
    assert refused(release)


def test_no_folder_lies_in_the_folder(release):
    (release.parent / "raw").mkdir()
    assert refused(release)


@pytest.mark.parametrize("name", ["release.csv", "levels.csv", "region.map.csv", "legend.json", "certificate.json"])
class TestEveryFile:
    def test_is_no_link(self, release, name, tmp_path):
        (release.parent / name).rename(tmp_path / "elsewhere")
        (release.parent / name).symlink_to(tmp_path / "elsewhere")
        assert refused(release)

    def test_is_no_link_to_a_file_of_the_system(self, release, name):
        (release.parent / name).unlink()
        (release.parent / name).symlink_to("/etc/passwd")
        assert refused(release)

    def test_is_no_pipe(self, release, name):
        (release.parent / name).unlink()
        os.mkfifo(release.parent / name)
        assert refused(release)

    def test_is_no_endless_device(self, release, name):
        (release.parent / name).unlink()
        (release.parent / name).symlink_to("/dev/zero")
        assert refused(release)

    def test_is_no_folder(self, release, name):
        (release.parent / name).unlink()
        (release.parent / name).mkdir()
        assert refused(release)

    def test_is_there(self, release, name):
        (release.parent / name).unlink()
        assert not holds(release.parent)
        assert not holds(release)

    def test_has_the_bytes_that_were_certified(self, release, name):
        file = release.parent / name
        file.write_bytes(file.read_bytes() + b"\n" if name != "certificate.json" else b"{}")
        assert refused(release)


def test_names_added_to_the_legend_are_refused_by_digest_and_by_content(release):
    file = release.parent / "legend.json"
    honest = json.loads(file.read_text())
    for forged in (
        honest | {"name": [{"class": "Anna Meyer", "labels": ["Anna Meyer"]}]},
        honest | {"city": [*honest["city"], {"class": "Anna Meyer", "labels": ["Anna Meyer"]}]},
        honest | {"city": [one | {"who": "Anna Meyer"} for one in honest["city"]]},
        {"city": [{"class": "A", "labels": ["A", "Anna Meyer"]}, *honest["city"][1:]]},
        {"city": [honest["city"][0] | {"labels": "A"}, *honest["city"][1:]]},
        [honest],
    ):
        file.write_text(json.dumps(forged))
        assert refused(release)
        reissued(release.parent)
        found = verify(release)
        assert {failure.check for failure in found.failures} == {"legend"}
        assert "Meyer" not in str(found)


@pytest.mark.parametrize(
    "text", ['{"city": [], "city": []}', "[" * 50_000, '{"city": [{"class": "A", "labels": [NaN]}]}', ""]
)
def test_a_legend_that_reads_in_two_ways_is_refused(release, text):
    (release.parent / "legend.json").write_text(text)
    reissued(release.parent)
    assert refused(release)


def test_a_map_that_was_replaced_is_refused(release):
    (release.parent / "region.map.csv").write_text("region,neighbor\nnorth,south\nsouth,east\nnorth,east\n")
    assert refused(release)


@pytest.mark.parametrize(
    "text", ["flu;lung;*\ncold;skin;*\ngout;joint;*\n", "flu;lung;*\ncold;skin;*\nAnna Meyer;HIV;*\n"]
)
def test_a_hierarchy_tells_no_value_that_was_not_released(release, text):
    (release.parent / "levels.csv").write_text(text)
    assert refused(release)
    reissued(release.parent)
    assert [failure.check for failure in verify(release).failures] == ["folder"]


@pytest.mark.parametrize("text", ["flu;lung\ncold\n", "flu;a;*\ncold;a;+\n", "flu;a\nflu;b\ncold;a\n", "", "\x00"])
def test_what_is_no_hierarchy_is_a_failure_and_no_fault(release, text):
    (release.parent / "levels.csv").write_text(text)
    reissued(release.parent)
    assert not holds(release.parent)


def test_padding_the_hierarchy_does_not_lower_t(release):
    honest = verify(release).t["diagnosis"]
    (release.parent / "levels.csv").write_text("flu;lung;a;a;a;a;*\ncold;skin;a;a;a;a;*\n")
    reissued(release.parent)
    assert verify(release).t["diagnosis"] == honest > 0


def test_ones_own_hierarchy_wins_over_that_of_the_folder(tmp_path):
    """The forger's tree joins everything early, so that all values are near; one's own keeps them apart."""
    frame = pl.DataFrame({"age": ["1"] * 3 + ["2"] * 3, "s": ["a", "b", "c", "d", "e", "f"]})
    trees = {
        "true": "a;x;*\nb;x;*\nc;x;*\nd;y;*\ne;y;*\nf;y;*\n",
        "odd": "".join(f"{v};{'v' if v != 'f' else v};{'w' if v != 'f' else v};*\n" for v in "abcdef"),
    }
    found = {}
    for name, text in trees.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "levels.csv").write_text(text)
        column = {
            "role": "sensitive",
            "hierarchy": str(folder / "levels.csv"),
            "closeness": {"t": 0.4, "distance": "hierarchical"},
        }
        asked = releases.policy(columns={"age": {"role": "quasi"}, "s": column}, diversity=None, closeness=None)
        found[name] = asked
    path, _ = releases.written(tmp_path / "odd", frame, found["odd"])
    assert verify(path).holds
    told = verify(path, found["true"])
    assert not told.holds
    assert told.t["s"] > verify(path).t["s"]


def test_a_file_alone_is_checked_alone(tmp_path):
    """Without a certificate beside it, a folder is somebody's folder."""
    releases.release().write_csv(tmp_path / "mine.csv")
    (tmp_path / "notes.txt").write_text("mine")
    assert holds(tmp_path / "mine.csv", releases.policy())


def test_a_certificate_given_from_elsewhere_brings_its_own_files(release, tmp_path):
    """The files that it needs are beside it, with their digests; the table may lie anywhere."""
    shutil.copy(release, tmp_path / "table.csv")
    certificate = release.parent / "certificate.json"
    assert holds(tmp_path / "table.csv", certificate)
    (release.parent / "region.map.csv").write_text("region,neighbor\nnorth,south\n")
    assert not holds(tmp_path / "table.csv", certificate)


def test_a_second_certificate_in_the_folder_is_a_stranger_there(release):
    shutil.copy(release.parent / "certificate.json", release.parent / "second.json")
    assert not holds(release, release.parent / "second.json")


def test_a_pipe_given_as_a_certificate_does_not_hang(release, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with within(20), pytest.raises(ParameterError, match="not a regular file"):
        verify(release, tmp_path / "pipe.json")

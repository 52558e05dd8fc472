"""Every command: its exit codes, its JSON, its silence, its help."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import shoal as library
from shoal.cli.main import app
from shoal.datasets import hospital
from tests.cli.running import Ran, shoal

COMMANDS = ("anonymize", "apply", "verify", "profile", "hierarchy", "compare", "attack", "risk", "dossier", "demo")
ROLES = ("--quasi", "sex,height_cm", "--sensitive", "diagnosis", "--identifier", "name,patient_id,zip,weight_kg")
ROLES += ("--identifier", "birth_date", "--identifier", "admitted, ward, length_of_stay")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, a policy and a release of it."""
    folder = tmp_path_factory.mktemp("cli")
    hospital(150).write_csv(folder / "stays.csv")
    made = shoal(
        "anonymize", folder / "stays.csv", "--out", folder / "out", *ROLES, "-k", "4", "-l", "2", "--seed", "5"
    )
    assert made.code == 0, made.err
    (folder / "policy.toml").write_text((folder / "out.private" / "policy.toml").read_text())
    return folder


def calls(here: Path) -> dict[str, list[str | Path]]:
    """A call of each command that succeeds."""
    return {
        "anonymize": ["anonymize", here / "stays.csv", "-o", here / "again", "-p", here / "policy.toml"],
        "apply": [
            "apply",
            here / "out.private" / "plan.json",
            here / "stays.csv",
            "-o",
            here / "next",
            "--max-suppressed",
            "0.2",
        ],
        "verify": ["verify", here / "out" / "release.csv"],
        "profile": ["profile", here / "stays.csv"],
        "hierarchy": ["hierarchy", here / "stays.csv", "ward"],
        "compare": ["compare", here / "stays.csv", "-p", here / "policy.toml", "-k", "2,5"],
        "attack": ["attack", here / "stays.csv", here / "out" / "release.csv", "-p", here / "policy.toml"],
        "risk": ["risk", here / "stays.csv", "-p", here / "policy.toml", "--population", "90000"],
        "dossier": ["dossier", here / "out", "-o", here / "dossier.html", "--force"],
        "demo": ["demo", "--out", here / "demo", "--people", "60"],
    }


# -- success -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_succeeds_says_so_to_people(command: str, here: Path) -> None:
    ran = shoal(*calls(here)[command])
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert ran.out.strip()
    assert max(map(len, ran.out.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_json_prints_exactly_one_object(command: str, here: Path) -> None:
    ran = shoal(*calls(here)[command], "--json")
    assert ran.code == 0, ran.out
    assert ran.err == ""
    assert ran.json["ok"] is True


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_prints_nothing(command: str, here: Path) -> None:
    assert shoal(*calls(here)[command], "--quiet") == Ran(0, "", "")


def test_what_anonymize_tells_is_what_it_wrote(here: Path) -> None:
    ran = shoal(*calls(here)["anonymize"], "--json", "--format", "parquet")
    told = ran.json
    found = library.verify(told["file"])
    assert found.holds
    assert told["published_sha256"] == found.sha256
    assert told["rows"] == found.rows == 150
    assert "seed" not in told
    assert Path(told["file"]).name == "release.parquet"


def test_the_same_secret_gives_the_same_files(here: Path) -> None:
    secret = here / "out.private" / "secret.key"
    for out in ("one", "two"):
        made = shoal(
            *calls(here)["anonymize"][:2], "-o", here / out, "-p", here / "policy.toml", "--secret", secret, "-q"
        )
        assert made.code == 0, made.err
    for name in ("release.csv", "certificate.json"):
        assert (here / "one" / name).read_bytes() == (here / "two" / name).read_bytes()


def test_flags_are_shortcuts_for_the_policy(here: Path) -> None:
    roles = {
        name: column["role"] for name, column in tomllib.loads((here / "policy.toml").read_text())["columns"].items()
    }
    assert roles["sex"] == roles["height_cm"] == "quasi"
    assert roles["ward"] == "identifier"
    ran = shoal(*calls(here)["anonymize"], "-k", "9", "--publication", "aggregate", "--json")
    assert (ran.json["claims"][0]["claimed"], ran.json["form"]) == (9, "aggregate")


def test_classes_of_labels_are_a_flag(here: Path) -> None:
    table = ["anonymize", here / "stays.csv", "-o", here / "classes", *ROLES, "-k", "4", "--seed", "5"]
    table[table.index("name,patient_id,zip,weight_kg")] = "name,patient_id,weight_kg"
    unstated = shoal(*table, "--quasi", "zip", "--classes", "zip=20")
    assert unstated.code == 2
    assert unstated.is_one_sentence
    assert "--publish-rare zip=merged" in unstated.err
    assert not (here / "classes").exists()
    (here / "classes.toml").write_text('[columns.zip]\nrole = "quasi"\npublish_rare = true\n', encoding="utf-8")
    ran = shoal(*table, "-p", here / "classes.toml", "--classes", "zip=20", "--json")
    assert ran.code == 0, ran.out
    told = json.loads((here / "classes" / "legend.json").read_text(encoding="utf-8"))
    assert sum(len(one["labels"]) for one in told["zip"]) > len(told["zip"]) > 1
    assert shoal("verify", here / "classes", "-q").code == 0
    refused = shoal(*table, "--quasi", "zip", "--classes", "zip=many")
    assert refused.code == 2
    assert "give NAME or NAME=PEOPLE" in refused.err


def test_the_next_table_and_an_attacker_s_may_be_read_in_another_way(tmp_path: Path) -> None:
    rows = "".join(f"{20 + i % 3};Zürich\n" for i in range(20))
    for name, encoding in (("may", "cp1252"), ("june", "cp1250")):
        (tmp_path / f"{name}.csv").write_bytes(f"age;town\n{rows}".encode(encoding))
    (tmp_path / "plain.csv").write_text(f"age;town\n{rows}", encoding="utf-8")
    may, out = tmp_path / "may.csv", tmp_path / "out"
    assert shoal("anonymize", may, "-o", out, "--quasi", "age,town", "--encoding", "cp1252", "-q").code == 0
    plan, others = tmp_path / "out.private" / "plan.json", tmp_path / "others"
    for name, encoding in (("may", None), ("june", "cp1250"), ("plain", "utf-8")):
        how = ("--encoding", encoding) if encoding else ()
        ran = shoal("apply", plan, tmp_path / f"{name}.csv", "-o", others, "-q", *how)
        assert ran.code == 0, ran.err
    assert shoal("attack", may, out, "-q").code == 0  # found out
    assert shoal("attack", may, out, "-q", "--encoding", "cp1252").code == 0
    refused = shoal("attack", may, out, "-q", "--encoding", "utf-8")
    assert refused.code == 2
    assert refused.is_one_sentence, refused.err
    with pytest.raises(library.ShoalError, match="k is not a parameter of apply"):
        library.apply(plan, may, k=3)


def test_the_policy_that_profile_writes_says_how_the_file_is_read(tmp_path: Path) -> None:
    file, policy = tmp_path / "in.csv", tmp_path / "policy.toml"
    rows = "".join(f"{20 + i % 3},Zürich,{'?' if i % 2 else 'flu'}\n" for i in range(20))
    file.write_bytes(f"age,town,diagnosis\n{rows}".encode("cp1252"))
    assert shoal("profile", file, "--write", policy, "--encoding", "cp1252", "--null", "?", "-q").code == 0
    assert tomllib.loads(policy.read_text())["source"] == {"encoding": "cp1252", "null_values": ["?"]}
    assert shoal("anonymize", file, "-p", policy, "-o", tmp_path / "out", "-q").code == 0


def test_profile_starts_a_policy_that_anonymize_takes(here: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    assert shoal("profile", here / "stays.csv", "--write", policy, "-q").code == 0
    assert shoal("anonymize", here / "stays.csv", "-o", tmp_path / "out", "-p", policy, "-q").code == 0
    assert shoal("verify", tmp_path / "out" / "release.csv", policy, "-q").code == 0
    before = policy.read_bytes()
    again = shoal("profile", here / "stays.csv", "--write", policy)
    assert (again.code, again.is_one_sentence) == (2, True)
    assert policy.read_bytes() == before
    assert shoal("profile", here / "stays.csv", "--write", policy, "--force", "-q").code == 0


def test_compare_writes_a_page_of_its_own(here: Path, tmp_path: Path) -> None:
    page = tmp_path / "frontier.html"
    assert shoal(*calls(here)["compare"], "--html", page, "--methods", "gather,forest", "-l", "1,2", "-q").code == 0
    assert page.read_text().lower().startswith("<!doctype html>")
    told = shoal(*calls(here)["compare"], "--json").json
    assert [trial["k"] for trial in told["trials"]] == [2, 5]


def test_compare_sweeps_the_share_of_rows_that_may_be_left_out(here: Path) -> None:
    call = ["compare", here / "stays.csv", "-p", here / "policy.toml", "-k", "5", "--methods", "gather,cellular"]
    told = shoal(*call, "--max-suppressed", "0,0.05", "--json").json["trials"]
    assert [(trial["method"], trial["max_suppressed"]) for trial in told] == [
        ("gather", 0), ("gather", 0.05), ("cellular", 0), ("cellular", 0.05)
    ]  # fmt: skip
    assert all(trial["suppressed_share"] <= trial["max_suppressed"] for trial in told)
    assert max(map(len, shoal(*call, "--max-suppressed", "0,0.05").out.splitlines())) <= 80
    refused = shoal(*call, "--max-suppressed", "0,much")
    assert (refused.code, "not a list of numbers" in refused.err) == (2, True)


def test_compare_takes_what_an_l_and_a_method_need(here: Path) -> None:
    """c belongs to the l that is swept, and max_groups to the method; both are lists here, and c was refused."""
    call = ["compare", here / "stays.csv", "-p", here / "policy.toml", "-k", "5"]
    told = shoal(*call, "-l", "2", "--l-kind", "recursive", "--c", "3", "--objective", "radius", "--json").json[
        "trials"
    ]
    assert [(trial["method"], trial["requirement"]) for trial in told] == [("gather", "l = 2")]
    free, few = (
        shoal(*call, "--methods", "gather", *limit, "--json").json["trials"][0]["n_groups"]
        for limit in ((), ("--max-groups", "2"))
    )
    assert (few, free > 2) == (2, True)
    refused = shoal(*call, "--methods", "forest", "--max-groups", "2")
    assert (refused.code, "--max-groups is for the method gather" in refused.err) == (2, True)


# -- exit codes ----------------------------------------------------------------------------------------------------


def one_too_few(here: Path) -> pl.DataFrame:
    """The release with one group cut down to k - 1 rows."""
    release = pl.read_csv(here / "out" / "release.csv", infer_schema=False)
    place = pl.int_range(pl.len()).over("sex", "height_cm")
    first = (pl.col("sex") == release["sex"][0]) & (pl.col("height_cm") == release["height_cm"][0])
    return release.filter(~first | (place < 3))


def wrong_calls(here: Path) -> dict[str, tuple[int, list[str | Path]]]:
    table = here / "stays.csv"
    policy = here / "policy.toml"
    (here / "other.toml").write_text('[columns.height]\nrole = "quasi"\n')
    (here / "bad.toml").write_text("k = five\n")
    (here / "unknown.toml").write_text('kk = 5\n[columns.sex]\nrole = "quasi"\n')
    one_too_few(here).write_csv(here / "broken.csv")
    return {
        "no such command": (2, ["anonymize"]),
        "no such option": (2, ["verify", here / "out" / "release.csv", "--fast"]),
        "a missing argument": (2, ["anonymize"]),
        "a missing option": (2, ["anonymize", table]),
        "a word for a number": (2, ["anonymize", table, "-o", here / "no", "-k", "five"]),
        "k of one": (2, ["anonymize", table, "-o", here / "no", "-p", policy, "-k", "1"]),
        "an unknown format": (2, ["anonymize", table, "-o", here / "no", "-p", policy, "--format", "xls"]),
        "an unknown method": (2, ["anonymize", table, "-o", here / "no", "-p", policy, "--method", "magic"]),
        "an unknown publication": (2, ["anonymize", table, "-o", here / "no", "-p", policy, "--publication", "x"]),
        "a hierarchy without a file": (
            2,
            ["anonymize", table, "-o", here / "no", "-p", policy, "--hierarchy", "sex"],
        ),
        "a hierarchy that is not there": (
            2,
            ["anonymize", table, "-o", here / "no", "-p", policy, "--hierarchy", "sex=nowhere.csv"],
        ),
        "two roles for one column": (2, ["anonymize", table, "-o", here / "no", "--quasi", "sex", "--other", "sex"]),
        "no roles": (2, ["anonymize", table, "-o", here / "no", "--quasi", "sex"]),
        "a policy for another table": (2, ["anonymize", table, "-o", here / "no", "-p", here / "other.toml"]),
        "a policy that is no TOML": (2, ["anonymize", table, "-o", here / "no", "-p", here / "bad.toml"]),
        "a policy with an unknown key": (2, ["anonymize", table, "-o", here / "no", "-p", here / "unknown.toml"]),
        "a policy that is not there": (2, ["anonymize", table, "-o", here / "no", "-p", here / "nowhere.toml"]),
        "a table that is not there": (2, ["anonymize", here / "no.csv", "-o", here / "no", "-p", policy]),
        "a release that is not there": (2, ["verify", here / "no.csv"]),
        "no certificate": (2, ["verify", here / "broken.csv"]),
        "a list of words for numbers": (2, ["compare", table, "-p", policy, "-k", "two,three"]),
        "an unknown method to compare": (2, ["compare", table, "-p", policy, "--methods", "magic"]),
        "no people to attack": (2, ["attack", table, here / "out" / "release.csv", "-p", policy, "--people", "0"]),
        "too few people for a demo": (2, ["demo", "--out", here / "no", "--people", "3"]),
        "an output folder below a file": (2, ["anonymize", table, "-o", table / "out", "-p", policy]),
        "more people than there are": (3, ["anonymize", table, "-o", here / "no", "-p", policy, "-k", "151"]),
        "more values than there are": (3, ["anonymize", table, "-o", here / "no", "-p", policy, "-l", "40"]),
        "a comparison beyond the table": (3, ["compare", table, "-p", policy, "-k", "5,500"]),
        "a release that does not hold": (4, ["verify", here / "broken.csv", policy]),
        "the raw table as a release": (4, ["verify", table, policy]),
    }


def test_every_wrong_call_ends_in_its_exit_code_and_one_sentence(here: Path) -> None:
    for name, (code, call) in wrong_calls(here).items():
        ran = shoal(*call, "--quiet") if code == 4 else shoal(*call)
        assert ran.code == code, (name, ran)
        assert ran.is_one_sentence, (name, ran)
        assert ran.out == "", name
        told = shoal(*call, "--json")
        assert told.code == code, (name, told)
        if code == 4:
            assert told.json["ok"] is False
            assert told.json["failures"], name
        else:
            assert set(told.json) == {"ok", "error", "hint", "status"}, name
            assert told.json["ok"] is False
            assert told.json["status"] == code
            assert told.json["error"] in ran.err, name
        assert not (here / "no").exists()


def test_a_claim_that_fails_is_told_with_counts(here: Path) -> None:
    one_too_few(here).write_csv(here / "short.csv")
    ran = shoal("verify", here / "short.csv", here / "policy.toml")
    assert ran.code == 4
    assert re.search(r"\b3 (?:records|rows)", ran.out)


def test_an_attack_that_beats_the_promise_ends_in_4(here: Path, tmp_path: Path) -> None:
    """The raw quasi-identifiers, handed out as a release of k = 4."""
    raw = hospital(150).select("sex", "height_cm", "diagnosis")
    raw.write_csv(tmp_path / "release.csv")
    ran = shoal("attack", here / "stays.csv", tmp_path / "release.csv", "-p", here / "policy.toml", "--quiet")
    assert (ran.code, ran.is_one_sentence) == (4, True)


def test_an_inner_fault_is_told_without_its_text(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries quote cells in their messages; a trace is shown on request only."""

    def fault(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("could not parse 'zanzibar'")

    monkeypatch.setattr("shoal.pipeline.publication.publish", fault)
    ran = shoal(*calls(here)["anonymize"])
    assert (ran.code, ran.is_one_sentence) == (1, True)
    assert "zanzibar" not in ran.err
    assert re.search(r"RuntimeError in \w+\.py, line \d+", ran.err)
    assert shoal(*calls(here)["anonymize"], "--json").json["status"] == 1
    monkeypatch.setenv("SHOAL_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="zanzibar"):
        shoal(*calls(here)["anonymize"])


def test_a_table_beyond_memory_is_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("shoal.pipeline.shape.build_space", full)
    ran = shoal(*calls(here)["anonymize"])
    assert (ran.code, ran.is_one_sentence) == (2, True)
    assert "memory" in ran.err


# -- help ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [str(command.name) for command in app.registered_commands])
def test_help_shows_an_example_that_parses_and_fits_80_columns(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80", "TERM": "dumb"}).output
    assert max(map(len, shown.splitlines())) <= 80
    flat = " ".join(re.sub(r"[│╭╮╰╯─]", " ", shown).split())
    example = re.search(rf"Example: (shoal {command}.*)$", flat)
    assert example, shown
    for option in re.findall(r"(?<= )--?[a-z][a-z-]*", example.group(1)):
        assert re.search(rf"(?<![\w-]){option}\b", flat.replace(example.group(0), "")), f"{option} is not an option"


def test_the_first_help_names_every_command_and_where_to_start() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).output
    assert all(command in shown for command in COMMANDS)
    assert "shoal demo" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_called_alone_it_shows_its_help() -> None:
    ran = shoal()
    assert ran.code == 2
    assert "Usage: shoal" in ran.err
    assert "error" not in ran.err


def test_the_version_is_the_packages() -> None:
    assert shoal("--version").out == f"shoal {library.__version__}\n"


def test_json_errors_are_one_line_of_json() -> None:
    ran = shoal("verify", "nowhere.csv", "--json")
    assert len(ran.out.splitlines()) == 1
    assert json.loads(ran.out)["status"] == ran.code == 2
    assert ran.err == ""


def test_a_release_is_signed_and_checked_by_its_key(tmp_path: Path) -> None:
    table, key, public = tmp_path / "t.csv", tmp_path / "steward.key", tmp_path / "steward.key.pub"
    table.write_text("age,ill\n" + "".join(f"{20 + i % 3},{'flu' if i % 2 else 'cold'}\n" for i in range(12)))
    assert shoal("keygen", key).code == 0
    again = shoal("keygen", key)
    assert (again.code, again.is_one_sentence) == (2, True)
    order = ("anonymize", table, "--out", tmp_path / "out", "--quasi", "age", "--sensitive", "ill", "-k", "3", "-q")
    assert shoal(*order, "--sign", key).code == 0
    held = shoal("verify", tmp_path / "out", "--key", public)
    assert held.code == 0
    assert "signed by the holder of the key" in " ".join(held.out.split())
    assert "The certificate is signed; give" in shoal("verify", tmp_path / "out").out
    assert shoal("verify", tmp_path / "out", "--json").json["signature"] == "not checked"
    assert shoal("keygen", tmp_path / "other.key").code == 0
    assert shoal("verify", tmp_path / "out", "--key", tmp_path / "other.key.pub").code == 4
    wrong = shoal(*order, "--sign", public)
    assert (wrong.code, wrong.is_one_sentence) == (2, True)
    assert shoal("verify", tmp_path / "out", "--key", public).code == 0

"""Evidence beside a release: attacks and analyses, in the private folder alone, and the dossier of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal import progress
from shoal.cli.main import app
from shoal.datasets import hospital
from shoal.errors import SchemaError
from shoal.measure.evidence import Evidence
from shoal.pipeline import evidence
from tests.fixed_secret import SECRET

COLUMNS = {
    "birth_date": {"role": "quasi"},
    "sex": {"role": "quasi"},
    "height_cm": {"role": "quasi"},
    "diagnosis": {"role": "sensitive"},
}
POLICY: dict[str, Any] = {"k": 4, "method": "mondrian", "evidence": True, "columns": COLUMNS}


def table(n: int = 240) -> pl.DataFrame:
    return hospital(n).select(list(COLUMNS))


@pytest.fixture(scope="module")
def release() -> shoal.Release[pl.DataFrame]:
    return shoal.anonymize(table(), POLICY, synthetic="marginals", secret=SECRET)


@pytest.fixture(scope="module")
def folder(release: shoal.Release[pl.DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evidence") / "out"
    release.write(out)
    return out


def test_the_release_is_attacked_itself_and_a_trial_of_half_of_the_people_has_the_other_half_as_control(
    release: shoal.Release[pl.DataFrame],
) -> None:
    found = release.evidence
    assert found is not None
    assert found.release.questions is not None
    assert (found.release.questions.held, found.release.questions.n_people) == ("none", 240)
    assert found.trial is not None
    assert (found.trial.held, found.trial.n_people, found.trial.n_control) == ("split", 120, 120)
    assert {one.name for one in found.trial.worst} == {"singling out", "linkability", "inference"}
    assert all(one.risk_low <= one.risk <= one.risk_high for one in found.trial.worst if one.risk is not None)
    linked = [one for one in found.release.questions.answers if one.name == "linkability" and one.known == "quasi"]
    assert linked[0].success.rate <= 1 / 4
    assert found.synthetic is not None
    assert found.synthetic.questions is not None


def test_the_evidence_is_what_attack_and_utility_say_of_the_same_release(
    release: shoal.Release[pl.DataFrame],
) -> None:
    """Both read the released table as it is; nothing of how it was made helps."""
    attacked = shoal.attack(table(), release.table, POLICY, people=evidence.ATTEMPTS)
    assert release.evidence is not None
    assert release.evidence.release.questions == attacked.questions
    assert release.evidence.release.utility == shoal.utility(table(), release.table, POLICY)


def test_the_trial_is_that_of_attack_with_half_of_the_people_as_control(release: shoal.Release[pl.DataFrame]) -> None:
    attacked = shoal.attack(table(), policy=POLICY, control=0.5, people=evidence.ATTEMPTS)
    assert release.evidence is not None
    assert release.evidence.trial == attacked.questions


def test_evidence_changes_no_released_row_and_stays_in_the_private_folder(folder: Path, tmp_path: Path) -> None:
    plain = shoal.anonymize(table(), POLICY, evidence=False, synthetic="marginals", secret=SECRET)
    plain.write(tmp_path / "plain")
    assert plain.evidence is None
    names = sorted(path.name for path in folder.iterdir())
    assert names == sorted(path.name for path in (tmp_path / "plain").iterdir())
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()
    private = tmp_path / "plain.private"
    assert "What an attacker gets" not in (private / "report.html").read_text()
    assert "evidence" not in json.loads((private / "measures.json").read_text())


def test_asking_for_evidence_later_makes_the_same_release_again(tmp_path: Path) -> None:
    """Another secret would make other groups of the same people, and both releases could be compared."""
    table().write_csv(tmp_path / "people.csv")
    roles = ["--quasi", "birth_date,sex,height_cm", "--sensitive", "diagnosis", "-k", "4", "--method", "mondrian"]
    command = ["anonymize", str(tmp_path / "people.csv"), "--out", str(tmp_path / "out"), *roles]
    assert CliRunner().invoke(app, [*command, "-q"]).exit_code == 0
    first = (tmp_path / "out" / "release.csv").read_bytes()
    found = CliRunner().invoke(app, [*command, "--evidence", "--json"])
    assert found.exit_code == 0
    assert (tmp_path / "out" / "release.csv").read_bytes() == first
    assert Evidence.from_dict(json.loads(found.stdout)["evidence"]).trial is not None
    assert "evidence = true" in (tmp_path / "out.private" / "policy.toml").read_text()


def test_the_report_says_what_was_tried_what_came_of_it_and_what_being_in_the_table_adds(folder: Path) -> None:
    page = (folder.with_name("out.private") / "report.html").read_text()
    for words in ("Singling out: ", "Linkability: ", "Inference of ", "Tried: ", "On this release", "In the trial",
                  "Do analyses say the same?", "How often attacks succeed"):  # fmt: skip
        assert words in page


def test_what_was_kept_is_read_back_as_it_was(folder: Path, release: shoal.Release[pl.DataFrame]) -> None:
    kept = json.loads((folder.with_name("out.private") / "measures.json").read_text())["evidence"]
    assert Evidence.from_dict(kept) == release.evidence


def test_a_dossier_shows_the_evidence_without_the_original_table(folder: Path, tmp_path: Path) -> None:
    shoal.dossier(folder, tmp_path / "dossier.html")
    page = (tmp_path / "dossier.html").read_text()
    assert "Three questions, when the release was made" in page
    assert "Being in the table makes attacks more successful" in page
    assert "Confidence intervals from the release overlap" in page


def test_a_dossier_of_damaged_evidence_is_refused_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(folder, tmp_path / "out")
    private = shutil.copytree(folder.with_name("out.private"), tmp_path / "out.private")
    measures = json.loads((private / "measures.json").read_text())
    del measures["evidence"]["release"]["questions"]
    (private / "measures.json").write_text(json.dumps(measures))
    with pytest.raises(shoal.ShoalError, match=r"measures\.json of out\.private is damaged"):
        shoal.dossier(tmp_path / "out", tmp_path / "dossier.html")


def test_people_whom_the_sample_left_out_are_the_control_of_the_release_itself() -> None:
    found = shoal.anonymize(table(400), POLICY, sample=0.25, secret=SECRET).evidence
    assert found is not None
    assert found.release.questions is not None
    assert (found.release.questions.held, found.trial, found.no_trial) == ("left out", None, "control")
    assert (found.release.questions.n_people, found.release.questions.n_control) == (100, 100)
    assert found.compared is found.release.questions


def test_nobody_is_on_both_sides_where_people_have_several_rows() -> None:
    visits = table(200).with_columns(who=pl.Series([f"p{row // 2}" for row in range(200)]))
    asked = POLICY | {"columns": COLUMNS | {"who": {"role": "person"}}}
    trial = shoal.anonymize(visits, asked, secret=SECRET).evidence
    assert trial is not None
    assert trial.trial is not None
    assert (trial.n_people, trial.trial.n_people, trial.trial.n_control) == (100, 50, 50)
    sampled = shoal.anonymize(visits, asked, sample=0.5, secret=SECRET).evidence
    assert sampled is not None
    assert sampled.release.questions is not None
    assert sampled.release.questions.n_control == 50


def test_a_large_table_has_a_trial_of_a_sample_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "TRIAL_PEOPLE", 100)
    release = shoal.anonymize(table(), POLICY, secret=SECRET)
    found = release.evidence
    assert found is not None
    assert found.trial is not None
    assert (found.trial.n_people, found.trial.n_control, found.n_people) == (50, 50, 240)
    assert "Both were drawn from 240 people" in release.to_html()


def test_a_table_too_small_for_a_trial_has_no_control_and_says_so() -> None:
    release = shoal.anonymize(table(12), POLICY | {"k": 8}, secret=SECRET)
    assert release.evidence is not None
    assert (release.evidence.trial, release.evidence.no_trial) == (None, "refused")
    assert "Half of the people could not be released under this policy" in release.to_html()


def test_labels_that_are_rare_in_half_of_the_table_do_not_stop_the_trial() -> None:
    rows = table(240).with_columns(town=pl.Series([f"town {row // 2}" for row in range(240)]))
    columns = COLUMNS | {"town": {"role": "other"}}
    found = shoal.anonymize(rows, POLICY | {"columns": columns}, secret=SECRET).evidence
    assert found is not None
    assert found.trial is not None


def test_labels_that_are_rare_in_half_of_the_table_do_not_stop_a_comparison_with_a_control() -> None:
    rows = table(240).with_columns(town=pl.Series([f"town {row // 2}" for row in range(240)]))
    asked = {"k": 4, "method": "mondrian", "columns": COLUMNS | {"town": {"role": "other"}}}
    found = shoal.compare(rows, asked, k=[4], control=0.5)
    assert found.trials[0].questions is not None
    assert not found.policy.columns[
        "town"
    ].publish_rare  # what is no fault in a trial is none of the policy's settings
    alone = rows.with_columns(town=pl.Series(["a town of its own", *rows["town"][1:]]))
    with pytest.raises(SchemaError, match="labels would be published that one person alone has"):
        shoal.compare(alone, asked, k=[4], control=0.5)


def test_rows_about_groups_are_not_attacked_as_people_and_the_report_says_so() -> None:
    release = shoal.anonymize(table(), POLICY | {"publication": "centers", "method": "auto"}, secret=SECRET)
    assert release.evidence is not None
    assert (release.evidence.release.questions, release.evidence.no_trial) == (None, "centers")
    assert "Every row is about a group" in release.to_html()


@pytest.mark.parametrize("how", ["sequence", "plan"])
def test_a_release_that_follows_others_is_attacked_without_a_trial(how: str) -> None:
    rows = table().with_columns(who=pl.Series(np.arange(240).astype(str)))
    asked = POLICY | {"columns": COLUMNS | {"who": {"role": "identifier"}}, "method": "auto"}
    if how == "sequence":
        release = shoal.anonymize(rows, asked, link="who", l=2, secret=SECRET)
    else:
        first = shoal.anonymize(rows, asked, publication="generalize", secret=SECRET)
        release = shoal.apply(first.plan, rows, max_suppressed=0.5)
    assert release.evidence is not None
    assert release.evidence.release.questions is not None
    assert (release.evidence.trial, release.evidence.no_trial) == (None, how)
    assert "so there is no control" in release.to_html()


def test_the_progress_of_the_evidence_is_shown() -> None:
    class Heard:
        def __init__(self) -> None:
            self.steps: list[str] = []

        def step(self, name: str, total: int | None) -> Any:
            from contextlib import contextmanager

            @contextmanager
            def shown() -> Any:
                self.steps.append(name)
                yield lambda _amount: None

            return shown()

        def note(self, text: str) -> None:
            pass

    heard = Heard()
    with progress.watch(heard):
        shoal.anonymize(table(60), POLICY, secret=SECRET)
    assert heard.steps.count("evidence") == 1


def test_an_exposed_release_is_told_from_a_safe_one() -> None:
    """A sensitive number of its own singles everybody out; without it nobody is."""
    rows = table().with_columns(pay=pl.Series(np.random.default_rng(3).integers(0, 10**9, 240)))
    exposed = shoal.anonymize(rows, POLICY | {"columns": COLUMNS | {"pay": {"role": "other"}}}, secret=SECRET)
    quasi = {name: column for name, column in COLUMNS.items() if column["role"] == "quasi"}
    safe = shoal.anonymize(rows.select(list(quasi)), POLICY | {"columns": quasi}, secret=SECRET)
    risks = []
    for one in (exposed, safe):
        assert one.evidence is not None
        assert one.evidence.trial is not None
        worst = {answer.name: answer for answer in one.evidence.trial.worst}["singling out"]
        risks.append((worst.risk, worst.risk_low))
    assert risks[0][1] is not None
    assert risks[0][1] > 0.9
    assert risks[1][0] is not None
    assert math.isclose(risks[1][0], 0.0, abs_tol=0.02)

"""Certificates that were tampered with, systematically: none of them verifies."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from shoal.certify import Certificate, verify
from shoal.errors import ParameterError
from shoal.policy import Policy
from tests.certify import forgeries

WORD = {("suppressed",), ("shoal",), ("policy", "columns", "name")}
"""What the publisher states: no count on the released file can show another. What is not published may go unnamed."""


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    return forgeries.written(tmp_path_factory.mktemp("forged") / "out")


@pytest.fixture(scope="module")
def text(release) -> str:
    return (release.parent / "certificate.json").read_text(encoding="utf-8")


def passes(release: Path, text: str, policy: Policy | None = None) -> bool:
    """Whether a stranger who has the folder alone takes it for good, or who also has a policy."""
    file = release.parent / "certificate.json"
    honest = file.read_bytes()
    try:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        return verify(release, policy).holds
    except ParameterError as refused:
        return "\n" in refused.message  # one sentence
    finally:
        file.write_bytes(honest)


def test_the_honest_release_holds(release, text):
    assert passes(release, text)
    assert passes(release, json.dumps(json.loads(text)))
    assert verify(release, forgeries.policy(release.parent)).holds


def tried(text: str):
    """Every change that is one: 3.0 for 3, or a list that reads the same, is the same certificate."""
    honest = json.dumps(json.loads(text))
    for how, where, changed in forgeries.forged(text):
        if how == "key twice" or json.dumps(json.loads(changed)) != honest:
            yield how, where, changed


def test_no_forged_certificate_verifies(release, text):
    """Every fifth of them; all in the deep run below."""
    _none_passes(release, [one for place, one in enumerate(tried(text)) if place % 5 == 0], least=150)


@pytest.mark.deep
def test_none_of_all_forged_certificates_verifies(release, text):
    _none_passes(release, list(tried(text)), least=800)


def _none_passes(release: Path, forged: list[tuple[str, forgeries.Where, str]], *, least: int) -> None:
    passed = Counter(where for _, where, changed in forged if passes(release, changed))
    assert set(passed) <= WORD, passed
    assert len(forged) >= least


@pytest.mark.parametrize("column", ["age", "note", "region", "city"])
def test_a_certificate_that_leaves_out_a_column_is_refused_with_ones_own_policy_too(release, text, column, tmp_path):
    found = json.loads(text)
    del found["policy"]["columns"][column]
    own = forgeries.policy(forgeries.written(tmp_path / "own").parent)
    assert passes(release, text, own)
    assert not passes(release, json.dumps(found), own)
    assert not passes(release, json.dumps(found))


@pytest.mark.parametrize(
    ("claim", "place"),
    [
        ({"claimed": 50, "measured": 50}, 0),
        ({"claimed": 50, "measured": 50}, 1),
        ({}, 0),
        ({"claimed": 2}, 3),
    ],
)
def test_an_extra_claim_is_refused(release, text, claim, place):
    found = json.loads(text)
    found["claims"].insert(place, found["claims"][0] | claim)
    assert not passes(release, json.dumps(found))


def test_people_are_claimed_only_where_a_person_column_was_counted(release, text):
    found = json.loads(text)
    for claim in found["claims"]:
        claim["unit"] = "people"
    assert not passes(release, json.dumps(found))


def test_claims_in_another_order_are_refused(release, text):
    found = json.loads(text)
    found["claims"].reverse()
    assert not passes(release, json.dumps(found))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", '"NaN"', "1" * 5000, "-0.5", "true"])
def test_what_is_no_number_is_not_claimed(release, text, number):
    assert '"claimed": 3' in text
    forged = text.replace('"claimed": 3', f'"claimed": {number}', 1).replace(
        '"measured": 3', f'"measured": {number}', 1
    )
    assert not passes(release, forged)


def test_a_form_that_does_not_exist_is_refused(release, text):
    found = json.loads(text)
    found |= {"form": "epsilon-dp", "ratio_proved": "1", "suppressed": -5}
    assert not passes(release, json.dumps(found))
    assert not passes(release, json.dumps(json.loads(text) | {"suppressed": -5}))
    assert not passes(release, json.dumps(json.loads(text) | {"ratio_proved": "1"}))
    assert not passes(release, json.dumps(json.loads(text) | {"ratio_proved": "1/2", "theorem": None}))


@pytest.mark.parametrize("form", ["aggregate", "suppress", "centers"])
def test_the_form_of_the_policy_and_of_the_certificate_are_one(release, text, form):
    found = json.loads(text)
    assert not passes(release, json.dumps(found | {"form": form}))
    policy = found["policy"] | {"publication": form}
    passed = passes(release, json.dumps(found | {"form": form, "policy": policy}))
    assert not passed or form != "centers"


@pytest.mark.parametrize("depth", [20, 2000, 200_000])
def test_endless_nesting_is_one_sentence(release, text, depth):
    nested = text.replace('"policy": {', '"policy": {"x": ' + "[" * depth + "]" * depth + ", ", 1)
    assert not passes(release, nested)
    with pytest.raises(ParameterError, match="nested too deeply"):
        Certificate.from_json("[" * depth + "]" * depth)


def test_an_endless_certificate_is_not_read(release, text):
    assert not passes(release, text + " " * (16 << 20))


@pytest.mark.parametrize(
    "name", ["release.csv", "../levels.csv", "/etc/passwd", "levels.csv/../levels.csv", ".levels.csv", "a/b", ""]
)
def test_no_name_in_a_policy_leads_anywhere(release, text, name):
    found = json.loads(text)
    found["policy"]["columns"]["diagnosis"]["hierarchy"]["file"] = name
    found["files"][name] = found["files"].pop("levels.csv")
    assert not passes(release, json.dumps(found))
    found = json.loads(text)
    found["policy"]["columns"]["region"]["map"]["edges"] = name
    assert not passes(release, json.dumps(found))


@pytest.mark.parametrize("source", [{"gal": "x.gal"}, {"polygons": "x.json"}, {"edges": "other.map.csv"}])
def test_a_map_is_called_as_its_column(release, text, source):
    found = json.loads(text)
    found["policy"]["columns"]["region"]["map"] = source
    assert not passes(release, json.dumps(found))


def test_a_private_half_beside_the_release_is_refused(release, text):
    """Its list of files is that of another folder, so it could list anything."""
    from shoal.certify import inspect
    from tests.certify import releases

    asked = forgeries.policy(release.parent)
    assert inspect(forgeries.table(), asked, form="generalize").holds
    private = releases.certified(release, forgeries.table(), asked).to_private_json()
    assert not passes(release, private)

"""Which fields of a certificate can be true together: its ratio, its classes, and the files beside its table."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from shoal.certify.public_policy import public_part
from shoal.certify.schema import ClaimRead, NotSoundError, _fewest, read
from shoal.policy import Policy
from tests.certify import releases

SOME = "0" * 64
OTHER = "lists other files than its policy asks for"
CATALOGS = "has descriptions for catalogs without the codebook that they come from"
TABLE = "does not list its released table, or with another digest"


@functools.cache
def texts() -> tuple[str, str]:
    """The public and the private half of an honest certificate."""
    with tempfile.TemporaryDirectory() as folder:
        certificate = releases.written(Path(folder), releases.release(), releases.policy())[1]
    return certificate.to_public_json(), certificate.to_private_json()


def told(changes: dict[str, Any], *, private: bool = False) -> str | None:
    try:
        read(json.dumps(json.loads(texts()[private]) | changes))
    except NotSoundError as wrong:
        return str(wrong)
    return None


def listed(*names: str, digest: str = SOME, policy: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Other files, and a policy that asks for them; the first is the released table."""
    asked = json.loads(texts()[0])["policy"] | (policy or {})
    return {"files": dict.fromkeys(names, digest), "published_sha256": SOME, "policy": asked} | more


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (listed("release.csv"), None),
        (listed("release.xlsx"), None),
        (listed("release.csv", digest="1" * 64), TABLE),
        (listed(), TABLE),
        (listed("release.csv", "release.xlsx"), TABLE),
        (listed("release.csv", "codebook.html", "datapackage.json"), None),
        (listed("release.csv", "codebook.html"), OTHER),
        (listed("release.csv", "datapackage.json"), OTHER),
        (listed("release.csv", "synthetic.csv"), OTHER),
        (listed("release.csv", "synthetic.csv", policy={"synthetic": "marginals"}), None),
        (listed("release.xlsx", "synthetic.csv", policy={"synthetic": "marginals"}), OTHER),
        (listed("release.csv", policy={"synthetic": "marginals"}), OTHER),
        ({"ratio_proved": "0"}, "names a theorem that does not speak of its method, or another ratio"),
        ({"ratio_proved": "0", "theorem": None}, "names a ratio without a theorem"),
    ],
)  # fmt: skip
def test_files_and_ratio_are_those_that_a_release_can_have(changes: dict[str, Any], words: str | None) -> None:
    assert told(changes) == words


def test_descriptions_for_catalogs_come_with_the_codebook() -> None:
    asked = releases.policy(metadata={"formats": ["croissant"]})
    changes = {"policy": public_part(asked, "generalize")}
    files = ("release.csv", "croissant.json")
    assert told(listed(*files) | changes) == CATALOGS
    assert told(listed(*files, "codebook.html", "datapackage.json") | changes) is None


def test_classes_of_a_column_may_be_without_a_proved_ratio() -> None:
    classes = {
        "column": "city", "n_classes": 2, "least": 1, "largest": 3, "lower_bound": 2, "ratio_proved": None,
        "theorem": None,
    }  # fmt: skip
    assert told({"column_classes": [classes]}, private=True) is None
    assert told({"column_classes": [classes | {"ratio_proved": "2"}]}, private=True) is not None


def test_a_key_that_is_absent_where_it_is_false_is_never_false() -> None:
    claim = json.loads(texts()[0])["claims"][1]
    assert ClaimRead.model_validate(claim | {"count_missing": True}).count_missing
    with pytest.raises(ValidationError, match="absent where it is false"):
        ClaimRead.model_validate(claim | {"count_missing": False})


@pytest.mark.parametrize(("values", "fewest"), [({}, 2), ({"a": 5}, 5), ({"a": 2, "b": 3.5}, 4), ({"b": 1}, 2)])
def test_a_group_has_as_many_people_as_the_most_values_that_are_asked(values: dict[str, float], fewest: int) -> None:
    columns: dict[str, Any] = {"q": {"role": "quasi"}, "a": {"role": "sensitive"}, "b": {"role": "sensitive"}}
    for name, least in values.items():
        columns[name] = {"role": "sensitive", "diversity": {"l": least, "kind": "entropy"}}
    assert _fewest(Policy.parse({"k": 2, "columns": columns})) == fewest

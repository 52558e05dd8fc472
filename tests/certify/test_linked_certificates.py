"""The certificate of linked tables: what it says, how it is written, and in which words a forged one is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certify import sha256_of
from shoal.certify.linked import verifier
from shoal.certify.linked.certificate import LinkedCertificate, digest_of, is_linked, issue_linked, read_linked
from shoal.certify.linked.counting import LinkedClaim, LinkedFindings, inspect_tables
from shoal.certify.linked.verifier import holds_linked_tables
from shoal.errors import ParameterError
from shoal.policy.linked import LinkedPolicy

WHO = [f"{n:020x}" for n in range(4)]
COLUMNS = {"who": {"role": "person"}, "âge": {"role": "quasi"}}
SETTINGS: dict[str, Any] = {
    "k": 2,
    "tables": {
        "a": {"columns": COLUMNS},
        "b": {"columns": COLUMNS | {"ill": {"role": "sensitive", "diversity": {"l": 2}}}},
    },
}
FRAMES = {
    "a": pl.DataFrame({"who": WHO, "âge": ["[30, 39]"] * 2 + ["[40, 49]"] * 2}),
    "b": pl.DataFrame({"who": WHO + WHO[:2], "âge": ["1"] * 6, "ill": ["x", "y", "x", "y", "z", "z"]}),
}
POLICIES = LinkedPolicy.parse(SETTINGS).tables


def written(folder: Path) -> LinkedCertificate:
    """A release of linked tables in a folder."""
    files = {name: f"{name}.csv" for name in FRAMES}
    for name, frame in FRAMES.items():
        frame.write_csv(folder / files[name])
    digests = {file: sha256_of(folder / file) for file in files.values()}
    found = inspect_tables(FRAMES, POLICIES)
    assert found.holds, found.failures
    certificate = issue_linked(found, POLICIES, digests, files, {"a": 3, "b": 4})
    (folder / "certificate.json").write_text(certificate.to_public_json(), encoding="utf-8")
    return certificate


def test_it_says_what_was_counted(tmp_path: Path) -> None:
    certificate = written(tmp_path)
    assert repr(certificate) == "LinkedCertificate(4 people in 2 classes over 2 tables)"
    assert certificate.holds
    assert not replace(certificate, claims=()).holds
    assert not replace(certificate, claims=(replace(certificate.claims[0], holds=False),)).holds
    told = json.loads(certificate.to_public_json())
    assert list(told) == [
        "format", "kind", "shoal", "people", "classes", "claims", "tables", "files", "published_sha256",
    ]  # fmt: skip
    assert (told["format"], told["kind"], told["people"], told["classes"]) == (1, "linked tables", 4, 2)
    assert [(one["criterion"], one["table"], one["of"]) for one in told["claims"]] == [
        ("linked-anonymity", None, "people"),
        ("l-diversity", "b", "people"),
        ("l-diversity", "b", "rows"),
    ]
    assert {name: (one["file"], one["rows"], one["suppressed"]) for name, one in told["tables"].items()} == {
        "a": ("a.csv", 4, 3),
        "b": ("b.csv", 6, 4),
    }
    assert read_linked(certificate.to_public_json()) == certificate
    assert certificate.policies().keys() == {"a", "b"}
    assert certificate.policies()["b"].columns["ill"].role == "sensitive"


def test_it_is_written_as_text_that_people_can_read(tmp_path: Path) -> None:
    certificate = written(tmp_path)
    public = certificate.to_public_json()
    assert public == json.dumps(json.loads(public), indent=2, ensure_ascii=False) + "\n"
    assert "âge" in public
    private = replace(certificate, private={"seed": "ü"}).to_private_json()
    assert private == json.dumps(json.loads(public) | {"seed": "ü"}, indent=2, ensure_ascii=False) + "\n"


def test_one_digest_stands_for_all_files_in_whatever_order() -> None:
    assert digest_of({"b": "2", "a": "1"}) == digest_of({"a": "1", "b": "2"})
    assert digest_of({"b": "2", "a": "1"}) == hashlib.sha256(b"a 1\nb 2\n").hexdigest()


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        (b'{"kind": "linked tables"}', True),
        (b'{"kind": "Linked tables"}', False),
        (b"{}", False),
        (b"[]", False),
        (b'"linked tables"', False),
        (b"{", False),
        (b"\xff", False),
        (b"[" * 100_000, False),
    ],
)
def test_a_certificate_says_itself_that_it_is_linked(text: bytes, linked: bool) -> None:
    assert is_linked(text) == linked


OURS = "the certificate is not one that Shoal wrote, or it is damaged"
OTHER = f"{OURS}: it has other keys or values than the format."
LINKED = "the certificate has policies that no linked tables can have."
FILE = "the certificate names a file otherwise than its table."
POLICY = "the certificate has a policy that is not written as Shoal writes it."


def _emptied(one: dict[str, Any]) -> None:
    one["files"] = dict.fromkeys(one["files"], "")
    one["published_sha256"] = digest_of(one["files"])


def _more(one: dict[str, Any]) -> None:
    one["files"]["c.csv"] = "0" * 64
    one["published_sha256"] = digest_of(one["files"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda one: one.update(format=2), OTHER),
        (lambda one: one.update(note="x"), OTHER),
        (lambda one: one.pop("shoal"), OTHER),
        (lambda one: one.update(claims=[]), OTHER),
        (lambda one: one["tables"].pop("b"), OTHER),
        (lambda one: one["claims"][0].update(measured=float("nan")), None),
        (lambda one: one["claims"][0].update(criterion="k-anonymity"), OTHER),
        (lambda one: one["tables"]["b"]["policy"].update(seed=5), POLICY),
        (lambda one: one["tables"]["b"].update(policy={}), POLICY),
        (lambda one: one["tables"]["b"]["policy"].update(source={"encoding": "latin-1"}), POLICY),
        (lambda one: one["tables"]["b"]["policy"].update(k=3), LINKED),
        (lambda one: one["tables"]["b"].update(file="c.csv"), FILE),
        (lambda one: one["tables"]["b"].update(file="b.txt"), FILE),
        (_emptied, "the certificate lists other files than its tables."),
        (_more, "the certificate lists other files than its tables."),
        (
            lambda one: one.update(published_sha256="0" * 64),
            "the certificate has a digest that is not that of its files.",
        ),
    ],
)  # fmt: skip
def test_a_forged_one_is_refused_in_a_sentence(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], says: str | None
) -> None:
    told = json.loads(written(tmp_path).to_public_json())
    change(told)
    with pytest.raises(ParameterError) as raised:
        read_linked(json.dumps(told))
    assert raised.value.message == says or (says is None and raised.value.message.startswith(OURS))
    assert raised.value.hint == "copy it again from its source, or write the release again."


def test_what_is_no_json_is_refused_with_the_reason() -> None:
    with pytest.raises(ParameterError) as raised:
        read_linked('{"a": 1, "a": 2}')
    assert raised.value.message.startswith(f"{OURS}: ")
    assert len(raised.value.message) > len(OURS) + 5


# -- the folder --------------------------------------------------------------------------------------------------


def test_a_folder_is_known_by_its_certificate(tmp_path: Path) -> None:
    written(tmp_path)
    assert holds_linked_tables(tmp_path) == tmp_path
    assert holds_linked_tables(str(tmp_path)) == tmp_path
    assert holds_linked_tables(tmp_path / "b.csv") == tmp_path
    assert holds_linked_tables(tmp_path / "no" / "b.csv") is None
    assert holds_linked_tables(FRAMES["b"]) is None
    assert holds_linked_tables("\0") is None
    (tmp_path / "certificate.json").write_text("{}")
    assert holds_linked_tables(tmp_path) is None


def test_the_folder_is_verified_and_the_callers_policy_too(tmp_path: Path) -> None:
    written(tmp_path)
    found = shoal.verify_tables(tmp_path)
    assert (found.holds, found.people, found.classes, found.k, found.signature) == (True, 4, 2, 2, None)
    assert list(found.tables) == ["a", "b"]
    assert shoal.verify_tables(tmp_path, SETTINGS).holds
    more = shoal.verify_tables(tmp_path, SETTINGS | {"k": 3})
    assert [one.message for one in more.failures if one.check == "k-anonymity"][-1] == (
        "over all tables, 2 of 2 classes of people (4 people) miss 3; the smallest has 2"
    )
    less = {"k": 2, "tables": {"b": SETTINGS["tables"]["b"], "c": SETTINGS["tables"]["a"]}}
    other = shoal.verify_tables(tmp_path, less)
    assert [(one.check, one.message) for one in other.failures] == [
        ("columns", "the policy is about b, c; the release has a, b")
    ]


def test_what_is_no_folder_of_linked_tables_is_told_so(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / "b.csv"):
        with pytest.raises(ParameterError) as raised:
            shoal.verify_tables(path)
        assert raised.value.message == "there is no certificate of linked tables."
        assert raised.value.hint == (
            "give the folder of a release of linked tables; shoal.verify takes a single table."
        )
    with pytest.raises(ParameterError) as raised:
        verifier._decoded(b"\xff")
    assert (raised.value.message, raised.value.hint) == (
        "the certificate is not UTF-8 text.",
        "copy it again from its source.",
    )


def test_nothing_is_opened_where_a_folder_holds_a_link(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "link").symlink_to("/etc/hostname")
    found = shoal.verify_tables(tmp_path)
    assert not found.holds
    assert (found.people, found.tables) == (0, {})


def test_an_absent_or_damaged_table_is_told(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\0")
    damaged = shoal.verify_tables(tmp_path)
    assert not damaged.holds
    assert damaged.people == 0
    (tmp_path / "b.csv").unlink()
    absent = shoal.verify_tables(tmp_path)
    assert not absent.holds
    assert [one.check for one in absent.failures] == ["folder"]


CLAIM = LinkedClaim(
    criterion="t-closeness", table="b", column="ill", kind="equal", claimed=1, measured=0.5, holds=True
)


@pytest.mark.parametrize(
    ("said", "found", "message"),
    [
        ({"people": 5}, {}, "the certificate speaks of 5 people; the files have 4"),
        ({"classes": 5}, {}, "the certificate speaks of 5 classes; the files have 2"),
        ({"claims": ()}, {}, "the certificate's claims are not those of its policies, each once and in order"),
        ({"claims": (CLAIM,)}, {"claims": (CLAIM,)}, None),
        ({"claims": (replace(CLAIM, measured=0.5 + 5e-10),)}, {"claims": (CLAIM,)}, None),
        (
            {"claims": (replace(CLAIM, measured=0.25),)},
            {"claims": (CLAIM,)},
            "the certificate says 0.25 for t-closeness (equal) of b.ill in all rows of people alike in all tables; "
            "the files have 0.5",
        ),
        (
            {"claims": (replace(CLAIM, holds=False),)},
            {"claims": (CLAIM,)},
            "the certificate says 0.5 for t-closeness (equal) of b.ill in all rows of people alike in all tables; "
            "the files have 0.5",
        ),
        ({"claims": (replace(CLAIM, measured=2000.000001),)}, {"claims": (replace(CLAIM, measured=2000),)}, None),
    ],
)
def test_what_a_certificate_says_otherwise_than_the_files_is_told(
    tmp_path: Path, said: dict[str, Any], found: dict[str, Any], message: str | None
) -> None:
    certificate = replace(written(tmp_path), **said)
    failures = verifier._against(certificate, replace(inspect_tables(FRAMES, POLICIES), **found))
    assert [one.message for one in failures] == ([] if message is None else [message])
    assert {one.check for one in failures} <= {"certificate"}


def test_findings_are_told_line_by_line() -> None:
    found = inspect_tables(FRAMES, POLICIES)
    assert repr(found) == "LinkedFindings(4 people in 2 classes over 2 tables, every claim holds)"
    assert str(replace(found, signature="valid")) == (
        "4 people in 2 classes over a, b\n"
        "holds: k-anonymity of people over all tables: asked 2, found 2\n"
        "holds: l-diversity (distinct) of b.ill in all rows of people alike in all tables: asked 2, found 2\n"
        "holds: l-diversity (distinct) of b.ill in their rows with equal cells: asked 2, found 2\n"
        "signature: valid"
    )
    worse = inspect_tables(FRAMES, LinkedPolicy.parse(SETTINGS | {"k": 3}).tables)
    assert not worse.holds
    assert repr(worse).endswith(f"{len(worse.failures)} checks FAIL)")
    assert "FAILS: k-anonymity of people over all tables: asked 3, found 2" in str(worse)
    assert "FAILS: over all tables, 2 of 2 classes of people (4 people) miss 3; the smallest has 2" in str(worse)
    assert found.to_dict()["holds"] is True
    assert LinkedFindings().to_dict()["people"] == 0

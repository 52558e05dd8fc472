"""Limits of what the verifier reads, at each of them and one beyond, with the words that it refuses in."""

from __future__ import annotations

import json
from fractions import Fraction

import polars as pl
import pytest

from shoal.certify import files, strict_json
from shoal.certify.certificate import Certificate
from shoal.certify.files import UnsafeError, is_plain, read_regular
from shoal.certify.forms import checked_form, form_of, forms_of
from shoal.certify.multiset import parse
from shoal.certify.public_policy import files_beside, public_part, read_policy
from shoal.certify.schema import NotSoundError, fraction_text, read
from shoal.errors import ParameterError
from shoal.policy import Policy
from tests.certify import releases

# -- JSON --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1, "b": 2, "a": 3}', "a key stands twice in it"),
        ('{"x": {"a": 1, "a": 1}}', "a key stands twice in it"),
        ("[NaN]", "NaN and Infinity are not numbers of JSON"),
        ("[-Infinity]", "NaN and Infinity are not numbers of JSON"),
        ("[1e999]", "a number in it is too large"),
        ("[-1e999]", "a number in it is too large"),
        (f"[{2**63 + 1}]", "a number in it is too large"),
        (f"[{-(2**63) - 1}]", "a number in it is too large"),
        ("[1.0e19]", "a number in it is too large"),
        ("[" * 17 + "]" * 17, "it is nested too deeply"),
        ("[" * 15 + '{"a": []}' + "]" * 15, "it is nested too deeply"),
        ("[" * 100_000, "it is nested too deeply"),
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[1] [2]", "it is not JSON"),
        ('["\\ud800"]', "a text in it holds half a character"),
        ('{"\\ud800": 1}', "a text in it holds half a character"),
    ],
)
def test_what_readers_would_read_differently_is_refused(text, told):
    with pytest.raises(strict_json.NotStrictError) as raised:
        strict_json.loads(text)
    assert str(raised.value) == told


@pytest.mark.parametrize(
    "found",
    [
        {"a": 1, "b": {"a": 2.5}},
        [2**63, -(2**63), 9e18, True, None, "é"],
        json.loads("[" * 16 + "]" * 16),
        {},
        "x",
        5,
    ],
)
def test_what_has_one_meaning_is_read(found):
    assert strict_json.loads(json.dumps(found)) == found


# -- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "a" * 255, "é" * 127, "a b", "x.csv", "-"])
def test_a_name_that_stays_in_its_folder_is_plain(name):
    assert is_plain(name)


@pytest.mark.parametrize(
    "name",
    ["", "a" * 256, "é" * 128, ".a", ".", "..", " a", "a ", "a/b", "a\\b", "a:b", "a\nb", "a\u202eb", "\ud800a/"],
)
def test_a_name_that_does_not_is_not(name):
    assert not is_plain(name)


def test_files_are_read_up_to_a_size(tmp_path):
    (tmp_path / "f").write_bytes(b"x" * (1 << 20))
    assert len(read_regular(tmp_path / "f", 1 << 20)) == 1 << 20
    with pytest.raises(UnsafeError) as raised:
        read_regular(tmp_path / "f", (1 << 20) - 1)
    assert str(raised.value) == "is larger than 0 MiB"
    (tmp_path / "f").write_bytes(b"x" * ((3 << 20) + 1))
    with pytest.raises(UnsafeError, match=r"^is larger than 3 MiB$"):
        read_regular(tmp_path / "f", 3 << 20)


def test_only_regular_files_are_read_and_links_only_where_the_caller_named_them(tmp_path):
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "f")
    cases = {"absent": "is not there", "link": "is a link", ".": "is not a regular file"}
    for name, told in cases.items():
        for opened in (lambda path: read_regular(path, 5), files.sha256_of):
            with pytest.raises(UnsafeError) as raised:
                opened(tmp_path / name)
            assert str(raised.value) == told
    with pytest.raises(UnsafeError, match=r"^cannot be read \(Not a directory\)$"):
        read_regular(tmp_path / "f" / "x", 5)
    assert read_regular(tmp_path / "link", 5, follow=True) == b"x"
    assert files.sha256_of(tmp_path / "link", follow=True) == files.sha256_of(tmp_path / "f")
    assert files.sha256_of(tmp_path / "f").startswith("2d711642")


# -- the schema of a certificate -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def honest(tmp_path_factory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("release")
    text = releases.written(folder, releases.release(), releases.policy())[1].to_public_json()
    return json.loads(text)


DAMAGED = "is not one that Shoal wrote, or it is damaged: "
METHOD = "names a theorem that does not speak of its method, or another ratio"
TABLE = "does not list its released table, or with another digest"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": None}, DAMAGED + "it has no format"),
        ({"format": True}, DAMAGED + "it has no format"),
        ({"format": 3}, "has format 3; this version of Shoal reads 2"),
        ({"rows": 0}, DAMAGED + "rows is not as the format has it"),
        ({"rows": 2**53 + 1}, DAMAGED + "rows is not as the format has it"),
        ({"claims": []}, DAMAGED + "claims is not as the format has it"),
        ({"claims": [{"criterion": "x"}]}, DAMAGED + "claims.0.criterion is not as the format has it"),
        ({"more": 1}, DAMAGED + "cost is not as the format has it"),
        ({"n_groups": 13}, "speaks of more groups than rows"),
        ({"counterfeits": 1}, "speaks of made-up rows that its method does not make, or of no others"),
        ({"method": "none"}, "names a method that does not exist"),
        ({"objective": "sse"}, "names an objective that its method does not have"),
        ({"theorem": None}, "names a ratio without a theorem"),
        ({"theorem": "CELLULAR-1"}, METHOD),
        ({"ratio_proved": "306/5"}, "has a ratio that is not written as Shoal writes it"),
        ({"ratio_proved": "0.0", "theorem": None}, "has a ratio that is not written as Shoal writes it"),
        ({"policy": {}}, "has a policy that is not written as Shoal writes it, or that does not fit its form"),
        ({"form": "aggregate"}, "has a policy that is not written as Shoal writes it, or that does not fit its form"),
        ({"files": {}}, TABLE),
        ({"files": {"release.parquet": "0" * 64, "release.csv": "0" * 64}}, TABLE),
        ({"published_sha256": "0" * 64}, TABLE),
        ({"files": {"a/b": "0" * 64}}, "lists files by names that no release writes"),
        ({"files": {"certificate.json": "0" * 64}}, "lists files by names that no release writes"),
        ({"files": {"certificate.sig": "0" * 64}}, "lists files by names that no release writes"),
        ({"published_sha256": ""}, TABLE),
    ],
)
def test_what_no_certificate_says_is_told_by_its_place(honest, change, told):
    with pytest.raises(NotSoundError) as raised:
        read(json.dumps(honest | change))
    assert str(raised.value) == told
    with pytest.raises(ParameterError) as outside:
        Certificate.from_json(json.dumps(honest | change))
    assert outside.value.message == f"the certificate {told}."
    assert outside.value.hint == "copy it again from its source, or write the release again."


def test_a_list_with_another_file_than_the_policy_asks_for_is_refused(honest):
    more = dict(honest["files"]) | {"legend.json": "0" * 64}
    with pytest.raises(NotSoundError, match=r"^lists other files than its policy asks for$"):
        read(json.dumps(honest | {"files": more}))


def test_what_can_be_said_together_is_read(honest):
    assert read(json.dumps(honest | {"n_groups": 12})).n_groups == 12
    assert read(json.dumps(honest | {"rows": 2**53})).rows == 2**53
    assert read(json.dumps(honest | {"files": {}, "published_sha256": ""})).files == {}
    invariant = {"method": "m-invariance", "objective": "sse", "theorem": None, "ratio_proved": None}
    assert read(json.dumps(honest | invariant | {"counterfeits": 11})).counterfeits == 11
    with pytest.raises(NotSoundError, match="made-up rows"):
        read(json.dumps(honest | invariant | {"counterfeits": 12}))


@pytest.mark.parametrize("text", ["[]", "null", "5", '"x"'])
def test_what_is_no_object_has_no_format(text):
    with pytest.raises(NotSoundError) as raised:
        read(text)
    assert str(raised.value) == DAMAGED + "it has no format"


def test_damage_is_told_as_such():
    with pytest.raises(NotSoundError) as raised:
        read("{")
    assert str(raised.value) == DAMAGED + "it is not JSON"


def test_a_key_that_no_half_has_is_not_repeated(tmp_path):
    private = json.loads(releases.written(tmp_path, releases.release(), releases.policy())[1].to_private_json())
    assert read(json.dumps(private)).timed_out is False
    with pytest.raises(NotSoundError) as raised:
        read(json.dumps(private | {"Anna Meyer": 1}))
    assert str(raised.value) == DAMAGED + "it has keys that the format does not have"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(7, 2), "3.5"),
        (Fraction(4000, 3), "4000/3"),
        (Fraction(100), "100"),
        (Fraction(0), "0"),
        (Fraction(1, 8), "0.125"),
        (Fraction(10**15), "1000000000000000"),
        (Fraction(12345678901234, 10), "1234567890123.4"),
        (Fraction(123456789012345, 10), "12345678901234.5"),
        (Fraction(1234567890123457, 100), "1234567890123457/100"),
        (Fraction(1234567890123457, 10), "1234567890123457/10"),
    ],
)
def test_a_fraction_is_written_by_hand_where_that_is_short(value, text):
    assert fraction_text(value) == text


# -- policies of certificates ------------------------------------------------------------------------------------


def test_the_public_part_of_a_policy_is_what_checking_needs(tmp_path):
    (tmp_path / "levels.csv").write_text("flu;*\n")
    (tmp_path / "m.csv").write_text("a,b\n")
    policy = Policy.parse(
        {
            "k": 4,
            "seed": 5,
            "ranges": "columns",
            "diversity": {"l": 2},
            "columns": {
                "name": {"role": "identifier"},
                "age": {"role": "quasi", "round_ranges": 5, "weight": 2.0},
                "lat": {"role": "quasi", "longitude": "lon", "shape": "rectangle", "grid": 0.5},
                "lon": {"role": "quasi"},
                "region": {"role": "quasi", "map": {"edges": str(tmp_path / "m.csv")}},
                "city": {"role": "quasi", "classes": "k"},
                "s": {
                    "role": "sensitive",
                    "hierarchy": str(tmp_path / "levels.csv"),
                    "closeness": {"t": 0.5, "distance": "hierarchical"},
                },
                "p": {
                    "role": "sensitive",
                    "hierarchy": {"prefix": True},
                    "closeness": {"t": 0.5, "distance": "hierarchical"},
                },
                "b": {"role": "sensitive", "bins": [1.0, 2.0], "diversity": {"l": 3}},
                "o": {"role": "sensitive", "order": ["x", "y"], "hierarchy": {"prefix": True}},
            },
        }
    )
    by_tree = {"t": 0.5, "distance": "hierarchical"}
    expected = {
        "k": 4,
        "publication": "generalize",
        "ranges": "columns",
        "diversity": {"l": 2.0},
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi", "round_ranges": 5.0},
            "lat": {"role": "quasi", "longitude": "lon", "grid": 0.5},
            "lon": {"role": "quasi"},
            "region": {"role": "quasi", "map": {"edges": "region.map.csv"}},
            "city": {"role": "quasi", "classes": "k"},
            "s": {"role": "sensitive", "hierarchy": {"file": "levels.csv"}, "closeness": by_tree},
            "p": {"role": "sensitive", "hierarchy": {"prefix": True}, "closeness": by_tree},
            "b": {"role": "sensitive", "bins": [1.0, 2.0], "diversity": {"l": 3.0}},
            "o": {"role": "sensitive", "order": ["x", "y"]},
        },
    }
    found = public_part(policy, "generalize")
    assert found == expected
    assert files_beside(policy) == ["legend.json", "region.map.csv", "levels.csv"]
    again = read_policy(json.loads(json.dumps(found)), "generalize")
    assert again is not None
    assert public_part(again, "generalize") == found


@pytest.mark.parametrize(
    "change", [{"seed": 5}, {"k": 3.0}, {"k": True}, {"k": "3"}, {"publication": "centers"}, {"columns": 5}, {"x": 1}]
)
def test_a_policy_in_other_words_is_none(change):
    told = public_part(releases.policy(), "generalize")
    assert read_policy(told, "generalize") is not None
    assert read_policy(told | change, "generalize") is None


@pytest.mark.parametrize(
    ("file", "good"),
    [("levels.csv", True), ("../levels.csv", False), ("legend.json", False), ("release.csv", False), (".x", False)],
)
def test_a_policy_names_files_in_its_own_folder_alone(file, good):
    sensitive = {
        "role": "sensitive",
        "hierarchy": {"file": file},
        "closeness": {"t": 0.5, "distance": "hierarchical"},
    }
    told = {"k": 3, "publication": "generalize", "columns": {"q": {"role": "quasi"}, "s": sensitive}}
    assert (read_policy(told, "generalize") is not None) is good


def test_what_is_no_policy_at_all_is_none():
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"columns": deep}
    for odd in (None, 5, [], "k", {"k": 3, "columns": 5}, deep):
        assert read_policy(odd, "generalize") is None


# -- forms -------------------------------------------------------------------------------------------------------

QUASI = {"age": {"role": "quasi"}, "height": {"role": "quasi"}, "s": {"role": "sensitive"}}


def asked(age: dict[str, object] | None = None, **settings: object) -> Policy:
    columns = QUASI | ({"age": {"role": "quasi"} | age} if age else {})
    return Policy.parse({"k": 2, "columns": columns} | settings)


@pytest.mark.parametrize(
    ("policy", "forms"),
    [
        (asked(), ("generalize", "aggregate")),
        (asked({"kind": "number"}), ("generalize", "aggregate")),
        (asked({"kind": "date"}), ("generalize", "aggregate")),
        (asked({"kind": "label"}), ("generalize",)),
        (asked({"hierarchy": {"prefix": True}}), ("generalize",)),
        (asked({"order": ["a", "b"]}), ("generalize",)),
        (asked({"classes": "k"}), ("generalize",)),
        (asked({"longitude": "height"}), ("generalize",)),
        (asked({"map": {"edges": "m.csv"}}), ("generalize",)),
        (asked(publication="suppress"), ("suppress",)),
        (asked(publication="aggregate"), ("aggregate",)),
        (asked(objective="radius"), ("centers",)),
        (asked(objective="cellular"), ("centers",)),
        (asked(method="gather"), ("centers",)),
        (asked(method="cellular"), ("centers",)),
        (asked(objective="sse"), ("aggregate",)),
        (asked(method="mdav"), ("aggregate",)),
        (asked(method="forest"), ("generalize",)),
        (asked(objective="generalization"), ("generalize",)),
    ],
)
def test_the_forms_that_a_release_of_a_policy_can_have(policy, forms):
    assert forms_of(policy) == forms


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        ({"age": ["1", None], "height": ["2.5", "2,5e-7"]}, "aggregate"),
        ({"age": ["2024-01-31", "2024-01-31T10:00"], "height": ["-1", "1e+5"]}, "aggregate"),
        ({"age": ["1", "[1, 2]"], "height": ["1", "2"]}, "generalize"),
        ({"age": ["1", "2"], "height": ["*", "2"]}, "generalize"),
        ({"age": ["1", "2"]}, "generalize"),
    ],
)
def test_cells_decide_between_ranges_and_means(cells, form):
    frame = pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String))
    assert form_of(asked(), frame) == form
    assert form_of(asked(publication="suppress"), frame) == "suppress"
    assert form_of(asked(), None) == "generalize"


def test_a_form_that_does_not_exist_is_refused_with_those_that_do():
    assert checked_form(None) is None
    assert checked_form("suppress") == "suppress"
    with pytest.raises(ParameterError) as raised:
        checked_form("x")
    assert raised.value.message == "form=x is not known."
    assert raised.value.hint == "choose one of generalize, aggregate, centers, suppress."


# -- cells of centers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("a: 1", {"a": 1}),
        ("a b: 1; c: 20", {"a b": 1, "c": 20}),
        ('null: 1; "null": 2', {None: 1, "null": 2}),
        ('"a: 1; b": 3', {"a: 1; b": 3}),
        (f"a: {10**15 - 1}", {"a": 10**15 - 1}),
        ('"\\q": 1', None),
        ("a: 1; a: 2", None),
        (f"a: {10**15}", None),
        ("a: 01", None),
        ("a: 0", None),
        ("a:1", None),
        ("a: 1;b: 1", None),
        (" a: 1", None),
        ("", None),
        (None, None),
    ],
)
def test_a_multiset_has_one_reading(cell, found):
    assert parse(cell) == found

"""The policy: what is refused and where it says so, and that writing and reading it back changes nothing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from shoal.errors import ParameterError, SchemaError, ShoalError
from shoal.policy import Closeness, Column, Diversity, Hierarchy, Policy, Source
from shoal.policy.toml_text import dump_comment, line_of

# Everything but lone surrogates, which UTF-8 cannot hold.
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
POSITIVE = st.floats(min_value=1e-9, max_value=1e300, exclude_min=True)


def refused(text: str, error: type[ShoalError] = ParameterError) -> ShoalError:
    with pytest.raises(error) as raised:
        Policy.loads(text, origin="policy.toml")
    return raised.value


@pytest.mark.parametrize(
    ("text", "line", "key", "error"),
    [
        ("k = 5\nkk = 3\n", 2, "kk", SchemaError),
        ("k = 1\n", 1, "k", ParameterError),
        ('\nmethod = "magic"\n', 2, "method", ParameterError),
        ("max_suppressed = nan\n", 1, "max_suppressed", ParameterError),
        ("[closeness]\nt = 1.5\n", 2, "closeness.t", ParameterError),
        ("[diversity]\nl = 2.5\n", 1, "diversity", ParameterError),
        ('[diversity]\nl = 2\nkind = "recursive"\n', 1, "diversity", ParameterError),
        ('k = 5\n\n[diversity] # for all\nl = 2\n[columns.a]\nrole = "quasi"\n', 3, "diversity", ParameterError),
        ('[closeness]\nt = 0.1\n[columns.a]\nrole = "quasi"\n', 1, "closeness", ParameterError),
        ("[source]\nsep = ';'\n", 2, "source.sep", SchemaError),
        ('[columns.a]\nkind = "number"\n', 1, "columns.a.role", SchemaError),
        ('[columns.a]\nrole = "quasi"\nmerge = { b = 1.5 }\n', 3, "columns.a.merge.b:", ParameterError),
        ('[columns.a]\nrole = "quazi"\n', 2, "columns.a.role", ParameterError),
        (
            '[columns.a]\nrole = "quasi"\n[columns."b c"] # x\nrole = "quasi"\nkid = 1\n',
            5,
            "columns.b c.kid",
            SchemaError,
        ),
        ('columns."Zip code".role = "x"\n', 1, "columns.Zip code.role", ParameterError),
        ("columns.'a.b'.role = \"x\"\n", 1, "columns.a.b.role", ParameterError),
        ('[columns]\na = { role = "quasi", kid = 1 }\n', 2, "columns.a.kid", SchemaError),
        ('[columns]\nage = "quasi"\n', 2, "columns.age", ParameterError),
        ("columns = 3\n", 1, "columns", ParameterError),
        ('[columns.floats]\nrole = "quasi"\nscale = "big"\n', 3, "columns.floats.scale", ParameterError),
        ('[columns."literal[x"]\nrole = "quasi"\nweight = 0\n', 3, "columns.literal[x.weight", ParameterError),
        ('[columns.a]\nrole = "quasi"\nhierarchy = { prefix = false }\n', 3, "columns.a.hierarchy", ParameterError),
        ('[columns.a]\nrole = "quasi"\nhierarchy = { widths = [5, 0] }\n', 3, "columns.a.hierarchy", ParameterError),
        ('[columns.a]\nrole = "quasi"\n[columns.a.hierarchy]\nfiles = "x"\n', 4, "columns.a.hierarchy", SchemaError),
        ('[columns.a]\nrole = "quasi"\nkind = "hierarchy"\n', 1, "columns.a", ParameterError),
        ('[columns.a]\nrole = "quasi"\nkind = "number"\norder = ["x"]\n', 1, "columns.a", ParameterError),
        ('[columns.a]\nrole = "quasi"\nkind = "number"\nhierarchy = "a.csv"\n', 1, "columns.a", ParameterError),
        ('[columns.a]\nrole = "quasi"\norder = ["x", "x"]\n', 1, "columns.a", ParameterError),
        ('[columns.a]\nrole = "quasi"\nbins = [1]\n', 1, "columns.a", ParameterError),
        ('[columns.a]\nrole = "sensitive"\nbins = [2, 1]\n', 1, "columns.a", ParameterError),
        ('[columns.a]\nrole = "sensitive"\nbins = [1, inf]\n', 3, "columns.a.bins", ParameterError),
        ('[columns.a]\nrole = "person"\n\n[columns.b]\nrole = "person"\n', 4, "columns.b", ParameterError),
        ('[columns."a\u2028b\x85c"]\nrole = "quasi"\n[columns.d]\nrole = "x"\n', 4, "columns.d.role", ParameterError),
        ('[columns."\\U0001F600"]\nrole = "x"\n', 2, "columns.\U0001f600.role", ParameterError),
    ],
)
def test_what_is_off_is_named_with_its_line(text: str, line: int, key: str, error: type[ShoalError]) -> None:
    message = refused(text, error).message
    assert message.startswith(f"policy.toml, line {line}: {key}")


def test_a_value_of_several_forms_is_refused_with_all_of_them() -> None:
    assert refused('[columns.a]\nrole = "quasi"\nscale = 0').message.endswith("'standard' or greater than 0.")
    assert "'k' or greater than or equal to 2" in refused('[columns.a]\nrole = "quasi"\nclasses = 1').message
    assert "a list" in refused('[columns.a]\nrole = "quasi"\norder = "low"').message


def test_lines_are_counted_the_same_in_a_windows_file() -> None:
    assert line_of('[columns.a]\r\nrole = "x"\r\n', ["columns", "a", "role"]) == 2


def test_text_that_looks_like_a_key_does_not_stop_the_search_for_the_line() -> None:
    text = 'encoding = """\n"\\q" = 1\n"""\nk = 1\n'
    assert line_of(text, ["k"]) == 4


def test_the_hint_lists_the_settings_known_at_that_place() -> None:
    assert "max_suppressed" in str(refused("kk = 1", SchemaError).hint)
    assert "role" in str(refused('[columns.diversity]\nrole = "quasi"\nx = 1', SchemaError).hint)
    assert refused("[diversity]\nl = 2\nm = 1", SchemaError).hint == "known here: c, count_missing, kind, l."


def test_an_unknown_key_is_refused_in_every_section() -> None:
    sections = [
        f"{before}{name}"
        for before, model in (("", Policy), ("columns.a.", Column))
        for name, field in model.model_fields.items()
        if any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in get_args(field.annotation))
        and name not in ("columns", "keys")  # whose own keys are names
    ]
    assert {"dossier", "sequence", "columns.a.map", "columns.a.disclosure"} <= set(sections)
    for section in sections:
        needed = {"diversity": "l = 2", "closeness": "t = 0.5", "sequence": 'link = "a"',
                  "perturb": 'method = "pram"'}  # fmt: skip
        text = f'[columns.a]\nrole = "quasi"\n[{section}]\nunheard_of = 1\n{needed.get(section.split(".")[-1], "")}\n'
        message = refused(text, SchemaError).message
        assert message.startswith(f"policy.toml, line 4: {section}.unheard_of is not a setting"), section


def test_further_problems_are_counted_once_each() -> None:
    assert "(1 more)" in refused("k = 1\nmax_suppressed = 2").message
    assert "more" not in refused('[columns.a]\nrole = "quasi"\nscale = "big"').message


@pytest.mark.parametrize("again", ['[columns.age]\nrole = "other"\n', ""])
def test_two_roles_for_one_column_are_refused_with_the_line(tmp_path: Path, again: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text('[columns.age]\nrole = "quasi"\n' + (again or 'role = "other"\n'), encoding="utf-8")
    with pytest.raises(ParameterError, match=r"policy\.toml is not valid TOML.* line 3"):
        Policy.load(path)


def test_a_policy_that_is_absent_or_not_text_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"none\.toml cannot be read"):
        Policy.load(tmp_path / "none.toml")
    with pytest.raises(ParameterError, match="cannot be read"):
        Policy.load(tmp_path)
    (tmp_path / "latin.toml").write_bytes('[columns."Größe"]'.encode("latin-1"))
    with pytest.raises(ParameterError, match=r"latin\.toml is not UTF-8"):
        Policy.load(tmp_path / "latin.toml")


def test_hierarchy_files_are_found_beside_the_policy_after_a_byte_order_mark(tmp_path: Path) -> None:
    text = (
        '[columns.a]\nrole = "quasi"\nhierarchy = "a.csv"\n'
        '[columns.b]\nrole = "quasi"\nhierarchy = { file = "/b.csv" }\n'
    )
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8-sig")
    columns = Policy.load(tmp_path / "policy.toml").columns
    assert columns["a"].hierarchy == Hierarchy(file=tmp_path / "a.csv")
    assert columns["b"].hierarchy == Hierarchy(file=Path("/b.csv"))


def test_a_column_asks_for_itself_before_the_policy_asks_for_all() -> None:
    own, common = Diversity(l=3), Diversity(l=2)
    policy = Policy(
        diversity=common,
        closeness=Closeness(t=0.2),
        columns={
            "x": Column(role="sensitive", diversity=own),
            "y": Column(role="sensitive"),
            "q": Column(role="quasi"),
        },
    )
    assert policy.diversity_of("x") == own
    assert policy.diversity_of("y") == common
    assert policy.closeness_of("x") == Closeness(t=0.2)
    assert (policy.quasi, policy.sensitive, policy.person) == (["q"], ["x", "y"], None)


HIERARCHIES = st.one_of(
    st.builds(Hierarchy, file=st.from_regex(r"[a-z \\\"']{1,9}\.csv", fullmatch=True)),
    st.builds(Hierarchy, widths=st.lists(POSITIVE, min_size=1, max_size=3).map(tuple)),
    st.builds(Hierarchy, periods=st.lists(st.sampled_from(["month", "year"]), min_size=1).map(tuple)),
    st.just(Hierarchy(prefix=True)),
)
DIVERSITIES = st.one_of(
    st.builds(Diversity, l=st.integers(1, 9)),
    st.builds(Diversity, l=st.floats(1, 9), kind=st.sampled_from(["frequency", "entropy"])),
    st.builds(Diversity, l=st.integers(1, 9), kind=st.just("recursive"), c=POSITIVE),
)
CLOSENESSES = st.builds(Closeness, t=st.floats(0, 1), distance=st.sampled_from(["equal", "ordered", "hierarchical"]))
QUASI = st.one_of(
    st.builds(
        Column,
        role=st.just("quasi"),
        kind=st.sampled_from([None, "number", "label", "date"]),
        scale=st.one_of(st.sampled_from(["range", "standard"]), POSITIVE),
        weight=st.floats(1e-100, 1e100),
        aggregate=st.sampled_from([None, "mean", "median", "mode"]),
    ),
    st.builds(Column, role=st.just("quasi"), kind=st.sampled_from([None, "hierarchy"]), hierarchy=HIERARCHIES),
    st.builds(Column, role=st.just("quasi"), order=st.lists(NAMES, unique=True, max_size=4).map(tuple)),
)
SENSITIVE = st.builds(
    Column,
    role=st.just("sensitive"),
    bins=st.none()
    | st.lists(st.floats(-1e300, 1e300), unique=True, max_size=4).map(lambda cuts: tuple(sorted(cuts))),
    diversity=st.none() | DIVERSITIES,
    closeness=st.none() | CLOSENESSES,
)
PLAIN = st.builds(Column, role=st.sampled_from(["identifier", "other"]))
POLICIES = st.builds(
    Policy,
    k=st.integers(2, 10**9),
    max_suppressed=st.floats(0, 1, exclude_max=True),
    publication=st.sampled_from(["auto", "generalize", "centers"]),
    seed=st.none() | st.integers(0, 2**63 - 1),
    effort=st.none() | st.floats(0, 10_000, exclude_min=True),
    time_limit=st.none() | POSITIVE,
    source=st.builds(
        Source,
        separator=st.none() | st.characters(exclude_categories=["Cs"]),
        encoding=st.none() | NAMES,
        null_values=st.lists(NAMES, max_size=3).map(tuple),
    ),
    columns=st.dictionaries(NAMES, st.one_of(QUASI, SENSITIVE, PLAIN), max_size=5),
)
ODD = [
    "",
    " ",
    "a.b",
    'say "hi"',
    "it's",
    "back\\slash",
    "\x7f",
    "\x00\x1f\t\n\r\n",
    "é\u2028\x85",
    "# no",
    "[x]",
    "columns",
    "=",
    "🐟",
]


@given(policy=POLICIES)
@example(policy=Policy(columns={name: Column(role="quasi") for name in ODD}))
def test_what_is_written_reads_back_the_same(policy: Policy) -> None:
    assert Policy.loads(policy.dumps()) == policy


@given(policy=POLICIES, comment=NAMES)
@example(policy=Policy(columns={"": Column(role="quasi")}), comment="\x00\x0b\x7f\r\n[columns.b]\tx")
def test_comments_change_nothing(policy: Policy, comment: str) -> None:
    text = policy.dumps(comments=dict.fromkeys(policy.columns, comment))
    assert Policy.loads(text) == policy


@given(name=NAMES, others=st.lists(NAMES, max_size=4))
def test_the_line_of_a_column_is_found_whatever_its_name(name: str, others: list[str]) -> None:
    policy = Policy(columns={n: Column(role="quasi") for n in dict.fromkeys([*others, name])})
    text = policy.dumps()
    line = line_of(text, ["columns", name, "role"])
    assert line is not None
    above = text.split("\n")[line - 2 : line]
    assert list(tomllib.loads("\n".join(above))["columns"]) == [name]


def test_comments_stand_above_their_column_and_whole_numbers_look_whole() -> None:
    policy = Policy(columns={"a": Column(role="sensitive", diversity=Diversity(l=2))})
    assert policy.dumps(comments={"a": "one\ntwo"}) == (
        'k = 5\n\n# one\n# two\n[columns.a]\nrole = "sensitive"\ndiversity = { l = 2 }\n'
    )
    assert dump_comment("") == ""


@pytest.mark.parametrize("message", ["k = 1", '[columns.a]\nrole = "quasi"\nweight = "heavy"'])
def test_messages_are_one_lower_case_sentence(message: str) -> None:
    assert re.fullmatch(r"policy\.toml, line \d+: [a-z.]+: [a-z][^\n]*\.", refused(message).message)

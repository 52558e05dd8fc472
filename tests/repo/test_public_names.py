"""What users call says what it returns, what it takes and what it raises, and its example runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import shoal
from shoal.errors import ParameterError, ShoalError

MODULES = ("shoal", "shoal.partition", "shoal.sklearn")
WITH_METHODS = {
    "Certificate", "Comparison", "Derived", "Findings", "Guarantee", "Partition", "Plan", "Policy", "Profile",
    "Release",
}  # fmt: skip
BUILT_BY_USERS = {
    "Cellular", "Closeness", "Column", "Diversity", "Gather", "Hierarchy", "Microaggregation", "Policy"
}  # fmt: skip
"""Classes whose parameters a user writes; the others are results."""
SECTIONS = ("Parameters", "Returns", "Raises", "Examples")


def public() -> Iterator[tuple[str, Any]]:
    """Every public name, and below some classes every public method and property."""
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            found = getattr(module, name)
            if name == "__version__":
                continue
            yield f"{module.__name__}.{name}", found
            if name in WITH_METHODS:
                for inner, what in _own(found):
                    yield f"{module.__name__}.{name}.{inner}", what


def _own(one: type) -> Iterator[tuple[str, Any]]:
    """What the class itself defines under a public name, fields apart."""
    for name, what in vars(one).items():
        plain = getattr(
            what, "func", getattr(what, "fget", getattr(what, "__func__", what))
        )  # cached, property, class
        if not name.startswith("_") and inspect.isfunction(plain) and name != "model_post_init":
            yield name, plain


PUBLIC = dict(public())
FUNCTIONS = [
    name for name, found in PUBLIC.items() if not inspect.isclass(found) and name.rsplit(".", 1)[0] in MODULES
]
CLASSES = {
    name: found for name, found in PUBLIC.items() if inspect.isclass(found) and not issubclass(found, ShoalError)
}


def sections(doc: str) -> dict[str, list[str]]:
    """The lines of every numpydoc section; those before the first are under the empty name."""
    found: dict[str, list[str]] = {"": []}
    lines = inspect.cleandoc(doc).splitlines()
    name = ""
    for place, line in enumerate(lines):
        if place + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[place + 1]) and len(lines[place + 1]) == len(line):
            name = line
            found[name] = []
        elif not re.fullmatch(r"-{3,}", line):
            found[name].append(line)
    return found


def documented(lines: list[str]) -> list[str]:
    """The names that a section of parameters has; several may stand before one colon."""
    heads = [line.split(" : ")[0] for line in lines if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def parameters(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_says_in_a_sentence_what_it_is(name: str) -> None:
    doc = inspect.getdoc(PUBLIC[name])
    assert doc, name
    first = doc.split("\n\n")[0].replace("\n", " ")
    assert re.search(r"[.:]`*( |$)", first), first


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_has_the_sections_of_numpydoc(name: str) -> None:
    found = sections(inspect.getdoc(PUBLIC[name]) or "")
    wanted = [one for one in SECTIONS if one != "Parameters" or parameters(PUBLIC[name])]
    wanted = [one for one in wanted if one != "Raises" or parameters(PUBLIC[name])]
    assert [one for one in wanted if one not in found] == []
    assert found[""][0].startswith("Return ")


@pytest.mark.parametrize("name", [name for name, found in PUBLIC.items() if not inspect.isclass(found)])
def test_what_is_documented_is_what_the_signature_has(name: str) -> None:
    function = PUBLIC[name]
    found = sections(inspect.getdoc(function) or "")
    named = documented(found.get("Parameters", []))
    if "**settings : optional" in found.get("Parameters", []):  # described once, by `anonymize`
        described = documented(sections(inspect.getdoc(shoal.anonymize) or "")["Parameters"])
        named.remove("settings")
        named += set(described) & set(parameters(function)) - set(named)
    assert sorted(named) == sorted(parameters(function)), name
    if inspect.signature(function).return_annotation not in ("None", None) and parameters(function):
        assert "Returns" in found, name


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_class_has_an_example_and_those_that_users_build_their_parameters(name: str) -> None:
    found = sections(inspect.getdoc(PUBLIC[name]) or "")
    assert "Examples" in found
    if name.rsplit(".", 1)[-1] in BUILT_BY_USERS:
        assert sorted(documented(found["Parameters"])) == sorted(parameters(PUBLIC[name]))


WITH_EXAMPLES = [name for name, found in PUBLIC.items() if ">>>" in (inspect.getdoc(found) or "")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_every_example_runs(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(PUBLIC[name]) or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    said: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append).failed
    assert not failed, "".join(said)
    assert not list(tmp_path.iterdir()), "an example leaves files behind"


@pytest.mark.parametrize(
    ("call", "misspelled", "meant"),
    [
        (lambda **one: shoal.anonymize("x.csv", **one), "quasy", "quasi"),
        (lambda **one: shoal.apply({}, "x.csv", **one), "max_suppresed", "max_suppressed"),
        (lambda **one: shoal.compare("x.csv", **one), "method_s", "methods"),
        (lambda **one: shoal.attack("x.csv", "y.csv", **one), "sensitiv", "sensitive"),
        (lambda **one: shoal.profile("x.csv", **one), "seperator", "separator"),
        (lambda **one: shoal.verify("x.csv", **one), "frm", "form"),
        (lambda **one: shoal.hierarchy("x.csv", "age", **one), "fanout", "fan_out"),
        (lambda **one: shoal.recover("out", **one), "aut", "out"),
    ],
)
def test_a_misspelled_keyword_is_refused_with_the_one_that_was_meant(call: Any, misspelled: str, meant: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{misspelled} is not a parameter of ") as refused:
        call(**{misspelled: "planted"})
    assert f"did you mean {meant}?" in str(refused.value)
    assert "planted" not in str(refused.value)


def test_help_shows_every_keyword_by_its_name() -> None:
    from shoal.policy.keywords import KNOWN

    shown = inspect.signature(shoal.anonymize).parameters
    assert set(KNOWN) < set(shown)
    assert all(one.kind is not inspect.Parameter.VAR_KEYWORD for one in shown.values())

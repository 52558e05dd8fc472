"""One case from the table to the checked folder: a release that is what it says, or one clean sentence."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import shoal
from shoal.errors import CertificateError, InfeasibleError, ShoalError
from tests.endtoend import values as v
from tests.endtoend.cases import Case, case
from tests.endtoend.counting import check_requirements, count
from tests.endtoend.later import with_later_parts
from tests.endtoend.made_up import check_made_up
from tests.endtoend.recoding import recoded, unmarked
from tests.endtoend.released import Released, WrongError, must, open_release
from tests.endtoend.selection import with_selection
from tests.endtoend.sources import as_held, separator_of, source_of
from tests.endtoend.truth import check_truth
from tests.scratch import in_memory

VERIFIED = 3
"""Of so many releases one is verified and read once more."""
DISTINCTIVE = 6
"""Characters of a cell that do not stand in a message by chance."""


class FoundError(AssertionError):
    """What went wrong in which case, with all that is needed to see it again."""

    def __init__(self, wrong: Case, why: BaseException) -> None:
        super().__init__(f"{type(why).__name__}: {why}\n{wrong.recipe()}")
        self.case, self.why = wrong, why


def run(number: int, *, later: bool = True) -> Counter[str]:
    """What happened, by name; FoundError where something is wrong. A case found before `later` parts has none."""
    one = with_selection(with_later_parts(case(number))) if later else case(number)
    with TemporaryDirectory(dir=in_memory()) as name, warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return _run(one, Path(name))
        except Exception as wrong:
            raise FoundError(one, wrong) from wrong


def _run(one: Case, folder: Path) -> Counter[str]:
    settings = settings_of(one, folder)
    happened: Counter[str] = Counter({"cases": 1})
    try:
        release = shoal.anonymize(source_of(one, folder), settings, secret=secret_of(one))
    except ShoalError as refused:
        check_refusal(refused, one)
        happened[f"refused: {type(refused).__name__}"] += 1
        return happened
    _write_and_check(release, one, folder / "out", happened)
    form = json.loads((folder / "out" / "certificate.json").read_text(encoding="utf-8"))["form"]
    happened[f"released: {form}"] += 1
    happened.update(_parts(one, folder / "out"))
    if one.extras["compare"]:
        happened["compared"] += _compare(one, folder, settings)
    plan = folder / "out.private" / "plan.json"
    if one.second is not None and plan.exists():
        happened += _apply(one.with_cells(one.second), folder, plan)
    return happened


def secret_of(one: Case) -> bytes:
    """All chance of a case comes from its number, so that it fails again."""
    return sha256(str(one.number).encode()).digest()


def settings_of(one: Case, folder: Path) -> dict[str, Any]:
    """The policy as plain settings; hierarchies and maps are written as files."""
    columns = {}
    for place, column in enumerate(one.columns):
        asked = dict(column.settings)
        if column.tree is not None:
            path = folder / f"tree{place}.csv"
            path.write_text("".join(",".join(line) + "\n" for line in column.tree.values()), encoding="utf-8")
            asked["hierarchy"] = {"file": str(path)}
        if column.edges is not None:
            path = folder / f"edges{place}.csv"
            path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in column.edges), encoding="utf-8")
            asked["map"] = {"edges": str(path)}
        columns[column.name] = asked
    return one.settings | {"columns": columns}


def check_refusal(refused: ShoalError, one: Case) -> None:
    """One sentence, no value of the table in it, and never that the release failed its own check."""
    must(not isinstance(refused, CertificateError), f"the release failed its own check: {refused.message}")
    told = f"{refused.message} {refused.hint or ''}"
    must(refused.message.endswith(".") and "\n" not in refused.message, f"no sentence: {refused.message!r}")
    public = repr(one.settings) + " ".join(f"{c.name} {c.settings} {c.tree} {c.edges}" for c in one.columns)
    for column in one.columns:
        for cell in column.cells:
            text = "" if cell is None else v.shown(cell, column.kind)
            shows = len(text) >= DISTINCTIVE and text in told and text not in public
            must(not shows, f"the message shows a cell of {column.name}: {told!r}")


def _write_and_check(release: shoal.Release, one: Case, out: Path, happened: Counter[str]) -> None:
    release.write(out, format=one.format, mapping=one.extras["mapping"])
    mapping = out.with_name(f"{out.name}.private") / "mapping.csv"
    must(mapping.exists() == one.extras["mapping"], "the mapping is there without being asked for, or not")
    measured = check_folder(one, out, mapping if mapping.exists() else None)
    if one.number % VERIFIED == 0:  # writing has verified it already, by the same code
        findings = shoal.verify(out)
        must(findings.holds, f"verify: {findings.failures}")
        must(findings.k == measured["k-anonymity"], f"verify counts k = {findings.k}, SQL {measured['k-anonymity']}")
        must(shoal.read_release(out).height == findings.rows, "read_release reads other rows than verify")
    for requirement in measured:
        happened[requirement.split()[0]] += 1


def check_folder(one: Case, out: Path, mapping: Path | None) -> dict[str, float]:
    """All that a stranger with the public folder, and a steward with the table, can check; what was counted."""
    released = unmarked(one, open_release(out, separator_of(one)))
    check_columns(one, released)
    check_codebook(one, released)
    held = as_held(recoded(one))
    measured = check_requirements(held, count(held, released), released.certificate)
    check_truth(held, released, mapping)
    check_made_up(one, released, separator_of(one))
    check_nothing_identifies(one, out)
    return measured


def check_columns(one: Case, released: Released) -> None:
    """Every column has its place: identifiers have none."""
    form = released.certificate["form"]
    gone = {column.name for column in one.named("identifier")}
    must(not gone & set(released.names), "an identifier is in the release")
    kept = {column.name for column in one.named("sensitive", "weight", "other")}
    must(kept <= set(released.names), "a column is missing")
    known = (
        kept | {column.name for column in one.named("quasi")} | ({"people", "radius"} if form == "centers" else set())
    )
    known |= {column.name for column in one.named("person")} if form != "centers" else set()
    known |= {f"{c.name}_{end}" for c in one.named("quasi") for end in ("min", "max", "missing", "radius_m")}
    must(set(released.names) <= known, f"columns that nobody asked for: {set(released.names) - known}")


def check_codebook(one: Case, released: Released) -> None:
    """Codebook and data package describe the released columns, and say nothing of values that are not released."""
    folder, file = released.folder, released.file
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))["resources"][0]
    must(
        package["path"] == file.name and package["bytes"] == file.stat().st_size, "the data package has another file"
    )
    must([field["name"] for field in package["schema"]["fields"]] == released.names, "the data package has others")
    for field in package["schema"]["fields"]:
        listed = set(field.get("constraints", {}).get("enum", ()))
        cells = {cell if isinstance(cell, str) else str(cell) for cell in released.cells[field["name"]]}
        must(listed <= cells | {"true", "false"}, f"{field['name']}: the data package lists what no cell has")
    public = repr(one.settings) + " ".join(f"{c.name} {c.settings} {c.tree} {c.edges}" for c in one.columns)
    stated = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))["policy"]["columns"].values()
    public += " ".join(str(column.get("origin", "")) for column in stated)  # the first day of the newest period
    shown = "\n".join(str(cell) for cells in released.cells.values() for cell in cells) + str(released.legends)
    beside = [path for path in folder.iterdir() if path not in (file, folder / "legend.json")]
    told = "".join(path.read_text(encoding="utf-8") for path in beside if path.suffix in (".json", ".html"))
    for column in one.named("quasi", "sensitive", "weight", "other"):
        for cell in column.cells:
            text = "" if cell is None else v.shown(cell, column.kind)
            hidden = len(text) >= DISTINCTIVE and text not in shown and text not in public
            must(
                not (hidden and text in told), f"{column.name}: {text!r} is not released, and stands beside the table"
            )


def _parts(one: Case, out: Path) -> Counter[str]:
    """Which of the later parts a release has."""
    asked = {key for column in one.columns for key in column.settings}
    named = {"top", "bottom", "round", "merge", "least_level", "greatest_level", "relative_to", "perturb"} & asked
    found = Counter(f"with {key}" for key in named)
    found["with synthetic rows"] += "synthetic" in one.settings
    found.update(f"with {key}" for key in ("where", "sample", "population") if key in one.settings)
    found["with consistent people"] += any(c.settings.get("consistent", False) for c in one.named("person"))
    found["with key sets"] += "keys" in one.settings
    found["with a weight"] += bool(one.named("weight"))
    found["from a workbook"] += one.source == "xlsx"
    found["to a workbook"] += (out / "release.xlsx").exists()
    return +found


def check_nothing_identifies(one: Case, out: Path) -> None:
    """No cell of an identifier or a person stands anywhere in the public folder."""
    for file in out.iterdir():
        content = file.read_bytes()
        for column in one.named("identifier", "person"):
            for cell in column.cells:
                text = "" if cell is None else v.shown(cell, column.kind)
                shows = len(text) >= DISTINCTIVE and text.encode() in content
                must(not shows, f"a cell of {column.name} stands in {file.name}")


def _compare(one: Case, folder: Path, settings: dict[str, Any]) -> int:
    try:
        comparison = shoal.compare(source_of(one, folder), settings, k=[2, 3])
    except ShoalError as refused:
        check_refusal(refused, one)
        return 0
    must(all(trial.highest_risk <= 1 / trial.k + 1e-9 for trial in comparison.trials), "a trial above its risk")
    return len(comparison.trials)


def _apply(again: Case, folder: Path, plan: Path) -> Counter[str]:
    """The plan on a second table; at most nine rows in ten may be left out."""
    inputs, asked = folder / "second", {"max_suppressed": 0.9, "seed": again.settings["seed"]}
    again.settings["max_suppressed"] = 0.9
    inputs.mkdir()
    try:
        release = shoal.apply(
            plan, source_of(again, inputs), join=again.extras["join"], secret=secret_of(again), **asked
        )
    except InfeasibleError as refused:
        check_refusal(refused, again)
        return Counter({"apply: refused": 1})
    except ShoalError as refused:
        check_refusal(refused, again)
        return Counter({f"apply: {type(refused).__name__}": 1})
    happened: Counter[str] = Counter({"applied": 1})
    _write_and_check(release, again, folder / "applied", happened)
    return happened


__all__ = ["FoundError", "WrongError", "run"]

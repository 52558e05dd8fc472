"""The layout is kept by a test: a module imports only what its part may, and what is light stays light."""

from __future__ import annotations

import ast
import graphlib
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shoal

SOURCE = Path(shoal.__file__).parent
BASE = {
    "_escape",
    "_repr",
    "_version",
    "caller",
    "clock",
    "effort",
    "errors",
    "held_folder",
    "method_table",
    "policy",
    "progress",
    "secret",
    "spark_session",
}
"""What everything may import; these import one another only as ALLOWED says."""
FAMILIES = {"cellular_cost", "diversity", "generalization", "microaggregation", "radius", "single_attribute"}
"""The problems of the papers. None knows another, except that two of them begin with the radius."""
PARTITION = {f"partition.{name}" for name in ("result", "group_labels", "guarantee", "parameters", "rules", "solver")}
# What each part may import besides itself and BASE. A part is a package or a module at the top; of partition/, which
# holds the algorithms, every package and module is a part of its own.
ALLOWED: dict[str, set[str]] = {
    "errors": {"_escape"},
    "_version": set(),
    "_escape": set(),
    "_repr": set(),
    "caller": set(),
    "held_folder": set(),
    "clock": set(),
    "progress": set(),
    "secret": {"errors"},
    "spark_session": {"errors"},
    "effort": set(),
    "method_table": {"effort"},
    "policy": {"caller", "errors", "method_table", "tables"},  # a policy writes itself as other files are written
    "kernels": set(),
    "tables": set(),
    "roles": {"kernels", "tables"},
    "space": {"kernels", "tables"},
    "requirements": {"kernels", "space"},
    "partition.result": set(),
    "partition.group_labels": {"partition.result"},
    "partition.guarantee": {"partition.result"},
    "partition.parameters": set(),
    "partition.rules": {"partition.result"},
    "partition.solver": set(),
    "partition.group_pool": {"kernels", "partition.result"},
    "partition.mixed_duals": {"partition.result"},
    **{f"partition.{name}": {"kernels", "space", "requirements", *PARTITION} for name in FAMILIES},
    "partition.balance": {"kernels", "space", "requirements", "partition.generalization", *PARTITION},
    "partition.set_values": {"kernels", "space"},
    "partition.column_classes": {"space", "partition.single_attribute", *PARTITION},
    "partition.blocks": {"space", "requirements", "partition.generalization", *PARTITION},
    "partition.methods": {
        "space", "requirements", "partition.blocks", *(f"partition.{name}" for name in FAMILIES), *PARTITION,
    },
    "partition.repair": {
        "space", "requirements", "partition.methods", "partition.balance",
        *(f"partition.{name}" for name in FAMILIES), *PARTITION,
    },
    "partition": {f"partition.{name}" for name in FAMILIES} | PARTITION,
    "publish": {"tables", "space", "partition.column_classes", "partition.set_values", *PARTITION},
    "perturb": {"tables"},
    "plans": {"tables", "space", "publish", *PARTITION},
    "sequence": {"tables", "space", "requirements"},
    "certify": {"tables"},
    "measure": {"tables", "roles", "space", "requirements", "publish", "certify"},
    "report": {"measure", "roles", "space", "certify", "partition.column_classes"},
    "results": {
        "tables", "space", "publish", "plans", "sequence", "certify", "measure", "report",
        "partition.column_classes", "partition.methods", *PARTITION,
    },
    "pipeline": {
        "tables", "roles", "space", "kernels", "requirements", "perturb", "publish", "plans", "sequence", "certify",
        "measure", "report", "results", "partition.column_classes", "partition.methods", "partition.repair",
        "partition.radius", "partition.single_attribute", *PARTITION,
    },
    "engines": {
        "tables", "roles", "space", "requirements", "publish", "certify", "report", "pipeline", "partition.blocks",
        "partition.generalization", "partition.methods", "partition.repair", *PARTITION,
    },
    "papers": {"kernels", "partition.result", *(f"partition.{name}" for name in FAMILIES)},
    "datasets": set(),
    "sklearn": {"partition.cellular_cost", "partition.microaggregation", "partition.radius", *PARTITION},
    "api": {"tables", "roles", "measure", "results", "pipeline", "papers", "datasets", "engines"},
    "web": {"api", "report"},
    "cli": {"api", "certify", "report", "web"},
    "precompile": {
        "api", "datasets", "kernels", "papers", "space", "partition", "partition.generalization",
        "partition.microaggregation", "partition.rules",
    },
    "__main__": {"cli"},
    "": {"api", "certify", "engines", "measure", "pipeline", "plans", "results", "roles"},
}  # fmt: skip
DISPLAY = {"_repr_html_", "__str__"}
"""By these methods a result shows itself. Only inside them may every part import the report, which knows the results:
so a certificate looks the same whatever else was imported, and nobody waits for the report who does not look."""
ALLOWED["partition.cellular_cost"].add("partition.radius")
ALLOWED["partition.diversity"].add("partition.radius")
for family in ("generalization", "microaggregation"):
    ALLOWED[f"partition.{family}"] |= {"partition.group_pool", "partition.mixed_duals"}


def module_of(file: Path) -> str:
    """The dotted name of a file below shoal; the package itself is the empty name."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(file): file for file in SOURCE.rglob("*.py")}


def part_of(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "partition" else parts[0]


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything in a tree, except what methods of DISPLAY import of the report."""
    for node in ast.iter_child_nodes(tree):
        shows = isinstance(tree, ast.FunctionDef) and tree.name in DISPLAY
        if shows and isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shoal.report."):
            continue
        yield node
        yield from nodes(node)


def imports(file: Path) -> set[str]:
    """The modules of shoal that a file imports, anywhere in it but where results show themselves."""
    found = set()
    for node in nodes(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "shoal":
            home = (node.module or "").removeprefix("shoal").removeprefix(".")
            inner = {f"{home}.{alias.name}".removeprefix(".") for alias in node.names}
            found |= {name if name in MODULES else home for name in inner}
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "shoal"]
            found |= {name.removeprefix("shoal").removeprefix(".") for name in names}
    return found


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_what_its_part_may(module: str) -> None:
    part = part_of(module)
    assert part in ALLOWED, f"{part} is new: say in ALLOWED what it may import"
    base = set() if part in BASE else BASE
    breach = {name for name in imports(MODULES[module]) if part_of(name) not in ALLOWED[part] | base | {part}}
    assert not breach, f"{module} imports {sorted(breach)}"


def test_no_part_imports_another_that_imports_it() -> None:
    assert list(graphlib.TopologicalSorter(ALLOWED).static_order())


def test_every_rule_is_of_a_part_that_there_is() -> None:
    assert set(ALLOWED) == {part_of(module) for module in MODULES}


def test_no_module_is_hidden_by_a_name_of_its_package() -> None:
    """`import shoal.partition.radius.gather as m` gives the module, so that `help(m)` shows its guarantee."""
    for module in sorted(set(MODULES) - {"", "__main__"}):
        found = importlib.import_module(f"shoal.{module}")
        package, _, name = f"shoal.{module}".rpartition(".")
        assert getattr(sys.modules[package], name) is found, module


def test_kernels_import_nothing_of_ours() -> None:
    for file in (SOURCE / "kernels").rglob("*.py"):
        assert {part_of(name) for name in imports(file)} <= {"kernels"}, file.name


def test_the_verifier_shares_no_code_with_what_it_verifies() -> None:
    """Not even through others: loading certify loads no partition, publication, requirement, space or measure."""
    code = (
        "import sys, shoal.certify; "
        "print([m for m in sys.modules if m.startswith(('shoal.partition', 'shoal.publish', 'shoal.requirements', "
        "'shoal.space', 'shoal.measure', 'shoal.kernels'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("code", ["import shoal", "from shoal.cli import main"])
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str) -> None:
    heavy = ["numba", "polars", "numpy", "scipy", "pydantic", "pyarrow", "pandas", "jinja2"]
    checked = f"import sys; {code}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", checked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_profiling_a_small_table_loads_no_compiler_and_nothing_that_makes_groups() -> None:
    code = (
        "import sys, polars, shoal; from shoal.report import terminal; "
        "terminal.profile(shoal.profile(polars.DataFrame({'age': [40, 50], 'town': ['Ulm', 'Bonn']}))); "
        "print([m for m in sys.modules if m in ('numba', 'scipy') or m.startswith('shoal.partition')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_exactly_those_listed_and_all_load() -> None:
    assert sorted(shoal.__all__) == shoal.__all__
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = shoal.nothing_like_this


def test_pyspark_is_imported_only_where_spark_is_used_and_only_when_it_is() -> None:
    """Nobody who works without Spark loads it, and code that counts again shares none with code that runs it."""
    homes = ("engines.spark.", "certify.spark.", "spark_session")
    for module, file in MODULES.items():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if any(name.split(".")[0] in ("pyspark", "py4j") for name in names):
                assert module.startswith(homes), module
                assert node not in tree.body, f"{module} imports pyspark when it is imported itself"

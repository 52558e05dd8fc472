"""What to change is said in the words of the caller: flags on the command line, keywords in Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import shoal
from shoal.caller import by_flags, named, setting, settings

SOURCE = Path(shoal.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND = re.compile(r"`shoal [^`]*`|shoal anonymize .*")
ONLY_THERE = {"cli", "precompile.py", "kernels"}
"""What only the command line shows, and processes that are started with flags."""
ONLY_THERE_FILES = {
    "report/terminal.py", "report/profile_text.py", "tables/text_file.py", "web/commands.py", "web/serve.py",
}  # fmt: skip
"""The terminal; the names of both ways that stand in one sentence around a value; and the web app, which shows the
command beside the code, and is started by a command."""


def test_a_setting_is_named_as_the_caller_gives_it():
    assert setting("max_suppressed", 0.1) == "max_suppressed=0.1"
    assert setting("relative_to", "month", column="seen") == 'relative_to={"seen": "month"}'
    assert (setting("join", True), named("after")) == ("join=True", "after")
    with by_flags():
        assert setting("max_suppressed", 0.1) == "--max-suppressed 0.1"
        assert setting("relative_to", "month", column="seen") == "--relative-to seen=month"
        assert (setting("join", True), named("after")) == ("--join", "--after")
        assert setting("publish_rare", True, column="home town") == "--publish-rare 'home town'"
        assert settings("round", {"age": 5, "Größe": 0.1}) == "--round age=5 --round Größe=0.1"
        assert setting("quasi", ["age", "Größe"]) == "--quasi age,Größe"
    assert named("after") == "after"
    assert settings("round", {"age": 5, "Größe": 0.1}) == 'round={"age": 5, "Größe": 0.1}'
    assert setting("publish_rare", True, column='a "b"') == 'publish_rare={"a \\"b\\"": True}'
    assert setting("quasi", ["age", "Größe"]) == 'quasi=["age", "Größe"]'


def texts(file: Path) -> Iterator[str]:
    """Every text in a module but the docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.value


def test_no_message_of_the_library_speaks_of_flags_alone():
    """A flag beside its keyword, "separator=... (--separator)", is understood by both."""
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        place = file.relative_to(SOURCE)
        if place.parts[0] in ONLY_THERE or place.as_posix() in ONLY_THERE_FILES:
            continue
        for text in texts(file):
            for flag in FLAG.findall(COMMAND.sub("", text)):
                keyword = flag.removeprefix("--no-").removeprefix("--").replace("-", "_")
                if not re.search(rf"{keyword}\w*=", text):
                    found.append(f"{place.as_posix()}: {flag}")
    assert found == []

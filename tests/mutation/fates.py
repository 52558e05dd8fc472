"""Keep what became of every mutant in one file of the repository, so that a run goes on where another one ended.

mutmut's own folder `mutants/` is large and belongs to one machine. The file has, for every function, a digest and
one letter for each of its mutants: killed, survived, not reached, or not run yet. The digest is of the function and
of all its mutants as they are written, so that a function that has changed, or that another version of mutmut
changes in other ways, is tried anew, and nothing else is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

KILLED, SURVIVED, NOT_REACHED, NOT_RUN = "ksn."
CODES = {KILLED: 1, SURVIVED: 0, NOT_REACHED: 33, NOT_RUN: None}
"""The exit codes by which mutmut and tests/mutation/loop.py know these fates."""
_SURE = {KILLED: 3, SURVIVED: 2, NOT_REACHED: 1, NOT_RUN: 0}
_MUTANT = re.compile(r"( *)def (x\S*?__mutmut_(?:orig|\d+))\(")


def letter_of(code: int | None, killed: tuple[int, ...]) -> str:
    """Return the letter of an exit code; whatever is not known is not run."""
    if code in killed:
        return KILLED
    return {0: SURVIVED, 5: NOT_REACHED, 33: NOT_REACHED}.get(-1 if code is None else code, NOT_RUN)


def write(file: Path, mutants: Path, killed: tuple[int, ...]) -> None:
    """Write the fates of all mutants under a folder: one line for every function."""
    modules = {}
    for meta in _metas(mutants):
        found = {
            function: f"{digest} {''.join(letter_of(codes[name], killed) for name in names)}"
            for codes, functions in [_functions(meta)]
            for function, (digest, names) in functions.items()
        }
        if found:
            modules[_module(meta, mutants)] = found
    lines = []
    for module, functions in sorted(modules.items()):
        inside = ",\n".join(
            f" {json.dumps(name, ensure_ascii=False)}: {json.dumps(functions[name])}" for name in functions
        )
        lines.append(f"{json.dumps(module)}: {{\n{inside}\n}}")
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def read(file: Path, mutants: Path, killed: tuple[int, ...]) -> int:
    """Give the mutants under a folder the fates that the file has for them, and return for how many it had one.

    Where both know a fate the surer one stays: a mutant that one machine has killed is killed.
    """
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    told = 0
    for meta in _metas(mutants):
        known = kept.get(_module(meta, mutants), {})
        codes, functions = _functions(meta)
        before = dict(codes)
        for function, (digest, names) in functions.items():
            kept_digest, _, letters = known.get(function, "").partition(" ")
            if kept_digest != digest or len(letters) != len(names):
                continue
            told += len(letters) - letters.count(NOT_RUN)
            for name, letter in zip(names, letters, strict=True):
                if _SURE[letter] > _SURE[letter_of(codes[name], killed)]:
                    codes[name] = CODES[letter]
        if codes != before:
            whole = json.loads(meta.read_text(encoding="utf-8")) | {"exit_code_by_key": codes}
            meta.write_text(json.dumps(whole, indent=4), encoding="utf-8")
    return told


def _metas(mutants: Path) -> list[Path]:
    return sorted(mutants.joinpath("src/shoal").rglob("*.py.meta"))


def _module(meta: Path, mutants: Path) -> str:
    return meta.relative_to(mutants / "src/shoal").as_posix().removesuffix(".meta")


def _functions(meta: Path) -> tuple[dict[str, int | None], dict[str, tuple[str, list[str]]]]:
    """Return the exit codes of a module, and for each of its functions the digest and the names of its mutants."""
    found: dict[str, Any] = json.loads(meta.read_text(encoding="utf-8"))
    codes: dict[str, int | None] = found["exit_code_by_key"]
    names: dict[str, list[str]] = defaultdict(list)
    for name in codes:
        names[name.rpartition(".")[2].rpartition("__mutmut_")[0]].append(name)
    texts = texts_of(meta.with_suffix(""))
    functions = {}
    for function, own in names.items():
        own.sort(key=lambda name: int(name.rpartition("_")[2]))
        digest = hashlib.sha256(found["hash_by_function_name"].get(function, "").encode())
        for one in (f"{function}__mutmut_orig", *(name.rpartition(".")[2] for name in own)):
            digest.update(texts.get(one, "").encode())
        functions[function] = digest.hexdigest()[:12], own
    return codes, functions


def texts_of(module: Path) -> dict[str, str]:
    """Return every mutant's text: its head, and what is indented below it."""
    texts: dict[str, list[str]] = {}
    text: list[str] = []
    indent = ""
    for line in module.read_text(encoding="utf-8").splitlines():
        if head := _MUTANT.match(line):
            indent, text = head[1], texts.setdefault(head[2], [])
        elif line.strip() and not line.startswith((f"{indent} ", f"{indent})")):
            text = []
        text.append(line)
    return {name: "\n".join(lines).rstrip() for name, lines in texts.items()}

"""The command line and the Python code that make the same release again."""

from __future__ import annotations

import json
import shlex

from shoal.web.open_table import OpenTable, Run


def command_line(table: OpenTable, run: Run) -> str:
    """Return the command that makes the release of a run again, from the files of its private half."""
    parts = [
        f"shoal anonymize {shlex.quote(_source(table))}{_flags(table)} --policy release.private/policy.toml",
        *(f"--hierarchy {shlex.quote(f'{name}={file}')}" for name, file in written_here(table, run).items()),
        f"--secret release.private/secret.key --format {run.result['format']} --out again",
    ]
    return " \\\n  ".join(parts)


def python_code(table: OpenTable, run: Run) -> str:
    """Return the Python code that makes the release of a run again."""
    lines = [_text(_source(table)), '"release.private/policy.toml"', 'secret="release.private/secret.key"']
    if table.database is not None:
        which = "table" if table.database.table is not None else "query"
        lines.insert(2, f"{which}={_text(table.database.table or table.database.query or '')}")
    if files := written_here(table, run):
        lines.append(f"hierarchy={json.dumps(files, ensure_ascii=False)}")
    inside = "".join(f"    {line},\n" for line in lines)
    return (
        f"import shoal\n\nrelease = shoal.anonymize(\n{inside})\n"
        f'release.write("again", format="{run.result["format"]}")\n'
    )


def written_here(table: OpenTable, run: Run) -> dict[str, str]:
    """Return the hierarchies of a run that were written by hand, by column: where the archive of the private half has
    them.
    """
    files = {str(file) for file in table.files}
    found = {}
    for place, column in enumerate(table.columns):
        file = run.asked["columns"].get(column["name"], {}).get("hierarchy", {}).get("file")
        if str(file) in files:
            found[column["name"]] = f"release.private.levels/column-{place + 1}.csv"
    return found


def _source(table: OpenTable) -> str:
    if table.database is not None:
        return table.database.address
    if not table.copied:
        return str(table.path)
    return f"./{table.name}" if table.name.startswith("-") else table.name  # a name must not be read as an option


def _flags(table: OpenTable) -> str:
    if table.database is None:
        return ""
    if table.database.table is not None:
        return f" --table {shlex.quote(table.database.table)}"
    return f" --query {shlex.quote(table.database.query or '')}"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

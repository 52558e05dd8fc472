"""The command line and the Python code that make the same release again."""

from __future__ import annotations

import json
import shlex

from shoal.web.open_table import OpenTable, Run


def command_line(table: OpenTable, run: Run) -> str:
    """Return the command that makes the release of a run again, from the files of its private half."""
    source = shlex.quote(_source(table))
    return (
        f"shoal anonymize {source} --policy release.private/policy.toml \\\n"
        f"  --secret release.private/secret.key --format {run.result['format']} --out again"
    )


def python_code(table: OpenTable, run: Run) -> str:
    """Return the Python code that makes the release of a run again."""
    return (
        "import shoal\n\n"
        f"release = shoal.anonymize(\n    {json.dumps(_source(table), ensure_ascii=False)},\n"
        '    "release.private/policy.toml",\n    secret="release.private/secret.key",\n)\n'
        f'release.write("again", format="{run.result["format"]}")\n'
    )


def _source(table: OpenTable) -> str:
    return table.name if table.copied else str(table.path)

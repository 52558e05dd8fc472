"""A policy as a file: one from before becomes the draft of an open table, and the draft can be kept as a file."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import ParameterError, SchemaError
from shoal.policy import Policy
from shoal.policy.toml_text import read_toml
from shoal.web.draft import Settings, plain
from shoal.web.forms import place_of
from shoal.web.open_table import OpenTable

ORIGIN = "the policy"
_SOMEWHERE = Path("/somewhere").absolute()


def read_text(text: str) -> Settings:
    """Return the settings of a policy that came without its folder; ParameterError if it needs files beside it."""
    policy = Policy.loads(text, origin=ORIGIN)
    if policy.relative_to(_SOMEWHERE) != policy:
        raise ParameterError(
            "the policy names other files by where they are from its own folder, which is not known here.",
            "load it by its path instead.",
        )
    return plain(policy)


def read_path(path: str) -> Settings:
    """Return the settings of a policy on this computer, with the files that it names beside it."""
    place = place_of(path)
    if not path.strip() or not place.is_file():
        raise ParameterError("there is no policy of this name.", "give the whole path, such as ~/policy.toml.")
    return plain(Policy.loads(read_toml(place), origin=ORIGIN).relative_to(place.absolute().parent))


def same_columns(table: OpenTable, settings: Settings) -> None:
    """Raise SchemaError unless the settings have a role for every column of the table, and for no other."""
    given, there = set(settings.get("columns", {})), {column["name"] for column in table.columns}
    if given != there:
        wrong = sorted(given ^ there)[:5]
        raise SchemaError(
            f"every column of the table needs one role; this is not so for {', '.join(wrong)}.",
            "read the policy, change it and send it back.",
        )

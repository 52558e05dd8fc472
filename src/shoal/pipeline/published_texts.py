"""Roles for a release, and the check that its texts name nobody.

Refused are labels that one person alone has, and identifiers inside texts. What is checked depends on what a release
of the policy shows. A set of labels and a legend of classes show every label; a mode or a center may show any. A
range, a node of a hierarchy and `*` show none that fewer than k people have. Values from a list that the policy
gives (an order, a map, a file of a hierarchy) and codes that it masks from the right were chosen, not typed.
"""

from __future__ import annotations

from shoal import progress
from shoal.clock import Clock
from shoal.errors import SchemaError
from shoal.partition.methods.choose import choose
from shoal.pipeline.inputs import resolve_roles
from shoal.policy import Policy
from shoal.policy.toml_text import dump_key
from shoal.roles.inside_text import identifiers_inside
from shoal.roles.kinds import is_text
from shoal.roles.rare_values import n_rare, n_telling, people_of_values
from shoal.tables import Table


def resolve_for_release(table: Table, policy: Policy, clock: Clock) -> tuple[Table, Policy]:
    """Return the table and the policy with all roles and kinds resolved, of which no published text names a person.

    Raise SchemaError if a column has no role, or if a release would show a text that names a person.
    """
    table, resolved = resolve_roles(table, policy, clock)
    check_published_texts(table, resolved)
    return table, resolved


def check_published_texts(table: Table, policy: Policy) -> None:
    """Raise SchemaError if a release would show a typed label of one person, or an identifier inside a text."""
    frame = table.as_read
    shown = shown_labels(policy)
    asked = [name for name in shown if not policy.columns[name].publish_rare]
    telling = {name: count for name in asked if (count := n_telling(frame, name, policy.person))}
    if telling:
        raise _rare_labels(telling, frame.height)
    for name in asked:
        if count := n_rare(frame, name, policy.person):
            progress.note(
                f"column {name!r}: {count} labels that one person alone has are published in sets. "
                f'publish_rare = "merged" publishes them as one label.'
            )
    for name in [*shown, *policy.named("sensitive", "other")]:
        if policy.columns[name].publish_rare is True or not is_text(frame[name].dtype):
            continue
        held = people_of_values(frame, name, None)
        if found := identifiers_inside(held["value"], held["people"]):
            first = found[0]
            raise SchemaError(
                f"column {name!r} would be published with identifiers inside its texts: {first.what} in "
                f"{first.n_cells} of {frame.height} cells.",
                f'give it role = "identifier" or correct those cells; if they name nobody, write\n'
                f"[columns.{dump_key(name)}]\npublish_rare = true",
            )


def shown_labels(policy: Policy) -> list[str]:
    """Return the quasi-identifiers of which a release may show a label that fewer than k people have."""
    choice = choose(policy)
    found = []
    for name in policy.quasi:
        column = policy.columns[name]
        in_sets = choice.form == "generalize" and not choice.whole_columns
        shown = column.classes is not None or in_sets or choice.form in ("aggregate", "centers")
        if column.kind == "label" and shown:
            found.append(name)
    return found


def _rare_labels(rare: dict[str, int], n_rows: int) -> SchemaError:
    """Return the error for columns with labels that one person alone has, with the ways out."""
    counted = ", ".join(f"{count} of {name!r}" for name, count in rare.items())
    first = dump_key(next(iter(rare)))
    return SchemaError(
        f"labels would be published that one person alone has among {n_rows} rows, and that look typed, as names, "
        f"notes and numbers are: {counted}.",
        f"merge what is rare into one label, as in\n[columns.{first}]\n"
        'publish_rare = "merged"  # true publishes every label as it is\n'
        'or give a hierarchy (hierarchy = { prefix = true } for codes), role = "identifier" for text, or '
        'publication = "suppress".',
    )

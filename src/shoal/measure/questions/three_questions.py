"""All three questions, by quasi-identifiers and by all published columns."""

from __future__ import annotations

from shoal.measure.questions.inference import inferences
from shoal.measure.questions.linkability import linkability
from shoal.measure.questions.people import Attacked
from shoal.measure.questions.result import Held, Known, Question, Questions
from shoal.measure.questions.sets import SetColumn
from shoal.measure.questions.singling_out import singling_out
from shoal.policy import Policy

MOST_COMPARISONS = 1_500_000_000  # of a person with a released cell; above that, fewer people are attacked
FEWEST = 100  # people who are attacked however many comparisons that takes


def ask(attacked: Attacked, policy: Policy, *, held: Held, attempts: int, seed: int) -> Questions:
    """Return the answers for a release; at most `attempts` people are attacked for each, drawn by `seed`.

    If all published columns are quasi-identifiers, they are asked once. A column of sets is known to those who use
    all published columns: k speaks of few of its items, and not of all that somebody has.
    """
    quasi, sensitive = policy.quasi, policy.sensitive
    cells = sum(len(column.of_row) for column in attacked.columns)
    attempts = min(attempts, max(FEWEST, MOST_COMPARISONS // max(cells, 1)))
    inferred = [column for column in attacked.columns if not isinstance(column, SetColumn)]
    by_role = sorted(inferred, key=lambda column: (column.name not in sensitive, column.name in quasi))
    scopes: list[tuple[Known, list[str]]] = [("quasi", list(quasi))]
    if len(attacked.columns) > len(quasi):
        scopes.append(("published", [column.name for column in attacked.columns]))
    found: list[Question] = []
    for known, names in scopes:
        wanted = set(names)
        columns = [column for column in attacked.columns if column.name in wanted]
        if not columns:
            continue
        found.append(singling_out(attacked, columns, known, attempts=attempts, seed=seed))
        linked = linkability(attacked, columns, known, attempts=attempts, seed=seed)
        found += [linked] if linked is not None else []
        found += inferences(attacked, columns, by_role, known, attempts=attempts, seed=seed)
    n_control = len(set(attacked.who[attacked.n :].tolist()))
    n_people = len(set(attacked.who[: attacked.n].tolist()))
    return Questions(
        held=held,
        n_people=n_people,
        n_control=n_control,
        extrapolated=0 < n_control < n_people,
        answers=tuple(found),
    )
